// The calls that settle a batch: one array call per kind of outcome, all in one transaction.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/settle/settlement.h"
#include "pg/connection.h"

namespace jobforge::engine {

// What is done with a row that another transaction has locked: waits (up to the lock timeout), or
// leaves it.
enum class OnLocked : std::uint8_t { wait, skip };

// Threads: one. Settlements whose job is nullptr (done already) are left out.
class SettleCalls final {
public:
    // Short: the flush waits for it, and with it everybody's outcomes.
    static constexpr std::chrono::milliseconds kLockTimeout{20};

    SettleCalls(const std::string& worker_id, std::span<const Settlement> batch);
    // Runs and commits. On an error nothing was done, unless it says outcome_unknown. With
    // OnLocked::wait a row that stays locked longer than kLockTimeout is an error with
    // SQLSTATE 55P03.
    [[nodiscard]] Status run(pg::Connection& connection, OnLocked on_locked);
    // After run(): why nothing was done for the i-th. result: the database does not take it.
    enum class Refusal : std::uint8_t { none, lost, settled, locked, result };
    [[nodiscard]] Refusal refusal(std::size_t i) const noexcept;
    // After run(): what fail_jobs answered for the i-th; empty for other verdicts.
    [[nodiscard]] std::string_view status(std::size_t i) const noexcept;

private:
    enum Call { kComplete, kFail, kSnooze, kRelease, kCancel, kCalls };
    [[nodiscard]] static Call call_of(Verdict verdict) noexcept;
    void queue(pg::Connection& connection, Call call, OnLocked on_locked) const;
    void read(const pg::Rows& rows, Call call);
    [[nodiscard]] std::size_t find(Call call, const Uuid& job_id, std::int64_t token) const;

    const std::string& worker_id_;
    const std::span<const Settlement> batch_;
    std::vector<std::size_t> members_[kCalls];
    std::vector<std::string> statuses_;  // by index; empty when nothing special was answered
};

// HELD, SETTLED or LOST.
[[nodiscard]] Result<std::string> ask_lease_state(pg::Connection& connection,
                                                  const std::string& worker_id, const HeldJob& job);
// Gives jobs back without counting the attempt. Leases that are gone are skipped.
[[nodiscard]] Status release_leases(pg::Connection& connection, const std::string& worker_id,
                                    std::span<const HeldJobs::Lease> leases);

}  // namespace jobforge::engine
