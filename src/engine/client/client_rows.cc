// The rows of list_jobs, get_job, list_attempts and job_stats as the client's structs.
#include "engine/client/client_state.h"

namespace jobforge {

namespace {

std::optional<TimePoint> opt_time(const pg::Rows& rows, int row, int col) {
    const auto at = rows.opt_timestamp(row, col);
    return at ? std::optional(to_time(*at)) : std::nullopt;
}

// NULL is Json null. The database stores valid JSON; a failure means that it cannot be represented
// (nesting deeper than Json allows).
Status read_json(const pg::Rows& rows, int row, int col, Json& into) {
    if (rows.is_null(row, col)) {
        return ok_status();
    }
    auto value = Json::parse(rows.json(row, col));
    if (!value.ok()) {
        return std::move(value).error();
    }
    into = *std::move(value);
    return ok_status();
}

// The columns that list_jobs and get_job share, found by name once per result.
class SummaryColumns final {
public:
    explicit SummaryColumns(const pg::Rows& rows) : rows_(rows) {}

    [[nodiscard]] Status read(int row, JobSummary& job) const {
        job.tenant_id = rows_.uuid(row, tenant_id_);
        job.job_id = rows_.uuid(row, job_id_);
        job.type = std::string(rows_.text(row, type_));
        job.status = std::string(rows_.text(row, status_));
        job.priority = static_cast<int>(rows_.integer(row, priority_));
        job.attempts = static_cast<int>(rows_.integer(row, attempts_));
        job.max_attempts = static_cast<int>(rows_.integer(row, max_attempts_));
        job.scheduled_at = to_time(rows_.timestamp(row, scheduled_at_));
        job.created_at = to_time(rows_.timestamp(row, created_at_));
        job.started_at = opt_time(rows_, row, started_at_);
        job.completed_at = opt_time(rows_, row, completed_at_);
        job.lease_owner = rows_.opt_text(row, lease_owner_);
        job.lease_expires_at = opt_time(rows_, row, lease_expires_at_);
        job.idempotency_key = rows_.opt_text(row, idempotency_key_);
        job.trace_id = rows_.opt_text(row, trace_id_);
        job.created_by = rows_.opt_text(row, created_by_);
        return read_json(rows_, row, last_error_, job.last_error);
    }

private:
    const pg::Rows& rows_;
    int tenant_id_ = rows_.column("tenant_id");
    int job_id_ = rows_.column("job_id");
    int type_ = rows_.column("type");
    int status_ = rows_.column("status");
    int priority_ = rows_.column("priority");
    int attempts_ = rows_.column("attempts");
    int max_attempts_ = rows_.column("max_attempts");
    int scheduled_at_ = rows_.column("scheduled_at");
    int created_at_ = rows_.column("created_at");
    int started_at_ = rows_.column("started_at");
    int completed_at_ = rows_.column("completed_at");
    int lease_owner_ = rows_.column("lease_owner");
    int lease_expires_at_ = rows_.column("lease_expires_at");
    int idempotency_key_ = rows_.column("idempotency_key");
    int trace_id_ = rows_.column("trace_id");
    int created_by_ = rows_.column("created_by");
    int last_error_ = rows_.column("last_error");
};

Result<std::vector<Attempt>> read_attempts(const pg::Rows& rows) {
    std::vector<Attempt> attempts;
    for (int row = 0; row < rows.size(); ++row) {
        Attempt attempt;
        attempt.attempt_no = static_cast<int>(rows.integer(row, rows.column("attempt_no")));
        attempt.lease_token = rows.integer(row, rows.column("lease_token"));
        attempt.worker_id = rows.opt_text(row, rows.column("worker_id")).value_or("");
        attempt.started_at = to_time(rows.timestamp(row, rows.column("started_at")));
        attempt.ended_at = opt_time(rows, row, rows.column("ended_at"));
        attempt.outcome = std::string(rows.text(row, rows.column("outcome")));
        if (auto read = read_json(rows, row, rows.column("error"), attempt.error); !read.ok()) {
            return std::move(read).error();
        }
        attempts.push_back(std::move(attempt));
    }
    return attempts;
}

}  // namespace

Result<std::vector<JobSummary>> read_summaries(const pg::Rows& rows) {
    const SummaryColumns columns(rows);
    std::vector<JobSummary> jobs(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) {
        if (auto read = columns.read(row, jobs[static_cast<std::size_t>(row)]); !read.ok()) {
            return std::move(read).error();
        }
    }
    return jobs;
}

Result<JobDetails> read_details(const pg::Rows& job, const pg::Rows& attempts) {
    JobDetails details;
    if (auto read = SummaryColumns(job).read(0, details); !read.ok()) {
        return std::move(read).error();
    }
    details.interrupted = job.boolean(0, job.column("interrupted"));
    details.interruptions = static_cast<int>(job.integer(0, job.column("interruptions")));
    details.lease_token = job.integer(0, job.column("lease_token"));
    details.heartbeat_at = opt_time(job, 0, job.column("heartbeat_at"));
    if (auto read = read_json(job, 0, job.column("payload"), details.payload); !read.ok()) {
        return std::move(read).error();
    }
    if (auto read = read_json(job, 0, job.column("result"), details.result); !read.ok()) {
        return std::move(read).error();
    }
    auto history = read_attempts(attempts);
    if (!history.ok()) {
        return std::move(history).error();
    }
    details.history = *std::move(history);
    return details;
}

std::vector<TypeStats> read_stats(const pg::Rows& rows) {
    std::vector<TypeStats> stats;
    for (int row = 0; row < rows.size(); ++row) {
        const auto number = [&rows, row](std::string_view column) {
            return rows.integer(row, rows.column(column));
        };
        TypeStats one;
        one.type = std::string(rows.text(row, rows.column("type")));
        one.queued = number("queued");
        one.due = number("due");
        one.running = number("running");
        one.oldest_due_at = opt_time(rows, row, rows.column("oldest_due_at"));
        one.enqueued = number("enqueued");
        one.succeeded = number("succeeded");
        one.failed = number("failed");
        one.cancelled = number("cancelled");
        one.dead_letter = number("dead_letter");
        one.dead_letters_left = number("dead_letters_left");
        stats.push_back(std::move(one));
    }
    return stats;
}

}  // namespace jobforge
