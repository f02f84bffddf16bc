// /v1/jobs/{job_id}/...: what people do to jobs. Workers: resource_work.cc.
#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "statements/jobs.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

constexpr int kMostRetries = 100000;

Result<http::Response> answer_row(RequestContext& context, const pg::Statement& statement,
                                  pg::Params params) {
    const auto rows = context.calls->run_one(statement, std::move(params), Repeat::if_not_done);
    if (!rows.ok()) {
        return rows.error();
    }
    return json_response(std::string(rows->json(0, 0)));
}

Result<http::Response> cancel_job(RequestContext& context) {
    const auto job = context.id("job_id");
    BodyFields body(context.body);
    const auto reason = body.opt_text("reason");
    const Status read = body.finish();
    if (!job.ok() || !read.ok()) {
        return job.ok() ? read.error() : job.error();
    }
    pg::Params params;
    params.uuid(*job).opt_text(reason);
    return answer_row(context, statements::jobs::kApiCancelJob, std::move(params));
}

// A retry is a reschedule to now with a fresh budget of attempts, unless the body says otherwise.
Result<http::Response> reschedule(RequestContext& context, bool reset_by_default) {
    const auto job = context.id("job_id");
    BodyFields body(context.body);
    const auto at = timestamp_of(body.opt_time("scheduled_at"));
    const bool reset = body.opt_boolean("reset_attempts").value_or(reset_by_default);
    const auto max_attempts = body.opt_int("max_attempts", 1, 1000);
    const Status read = body.finish();
    if (!job.ok() || !read.ok()) {
        return job.ok() ? read.error() : job.error();
    }
    pg::Params params;
    params.uuid(*job).opt_timestamp(at).boolean(reset).opt_int4(max_attempts);
    auto answer = answer_row(context, statements::jobs::kApiRescheduleJob, std::move(params));
    if (answer.ok()) {
        context.enqueued.push_back(*job);
    }
    return answer;
}

Result<http::Response> retry_job(RequestContext& context) {
    return reschedule(context, true);
}

Result<http::Response> reschedule_job(RequestContext& context) {
    return reschedule(context, false);
}

Result<http::Response> retry_jobs(RequestContext& context) {
    BodyFields body(context.body);
    pg::Params params;
    params.opt_text(body.opt_text("status"))
        .opt_text(body.opt_text("type"))
        .opt_text(body.opt_text("error_code"))
        .opt_timestamp(timestamp_of(body.opt_time("finished_after")))
        .opt_timestamp(timestamp_of(body.opt_time("finished_before")))
        .opt_timestamp(timestamp_of(body.opt_time("scheduled_at")))
        .boolean(body.opt_boolean("reset_attempts").value_or(true))
        .int4(body.opt_int("limit", 1, kMostRetries).value_or(1000));
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto rows = context.calls->run_one(statements::jobs::kApiRetryJobs, std::move(params),
                                             Repeat::if_not_done);
    if (!rows.ok()) {
        return rows.error();
    }
    Json ids = Json::array();
    for (int row = 0; row < rows->size(); ++row) {
        ids.push_back(rows->uuid(row, 0).to_string());
        context.enqueued.push_back(rows->uuid(row, 0));
    }
    return json_response(Json::object({{"retried", rows->size()}, {"job_ids", ids}}).dump());
}

}  // namespace

std::span<const Route> job_action_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/jobs/retry", Permission::jobs_manage, Work::change_once, &retry_jobs,
         kSmallBody},
        {"POST", "/v1/jobs/{job_id}/cancel", Permission::jobs_manage, Work::change_once,
         &cancel_job, kSmallBody},
        {"POST", "/v1/jobs/{job_id}/retry", Permission::jobs_manage, Work::change_once, &retry_job,
         kSmallBody},
        {"POST", "/v1/jobs/{job_id}/reschedule", Permission::jobs_manage, Work::change_once,
         &reschedule_job, kSmallBody},
    };
    return kRoutes;
}

}  // namespace jobforge::api
