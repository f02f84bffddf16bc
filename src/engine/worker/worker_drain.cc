// The graceful end of a worker: PROTOCOL.md, Draining.
#include <algorithm>

#include "engine/settle/settle_calls.h"
#include "engine/worker/worker_runtime.h"

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

// A stop ends within the grace, but needs this long where the server is hung or away: a session
// gives up an answer after a second, then jobs are given back and outcomes stored.
constexpr auto kShortestStop = 3s;
// The end of the grace belongs to giving back and storing (kFlush), and to the heartbeat's last
// word and the threads' ends (kLastWord).
constexpr auto kFlush = 1400ms;
constexpr auto kLastWord = 800ms;
constexpr auto kLongestFlush = 6s;
constexpr auto kReleasePause = 200ms;

}  // namespace

void WorkerRuntime::drain() {
    log_.info("worker stops", {{"running", pool_.running()}});
    const auto began = Clock::now();
    const auto flush_ends =
        began + std::max<Clock::duration>(options_.drain_grace, kShortestStop) - kLastWord;
    const auto handlers_end =
        std::min<Clock::time_point>(began + options_.drain_grace, flush_ends - kFlush);
    // All are told before any is waited for: on a hung server each takes its two seconds.
    dispatcher_.tell_to_stop();
    maintenance_.tell_to_stop();
    listener_.reset();
    dispatcher_.stop();
    maintenance_.stop();
    heartbeat_.state("DRAINING");
    pool_.close();
    Signal idle;
    while (true) {
        // Again and again: a thread may have taken jobs, or begun one, in between.
        release_unstarted(std::min<Clock::time_point>(flush_ends, Clock::now() + kFlush));
        pool_.request_stop_all(StopReason::draining);
        if (pool_.active() == 0 || Clock::now() >= handlers_end) {
            break;
        }
        idle.pause(std::min<Clock::duration>(10ms, handlers_end - Clock::now()));
    }
    handlers_.stop();
    const auto deadline = std::min<Clock::time_point>(flush_ends, Clock::now() + kLongestFlush);
    release_running(deadline);
    completer_.finish(deadline);
    heartbeat_.stop();
    connections_.close();
    log_.info("worker stopped",
              {{"succeeded", counters_.succeeded.load()}, {"left_running", pool_.running()}});
}

// The sessions for renewals or outcomes are away: others should have what has not started here.
void WorkerRuntime::give_back(pg::Connection& connection) {
    std::vector<HeldJob*> unstarted = pool_.take_unstarted();
    if (unstarted.empty()) {
        return;
    }
    std::vector<HeldJobs::Lease> leases;
    for (const HeldJob* job : unstarted) {
        leases.push_back(HeldJobs::lease_of(*job));
    }
    auto released = release_leases(connection, options_.worker_id, leases);
    log_.warn("jobs are given back: this worker cannot renew or settle them now",
              {{"jobs", leases.size()}, {"released", released.ok()}});
    for (HeldJob* job : unstarted) {
        pool_.dropped(*job);
        held_.settled(*job);
    }
}

void WorkerRuntime::release_unstarted(Clock::time_point deadline) {
    std::vector<HeldJob*> unstarted = pool_.take_unstarted();
    std::vector<HeldJobs::Lease> leases;
    for (const HeldJob* job : unstarted) {
        leases.push_back(HeldJobs::lease_of(*job));
    }
    if (leases.empty()) {
        return;
    }
    release(leases, deadline);
    for (HeldJob* job : unstarted) {
        pool_.dropped(*job);
        held_.settled(*job);
    }
}

// Their late answers are refused: here because the job is marked, in the database by the token.
void WorkerRuntime::release_running(Clock::time_point deadline) {
    std::vector<HeldJobs::Lease> leases = pool_.running_leases();
    std::erase_if(leases, [&](const HeldJobs::Lease& lease) {
        return !held_.lose(lease.job_id, lease.lease_token);
    });
    if (!leases.empty()) {
        log_.warn("handlers still run after the grace period: their jobs are released",
                  {{"jobs", leases.size()}});
    }
    release(leases, deadline);
}

void WorkerRuntime::release(std::span<const HeldJobs::Lease> leases, Clock::time_point deadline) {
    if (leases.empty()) {
        return;
    }
    Signal signal;
    pg::ConnectOptions connect = connect_options("release");
    connect.give_up = [deadline] { return Clock::now() >= deadline; };
    std::optional<pg::Connection> connection;
    while (Clock::now() < deadline) {
        if (!connection || !connection->alive()) {
            auto connected = pg::Connection::connect(connect);
            if (!connected) {
                signal.pause(kReleasePause);
                continue;
            }
            connection.emplace(std::move(*connected));
        }
        auto released = release_leases(*connection, options_.worker_id, leases);
        if (released) {
            return;
        }
        if (!released.error().retryable) {
            break;
        }
        signal.pause(kReleasePause);
    }
    log_.warn("jobs could not be released: their leases will expire", {{"jobs", leases.size()}});
}

}  // namespace jobforge::engine
