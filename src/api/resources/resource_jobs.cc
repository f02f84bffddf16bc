// /v1/jobs: enqueue, list, look. What is done to jobs: resource_job_actions.cc.
#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "statements/jobs.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using engine::TenantCall;
using services::Permission;

constexpr std::size_t kManyJobs = 1000;

// Of the job in the path.
template <const pg::Statement& Text>
Result<TenantCall> ask_job(const RequestContext& context) {
    const auto job = context.id("job_id");
    if (!job.ok()) {
        return job.error();
    }
    pg::Params params;
    params.uuid(*job);
    return TenantCall{Text, std::move(params)};
}

// One row whose only column is the answer's JSON, passed on as the database wrote it.
Result<http::Response> tell_row(RequestContext& /*context*/, const pg::Rows& rows) {
    return json_response(std::string(rows.json(0, 0)));
}

Result<TenantCall> ask_attempts(const RequestContext& context) {
    const auto job = context.id("job_id");
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    const std::int64_t after = page.after_number(query);
    const Status read = query.finish();
    if (!job.ok() || !read.ok()) {
        return job.ok() ? read.error() : job.error();
    }
    pg::Params params;
    params.uuid(*job).int4(page.rows_to_ask()).int8(after);
    return TenantCall{statements::jobs::kApiListAttempts, std::move(params)};
}

Result<http::Response> tell_attempts(RequestContext& context, const pg::Rows& rows) {
    if (rows.is_null(0, 0)) {  // the job is there and has none
        return json_response(whole_list({}));
    }
    QueryFields query(context.request);
    return json_response(page_text(rows, PageQuery::read(query)));
}

