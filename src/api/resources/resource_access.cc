// /v1/api-keys, /v1/access-policies: keys and their rights. access:admin only.
#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/access/access_admin.h"

namespace jobforge::api {

namespace {

using services::Permission;

constexpr int kLongestOverlapSeconds = 30 * 24 * 3600;
constexpr int kUsualOverlapSeconds = 24 * 3600;

// The key stands in this answer and nowhere else.
http::Response created_key(const services::CreatedApiKey& created) {
    Json answer = created.row;
    answer.set("key", created.text);
    return json_response(answer.dump(), 201);
}

Result<http::Response> create_key(RequestContext& context) {
    BodyFields body(context.body);
    services::NewApiKey key;
    key.name = body.text("name");
    key.roles = body.texts("roles");
    key.expires_at = timestamp_of(body.opt_time("expires_at"));
    key.actor_id = context.actor();
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto created = services::create_api_key(*context.calls, *context.tools.pepper,
                                                  context.tools.environment, key);
    return created.ok() ? Result<http::Response>(created_key(*created))
                        : Result<http::Response>(created.error());
}

Result<http::Response> list_keys(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::KeyFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.after;
    filter.status = query.opt_text("status");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_api_keys(*context.calls, filter), page, "key_id");
}

Result<http::Response> get_key(RequestContext& context) {
    return answer_object(
        services::get_api_key(*context.calls, std::string(context.parameter("key_id"))));
}

Result<http::Response> rotate_key(RequestContext& context) {
    BodyFields body(context.body);
    const int overlap =
        body.opt_int("overlap_seconds", 0, kLongestOverlapSeconds).value_or(kUsualOverlapSeconds);
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto created = services::rotate_api_key(
        *context.calls, *context.tools.pepper, context.tools.environment,
        std::string(context.parameter("key_id")), std::chrono::seconds(overlap), context.actor());
    return created.ok() ? Result<http::Response>(created_key(*created))
                        : Result<http::Response>(created.error());
}

Result<http::Response> revoke_key(RequestContext& context) {
    BodyFields body(context.body);
    const std::string reason = body.opt_text("reason").value_or("");
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_object(services::revoke_api_key(
        *context.calls, std::string(context.parameter("key_id")), reason, context.actor()));
}

Result<http::Response> add_policy(RequestContext& context) {
    BodyFields body(context.body);
    services::NewPolicy policy;
    policy.effect = body.text("effect");
    policy.path_pattern = body.text("path_pattern");
    policy.priority = body.opt_int("priority", -1'000'000, 1'000'000).value_or(0);
    policy.method = body.opt_text("method").value_or("*");
    policy.role = body.opt_text("role");
    policy.key_id = body.opt_text("key_id");
    policy.note = body.opt_text("note").value_or("");
    policy.actor_id = context.actor();
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto row = services::add_access_policy(*context.calls, policy);
    return row.ok() ? Result<http::Response>(json_response(row->dump(), 201))
                    : Result<http::Response>(row.error());
}

Result<http::Response> list_policies(RequestContext& context) {
    return answer_list(services::list_access_policies(*context.calls));
}

Result<http::Response> remove_policy(RequestContext& context) {
    const auto id = context.id("policy_id");
    return id.ok()
               ? answer_done(services::remove_access_policy(*context.calls, *id, context.actor()))
               : Result<http::Response>(id.error());
}

constexpr Permission kAdmin = Permission::access_admin;
}  // namespace

std::span<const Route> access_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/api-keys", kAdmin, Work::change, &create_key, kSmallBody, false, "key"},
        {"GET", "/v1/api-keys", kAdmin, Work::read, &list_keys},
        {"GET", "/v1/api-keys/{key_id}", kAdmin, Work::read, &get_key},
        {"POST", "/v1/api-keys/{key_id}/rotate", kAdmin, Work::change, &rotate_key, kSmallBody,
         false, "key"},
        {"POST", "/v1/api-keys/{key_id}/revoke", kAdmin, Work::change, &revoke_key, kSmallBody},
        {"POST", "/v1/access-policies", kAdmin, Work::change, &add_policy, kSmallBody},
        {"GET", "/v1/access-policies", kAdmin, Work::read, &list_policies},
        {"DELETE", "/v1/access-policies/{policy_id}", kAdmin, Work::change, &remove_policy},
    };
    return kRoutes;
}

}  // namespace jobforge::api
