#include "api/access/permission_check.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "services/access/request_calls.h"

namespace jobforge::api {

namespace {

std::string refusal_text(const services::Decision& decision, services::Permission permission) {
    if (decision.reason == "policy") {
        return "a policy denies this to your key";
    }
    if (permission == services::Permission::platform_admin) {
        return "this needs a platform key: a tenant's key administers nothing of the platform";
    }
    return fmt::format("this needs the permission {}", services::to_string(permission));
}

Error forbidden(std::string message, services::Permission permission, std::string_view reason) {
    Error error = Error::of(ErrorCode::FORBIDDEN, std::move(message));
    error.details =
        Json::object({{"permission", services::to_string(permission)}, {"reason", reason}}).dump();
    return error;
}

services::Decision decide_for(const RequestContext& context, const Route& route,
                              std::string_view path, std::span<const std::string> others = {}) {
    return services::decide(context.principal->roles, *context.principal->policies,
                            *route.permission, context.request.method, path, others);
}

}  // namespace

bool PermissionCheck::is_allowed_at_once(const RequestContext& context, const Route& route) {
    return route.things == nullptr && !context.principal->platform_mac &&
           decide_for(context, route, context.request.path).allowed;
}

// Policies match what a request is about, under each of its paths. Names are looked up only where
// there are policies that could tell them apart.
Result<services::Decision> PermissionCheck::decide(const RequestContext& context,
                                                   const Route& route) {
    const services::Principal& principal = *context.principal;
    services::Decision decision = decide_for(context, route, context.request.path);
    if (route.things == nullptr || principal.policies->size() == 0 || decision.reason == "role") {
        return decision;
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    RequestContext with_calls = context;
    with_calls.calls = &calls;
    const auto things = route.things(with_calls);
    if (!things.ok()) {
        return things.error();
    }
    for (const ThingPaths& paths : *things) {
        decision = decide_for(context, route, paths.front(), std::span(paths).subspan(1));
        if (!decision.allowed) {
            break;
        }
    }
    return decision;
}

Status PermissionCheck::check(const RequestContext& context, const Route& route) {
    const services::Principal& principal = *context.principal;
    if (principal.platform_mac) {
        return check_platform(principal, route);
    }
    const auto decided = decide(context, route);
    if (!decided.ok()) {
        return decided.error();
    }
    const services::Decision& decision = *decided;
    if (decision.allowed) {
        return ok_status();
    }
    if (auto noted = note(
            principal, services::access_denied_call(principal, route_name(route), decision.reason));
        !noted.ok()) {
        return noted;
    }
    return forbidden(refusal_text(decision, *route.permission), *route.permission, decision.reason);
}

// A platform key administers tenants; it does not act for them.
Status PermissionCheck::check_platform(const services::Principal& principal, const Route& route) {
    if (route.permission == services::Permission::platform_admin) {
        return ok_status();
    }
    if (auto noted = note(principal, services::platform_refused_call(route_name(route)));
        !noted.ok()) {
        return noted;
    }
    return forbidden("a platform key does not act for a tenant: use a key of the tenant",
                     *route.permission, "platform");
}

// An id of another tenant looks exactly like one that does not exist. That it was tried stands in
// the audit log of the key's own tenant.
void PermissionCheck::note_not_found(const RequestContext& context, const Route& route) {
    const services::Principal& principal = *context.principal;
    if (context.parameters.empty() || principal.platform_mac) {
        return;
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return;
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    const engine::TenantCall event =
        services::access_denied_call(principal, route_name(route), "NOT_FOUND");
    if (auto noted = calls.run(std::span(&event, 1), engine::Repeat::if_not_done); !noted.ok()) {
        log_.warn("a probe could not be noted", {{"correlation_id", context.request.correlation_id},
                                                 {"error", noted.error().describe()}});
    }
}

Status PermissionCheck::note(const services::Principal& principal,
                             const engine::TenantCall& event) {
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    auto noted = calls.run(std::span(&event, 1), engine::Repeat::if_not_done);
    return noted.ok() ? ok_status() : Status(std::move(noted).error());
}

}  // namespace jobforge::api
