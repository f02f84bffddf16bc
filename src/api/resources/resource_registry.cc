// /v1/job-types, /v1/workers, /v1/stats: what there is and how it goes.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

constexpr pg::Statement kTypes{
    "api_list_job_types",
    "select pg_catalog.row_to_json(t), t.type from jobforge.list_job_types() t"};
constexpr pg::Statement kType{"api_get_job_type",
                              "select pg_catalog.row_to_json(t) from jobforge.get_job_type($1) t"};
// Workers that came through the API bear their tenant's id in front of their own (tenant_work.sql):
// those of other tenants are not shown, nor is on which machine a worker runs.
constexpr pg::Statement kWorkers{
    "api_list_workers",
    "select pg_catalog.json_build_object('worker_id', case when w.worker_id like $1 || '/%' "
    "then pg_catalog.substr(w.worker_id, 38) else w.worker_id end, 'state', w.state, 'version', "
    "w.version, 'types', w.types, 'slots', w.slots, 'running', w.running, 'started_at', "
    "w.started_at, 'heartbeat_at', w.heartbeat_at, 'seconds_silent', w.seconds_silent) "
    "from jobforge.list_workers() w where w.worker_id like $1 || '/%' "
    "or w.worker_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/'"};
constexpr pg::Statement kStats{"api_job_stats",
                               "select pg_catalog.row_to_json(s) from jobforge.job_stats() s"};

// A statement's rows as one list.
Result<Response> answer_rows(RequestContext& context, const pg::Statement& statement,
                             pg::Params params) {
    const auto rows = context.calls->run_one(statement, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    std::string items;
    for (int row = 0; row < rows->size(); ++row) {
        items += row == 0 ? "" : ",";
        items += rows->json(row, 0);
    }
    return json_response(R"({"items":[)" + items + R"(],"next_cursor":null})");
}

Result<Response> list_types(RequestContext& context) {
    return answer_rows(context, kTypes, {});
}

Result<Response> get_type(RequestContext& context) {
    pg::Params params;
    params.text(context.parameter("type"));
    const auto rows = context.calls->run_one(kType, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    return json_response(std::string(rows->json(0, 0)));
}

Result<Response> list_workers(RequestContext& context) {
    pg::Params params;
    params.text(context.principal->tenant_id.to_string());
    return answer_rows(context, kWorkers, std::move(params));
}

Result<Response> stats(RequestContext& context) {
    return answer_rows(context, kStats, {});
}

}  // namespace

std::span<const Route> registry_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/job-types", Permission::jobs_read, Work::read, &list_types},
        {"GET", "/v1/job-types/{type}", Permission::jobs_read, Work::read, &get_type},
        {"GET", "/v1/workers", Permission::jobs_read, Work::read, &list_workers},
        {"GET", "/v1/stats", Permission::jobs_read, Work::read, &stats},
    };
    return kRoutes;
}

}  // namespace jobforge::api
