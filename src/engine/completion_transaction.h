// The transaction of one handler: its writes and its job's settlement commit together.
//
// Begun with the job's tenant in app.tenant_id, and with a limit on idleness of one lease: when a
// frozen worker's lease is gone, so are its locks. Threads: the handler's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/transaction.h>

#include "engine/settlement.h"
#include "pg/pool.h"

namespace jobforge::engine {

class CompletionTransaction final : public Transaction {
public:
    // Errors: TIMEOUT (no connection became free), DB_UNAVAILABLE and others of a connect.
    [[nodiscard]] static Result<std::unique_ptr<CompletionTransaction>> begin(pg::Pool& pool,
                                                                              const HeldJob& job);
    ~CompletionTransaction() override;

    [[nodiscard]] Result<TextRows> exec(std::string_view name, std::string_view sql,
                                        const std::vector<Text>& parameters) override;
    [[nodiscard]] pg_conn* native() noexcept override { return connection_->native(); }
    // The same with binary parameters and results, for handlers of this program: it remembers what
    // it has prepared. Only fixed statements; texts from outside go through exec(). The limits of
    // native() hold.
    [[nodiscard]] pg::Connection& connection() noexcept { return *connection_; }

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
    explicit CompletionTransaction(pg::PooledConnection connection)
        : connection_(std::move(connection)) {}
    pg::PooledConnection connection_;
    std::optional<Error> first_error_;
    bool rolled_back_ = false;
};

}  // namespace jobforge::engine
