#include "cli/view/jobs_view.h"

#include <fmt/format.h>

#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

constexpr std::size_t kErrorWidth = 60;

std::string attempts_cell(const JobSummary& job) {
    return fmt::format("{}/{}", job.attempts, job.max_attempts);
}

// What has ended keeps the count of its lost workers and is in quarantine no longer.
std::string status_cell(const JobDetails& job) {
    if (!job.interrupted) {
        return job.status;
    }
    const bool waits_or_runs = job.status == "QUEUED" || job.status == "RUNNING";
    return fmt::format("{} ({}it lost {} worker{})", job.status,
                       waits_or_runs ? "in quarantine: " : "", job.interruptions,
                       job.interruptions == 1 ? "" : "s");
}

std::string attempts_table(const JobDetails& job, TimePoint now) {
    Table table({"  ATTEMPT", "OUTCOME", "STARTED", "TOOK", "WORKER", "ERROR"});
    for (const Attempt& attempt : job.history) {
        const TimePoint end = attempt.ended_at.value_or(now);
        const auto took = end - attempt.started_at;
        table.add({fmt::format("  {}", attempt.attempt_no), attempt.outcome,
                   time_cell(attempt.started_at),
                   fmt::format("{:.3f} s", std::chrono::duration<double>(took).count()),
                   attempt.worker_id, error_cell(attempt.error)});
    }
    return table.text();
}

}  // namespace

std::string jobs_as_table(const std::vector<JobSummary>& jobs, TimePoint now) {
    Table table({"JOB", "TYPE", "STATUS", "PRIO", "TRIES", "CREATED", "DUE", "ERROR"});
    for (const JobSummary& job : jobs) {
        table.add({job.job_id.to_string(), job.type, job.status, std::to_string(job.priority),
                   attempts_cell(job), age_cell(job.created_at, now),
                   job.status == "QUEUED" ? age_cell(job.scheduled_at, now) : "-",
                   shortened(error_cell(job.last_error), kErrorWidth)});
    }
    return jobs.empty() ? "no jobs\n" : table.text();
}

std::string jobs_as_json(const std::vector<JobSummary>& jobs) {
    Json out = Json::array();
    for (const JobSummary& job : jobs) {
        out.push_back(to_json(job));
    }
    return out.dump() + "\n";
}

std::string job_as_text(const JobDetails& job, TimePoint now) {
    Table table({"job", job.job_id.to_string()});
    const auto time_line = [&table, now](std::string name, const std::optional<TimePoint>& at) {
        if (at) {
            table.add(
                {std::move(name), fmt::format("{} UTC ({})", time_cell(at), age_cell(at, now))});
        }
    };
    table.add({"type", job.type});
    table.add({"status", status_cell(job)});
    table.add({"tenant", job.tenant_id.to_string()});
    table.add({"priority", std::to_string(job.priority)});
    table.add({"attempts", attempts_cell(job)});
    time_line("created", job.created_at);
    time_line("scheduled", job.scheduled_at);
    time_line("started", job.started_at);
    time_line("completed", job.completed_at);
    time_line("lease ends", job.lease_expires_at);
    for (const auto& [name, value] :
         {std::pair{"worker", job.lease_owner}, std::pair{"key", job.idempotency_key},
          std::pair{"trace", job.trace_id}, std::pair{"created by", job.created_by}}) {
        if (value) {
            table.add({name, *value});
        }
    }
    std::string out = table.text();
    if (!job.last_error.is_null()) {
        out += fmt::format("last error  {}\n", error_cell(job.last_error));
    }
    out += "payload\n" + job.payload.pretty() + "\n";
    if (!job.result.is_null()) {
        out += "result\n" + job.result.pretty() + "\n";
    }
    if (!job.history.empty()) {
        out += "attempts\n" + attempts_table(job, now);
    }
    return out;
}

}  // namespace jobforge::cli
