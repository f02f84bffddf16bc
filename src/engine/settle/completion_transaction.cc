#include "engine/settle/completion_transaction.h"

#include <algorithm>

#include <libpq-fe.h>

#include "base/crypto/hash.h"
#include "pg/errors.h"
#include "statements/session.h"
#include "statements/settle.h"

namespace jobforge::engine {

namespace {

// Connections of the pool that died while they were idle; each is met once.
constexpr int kMaxStale = 1000;

TextRows read_text(const PGresult* result) {
    TextRows rows;
    const int columns = PQnfields(result);
    for (int column = 0; column < columns; ++column) {
        rows.columns.emplace_back(PQfname(result, column));
    }
    for (int row = 0; row < PQntuples(result); ++row) {
        std::vector<Text>& values = rows.rows.emplace_back();
        for (int column = 0; column < columns; ++column) {
            if (PQgetisnull(result, row, column) != 0) {
                values.emplace_back(std::nullopt);
            } else {
                values.emplace_back(
                    std::string(PQgetvalue(result, row, column),
                                static_cast<std::size_t>(PQgetlength(result, row, column))));
            }
        }
    }
    const std::string_view affected = PQcmdTuples(const_cast<PGresult*>(result));
    rows.affected = affected.empty() ? 0 : std::stoll(std::string(affected));
    return rows;
}

pg::Statement settle_statement(Verdict verdict) {
    switch (verdict) {
        case Verdict::done:
            return statements::settle::kCompleteJob;
        case Verdict::retry:
        case Verdict::fail:
            return statements::settle::kFailJob;
        case Verdict::cancelled:
            return statements::settle::kCancelRunningJob;
        case Verdict::snooze:
        case Verdict::release:
            break;
    }
    return statements::settle::kSnoozeJob;
}

pg::Params settle_params(const std::string& worker_id, const Settlement& settlement) {
    constexpr unsigned kJsonb = 3802;
    constexpr unsigned kFloat8 = 701;
    const HeldJob& job = *settlement.job;
    pg::Params params;
    params.text(worker_id).uuid(job.tenant_id).uuid(job.job_id).int8(job.lease_token);
    params.uuid(job.claim_id);
    const auto add_json = [&] {
        settlement.json.empty() ? params.null(kJsonb) : params.jsonb(settlement.json);
    };
    const auto add_seconds = [&] {
        settlement.seconds ? params.real(*settlement.seconds) : params.null(kFloat8);
    };
    switch (settlement.verdict) {
        case Verdict::done:
        case Verdict::cancelled:
            add_json();
            break;
        case Verdict::retry:
        case Verdict::fail:
            add_json();
            add_seconds();
            break;
        case Verdict::snooze:
        case Verdict::release:
            add_seconds();
            break;
    }
    return params;
}

// Other limits on answers than those of the engine's own calls, as long as it lives.
class AnswerLimit final {
public:
    AnswerLimit(pg::Connection& connection, std::chrono::milliseconds longest)
        : connection_(connection), before_(connection.limit_answers(longest)) {}
    AnswerLimit(const AnswerLimit&) = delete;
    AnswerLimit& operator=(const AnswerLimit&) = delete;
    ~AnswerLimit() { connection_.limit_answers(before_); }

private:
    pg::Connection& connection_;
    const std::chrono::milliseconds before_;
};
constexpr std::chrono::milliseconds kUnlimited{0};
// Steps of this program: as a client's calls (TenantCalls).
constexpr std::chrono::milliseconds kLongestStep{300'000};

Result<std::vector<pg::Rows>> flush(pg::Connection& connection, std::span<const TenantCall> calls) {
    if (calls.empty()) {
        return connection.flush();
    }
    const AnswerLimit limit(connection, kLongestStep);
    return connection.flush();
}

void queue_all(pg::Connection& connection, std::span<const TenantCall> calls) {
    for (const TenantCall& call : calls) {
        connection.queue(call.statement, call.params);
    }
}

}  // namespace

Status CompletionTransaction::begin() {
    const std::lock_guard guard(mutex_);
    return begin_locked();
}

Status CompletionTransaction::begin_locked() {
    for (int stale = 0; !connection_; ++stale) {
        auto begun = begin_with({});
        const bool stale_one = !begun && begun.error().connection_lost && !shortage_;
        if (!begun && (!stale_one || stale == kMaxStale)) {
            return begun.error();
        }
    }
    return ok_status();
}

Result<std::vector<pg::Rows>> CompletionTransaction::begin_with(std::span<const TenantCall> calls) {
    auto connection = pool_.acquire(job_.tenant_id);
    if (!connection) {
        shortage_ = connection.error();
        return connection.error();
    }
    shortage_.reset();
    const auto lease_ms = std::chrono::duration_cast<std::chrono::milliseconds>(job_.lease).count();
    pg::Params params;
    params.text(job_.tenant_id.to_string()).text(std::to_string(std::max<long>(1000, lease_ms)));
    params.text(job_.batch->created_by(job_.row));  // the actor of its events
    (*connection)->queue(statements::session::kBegin, {});
    (*connection)
        ->queue(bounded_ ? statements::session::kSetStepTransaction
                         : statements::session::kSetTransaction,
                std::move(params));
    queue_all(**connection, calls);
    auto rows = flush(**connection, calls);
    if (rows) {
        connection_.emplace(std::move(*connection));
        used_at_ = Clock::now();
        rows->erase(rows->begin(), rows->begin() + 2);
    }
    return rows;
}

// An idle connection may have died. The calls then follow a begin that was answered: they are not
// carried from connection to connection, for it may be they that break it.
Result<std::vector<pg::Rows>> CompletionTransaction::run_first(std::span<const TenantCall> calls) {
    auto rows = begin_with(calls);
    if (rows || !rows.error().connection_lost) {
        return rows;
    }
    if (auto begun = begin_locked(); !begun) {
        return begun.error();
    }
    queue_all(**connection_, calls);
    return flush(**connection_, calls);
}

Result<std::vector<pg::Rows>> CompletionTransaction::run(std::span<const TenantCall> calls) {
    const std::lock_guard guard(mutex_);
    bounded_ = true;
    auto rows = [&] {
        if (!connection_) {
            return run_first(calls);
        }
        queue_all(**connection_, calls);
        return flush(**connection_, calls);
    }();
    if (!rows && !first_error_) {
        first_error_ = rows.error();
    }
    used_at_ = Clock::now();
    return rows;
}

pg_conn* CompletionTransaction::native() noexcept {
    const std::lock_guard guard(mutex_);
    pg::Connection& connection = **connection_;
    if (!std::exchange(lent_, true)) {
        pg::Params params;
        // Every login of the server sees this name, so it does not tell the job: the claim is known
        // here only (jobforge.job_is_leased).
        params.text("jobforge job " +
                    sha256_hex(job_.claim_id.to_string() + job_.job_id.to_string()).substr(0, 32));
        (void)connection.exec(statements::session::kLendTransaction, params);
        if (connection.alive()) {
            PQsetnonblocking(connection.native(), 0);
        }
    }
    return connection.native();
}

void CompletionTransaction::keep_alive(Clock::time_point now) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && connection_ && !lent_ && !rolled_back_ &&
        now - used_at_ >= job_.lease / 3) {
        (*connection_)->ping();
        used_at_ = now;
    }
}

