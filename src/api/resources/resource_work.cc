// Workers in other languages, over HTTP: claim, heartbeat, complete, fail, snooze.
//
// A worker chooses its id; the database puts its tenant's id in front ("<tenant>/<id>"), so that no
// key speaks for a worker of another tenant. The tenant of every job is the key's, and internal
// types are refused (sql/functions/claims/tenant_work.sql).
#include <algorithm>

#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "statements/claims.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

constexpr int kMostClaims = 100;
constexpr int kLongestLease = 86400;
constexpr int kUsualLease = 60;
constexpr std::size_t kMostTypes = 100;
constexpr std::size_t kLongestWorkerId = 100;

std::string worker_of(BodyFields& body) {
    const std::string id = body.text("worker_id");
    const bool plain = std::all_of(
        id.begin(), id.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '/'; });
    if (id.empty() || id.size() > kLongestWorkerId || !plain) {
        body.refuse("worker_id", "must be 1 to 100 visible ASCII characters without a slash");
    }
    return id;
}

// A claim that fails because one of the tenant's jobs cannot be sent ends that job and goes on.
Result<pg::Rows> run_claim(RequestContext& context, const std::string& worker,
                           const std::vector<std::string>& types, const pg::Params& params) {
    auto rows =
        context.calls->run_one(statements::claims::kApiClaimJobs, params, Repeat::if_not_done);
    const bool may_be_a_job = !rows.ok() && !rows.error().retryable &&
                              !rows.error().connection_lost &&
                              !error_code_from_sqlstate(rows.error().sqlstate);
    if (!may_be_a_job) {
        return rows;
    }
    pg::Params to_look_at;
    to_look_at.text(worker).text_array(types);
    const auto ended = context.calls->run_one(statements::claims::kApiEndUnreadableJobs,
                                              std::move(to_look_at), Repeat::if_not_done);
    if (!ended.ok() || ended->integer(0, 0) == 0) {
        return rows;
    }
    return context.calls->run_one(statements::claims::kApiClaimJobs, params, Repeat::if_not_done);
}

Result<http::Response> claim(RequestContext& context) {
    BodyFields body(context.body);
    const std::string worker = worker_of(body);
    const auto types = body.texts("types");
    const int limit = body.opt_int("limit", 1, kMostClaims).value_or(1);
    const int lease = body.opt_int("lease_seconds", 2, kLongestLease).value_or(kUsualLease);
    if (types.empty() || types.size() > kMostTypes) {
        body.refuse("types", "must name 1 to 100 job types");
    }
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    pg::Params params;
    params.text(worker).int4(limit).text_array(types).int4(lease);
    const auto rows = run_claim(context, worker, types, params);
    if (!rows.ok()) {
        return rows.error();
    }
    PageQuery all;
    all.limit = kMostClaims;
    return json_response(page_text(*rows, all));
}

// The leases that are lost or cancelled; the others are renewed.
Result<http::Response> heartbeat(RequestContext& context) {
    BodyFields body(context.body);
    const std::string worker = worker_of(body);
    const int lease = body.opt_int("lease_seconds", 2, kLongestLease).value_or(kUsualLease);
    const Json* leases = body.json("leases");
    const Json::Array* list = leases == nullptr ? nullptr : leases->as_array();
    if (list == nullptr || list->empty() || list->size() > 1000) {
        body.refuse("leases",
                    "must be a list of 1 to 1000 {\"job_id\", \"lease_token\", \"claim_id\"}");
    }
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    std::vector<Uuid> jobs;
    std::vector<std::int64_t> tokens;
    std::vector<std::optional<Uuid>> claims;
    for (const Json& item : *list) {
        BodyFields one(item);
        jobs.push_back(one.uuid("job_id"));
        tokens.push_back(one.integer("lease_token"));
        claims.push_back(one.opt_uuid("claim_id"));
        if (auto read = one.finish(); !read.ok()) {
            return std::move(read).error();
        }
    }
    pg::Params params;
    params.text(worker).uuid_array(jobs).int8_array(tokens).int4(lease).opt_uuid_array(claims);
    const auto rows = context.calls->run_one(statements::claims::kApiHeartbeatJobs,
                                             std::move(params), Repeat::if_not_done);
    if (!rows.ok()) {
        return rows.error();
    }
    std::string lost;
    for (int row = 0; row < rows->size(); ++row) {
        lost += row == 0 ? "" : ",";
        lost += rows->json(row, 0);
    }
    return json_response(R"({"lost":[)" + lost + "]}");
}

