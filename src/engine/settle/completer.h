// Tells the database how attempts ended, in batches, on a connection of its own.
//
// While one flush is under way the next batch gathers. A settlement counts as held (its lease is
// renewed) until its flush has committed. A flush whose connection broke is sent again: the fence
// makes that safe, and lease_state tells a job that the first sending settled from a lost one.
// A job whose row stays locked (a cancel in an open transaction) is parked: parked jobs
// are tried together, without waiting for anything, so that an open transaction of one tenant does
// not delay the completions of others. Threads: push() from any (it waits while too much is
// unflushed); the rest from the owner.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/settle/settle_calls.h"
#include "engine/settle/settlement.h"
#include "engine/settle/settlement_report.h"
#include "engine/worker/db_session.h"

namespace jobforge::engine {

class Completer final {
public:
    struct Options {
        std::string worker_id;
        pg::ConnectOptions connect;
        // Whether more outcomes will come within a moment: then it is worth waiting for them.
        std::function<bool()> more_coming;
        std::function<void()> after_flush;
        // So many outcomes that a lock keeps from being stored, and can_settle() is false.
        std::size_t most_unstored = 1;
    };
    static constexpr std::size_t kBatch = 1000;
    static constexpr std::size_t kMaxBacklog = 5'000;

    Completer(Options options, HeldJobs& held, SettlementReport& report, DbHealth& health);
    ~Completer();

    void start();
    void push(Settlement&& settlement);
    [[nodiscard]] std::size_t backlog() const;
    // Whether outcomes can be stored, as far as we know: there is a connection, no flush takes
    // longer than five seconds (a stuck server process), and few are refused by a lock on more than
    // their row (a locked table).
    [[nodiscard]] bool can_settle() const noexcept {
        return session_.connected() && !in_flight_.overdue() &&
               unstored_.load() < options_.most_unstored;
    }
    // Flushes what is there, at most until `deadline`, and ends the thread. What is left then keeps
    // its lease until it expires.
    void finish(Clock::time_point deadline);

private:
    void run();
    [[nodiscard]] bool gather(std::vector<Settlement>& batch);
    void flush(std::vector<Settlement>& batch);
    [[nodiscard]] Status send(pg::Connection& connection, std::vector<Settlement>& batch,
                              bool again, OnLocked on_locked);
    void park(Settlement& settlement, bool again);
    void retry_parked();
    void send_one_by_one(std::vector<Settlement>& batch, bool again);
    void send_alone(std::vector<Settlement>& one, bool again);
    void finish_lost(Settlement& settlement);

    const Options options_;
    HeldJobs& held_;
    SettlementReport& report_;
    Signal signal_;
    DbSession session_;
    InFlight in_flight_;
    mutable std::mutex mutex_;
    std::condition_variable filled_;
    std::condition_variable drained_;
    std::vector<Settlement> pending_;
    std::vector<Settlement> parked_;  // the thread's own
    Clock::time_point parked_due_ = Clock::time_point::max();
    std::atomic<std::size_t> unstored_{0};  // of the parked ones: not for a lock on their row alone
    std::size_t flushing_ = 0;
    bool waiting_ = false;
    bool finishing_ = false;
    std::thread thread_;
};

}  // namespace jobforge::engine
