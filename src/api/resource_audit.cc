// /v1/audit: events, oldest first, and the signed heads of their log.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "workloads/passport/audit.h"

namespace jobforge::api {

namespace {

using workloads::Permission;

constexpr pg::Statement kHeads{
    "api_audit_heads",
    "select pg_catalog.json_build_object('tree_size', h.tree_size, 'root_hash', "
    "pg_catalog.encode(h.root_hash, 'hex'), 'checkpoint', h.checkpoint, 'key_id', h.key_id, "
    "'signed_at', h.signed_at) from jobforge.audit_heads() h order by h.tree_size desc limit $1"};

Result<Response> list_events(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    workloads::EventFilter filter;
    filter.limit = page.rows_to_ask();
    filter.after = page.after_number(query);
    filter.aggregate_id = query.opt_uuid("aggregate_id");
    filter.event_type = query.opt_text("event_type");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(workloads::list_events(*context.calls, filter), page, "event_seq");
}

// The newest ones: each stands for all before it.
Result<Response> list_heads(RequestContext& context) {
    QueryFields query(context.request);
    pg::Params params;
    params.int4(query.opt_int("limit", 1, kLargestPage).value_or(kDefaultPage));
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_list(context.calls->json_rows(kHeads, std::move(params)));
}

constexpr Route kRoutes[] = {
    {"GET", "/v1/audit/events", Permission::audit_read, Work::read, &list_events},
    {"GET", "/v1/audit/heads", Permission::audit_read, Work::read, &list_heads},
};

}  // namespace

std::span<const Route> audit_routes() {
    return kRoutes;
}

}  // namespace jobforge::api
