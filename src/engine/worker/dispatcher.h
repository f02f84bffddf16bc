// Decides when to look, what to claim and when to sleep, and hands claimed jobs to the pool.
//
// It claims for free slots, and ahead of them only as much as very short jobs will use within about
// 50 ms, and only while it can renew and settle what it claims: without a session for either it
// gives back what has not started and frees its own place on the server. PROTOCOL.md has the rules
// for looks, naps, wake-ups and jobs that lost their worker.
// Threads: one of its own; wake() to requeued() and the getters from any.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "engine/worker/claimer.h"
#include "engine/worker/db_session.h"
#include "engine/worker/handler_pool.h"
#include "engine/worker/wake_throttle.h"
#include "engine/worker/worker_counters.h"

namespace jobforge::engine {

class Dispatcher final {
public:
    struct Options {
        pg::ConnectOptions connect;
        int slots = 1;
        int prefetch = 1000;
        std::chrono::milliseconds poll_interval{1000};
        std::function<bool()> listening;   // whether wake-ups can arrive
        std::function<bool()> can_settle;  // whether leases can be renewed and outcomes stored
        std::function<void(pg::Connection&)> give_back;  // what has been claimed and not begun
        Logger log;
        std::function<void(std::chrono::microseconds)> on_lease;
    };
    Dispatcher(Options options, Claimer::Options claimer, const JobTypes& types, HandlerPool& pool,
               HeldJobs& held, Completer& completer, WorkerCounters& counters, DbHealth& health);
    ~Dispatcher();  // stop()

    void start();
    // No more claims; returns when the thread has ended.
    void stop();
    void tell_to_stop() noexcept { signal_.stop(); }  // the first half of stop()
    void wake() noexcept;                             // look now
    void slots_freed() noexcept;                      // slots have become free
    void flushed() noexcept;   // outcomes were committed: limits may have room again
    void requeued() noexcept;  // a job of ours waits again (retry, snooze): its due time is news
    [[nodiscard]] bool claiming() const noexcept { return claiming_.load(); }

private:
    void run();
    [[nodiscard]] Status step(pg::Connection& connection);
    [[nodiscard]] bool look_is_due() const;
    [[nodiscard]] Status look(pg::Connection& connection);
    // The end of a look: what it cost decides when the next one is due.
    [[nodiscard]] Status looked(Result<std::chrono::microseconds> cost);
    [[nodiscard]] Status claim_anywhere(pg::Connection& connection, int limit);
    // Hands a claimed batch, if there is one, to the pool.
    [[nodiscard]] Status submit(Result<std::unique_ptr<HeldBatch>> batch);
    [[nodiscard]] Status claim(pg::Connection& connection, int free_slots,
                               const std::vector<const Lane*>& lanes, bool capped);
    [[nodiscard]] Status nap(pg::Connection& connection);
    [[nodiscard]] Status ask_and_look(pg::Connection& connection, Clock::time_point end);
    void sleep_until(Clock::time_point end, bool slots_matter);
    void lost_touch();
    [[nodiscard]] bool may_claim();
    void warn_of_interrupted(std::span<HeldJob> jobs) const;
    [[nodiscard]] std::span<HeldJob> take_in(std::unique_ptr<HeldBatch> batch);
    [[nodiscard]] int prefetch(const std::vector<const Lane*>& lanes) const;
    void wait_for_slots(int limit);

    const Options options_;
    const JobTypes& types_;
    HandlerPool& pool_;
    HeldJobs& held_;
    Completer& completer_;
    WorkerCounters& counters_;
    Claimer claimer_;
    WakeThrottle throttle_;
    Signal signal_;
    DbSession session_;
    std::atomic<bool> woken_{false};
    std::atomic<bool> requeued_{false};  // since the last look began
    std::atomic<bool> limited_{false};   // due jobs exist, but a limit kept us from claiming them
    std::atomic<bool> claiming_{false};
    bool needs_look_ = true;
    bool nothing_due_ = false;  // the last claim saw everything and left nothing
    bool found_some_ = false;   // and it had found something
    bool poll_ = false;         // the last nap was one of a busy queue
    Clock::time_point looked_{};
    Clock::duration look_interval_{};
    Clock::time_point unable_since_ = Clock::time_point::max();  // to settle what it would claim
    std::thread thread_;
};

}  // namespace jobforge::engine
