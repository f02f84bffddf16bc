// What is said about attempts that have ended: counters, metrics and log lines. Threads: any.
#pragma once

#include <functional>
#include <string_view>

#include <jobforge/log.h>

#include "engine/settle/settlement.h"
#include "engine/worker/worker_counters.h"

namespace jobforge::engine {

class SettlementReport final {
public:
    SettlementReport(WorkerCounters& counters, Logger log)
        : counters_(counters), log_(std::move(log)) {}

    // The attempt ended as `verdict`. `status` is what fail_jobs answered (QUEUED, FAILED,
    // DEAD_LETTER), else empty.
    void settled(const Settlement& settlement, Verdict verdict, std::string_view status = {});
    // While it lives, the calling thread's lines may be written together.
    [[nodiscard]] LogBatch batch() const { return LogBatch(log_); }
    // Called for each attempt that put its job back into the queue. Set once, before the first.
    void on_requeued(std::function<void()> callback) { on_requeued_ = std::move(callback); }
    // The lease was gone: nothing was done.
    void lost(const Settlement& settlement);
    // It could not be stored at all; the lease will expire.
    void unstorable(const Settlement& settlement, const Error& error);
    [[nodiscard]] WorkerCounters& counters() noexcept { return counters_; }

private:
    [[nodiscard]] std::vector<Json::Member> fields(const Settlement& settlement,
                                                   std::string_view status) const;
    WorkerCounters& counters_;
    const Logger log_;
    std::function<void()> on_requeued_ = [] {};
};

// The fields by which a log line names a job: job_id, job_type, tenant_id, attempt_no, trace_id.
[[nodiscard]] std::vector<Json::Member> job_fields(const HeldJob& job);

}  // namespace jobforge::engine
