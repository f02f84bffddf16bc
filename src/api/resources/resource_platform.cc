// /v1/tenants, /v1/types, /v1/doctor: the installation, for platform keys only. Each SQL function
// asks for the key again and writes to the platform's trail.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "engine/database/admin_doctor.h"
#include "statements/access.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

Result<http::Response> list_tenants(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    pg::Params params;
    params.int4(page.rows_to_ask()).opt_uuid(page.before_id(query));
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto rows = context.calls->run_one(statements::access::kPlatformTenants,
                                             std::move(params), Repeat::if_not_done);
    return rows.ok() ? Result<http::Response>(json_response(page_text(*rows, page)))
                     : Result<http::Response>(rows.error());
}

Result<Json> tenant_row(RequestContext& context, const Uuid& id) {
    pg::Params params;
    params.uuid(id);
    return context.calls->json_row(statements::access::kPlatformTenant, std::move(params));
}

Result<http::Response> get_tenant(RequestContext& context) {
    const auto id = context.id("tenant_id");
    return id.ok() ? answer_object(tenant_row(context, *id)) : Result<http::Response>(id.error());
}

Result<http::Response> create_tenant(RequestContext& context) {
    BodyFields body(context.body);
    pg::Params params;
    params.text(body.text("name")).opt_uuid(body.opt_uuid("tenant_id"));
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto made = context.calls->run_one(statements::access::kPlatformAddTenant,
                                             std::move(params), Repeat::if_not_done);
    if (!made.ok()) {
        return made.error();
    }
    const auto row = tenant_row(context, made->uuid(0, 0));
    return row.ok() ? Result<http::Response>(created_response(
                          "/v1/tenants/" + made->uuid(0, 0).to_string(), row->dump()))
                    : Result<http::Response>(row.error());
}

// The body is what changes, as jobforge.set_tenant reads it: null removes a limit.
Result<http::Response> change_tenant(RequestContext& context) {
    const auto id = context.id("tenant_id");
    if (!id.ok()) {
        return id.error();
    }
    pg::Params params;
    params.uuid(*id).jsonb(context.body.dump());
    const auto done = context.calls->run_one(statements::access::kPlatformChangeTenant,
                                             std::move(params), Repeat::if_not_done);
    return done.ok() ? answer_object(tenant_row(context, *id))
                     : Result<http::Response>(done.error());
}

Result<http::Response> delete_tenant(RequestContext& context) {
    const auto id = context.id("tenant_id");
    QueryFields query(context.request);
    const auto confirmed = query.opt_text("confirm_name");
    const Status read = query.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    pg::Params params;
    params.uuid(*id).opt_text(confirmed);
    const auto gone = context.calls->run_one(statements::access::kPlatformRemoveTenant,
                                             std::move(params), Repeat::if_not_done);
    return gone.ok() ? Result<http::Response>(
                           json_response(Json::object({{"tenant_id", id->to_string()},
                                                       {"deleted", std::string(gone->text(0, 0))}})
                                             .dump()))
                     : Result<http::Response>(gone.error());
}

Result<http::Response> list_types(RequestContext& context) {
    return answer_list(context.calls->json_rows(statements::access::kPlatformTypes, {}));
}

Result<http::Response> get_type(RequestContext& context) {
    pg::Params params;
    params.text(context.parameter("type"));
    return answer_object(
        context.calls->json_row(statements::access::kPlatformType, std::move(params)));
}

Result<Json> change_type(RequestContext& context, std::string_view type, const Json& policy,
                         bool is_new) {
    pg::Params params;
    params.text(type).jsonb(policy.dump()).boolean(is_new);
    return context.calls->json_row(statements::access::kPlatformChangeType, std::move(params));
}

Result<http::Response> patch_type(RequestContext& context) {
    return answer_object(change_type(context, context.parameter("type"), context.body, false));
}

Result<http::Response> register_type(RequestContext& context) {
    BodyFields body(context.body);
    const std::string type = body.text("type");
    const Json* policy = body.json("policy");
    if (policy != nullptr && !policy->is_object()) {
        body.refuse("policy", "must be an object");
    }
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto row = change_type(context, type, policy == nullptr ? Json::object() : *policy, true);
    return row.ok() ? Result<http::Response>(json_response(row->dump(), 201))
                    : Result<http::Response>(row.error());
}

// As the API's login sees the database: a check that it may not make is a warning.
Result<http::Response> doctor(RequestContext& context) {
    pg::Params params;
    params.text("doctor");
    if (const auto may = context.calls->run_one(statements::access::kPlatformRead,
                                                std::move(params), Repeat::if_not_done);
        !may.ok()) {
        return may.error();
    }
    Json items = Json::array();
    bool healthy = true;
    for (const engine::Finding& finding : engine::examine(*context.connection)) {
        healthy = healthy && finding.level != engine::Finding::Level::fail;
        items.push_back(Json::object({{"check", finding.check},
                                      {"level", engine::to_string(finding.level)},
                                      {"what", finding.what},
                                      {"advice", finding.advice}}));
    }
    return json_response(Json::object({{"healthy", healthy}, {"items", std::move(items)}}).dump());
}

constexpr Permission kPlatform = Permission::platform_admin;
}  // namespace

std::span<const Route> platform_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/tenants", kPlatform, Work::read, &list_tenants},
        {"POST", "/v1/tenants", kPlatform, Work::change, &create_tenant, kSmallBody},
        {"GET", "/v1/tenants/{tenant_id}", kPlatform, Work::read, &get_tenant},
        {"PATCH", "/v1/tenants/{tenant_id}", kPlatform, Work::change, &change_tenant, kSmallBody},
        {"DELETE", "/v1/tenants/{tenant_id}", kPlatform, Work::change, &delete_tenant},
        {"GET", "/v1/types", kPlatform, Work::read, &list_types},
        {"POST", "/v1/types", kPlatform, Work::change, &register_type, kSmallBody},
        {"GET", "/v1/types/{type}", kPlatform, Work::read, &get_type},
        {"PATCH", "/v1/types/{type}", kPlatform, Work::change, &patch_type, kSmallBody},
        {"GET", "/v1/doctor", kPlatform, Work::read, &doctor},
    };
    return kRoutes;
}

}  // namespace jobforge::api
