// /v1/audit: events, oldest first, and the signed heads of their log.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"

namespace jobforge::api {

namespace {

using services::Permission;

// What happened as JSON, not as the bytes that were hashed; those are in the export.
constexpr pg::Statement kEvents{
    "api_list_events",
    "select pg_catalog.json_build_object('event_seq', e.event_seq, 'event_id', e.event_id, "
    "'aggregate_type', e.aggregate_type, 'aggregate_id', e.aggregate_id, 'aggregate_version', "
    "e.aggregate_version, 'event_type', e.event_type, 'actor_id', e.actor_id, 'payload', "
    "pg_catalog.convert_from(e.payload_canonical, 'UTF8')::json, 'event_hash', "
    "pg_catalog.encode(e.event_hash, 'hex'), 'occurred_at', e.occurred_at), e.event_seq::text "
    "from jobforge.list_events(p_aggregate_id => $1, p_event_type => $2, p_limit => $3, "
    "p_after => $4) e"};
constexpr pg::Statement kHeads{
    "api_audit_heads",
    "select pg_catalog.json_build_object('tree_size', h.tree_size, 'root_hash', "
    "pg_catalog.encode(h.root_hash, 'hex'), 'checkpoint', h.checkpoint, 'key_id', h.key_id, "
    "'signed_at', h.signed_at) from jobforge.audit_heads() h order by h.tree_size desc limit $1"};

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
    const auto rows = context.calls->run_one(kEvents, std::move(params), engine::Repeat::always);
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
    return answer_list(context.calls->json_rows(kHeads, std::move(params)));
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
