#include "pg/pipeline.h"

#include <sys/socket.h>

#include <optional>

#include "pg/await.h"
#include "pg/errors.h"

namespace jobforge::pg {

namespace {

// One answer to expect: a statement's rows, or the preparation that goes before it.
struct Expected {
    const Queued* queued;
    std::string prepared_key;  // set for preparations only
};

}  // namespace

class Pipeline final {
public:
    Pipeline(Connection::State& state, std::vector<Queued> queued)
        : state_(state), queued_(std::move(queued)) {}

    // Sends everything. False: result() says why not.
    [[nodiscard]] bool send(bool may_wait) {
        if (PQenterPipelineMode(state_.native) == 0) {
            fail(error_from_connection(state_.native, queued_.front().statement.name));
            return false;
        }
        // Non-blocking (an owned connection always is): the server may be unable to read on before
        // we take the results it already has, and both sides would wait for ever.
        PQsetnonblocking(state_.native, 1);
        try {
            if (!send_all() || PQpipelineSync(state_.native) != 1 ||
                !(may_wait ? AnswerWait(state_).flush() : PQflush(state_.native) == 0)) {
                lose();
                return false;
            }
        } catch (...) {
            cut();
            throw;
        }
        return true;
    }

    // Takes the answers that have come, or waits for all of them. True: there are no more.
    [[nodiscard]] bool take(bool may_wait) {
        AnswerWait wait(state_);
        while (PQstatus(state_.native) == CONNECTION_OK && nulls_ < 2) {
            if (may_wait) {
                wait.for_result();
            } else if (PQisBusy(state_.native) != 0) {
                return false;
            }
            OwnedResult result(PQgetResult(state_.native));
            if (next_ == expected_.size()) {
                if (is_sync(result.get())) {
                    return true;
                }
            } else if (result) {
                take_result(std::move(result));
            } else {
                ++next_;  // null: that was all of this answer
            }
        }
        const Queued& current =
            next_ < expected_.size() ? *expected_[next_].queued : queued_.back();
        fail(error_from_connection(state_.native, current.statement.name));
        error_->connection_lost = true;  // whatever it said before: the end was not confirmed
        return true;
    }

    // Some statements may have left already without a Sync to end them, or something has come that
    // cannot be read: the state of the protocol is lost, and so is the connection.
    void lose() {
        fail(error_from_connection(state_.native, queued_.front().statement.name));
        error_->connection_lost = true;
        cut();
    }

    // Once, at the end.
    [[nodiscard]] Result<std::vector<Rows>> result() {
        if (state_.native != nullptr && PQstatus(state_.native) == CONNECTION_OK) {
            PQexitPipelineMode(state_.native);
            if (!state_.owned) {
                PQsetnonblocking(state_.native, 0);  // as its owner expects it
            }
        }
        if (!error_) {
            return std::move(rows_);
        }
        if (!state_.gave_up.empty()) {
            error_->message = state_.gave_up;
        }
        if (error_->sqlstate == kReadOnly && state_.owned) {
            state_.release();
        }
        return std::move(*error_);
    }

private:
    void fail(Error error) {
        if (!error_) {
            error_ = std::move(error);
        }
    }

    // Nothing more may leave: libpq's Terminate would be preceded by what is still in its buffer,
    // possibly the Sync that commits what is about to be called a failure.
    void cut() noexcept {
        if (state_.owned) {
            (void)::shutdown(PQsocket(state_.native), SHUT_RDWR);
        }
        state_.release();
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

    void take_result(OwnedResult result) {
        const Expected& expected = expected_[next_];
        if (is_success(result.get())) {
            if (expected.prepared_key.empty()) {
                rows_.emplace_back(result.release());
            }
            return;
        }
        // What follows a failure is only marked as skipped (PGRES_PIPELINE_ABORTED).
        if (PQresultStatus(result.get()) != PGRES_PIPELINE_ABORTED) {
            Error error =
                error_from_result(state_.native, result.get(), expected.queued->statement.name);
            fail(state_.prepares ? outdated_is_retryable(std::move(error)) : std::move(error));
        }
        forget(expected);
    }

    // The Sync's own answer; a failed implicit commit (deferred constraint) shows up here.
    // Null results separate the answers; two in a row would mean that nothing is left.
    bool is_sync(const PGresult* result) {
        nulls_ = result == nullptr ? nulls_ + 1 : 0;
        if (result == nullptr) {
            return false;
        }
        if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) {
            return true;
        }
        fail(error_from_result(state_.native, result, queued_.back().statement.name));
        return false;
    }

    // A preparation that failed or was skipped does not exist on the server; a prepared statement
    // that failed may be outdated (see State::exec_prepared). Preparing again is always right.
    void forget(const Expected& expected) {
        state_.prepared.erase(
            Connection::State::prepared_key(expected.queued->statement, expected.queued->params));
    }

    Connection::State& state_;
    const std::vector<Queued> queued_;
    std::vector<Expected> expected_;
    std::size_t next_ = 0;  // of expected_: whose answer comes; behind the last: the Sync's
    int nulls_ = 0;         // in a row, of the Sync's
    std::vector<Rows> rows_;
    std::optional<Error> error_;
};

void DeletePipeline::operator()(Pipeline* pipeline) const noexcept {
    delete pipeline;
}

Result<std::vector<Rows>> run_pipeline(Connection::State& state, std::vector<Queued> queued) {
    Pipeline pipeline(state, std::move(queued));
    if (pipeline.send(true)) {
        (void)pipeline.take(true);
    }
    return pipeline.result();
}

Status start_pipeline(Connection::State& state, std::vector<Queued> queued) {
    std::unique_ptr<Pipeline, DeletePipeline> pipeline(new Pipeline(state, std::move(queued)));
    if (!pipeline->send(false)) {
        return pipeline->result().error();
    }
    state.under_way = std::move(pipeline);
    return ok_status();
}

std::optional<Result<std::vector<Rows>>> take_pipeline(Connection::State& state) {
    auto pipeline = std::move(state.under_way);
    const bool read = PQconsumeInput(state.native) == 1;
    // What came before the connection's end is taken all the same.
    if (!pipeline->take(false)) {
        if (read) {
            state.under_way = std::move(pipeline);
            return std::nullopt;
        }
        pipeline->lose();
    }
    return pipeline->result();
}

}  // namespace jobforge::pg
