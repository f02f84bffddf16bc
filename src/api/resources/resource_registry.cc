// /v1/job-types, /v1/workers, /v1/stats: what there is and how it goes.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "statements/jobs.h"
#include "statements/operations.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

// A statement's rows as one list.
Result<http::Response> answer_rows(RequestContext& context, const pg::Statement& statement,
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

Result<http::Response> list_types(RequestContext& context) {
    return answer_rows(context, statements::jobs::kApiListJobTypes, {});
}

Result<http::Response> get_type(RequestContext& context) {
    pg::Params params;
    params.text(context.parameter("type"));
    const auto rows =
        context.calls->run_one(statements::jobs::kApiGetJobType, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    return json_response(std::string(rows->json(0, 0)));
}

Result<http::Response> list_workers(RequestContext& context) {
    pg::Params params;
    params.text(context.principal->tenant_id.to_string());
    return answer_rows(context, statements::operations::kApiListWorkers, std::move(params));
}

Result<http::Response> stats(RequestContext& context) {
    return answer_rows(context, statements::jobs::kApiJobStats, {});
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
