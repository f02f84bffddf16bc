// Keeps the leases of all held jobs alive, and the worker's row in the registry.
//
// One renewal covers everything the worker holds, every lease_renew or half the shortest lease
// held, whichever is sooner. Its answer says which leases are gone; their handlers are told to
// stop. The hint that some job was cancelled (NOTIFY) renews the running jobs at once, at most ten
// times a second: every login may send it. Threads: one of its own; check_running(), check_all(),
// note_lease() and state() from any.
#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <jobforge/worker.h>

#include "engine/worker/db_session.h"
#include "engine/worker/held_jobs.h"
#include "engine/worker/worker_counters.h"

namespace jobforge::engine {

class Heartbeat final {
public:
    struct Options {
        std::string worker_id;
        pg::ConnectOptions connect;
        std::chrono::seconds lease{60};
        std::chrono::seconds renew{30};
        std::function<int()> running;
        std::function<std::vector<HeldJobs::Lease>()> running_leases;
        // A lease is gone: CANCELLED by a person or LOST to another worker.
        std::function<void(const Uuid&, std::int64_t, StopReason)> on_lost;
        std::function<bool()> can_settle;                // whether outcomes can be stored
        std::function<void(pg::Connection&)> give_back;  // what has been claimed and not begun
        Logger log;
    };
    Heartbeat(Options options, HeldJobs& held, WorkerCounters& counters, DbHealth& health);
    ~Heartbeat();  // stop()

    void start();
    // The registry's word for what the worker does: ACTIVE, DRAINING.
    void state(std::string state);
    // Says STOPPED and ends the thread.
    void stop();

    void check_running();
    void check_all();
    // Whether leases can be renewed, as far as we know: there is a connection, the last renewal
    // worked, and none takes longer than five seconds.
    [[nodiscard]] bool can_renew() const noexcept {
        return session_.connected() && works_.load() && !in_flight_.overdue();
    }
    // Jobs were claimed under a lease of this length.
    void note_lease(std::chrono::microseconds lease);

private:
    void run();
    [[nodiscard]] Status beat(pg::Connection& connection);
    void give_back_unsettled(pg::Connection& connection);
    [[nodiscard]] Status renew(pg::Connection& connection,
                               const std::vector<HeldJobs::Lease>& leases);
    [[nodiscard]] Status register_beat(pg::Connection& connection, const std::string& state);
    [[nodiscard]] Clock::duration interval() const;

    const Options options_;
    HeldJobs& held_;
    WorkerCounters& counters_;
    Signal signal_;
    DbSession session_;
    InFlight in_flight_;
    std::atomic<bool> works_{true};
    mutable std::mutex mutex_;
    std::string state_ = "ACTIVE";
    std::atomic<std::int64_t> interval_us_{0};
    Clock::time_point renewed_ = Clock::now();
    Clock::time_point registered_ = Clock::now();
    std::atomic<bool> renew_now_{false};
    std::atomic<bool> check_running_{false};
    Clock::time_point checked_running_{};
    Clock::time_point unable_since_ = Clock::time_point::max();  // to store outcomes
    std::thread thread_;
};

}  // namespace jobforge::engine
