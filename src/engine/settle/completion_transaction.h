// The transaction of one handler: its writes and its job's settlement commit together.
//
// Begun with the job's tenant in app.tenant_id, and with a limit on idleness of one lease: when a
// frozen worker's lease is gone, so are its locks. A handler may be busy elsewhere for longer: as
// long as its lease is renewed, keep_alive() keeps the transaction from being idle.
// Threads: the handler's; keep_alive() from another.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/transaction.h>

#include "engine/database/tenant_calls.h"
#include "engine/settle/settlement.h"
#include "engine/settle/transaction_pool.h"

namespace jobforge::engine {

class CompletionTransaction final : public Transaction {
public:
    // Takes no connection yet.
    CompletionTransaction(TransactionPool& pool, const HeldJob& job) : pool_(pool), job_(job) {}
    CompletionTransaction(const CompletionTransaction&) = delete;
    CompletionTransaction& operator=(const CompletionTransaction&) = delete;
    ~CompletionTransaction() override;

    // Does nothing if it has begun. Errors: TIMEOUT (no connection became free), DB_UNAVAILABLE and
    // others of a connect.
    [[nodiscard]] Status begin();

    // After begin().
    [[nodiscard]] Result<TextRows> exec(std::string_view name, std::string_view sql,
                                        const std::vector<Text>& parameters) override;
    // Lent to the handler, the connection cannot be pinged any more: the limit on idleness is
    // lifted, and what a frozen worker holds is ended by another worker
    // (jobforge.end_frozen_sessions).
    [[nodiscard]] pg_conn* native() noexcept override;
    // Without waiting. Does nothing while the handler uses the connection.
    void keep_alive(Clock::time_point now);

    // For handlers of this program: binary parameters and results, prepared once on the worker's
    // connections. Only fixed statements; texts from outside go through exec(). The calls run in
    // one round trip, and the begin travels with the first ones. A call waits five seconds at most
    // for a lock: a tenant can lock the rows of its own snapshots, versions and deliveries, and a
    // handler that waits for ever keeps its slot and its connection. Errors: the first of the
    // calls, or those of begin().
    [[nodiscard]] Result<std::vector<pg::Rows>> run(std::span<const TenantCall> calls);
    // The handler's last call, in the round trip of the settlement and the commit. Its error
    // becomes the job's, as if the handler had returned it.
    void run_at_end(TenantCall call) {
        bounded_ = true;
        last_.push_back(std::move(call));
    }

    // Something was done in it, or tried: it takes part in the job's end.
    [[nodiscard]] bool used() const noexcept {
        const std::lock_guard guard(mutex_);
        return connection_.has_value() || first_error_.has_value() || !last_.empty();
    }
    // Why it could not begin: no connection was to be had. A shortage of the worker's own, which is
    // no fault of the job.
    [[nodiscard]] std::optional<Error> shortage() const;
    // The error that aborted the transaction or broke its connection, if it cannot commit any more.
    // A transaction that the handler ended itself cannot either.
    [[nodiscard]] std::optional<Error> broken();
    // Settles and commits. Answers what fail_job said (QUEUED, FAILED, DEAD_LETTER) or "".
    // LEASE_LOST: rolled back. outcome_unknown: the connection broke during the commit.
    [[nodiscard]] Result<std::string> settle(const std::string& worker_id,
                                             const Settlement& settlement);
    // Undoes everything; from here on the transaction takes no part in the job's end.
    void rollback() noexcept;
    // False after rollback().
    [[nodiscard]] bool wanted() const noexcept { return !rolled_back_; }

private:
    void rollback_locked() noexcept;
    [[nodiscard]] Status begin_locked();
    [[nodiscard]] Result<std::vector<pg::Rows>> begin_with(std::span<const TenantCall> calls);
    [[nodiscard]] Result<std::vector<pg::Rows>> run_first(std::span<const TenantCall> calls);

    TransactionPool& pool_;
    const HeldJob& job_;
    mutable std::mutex mutex_;                         // of what follows; keep_alive() tries it
    std::optional<TransactionPool::Lent> connection_;  // from the begin on
    std::optional<Error> shortage_;                    // of connections, when it should begin
    bool bounded_ = false;                             // its waits for locks end
    Clock::time_point used_at_{};
    bool lent_ = false;
    std::vector<TenantCall> last_;
    std::optional<Error> first_error_;
    bool rolled_back_ = false;
};

}  // namespace jobforge::engine