CompletionTransaction::~CompletionTransaction() {
    rollback();
}

Result<TextRows> CompletionTransaction::exec(std::string_view name, std::string_view sql,
                                             const std::vector<Text>& parameters) {
    std::vector<const char*> values;
    for (const Text& parameter : parameters) {
        values.push_back(parameter ? parameter->c_str() : nullptr);
    }
    const std::lock_guard guard(mutex_);
    pg::Connection& connection = **connection_;
    auto rows = [&] {
        const AnswerLimit none(connection, kUnlimited);
        return connection.exec_text({name, sql}, values);
    }();
    used_at_ = Clock::now();
    if (rows) {
        return read_text(rows->native());
    }
    Error error = rows.error();
    error.outcome_unknown = false;  // nothing is committed before the job is settled
    if (!first_error_ || !connection.alive() ||
        PQtransactionStatus(connection.native()) != PQTRANS_INERROR) {
        first_error_ = error;
    }
    return error;
}

std::optional<Error> CompletionTransaction::shortage() const {
    const std::lock_guard guard(mutex_);
    return shortage_;
}

std::optional<Error> CompletionTransaction::broken() {
    const std::lock_guard guard(mutex_);
    if (!connection_) {
        return first_error_;
    }
    pg::Connection& connection = **connection_;
    connection.await_ping();
    const PGTransactionStatusType status = PQtransactionStatus(connection.native());
    if (connection.alive() && status == PQTRANS_INTRANS) {
        return std::nullopt;
    }
    if (connection.alive() && status == PQTRANS_IDLE) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "the handler ended the completion transaction itself");
    }
    if (first_error_) {
        return first_error_;
    }
    Error error = Error::of(ErrorCode::DB_UNAVAILABLE,
                            connection.alive() ? "a statement of the transaction failed"
                                               : "the transaction's connection was lost");
    error.connection_lost = !connection.alive();
    return error;
}

Result<std::string> CompletionTransaction::settle(const std::string& worker_id,
                                                  const Settlement& settlement) {
    const std::lock_guard guard(mutex_);
    if (auto begun = begin_locked(); !begun) {
        return begun.error();
    }
    pg::Connection& connection = **connection_;
    queue_all(connection, last_);
    connection.queue(settle_statement(settlement.verdict), settle_params(worker_id, settlement));
    connection.queue(statements::session::kCommit, {});
    auto rows = connection.flush();
    if (!rows) {
        rollback_locked();
        return rows.error();
    }
    if (rows->back().command_tag() != "COMMIT") {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the completion transaction was rolled back");
    }
    const bool answers =
        settlement.verdict == Verdict::retry || settlement.verdict == Verdict::fail;
    return answers ? std::string(rows->at(last_.size()).text(0, 0)) : std::string();
}

void CompletionTransaction::rollback() noexcept {
    const std::lock_guard guard(mutex_);
    rollback_locked();
}

void CompletionTransaction::rollback_locked() noexcept {
    rolled_back_ = true;
    if (!connection_ || !(*connection_)->alive()) {
        return;
    }
    (*connection_)->await_ping();
    if ((*connection_)->alive() && (*connection_)->in_transaction()) {
        (void)(*connection_)->script(statements::session::kRollback);
    }
}

}  // namespace jobforge::engine
