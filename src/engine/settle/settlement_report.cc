#include "engine/settle/settlement_report.h"

namespace jobforge::engine {

std::vector<Json::Member> job_fields(const HeldJob& job) {
    std::vector<Json::Member> fields;
    fields.reserve(8);  // and what the callers add: there is a line for every job that ends
    fields.emplace_back("job_id", job.job_id.to_string());
    fields.emplace_back("job_type", job.type->name);
    fields.emplace_back("tenant_id", job.tenant_id.to_string());
    fields.emplace_back("attempt_no", job.batch->attempt_no(job.row));
    if (std::string trace_id(job.batch->trace_id(job.row)); !trace_id.empty()) {
        fields.emplace_back("trace_id", std::move(trace_id));
    }
    return fields;
}

std::vector<Json::Member> SettlementReport::fields(const Settlement& settlement,
                                                   std::string_view status) const {
    std::vector<Json::Member> fields = job_fields(*settlement.job);
    fields.emplace_back("status", status);
    fields.emplace_back("duration_ms", settlement.duration.count() / 1000);
    if (!settlement.json.empty() && settlement.verdict != Verdict::done) {
        if (auto error = Json::parse(settlement.json)) {
            fields.emplace_back("error", std::move(*error));
        }
    }
    return fields;
}

void SettlementReport::settled(const Settlement& settlement, Verdict verdict,
                               std::string_view status) {
    const auto count = [](WorkerCounters::Counter& counter) {
        counter.fetch_add(1, std::memory_order_relaxed);
    };
    const auto finished = [&](FinalStatus final_status) {
        counters_.finished(settlement.job->tenant_id, settlement.job->type, final_status);
    };
    switch (verdict) {
        case Verdict::done:
            count(counters_.succeeded);
            finished(FinalStatus::succeeded);
            if (log_.enabled(LogLevel::info)) {
                log_.info("job succeeded", fields(settlement, "SUCCEEDED"));
            }
            return;
        case Verdict::retry:
        case Verdict::fail:
            if (status == "DEAD_LETTER") {
                count(counters_.dead_lettered);
                finished(FinalStatus::dead_letter);
                log_.error("job failed at its last attempt", fields(settlement, status));
            } else if (status == "FAILED" || verdict == Verdict::fail) {
                count(counters_.failed);
                finished(FinalStatus::failed);
                log_.error("job failed", fields(settlement, "FAILED"));
            } else {
                count(counters_.retried);
                log_.warn("attempt failed, the job will be tried again",
                          fields(settlement, "QUEUED"));
                on_requeued_();
            }
            return;
        case Verdict::cancelled:
            count(counters_.cancelled);
            finished(FinalStatus::cancelled);
            log_.info("job cancelled by its handler", fields(settlement, "CANCELLED"));
            return;
        case Verdict::snooze:
            count(counters_.snoozed);
            if (log_.enabled(LogLevel::debug)) {
                log_.debug("job snoozed", fields(settlement, "QUEUED"));
            }
            on_requeued_();
            return;
        case Verdict::release:
            log_.info("job released", fields(settlement, "QUEUED"));
            return;
    }
}

void SettlementReport::lost(const Settlement& settlement) {
    counters_.leases_lost.fetch_add(1, std::memory_order_relaxed);
    log_.warn("the lease was lost: the handler's answer is dropped",
              fields(settlement, "LEASE_LOST"));
}

void SettlementReport::unstorable(const Settlement& settlement, const Error& error) {
    auto all = fields(settlement, "UNKNOWN");
    all.emplace_back("reason", error.describe());
    log_.error("the outcome cannot be stored: the job's lease will expire", std::move(all));
}

}  // namespace jobforge::engine
