#include "pg/pipeline.h"

#include <poll.h>

#include <cerrno>
#include <optional>

#include "pg/errors.h"

namespace jobforge::pg {

namespace {

// One answer to expect: a statement's rows, or the preparation that goes before it.
struct Expected {
    const Queued* queued;
    std::string prepared_key;  // set for preparations only
};

class Pipeline final {
public:
    Pipeline(Connection::State& state, const std::vector<Queued>& queued)
        : state_(state), queued_(queued) {}

    [[nodiscard]] Result<std::vector<Rows>> run() {
        if (PQenterPipelineMode(state_.native) == 0) {
            return error_from_connection(state_.native, queued_.front().statement.name);
        }
        // Non-blocking while sending: the server may be unable to read on before we take the
        // results it already has, and both sides would wait for ever.
        PQsetnonblocking(state_.native, 1);
        if (send_all() && PQpipelineSync(state_.native) == 1 && push_out()) {
            PQsetnonblocking(state_.native, 0);
            collect();
        } else {
            // Some statements may have left already without a Sync to end them: the state of the
            // protocol is lost, and so is the connection.
            fail(error_from_connection(state_.native, queued_.front().statement.name));
            error_->connection_lost = true;
            state_.release();
            return std::move(*error_);
        }
        if (PQstatus(state_.native) == CONNECTION_OK) {
            PQexitPipelineMode(state_.native);
        }
        if (error_) {
            return std::move(*error_);
        }
        return std::move(rows_);
    }

private:
    void fail(Error error) {
        if (!error_) {
            error_ = std::move(error);
        }
    }

    bool send_all() {
        for (const Queued& one : queued_) {
            if (!(state_.prepares ? send_prepared(one) : send_unnamed(one))) {
                return false;
            }
        }
        return true;
    }

    bool send_unnamed(const Queued& one) {
        const std::string sql(one.statement.sql);
        const Params& params = one.params;
        expected_.push_back(Expected{&one, {}});
        return PQsendQueryParams(state_.native, sql.c_str(), params.count(), params.types(),
                                 params.values(), params.lengths(), params.formats(),
                                 kBinaryResult) == 1;
    }

    bool send_prepared(const Queued& one) {
        const Params& params = one.params;
        const std::string key = Connection::State::prepared_key(one.statement, params);
        auto entry = state_.prepared.find(key);
        if (entry == state_.prepared.end()) {
            const std::string name = state_.new_prepared_name(one.statement.name);
            const std::string sql(one.statement.sql);
            expected_.push_back(Expected{&one, key});
            if (PQsendPrepare(state_.native, name.c_str(), sql.c_str(), params.count(),
                              params.types()) == 0) {
                return false;
            }
            entry = state_.prepared.emplace(key, name).first;
        }
        expected_.push_back(Expected{&one, {}});
        return PQsendQueryPrepared(state_.native, entry->second.c_str(), params.count(),
                                   params.values(), params.lengths(), params.formats(),
                                   kBinaryResult) == 1;
    }

    bool push_out() {
        while (true) {
            const int left = PQflush(state_.native);
            if (left <= 0) {
                return left == 0;
            }
            pollfd entry{PQsocket(state_.native), POLLIN | POLLOUT, 0};
            if (::poll(&entry, 1, -1) < 0 && errno != EINTR) {
                return false;
            }
            if ((entry.revents & POLLIN) != 0 && PQconsumeInput(state_.native) == 0) {
                return false;
            }
        }
    }

    void collect() {
        rows_.reserve(queued_.size());
        for (const Expected& expected : expected_) {
            take_answer(expected);
            if (PQstatus(state_.native) != CONNECTION_OK) {
                fail(error_from_connection(state_.native, expected.queued->statement.name));
                return;
            }
        }
        // The Sync's own answer; a failed implicit commit (deferred constraint) shows up here.
        // Null results separate the answers; two in a row would mean that nothing is left.
        int nulls = 0;
        while (PQstatus(state_.native) == CONNECTION_OK && nulls < 2) {
            const OwnedResult result(PQgetResult(state_.native));
            if (!result) {
                ++nulls;
                continue;
            }
            nulls = 0;
            if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) {
                return;
            }
            fail(error_from_result(state_.native, result.get(), queued_.back().statement.name));
        }
        fail(error_from_connection(state_.native, queued_.back().statement.name));
    }

    void take_answer(const Expected& expected) {
        const bool preparation = !expected.prepared_key.empty();
        while (OwnedResult result{PQgetResult(state_.native)}) {
            if (is_success(result.get())) {
                if (!preparation) {
                    rows_.emplace_back(result.release());
                }
                continue;
            }
            // What follows a failure is only marked as skipped (PGRES_PIPELINE_ABORTED).
            if (PQresultStatus(result.get()) != PGRES_PIPELINE_ABORTED) {
                Error error =
                    error_from_result(state_.native, result.get(), expected.queued->statement.name);
                fail(state_.prepares ? outdated_is_retryable(std::move(error)) : std::move(error));
            }
            forget(expected);
            if (PQstatus(state_.native) != CONNECTION_OK) {
                return;
            }
        }
    }

    // A preparation that failed or was skipped does not exist on the server; a prepared statement
    // that failed may be outdated (see State::exec_prepared). Preparing again is always right.
    void forget(const Expected& expected) {
        state_.prepared.erase(
            Connection::State::prepared_key(expected.queued->statement, expected.queued->params));
    }

    Connection::State& state_;
    const std::vector<Queued>& queued_;
    std::vector<Expected> expected_;
    std::vector<Rows> rows_;
    std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Rows>> run_pipeline(Connection::State& state,
                                       const std::vector<Queued>& queued) {
    return Pipeline(state, queued).run();
}

}  // namespace jobforge::pg
