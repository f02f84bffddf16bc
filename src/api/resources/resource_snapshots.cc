// /v1/snapshots: BUILDING -> READY -> SEALED.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/passport/snapshots.h"

namespace jobforge::api {

namespace {

using services::Permission;

Result<http::Response> create(RequestContext& context) {
    BodyFields body(context.body);
    services::NewSnapshot snapshot;
    snapshot.label = body.opt_text("label").value_or("");
    snapshot.snapshot_id = body.opt_uuid("snapshot_id");
    snapshot.actor_id = context.actor();
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto id = services::create_snapshot(*context.calls, snapshot);
    if (!id.ok()) {
        return id.error();
    }
    return created_response("/v1/snapshots/" + id->to_string(),
                            Json::object({{"snapshot_id", id->to_string()}}).dump());
}

Result<http::Response> list(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::SnapshotFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.status = query.opt_text("status");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_snapshots(*context.calls, filter), page, "snapshot_id");
}

Result<http::Response> get(RequestContext& context) {
    const auto id = context.id("snapshot_id");
    return id.ok() ? answer_object(services::get_snapshot(*context.calls, *id))
                   : Result<http::Response>(id.error());
}

Result<http::Response> list_items(RequestContext& context) {
    const auto id = context.id("snapshot_id");
    if (!id.ok()) {
        return id.error();
    }
    // An empty snapshot has no items; one that does not exist is not an empty list.
    if (auto row = services::get_snapshot(*context.calls, *id); !row.ok()) {
        return std::move(row).error();
    }
    return answer_list(services::list_snapshot_facts(*context.calls, *id));
}

Result<http::Response> add_items(RequestContext& context) {
    const auto id = context.id("snapshot_id");
    BodyFields body(context.body);
    services::SnapshotFacts facts;
    facts.fact_ids = body.uuids("fact_ids");
    facts.document_version_ids = body.uuids("document_version_ids");
    facts.actor_id = context.actor();
    const Status read = body.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    const auto added = services::add_snapshot_facts(*context.calls, *id, facts);
    if (!added.ok()) {
        return added.error();
    }
    return json_response(Json::object({{"added", *added}}).dump());
}

Result<http::Response> remove_item(RequestContext& context) {
    const auto id = context.id("snapshot_id");
    if (!id.ok()) {
        return id.error();
    }
    return answer_done(services::remove_snapshot_fact(*context.calls, *id,
                                                      std::string(context.parameter("fact_type")),
                                                      std::string(context.parameter("fact_key"))));
}

Result<http::Response> build(RequestContext& context) {
    const auto id = context.id("snapshot_id");
    if (!id.ok()) {
        return id.error();
    }
    const auto job = services::build_snapshot(*context.calls, *id, context.actor());
    if (!job.ok()) {
        return job.error();
    }
    context.enqueued.push_back(*job);
    return json_response(Json::object({{"job_id", job->to_string()}}).dump(), 202);
}

Result<http::Response> reopen(RequestContext& context) {
    const auto id = context.id("snapshot_id");
    return id.ok() ? answer_done(services::reopen_snapshot(*context.calls, *id, context.actor()))
                   : Result<http::Response>(id.error());
}

Result<http::Response> seal(RequestContext& context) {
    const auto id = context.id("snapshot_id");
    if (!id.ok()) {
        return id.error();
    }
    const auto hash = services::seal_snapshot(*context.calls, *id, context.actor());
    if (!hash.ok()) {
        return hash.error();
    }
    return json_response(
        Json::object({{"snapshot_id", id->to_string()}, {"snapshot_hash", *hash}}).dump());
}

}  // namespace

std::span<const Route> snapshot_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/snapshots", Permission::snapshot_build, Work::change, &create, kSmallBody},
        {"GET", "/v1/snapshots", Permission::docs_read, Work::read, &list},
        {"GET", "/v1/snapshots/{snapshot_id}", Permission::docs_read, Work::read, &get},
        {"GET", "/v1/snapshots/{snapshot_id}/items", Permission::docs_read, Work::read,
         &list_items},
        {"POST", "/v1/snapshots/{snapshot_id}/items", Permission::snapshot_build, Work::change,
         &add_items, kJobBody},
        {"DELETE", "/v1/snapshots/{snapshot_id}/items/{fact_type}/{fact_key}",
         Permission::snapshot_build, Work::change, &remove_item},
        {"POST", "/v1/snapshots/{snapshot_id}/build", Permission::snapshot_build, Work::change,
         &build, kSmallBody},
        {"POST", "/v1/snapshots/{snapshot_id}/reopen", Permission::snapshot_build, Work::change,
         &reopen, kSmallBody},
        {"POST", "/v1/snapshots/{snapshot_id}/seal", Permission::snapshot_seal, Work::change, &seal,
         kSmallBody},
    };
    return kRoutes;
}

}  // namespace jobforge::api
