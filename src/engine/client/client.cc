// Connecting, and everything a client does with jobs that exist.
#include <jobforge/client.h>

#include "engine/client/client_state.h"
#include "statements/jobs.h"
#include "statements/session.h"

namespace jobforge {

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(ClientOptions options) {
    engine::TenantCallsOptions calls_options;
    calls_options.database_url = options.database_url;
    calls_options.tenant_id = options.tenant_id;
    calls_options.pool_size = options.pool_size;
    calls_options.timeout = options.timeout;
    auto calls = engine::TenantCalls::connect(std::move(calls_options));
    if (!calls.ok()) {
        return std::move(calls).error();
    }
    auto state = std::make_unique<State>(std::move(options), *std::move(calls));
    return Client(std::move(state));
}

Result<JobDetails> Client::get(const Uuid& job_id) {
    pg::Params id;
    id.uuid(job_id);
    const std::vector<ClientCall> calls{{statements::jobs::kGetJob, id},
                                        {statements::jobs::kListAttempts, id}};
    auto rows = state_->calls.run(calls, Repeat::always);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return read_details(rows->at(0), rows->at(1));
}

Result<std::vector<JobSummary>> Client::list(const JobFilter& filter) {
    pg::Params params;
    params.opt_text(filter.status)
        .opt_text(filter.type)
        .int4(filter.limit)
        .opt_uuid(filter.before)
        .opt_text(filter.error_code)
        .opt_timestamp(to_timestamp(filter.created_after))
        .opt_timestamp(to_timestamp(filter.created_before));
    auto rows =
        state_->calls.run_one(statements::jobs::kListJobs, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return read_summaries(*rows);
}

Status Client::cancel(const Uuid& job_id, const std::string& reason) {
    pg::Params params;
    params.uuid(job_id).opt_text(reason.empty() ? std::nullopt : std::optional(reason));
    // Cancelling a cancelled job changes nothing, so it may be repeated.
    auto rows =
        state_->calls.run_one(statements::jobs::kCancelJob, std::move(params), Repeat::always);
    return rows.ok() ? ok_status() : Status(std::move(rows).error());
}

Result<TimePoint> Client::reschedule(const Uuid& job_id, std::optional<TimePoint> at,
                                     bool reset_attempts, std::optional<int> max_attempts) {
    pg::Params params;
    params.uuid(job_id)
        .opt_timestamp(to_timestamp(at))
        .boolean(reset_attempts)
        .opt_int4(max_attempts);
    auto rows = state_->calls.run_one(statements::jobs::kRescheduleJob, std::move(params),
                                      Repeat::if_not_done);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return to_time(rows->timestamp(0, 0));
}

Result<std::vector<Uuid>> Client::retry(const JobFilter& filter, bool reset_attempts) {
    pg::Params params;
    params.opt_text(filter.status)
        .opt_text(filter.type)
        .opt_text(filter.error_code)
        .opt_timestamp(to_timestamp(filter.finished_after))
        .opt_timestamp(to_timestamp(filter.finished_before))
        .boolean(reset_attempts)
        .int4(filter.limit);
    auto rows =
        state_->calls.run_one(statements::jobs::kRetryJobs, std::move(params), Repeat::if_not_done);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    std::vector<Uuid> jobs;
    for (int row = 0; row < rows->size(); ++row) {
        jobs.push_back(rows->uuid(row, 0));
    }
    return jobs;
}

Result<std::vector<TypeStats>> Client::stats() {
    auto rows = state_->calls.run_one(statements::jobs::kJobStats, {}, Repeat::always);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return read_stats(*rows);
}

Result<TimePoint> Client::now() {
    auto rows = state_->calls.run_one(statements::session::kNow, {}, Repeat::always);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return to_time(rows->timestamp(0, 0));
}

Result<std::vector<std::string>> Client::explain(const Uuid& job_id) {
    pg::Params params;
    params.uuid(job_id);
    auto rows =
        state_->calls.run_one(statements::jobs::kExplainJob, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return rows->text_array(0, 0);
}

}  // namespace jobforge