// worker, job, token, claim: what every settling statement begins with. LEASE_LOST comes
// from it. A caller that leaves the claim out is fenced by the token alone.
struct Lease {
    std::string worker;
    Uuid job;
    std::int64_t token = 0;
    std::optional<Uuid> claim;

    [[nodiscard]] static Result<Lease> read(const RequestContext& context, BodyFields& body) {
        const auto job = context.id("job_id");
        if (!job.ok()) {
            return job.error();
        }
        Lease lease{worker_of(body), *job, body.integer("lease_token"), body.opt_uuid("claim_id")};
        return lease;
    }
    [[nodiscard]] pg::Params params() const {
        pg::Params params;
        params.text(worker).uuid(job).int8(token).opt_uuid(claim);
        return params;
    }
};

// What a settling call answered: done, or done before (a repetition), or the error that it means.
Status settled(std::string_view state) {
    if (state == "LOST" || state == "LEASE_LOST") {
        return Error::of(
            ErrorCode::LEASE_LOST,
            "the job is no longer held under this lease: it was cancelled, or its lease "
            "expired and another worker has it");
    }
    if (state == "REFUSED") {
        return Error::of(ErrorCode::JOB_PAYLOAD_INVALID,
                         "the result is larger than 16 MiB, or has a number of more than 400 "
                         "digits");
    }
    return ok_status();
}

Result<http::Response> complete(RequestContext& context) {
    BodyFields body(context.body);
    const auto lease = Lease::read(context, body);
    const Json* result = body.json("result");
    const Status read = body.finish();
    if (!lease.ok() || !read.ok()) {
        return lease.ok() ? read.error() : lease.error();
    }
    pg::Params params = lease->params();
    params.opt_jsonb(result == nullptr ? std::nullopt : std::optional(result->dump()));
    auto rows = context.calls->run_one(statements::claims::kApiCompleteJob, std::move(params),
                                       Repeat::if_not_done);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    if (const Status done = settled(rows->text(0, 0)); !done.ok()) {
        return done.error();
    }
    return empty_response();
}

Result<http::Response> fail(RequestContext& context) {
    BodyFields body(context.body);
    const auto lease = Lease::read(context, body);
    const Json* error = body.json("error");
    const auto retry_after = body.opt_int("retry_after_seconds", 0, 366 * 86400);
    const Status read = body.finish();
    if (!lease.ok() || !read.ok()) {
        return lease.ok() ? read.error() : lease.error();
    }
    pg::Params params = lease->params();
    params.opt_jsonb(error == nullptr ? std::nullopt : std::optional(error->dump()));
    if (retry_after) {
        params.real(*retry_after);
    } else {
        params.null(701);  // float8
    }
    const auto rows = context.calls->run_one(statements::claims::kApiFailJob, std::move(params),
                                             Repeat::if_not_done);
    if (!rows.ok()) {
        return rows.error();
    }
    if (const Status done = settled(rows->text(0, 0)); !done.ok()) {
        return done.error();
    }
    return json_response(std::string(rows->json(0, 1)));
}

Result<http::Response> snooze(RequestContext& context) {
    BodyFields body(context.body);
    const auto lease = Lease::read(context, body);
    const auto seconds = body.opt_int("seconds", 0, 366 * 86400);
    if (!seconds) {
        body.refuse("seconds", "is missing");
    }
    const Status read = body.finish();
    if (!lease.ok() || !read.ok()) {
        return lease.ok() ? read.error() : lease.error();
    }
    pg::Params params = lease->params();
    params.real(*seconds);
    auto rows = context.calls->run_one(statements::claims::kApiSnoozeJob, std::move(params),
                                       Repeat::if_not_done);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    if (const Status done = settled(rows->text(0, 0)); !done.ok()) {
        return done.error();
    }
    return empty_response();
}

constexpr Permission kWork = Permission::jobs_work;
}  // namespace

std::span<const Route> work_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/jobs/claim", kWork, Work::change_once, &claim, kSmallBody},
        {"POST", "/v1/jobs/heartbeat", kWork, Work::change_once, &heartbeat, kJobBody},
        {"POST", "/v1/jobs/{job_id}/complete", kWork, Work::change_once, &complete, kManyJobsBody},
        {"POST", "/v1/jobs/{job_id}/fail", kWork, Work::change_once, &fail, kJobBody},
        {"POST", "/v1/jobs/{job_id}/snooze", kWork, Work::change_once, &snooze, kSmallBody},
    };
    return kRoutes;
}

}  // namespace jobforge::api
