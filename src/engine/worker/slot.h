// One handler thread's place: what it runs now, and how others ask that run to stop.
//
// Threads: begin(), end(), next() and load() from the handler thread; the rest from any. The stop
// source is made only when its token is asked for: most handlers never do.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include <jobforge/worker.h>

#include "engine/worker/held_jobs.h"

namespace jobforge::engine {

class CompletionTransaction;

class Slot final {
public:
    // The jobs taken from the queue that wait for their turn in this slot.
    void load(std::vector<HeldJob*>& taken);
    [[nodiscard]] HeldJob* next();
    // Takes away what waits here, if the run under way began before `before` (a neighbour that
    // turned out slow must not hold them up).
    [[nodiscard]] std::vector<HeldJob*> give_back(Clock::time_point before);
    // Takes away what waits here.
    [[nodiscard]] std::vector<HeldJob*> give_back();

    void begin(HeldJob& job, Clock::time_point now);
    // The transaction of the run under way; nullptr before it is destroyed.
    void attach(CompletionTransaction* transaction);
    // Keeps that transaction from being idle, without waiting, while the job's lease runs and is
    // to be renewed: `renewed` is when leases were last renewed.
    void keep_transaction_alive(Clock::time_point now, Clock::time_point renewed);
    // Ends the run; answers why it was asked to stop, if it was.
    StopReason end();

    [[nodiscard]] std::stop_token stop_token();
    [[nodiscard]] StopReason stop_reason() const noexcept { return reason_.load(); }
    // Asks the run to stop. The first reason stays.
    void request_stop(StopReason reason);
    // The same, only if this job runs here.
    bool request_stop(const Uuid& job_id, std::int64_t lease_token, StopReason reason);
    // Asks for a stop if the run's time limit has passed.
    void check_deadline(Clock::time_point now);
    // Whether a job of this type has been running since before then.
    [[nodiscard]] bool runs_since(const JobType& type, Clock::time_point before) const;
    // Whose job has been running since before then; nullopt: none has.
    [[nodiscard]] std::optional<Uuid> tenant_since(Clock::time_point before) const;
    // The lease of the running job, if one runs.
    [[nodiscard]] std::optional<HeldJobs::Lease> running() const;

private:
    void stop_locked(std::unique_lock<std::mutex> lock, StopReason reason);

    mutable std::mutex mutex_;
    std::vector<HeldJob*> waiting_;  // in reverse order: the next one is at the back
    HeldJob* current_ = nullptr;
    CompletionTransaction* transaction_ = nullptr;
    Clock::time_point began_{};
    Clock::time_point deadline_ = Clock::time_point::max();
    std::optional<std::stop_source> source_;
    std::atomic<StopReason> reason_{StopReason::none};
};

}  // namespace jobforge::engine
