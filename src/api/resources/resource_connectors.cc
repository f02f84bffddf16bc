// /v1/connector-configs: a tenant's defaults and limits for each connector.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "statements/connectors.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using services::Permission;

pg::Params connector_of(const RequestContext& context) {
    pg::Params params;
    params.text(context.parameter("connector"));
    return params;
}

Result<http::Response> list(RequestContext& context) {
    return answer_list(
        context.calls->json_rows(statements::connectors::kApiListConnectorConfigs, {}));
}

Result<http::Response> get(RequestContext& context) {
    return answer_object(context.calls->json_row(statements::connectors::kApiGetConnectorConfig,
                                                 connector_of(context)));
}

// Whole: what is not named has no limit of the tenant's any more.
Result<http::Response> put(RequestContext& context) {
    BodyFields body(context.body);
    const Json* config = body.json("config");
    const bool enabled = body.opt_boolean("enabled").value_or(true);
    if (config == nullptr || !config->is_object()) {
        body.refuse("config", "must be an object");
    }
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    pg::Params params = connector_of(context);
    params.jsonb(config->dump()).boolean(enabled);
    const auto set = context.calls->run_one(statements::connectors::kApiSetConnectorConfig,
                                            std::move(params), Repeat::if_not_done);
    return set.ok() ? get(context) : Result<http::Response>(set.error());
}

Result<http::Response> remove(RequestContext& context) {
    const auto done = context.calls->run_one(statements::connectors::kApiRemoveConnectorConfig,
                                             connector_of(context), Repeat::if_not_done);
    return done.ok() ? Result<http::Response>(empty_response())
                     : Result<http::Response>(done.error());
}

constexpr Permission kAdmin = Permission::tenant_admin;
}  // namespace

std::span<const Route> connector_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/v1/connector-configs", kAdmin, Work::read, &list},
        {"GET", "/v1/connector-configs/{connector}", kAdmin, Work::read, &get},
        {"PUT", "/v1/connector-configs/{connector}", kAdmin, Work::change, &put, kSmallBody},
        {"DELETE", "/v1/connector-configs/{connector}", kAdmin, Work::change, &remove},
    };
    return kRoutes;
}

}  // namespace jobforge::api
