// Authentication, rates and permissions: the half of ApiService that refuses requests.
#include <any>
#include <utility>

#include <fmt/format.h>

#include "api/api_service.h"
#include "http/server/connection_limits.h"
#include "services/access/request_calls.h"

namespace jobforge::api {

namespace {

std::string route_name(const Route& route) {
    return fmt::format("{} {}", route.method, route.pattern);
}

std::string refusal_text(const services::Decision& decision, services::Permission permission) {
    if (decision.reason == "policy") {
        return "a policy denies this to your key";
    }
    if (permission == services::Permission::platform_admin) {
        return "this needs a platform key: a tenant's key administers nothing of the platform";
    }
    return fmt::format("this needs the permission {}", services::to_string(permission));
}

}  // namespace

Result<services::Principal> ApiService::authenticate(Asked& asked) {
    Request& request = asked.request;
    if (!asked.known && request.header_count("authorization") > 1) {
        return Error::of(ErrorCode::UNAUTHORIZED, "Authorization is given twice");
    }
    const std::string* header = request.header("authorization");
    auto principal = asked.known
                         ? Result<services::Principal>(*std::exchange(asked.known, std::nullopt))
                         : log_in(asked, header == nullptr ? "" : *header);
    if (!principal.ok()) {
        return principal;
    }
    remember(request, *principal);
    // A request that has just logged in moves from the share of log-ins to its tenant's.
    if (request.slot != nullptr && !request.slot->move_to(principal->tenant_id.to_string())) {
        return Error::of(ErrorCode::RATE_LIMITED, "too many of your requests are under way");
    }
    return principal;
}

void ApiService::remember(Request& request, const services::Principal& principal) {
    if (auto* const admission = std::any_cast<Admission>(&request.admission)) {
        admission->principal = principal;
    } else {
        request.admission = Admission{.principal = principal};
    }
}

// A key that this node knows is never refused because of its address, nor one that this request has
// logged in with before.
Result<services::Principal> ApiService::log_in(Asked& asked, std::string_view header) {
    if (auto known = ring_.find_cached(header)) {
        return *std::move(known);
    }
    Find find = [this, header] { return ring_.find(header, pool_); };
    if (const auto key = services::ApiKeyText::from_authorization(header);
        key.ok() && key->kind == services::KeyKind::platform) {
        find = [this, key = *key] { return find_platform_key(key); };
    }
    return asked.key_id.empty() ? log_in_limited(asked, header, find) : find();
}

Result<services::Principal> ApiService::log_in_limited(Asked& asked, std::string_view header,
                                                       const Find& find) {
    const auto attempt =
        log_in_limit_.begin(address_group(asked.request.remote_address), options_.clock());
    const auto too_often = [&] {
        asked.rate = attempt.rate();
        metrics_.count_rate_limited();
        return Error::of(ErrorCode::RATE_LIMITED, "too many log-ins of this address have failed");
    };
    if (!attempt.is_heard()) {
        return too_often();
    }
    auto principal = find();
    if (principal.ok() || http_status_of(principal.error().code) != 401) {
        log_in_limit_.succeeded(attempt, options_.clock());
        return principal;
    }
    note_refused_key(asked, header, principal.error());
    return attempt.is_within_rate() ? std::move(principal)
                                    : Result<services::Principal>(too_often());
}

// Policies match what a request is about, under each of its paths. Names are looked up only where
// there are policies that could tell them apart.
Result<services::Decision> ApiService::decide(const Asked& asked,
                                              const services::Principal& principal) {
    const Route& route = *asked.match.route;
    const auto decide_for = [&](std::string_view path, std::span<const std::string> others) {
        return services::decide(principal.roles, *principal.policies, *route.permission,
                                asked.request.method, path, others);
    };
    services::Decision decision = decide_for(asked.request.path, {});
    if (route.things == nullptr || principal.policies->size() == 0 || decision.reason == "role") {
        return decision;
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    RequestContext context{asked.request, asked.match.parameters, tools_, asked.body, &principal};
    context.calls = &calls;
    const auto things = route.things(context);
    if (!things.ok()) {
        return things.error();
    }
    for (const ThingPaths& paths : *things) {
        decision = decide_for(paths.front(), std::span(paths).subspan(1));
        if (!decision.allowed) {
            break;
        }
    }
    return decision;
}

// The refusal is decided by what the cache knows, so it is entered like any other request: if the
// cache is behind, ACCESS_CHANGED brings the request back here with the newest policies.
Status ApiService::permit(const Asked& asked, const services::Principal& principal) {
    if (principal.platform_mac) {
        return permit_platform(asked, principal);
    }
    const Route& route = *asked.match.route;
    const auto decided = decide(asked, principal);
    if (!decided.ok()) {
        return decided.error();
    }
    const services::Decision& decision = *decided;
    if (decision.allowed) {
        return ok_status();
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    const engine::TenantCall note =
        services::access_denied_call(principal, route_name(route), decision.reason);
    if (auto noted = calls.run(std::span(&note, 1), engine::Repeat::if_not_done); !noted.ok()) {
        return std::move(noted).error();
    }
    Error error = Error::of(ErrorCode::FORBIDDEN, refusal_text(decision, *route.permission));
    error.details = Json::object({{"permission", services::to_string(*route.permission)},
                                  {"reason", decision.reason}})
                        .dump();
    return error;
}

// An id of another tenant looks exactly like one that does not exist. That it was tried
// stands in the audit log of the key's own tenant.
void ApiService::note_not_found(const Asked& asked, const services::Principal& principal) {
    if (asked.match.parameters.empty() || principal.platform_mac) {
        return;
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return;
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    const engine::TenantCall note =
        services::access_denied_call(principal, route_name(*asked.match.route), "NOT_FOUND");
    if (auto noted = calls.run(std::span(&note, 1), engine::Repeat::if_not_done); !noted.ok()) {
        options_.log.warn("a probe could not be noted",
                          {{"correlation_id", asked.request.correlation_id},
                           {"error", noted.error().describe()}});
    }
}

// The database compares: a node neither keeps nor knows what is stored of a platform key.
Result<services::Principal> ApiService::find_platform_key(const services::ApiKeyText& key) {
    if (key.environment != options_.tools.environment) {
        return Error::of(ErrorCode::UNAUTHORIZED, "this API key belongs to another environment");
    }
    services::Principal principal;
    principal.key_id = key.key_id;
    principal.policies = std::make_shared<const services::Policies>();
    principal.platform_mac = tools_.pepper->mac(key);
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    if (auto entered = calls.run({}, engine::Repeat::always); !entered.ok()) {
        return std::move(entered).error();
    }
    return principal;
}

// A platform key administers tenants; it does not act for them.
Status ApiService::permit_platform(const Asked& asked, const services::Principal& principal) {
    const Route& route = *asked.match.route;
    if (route.permission == services::Permission::platform_admin) {
        return ok_status();
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(principal, services::Effect::reads)});
    const engine::TenantCall note = services::platform_refused_call(route_name(route));
    if (auto noted = calls.run(std::span(&note, 1), engine::Repeat::if_not_done); !noted.ok()) {
        return std::move(noted).error();
    }
    Error error = Error::of(ErrorCode::FORBIDDEN,
                            "a platform key does not act for a tenant: use a key of the tenant");
    error.details = Json::object({{"permission", services::to_string(*route.permission)},
                                  {"reason", "platform"}})
                        .dump();
    return error;
}

void ApiService::note_refused_key(const Asked& asked, std::string_view header, const Error& error) {
    auto key = services::ApiKeyText::from_authorization(header);
    if (key.ok()) {
        refusal_notes_.add({.key_id = std::move(key->key_id),
                            .route = route_name(*asked.match.route),
                            .reason = std::string(to_string(error.code)),
                            .address = asked.request.remote_address});
    }
}

}  // namespace jobforge::api
