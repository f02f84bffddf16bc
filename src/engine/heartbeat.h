// Keeps the leases of all held jobs alive, and the worker's row in the registry.
//
// One renewal covers everything the worker holds, every lease_renew or half the shortest lease
// held, whichever is sooner. Its answer says which leases are gone; their handlers are told to
// stop. A hint that a job was cancelled (NOTIFY) only brings that job's renewal forward: nobody's
// word is taken for it. Threads: one of its own; check(), note_lease() and state() from any.
#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <jobforge/worker.h>

#include "engine/db_session.h"
#include "engine/held_jobs.h"
#include "engine/worker_counters.h"

namespace jobforge::engine {

class Heartbeat final {
public:
    struct Options {
        std::string worker_id;
        pg::ConnectOptions connect;
        std::chrono::seconds lease{60};
        std::chrono::seconds renew{30};
        std::function<int()> running;
        // A lease is gone: CANCELLED by a person or LOST to another worker.
        std::function<void(const Uuid&, std::int64_t, StopReason)> on_lost;
        Logger log;
    };
    Heartbeat(Options options, HeldJobs& held, WorkerCounters& counters, DbHealth& health);
    ~Heartbeat();  // stop()

    void start();
    // The registry's word for what the worker does: ACTIVE, DRAINING.
    void state(std::string state);
    // Says STOPPED and ends the thread.
    void stop();

    void check(const Uuid& job_id, std::int64_t lease_token);
    void check_all();
    // Whether there is a connection to renew on, as far as we know.
    [[nodiscard]] bool connected() const noexcept { return session_.connected(); }
    // Jobs were claimed under a lease of this length.
    void note_lease(std::chrono::microseconds lease);

private:
    void run();
    [[nodiscard]] Status beat(pg::Connection& connection);
    [[nodiscard]] Status renew(pg::Connection& connection,
                               const std::vector<HeldJobs::Lease>& leases);
    [[nodiscard]] Status register_beat(pg::Connection& connection, const std::string& state);
    [[nodiscard]] std::vector<HeldJobs::Lease> take_hints();
    [[nodiscard]] Clock::duration interval() const;

    const Options options_;
    HeldJobs& held_;
    WorkerCounters& counters_;
    Signal signal_;
    DbSession session_;
    mutable std::mutex mutex_;
    std::string state_ = "ACTIVE";
    std::vector<std::pair<Uuid, std::int64_t>> hints_;
    std::atomic<std::int64_t> interval_us_{0};
    Clock::time_point renewed_ = Clock::now();
    Clock::time_point registered_ = Clock::now();
    std::atomic<bool> renew_now_{false};
    std::thread thread_;
};

}  // namespace jobforge::engine