Result<http::Response> list_jobs(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    pg::Params params;
    params.opt_text(query.opt_text("status"))
        .opt_text(query.opt_text("type"))
        .int4(page.rows_to_ask())
        .opt_uuid(page.before_id(query))
        .opt_text(query.opt_text("error_code"))
        .opt_timestamp(timestamp_of(query.opt_time("created_after")))
        .opt_timestamp(timestamp_of(query.opt_time("created_before")));
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto rows =
        context.calls->run_one(statements::jobs::kApiListJobs, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    return json_response(page_text(*rows, page));
}

Json enqueued_row(const pg::Rows& rows, int row) {
    return Json::object(
        {{"job_id", rows.uuid(row, 0).to_string()}, {"deduplicated", rows.boolean(row, 1)}});
}

Result<TenantCall> ask_enqueue(const RequestContext& context) {
    BodyFields body(context.body);
    const JobFields job = JobFields::read(body, context.tools.max_attempts);
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    pg::Params params;
    params.text(job.type)
        .jsonb(job.payload)
        .opt_int4(job.priority)
        .opt_timestamp(job.scheduled_at)
        .opt_text(job.idempotency_key)
        .opt_int4(job.max_attempts)
        .opt_text(job.trace_id)
        .text(context.actor());
    return TenantCall{statements::jobs::kApiEnqueueJob, std::move(params)};
}

Result<http::Response> tell_enqueued(RequestContext& context, const pg::Rows& rows) {
    const std::string text = enqueued_row(rows, 0).dump();
    if (rows.boolean(0, 1)) {
        return json_response(text);
    }
    context.enqueued.push_back(rows.uuid(0, 0));
    return created_response("/v1/jobs/" + rows.uuid(0, 0).to_string(), text);
}

// The members of many jobs as enqueue_jobs takes them.
struct JobColumns {
    std::vector<std::string> types, payloads;
    std::vector<std::optional<std::int32_t>> priorities, max_attempts;
    std::vector<std::optional<pg::Timestamp>> scheduled_at;
    std::vector<std::optional<std::string>> keys, trace_ids;
    bool any_key = false;

    void add(JobFields job) {
        types.push_back(std::move(job.type));
        payloads.push_back(std::move(job.payload));
        priorities.push_back(job.priority);
        max_attempts.push_back(job.max_attempts);
        scheduled_at.push_back(job.scheduled_at);
        any_key = any_key || job.idempotency_key.has_value();
        keys.push_back(std::move(job.idempotency_key));
        trace_ids.push_back(std::move(job.trace_id));
    }
    [[nodiscard]] pg::Params params(const std::string& actor) const {
        pg::Params params;
        params.text_array(types)
            .jsonb_array(payloads)
            .opt_int4_array(priorities)
            .opt_timestamp_array(scheduled_at);
        // Without any key the database takes all rows in one statement.
        if (any_key) {
            params.opt_text_array(keys);
        } else {
            params.null(kTextArray);
        }
        params.opt_int4_array(max_attempts).opt_text_array(trace_ids).text(actor);
        return params;
    }
    static constexpr unsigned kTextArray = 1009;  // its oid, the same in every Postgres
};

Result<JobColumns> read_many(const Json& body, std::optional<std::int32_t> max_attempts) {
    BodyFields fields(body);
    const Json* jobs = fields.json("jobs");
    const Json::Array* list = jobs == nullptr ? nullptr : jobs->as_array();
    if (list == nullptr || list->empty() || list->size() > kManyJobs) {
        fields.refuse("jobs", "must be a list of 1 to 1000 jobs");
    }
    if (auto read = fields.finish(); !read.ok()) {
        return std::move(read).error();
    }
    JobColumns columns;
    for (std::size_t at = 0; at < list->size(); ++at) {
        if (!(*list)[at].is_object()) {
            return field_error("jobs[" + std::to_string(at) + "]", "must be an object");
        }
        BodyFields one((*list)[at]);
        columns.add(JobFields::read(one, max_attempts));
        if (auto read = one.finish(); !read.ok()) {
            Error error = std::move(read).error();
            error.message = "jobs[" + std::to_string(at) + "]: " + error.message;
            return error;
        }
    }
    return columns;
}

Result<http::Response> enqueue_many(RequestContext& context) {
    const auto columns = read_many(context.body, context.tools.max_attempts);
    if (!columns.ok()) {
        return columns.error();
    }
    const auto rows = context.calls->run_one(statements::jobs::kApiEnqueueJobs,
                                             columns->params(context.actor()), Repeat::if_not_done);
    if (!rows.ok()) {
        return rows.error();
    }
    std::vector<Json> items;
    for (int row = 0; row < rows->size(); ++row) {
        items.push_back(enqueued_row(*rows, row));
        if (!rows->boolean(row, 1)) {
            context.enqueued.push_back(rows->uuid(row, 0));
        }
    }
    return json_response(whole_list(items), context.enqueued.empty() ? 200 : 201);
}

}  // namespace

std::span<const Route> job_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/jobs", Permission::jobs_read, Work::read, &list_jobs},
        {"POST",
         "/v1/jobs",
         Permission::jobs_enqueue,
         Work::change_once,
         {&ask_enqueue, &tell_enqueued},
         kJobBody},
        {"POST", "/v1/jobs/batch", Permission::jobs_enqueue, Work::change_once, &enqueue_many,
         kManyJobsBody},
        {"GET",
         "/v1/jobs/{job_id}",
         Permission::jobs_read,
         Work::read,
         {&ask_job<statements::jobs::kApiGetJob>, &tell_row}},
        {"GET",
         "/v1/jobs/{job_id}/attempts",
         Permission::jobs_read,
         Work::read,
         {&ask_attempts, &tell_attempts}},
        {"GET",
         "/v1/jobs/{job_id}/result",
         Permission::jobs_read,
         Work::read,
         {&ask_job<statements::jobs::kApiGetResult>, &tell_row}},
        {"GET",
         "/v1/jobs/{job_id}/explanation",
         Permission::jobs_read,
         Work::read,
         {&ask_job<statements::jobs::kApiExplainJob>, &tell_row}},
    };
    return kRoutes;
}

}  // namespace jobforge::api
