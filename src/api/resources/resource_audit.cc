// /v1/audit: events, oldest first, and the signed heads of their log.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "statements/audit.h"

namespace jobforge::api {

namespace {

using services::Permission;

Result<http::Response> list_events(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    pg::Params params;
    params.opt_uuid(query.opt_uuid("aggregate_id"))
        .opt_text(query.opt_text("event_type"))
        .int4(page.rows_to_ask())
        .int8(page.after_number(query));
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto rows = context.calls->run_one(statements::audit::kApiListEvents, std::move(params),
                                             engine::Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    return json_response(page_text(*rows, page));
}

// The newest ones: each stands for all before it.
Result<http::Response> list_heads(RequestContext& context) {
    QueryFields query(context.request);
    pg::Params params;
    params.int4(query.opt_int("limit", 1, kLargestPage).value_or(kDefaultPage));
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_list(
        context.calls->json_rows(statements::audit::kApiAuditHeads, std::move(params)));
}

}  // namespace

std::span<const Route> audit_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/audit/events", Permission::audit_read, Work::read, &list_events},
        {"GET", "/v1/audit/heads", Permission::audit_read, Work::read, &list_heads},
    };
    return kRoutes;
}

}  // namespace jobforge::api
