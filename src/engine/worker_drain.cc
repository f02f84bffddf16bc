// The graceful end of a worker: PROTOCOL.md, Draining.
#include <algorithm>

#include "engine/settle_calls.h"
#include "engine/worker_runtime.h"

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

// What storing the last outcomes may take beyond drain_grace: room for a reconnect.
constexpr auto kFlushGrace = 10s;
constexpr int kReleaseTries = 3;

}  // namespace

void WorkerRuntime::drain() {
    log_.info("worker stops", {{"running", pool_.running()}});
    listener_.reset();
    dispatcher_.stop();
    maintenance_.stop();
    heartbeat_.state("DRAINING");
    pool_.close();
    const auto grace_ends = Clock::now() + options_.drain_grace;
    Signal idle;
    while (true) {
        // Again and again: a thread may have taken jobs, or begun one, in between.
        release_unstarted();
        pool_.request_stop_all(StopReason::draining);
        if (pool_.active() == 0 || Clock::now() >= grace_ends) {
            break;
        }
        idle.pause(std::min<Clock::duration>(10ms, grace_ends - Clock::now()));
    }
    release_running();
    completer_.finish(Clock::now() + kFlushGrace);
    heartbeat_.stop();
    connections_.close();
    log_.info("worker stopped",
              {{"succeeded", counters_.succeeded.load()}, {"left_running", pool_.running()}});
}

void WorkerRuntime::release_unstarted() {
    std::vector<HeldJob*> unstarted = pool_.take_unstarted();
    std::vector<HeldJobs::Lease> leases;
    for (const HeldJob* job : unstarted) {
        leases.push_back({job->tenant_id, job->job_id, job->lease_token});
    }
    HeldJob* solo = dispatcher_.take_solo();
    if (solo != nullptr) {
        leases.push_back({solo->tenant_id, solo->job_id, solo->lease_token});
    }
    if (leases.empty()) {
        return;
    }
    release(leases);
    for (HeldJob* job : unstarted) {
        pool_.dropped(*job);
        held_.settled(*job);
    }
    if (solo != nullptr) {
        held_.settled(*solo);
    }
}

// Their late answers are refused: here because the job is marked, in the database by the token.
void WorkerRuntime::release_running() {
    std::vector<HeldJobs::Lease> leases = pool_.running_leases();
    std::erase_if(leases, [&](const HeldJobs::Lease& lease) {
        return !held_.lose(lease.job_id, lease.lease_token);
    });
    if (!leases.empty()) {
        log_.warn("handlers still run after the grace period: their jobs are released",
                  {{"jobs", leases.size()}});
    }
    release(leases);
}

void WorkerRuntime::release(std::span<const HeldJobs::Lease> leases) {
    if (leases.empty()) {
        return;
    }
    Signal signal;
    DbSession session("release", connect_options("release"), health_, signal);
    for (int tries = 0; tries < kReleaseTries; ++tries) {
        pg::Connection* connection = session.connection();
        if (connection == nullptr) {
            continue;
        }
        auto released = release_leases(*connection, options_.worker_id, leases);
        if (released) {
            return;
        }
        session.failed(released.error());
    }
    log_.warn("jobs could not be released: their leases will expire", {{"jobs", leases.size()}});
}

}  // namespace jobforge::engine
