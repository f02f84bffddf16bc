// Who asks, and whether he may: the half of ApiService that says no.
#include <fmt/format.h>

#include "api/api_service.h"
#include "workloads/access/request_calls.h"

namespace jobforge::api {

namespace {

std::string route_name(const Route& route) {
    return fmt::format("{} {}", route.method, route.pattern);
}

}  // namespace

Result<workloads::Principal> ApiService::authenticate(const Asked& asked) {
    const Request& request = asked.request;
    if (request.header_count("authorization") > 1) {
        return Error::of(ErrorCode::UNAUTHORIZED, "Authorization is given twice");
    }
    const std::string* header = request.header("authorization");
    auto principal = ring_.find(header == nullptr ? "" : *header, pool_);
    if (!principal.ok()) {
        note_refused_key(asked, principal.error());
    }
    return principal;
}

// The refusal is decided by what the cache knows, so it is entered like any other request: if the
// cache is behind, ACCESS_CHANGED brings the request back here with the newest policies.
Status ApiService::permit(const Asked& asked, const workloads::Principal& principal) {
    const Route& route = *asked.match.route;
    const workloads::Decision decision =
        workloads::decide(principal.roles, *principal.policies, *route.permission,
                          asked.request.method, asked.request.path);
    if (decision.allowed) {
        return ok_status();
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {workloads::enter_request_call(principal, workloads::Effect::reads)});
    const engine::TenantCall note =
        workloads::access_denied_call(principal, route_name(route), decision.reason);
    if (auto noted = calls.run(std::span(&note, 1), engine::Repeat::if_not_done); !noted.ok()) {
        return std::move(noted).error();
    }
    Error error = Error::of(
        ErrorCode::FORBIDDEN,
        decision.reason == "policy"
            ? std::string("a policy denies this to your key")
            : fmt::format("this needs the permission {}", workloads::to_string(*route.permission)));
    error.details = Json::object({{"permission", workloads::to_string(*route.permission)},
                                  {"reason", decision.reason}})
                        .dump();
    return error;
}

// An id of somebody else looks exactly like one that nobody has, to its asker. That it was tried
// stands in the audit log of the key's own tenant.
void ApiService::note_not_found(const Asked& asked, const workloads::Principal& principal) {
    if (asked.match.parameters.empty()) {
        return;
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return;
    }
    auto calls = engine::TenantCalls::within(
        **connection, {workloads::enter_request_call(principal, workloads::Effect::reads)});
    const engine::TenantCall note =
        workloads::access_denied_call(principal, route_name(*asked.match.route), "NOT_FOUND");
    if (auto noted = calls.run(std::span(&note, 1), engine::Repeat::if_not_done); !noted.ok()) {
        options_.log.warn("a probe could not be noted",
                          {{"correlation_id", asked.request.correlation_id},
                           {"error", noted.error().describe()}});
    }
}

void ApiService::note_refused_key(const Asked& asked, const Error& error) {
    const std::string* header = asked.request.header("authorization");
    const auto key = workloads::ApiKeyText::from_authorization(header == nullptr ? "" : *header);
    if (!key.ok() || http_status_of(error.code) != 401 ||
        !refusals_.take(key->key_id, options_.clock()).allowed) {
        return;
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return;
    }
    const engine::TenantCall note = workloads::key_refused_call(
        key->key_id, route_name(*asked.match.route), to_string(error.code));
    if (auto noted = (*connection)->exec(note.statement, note.params); !noted.ok()) {
        options_.log.warn("a refused key could not be noted",
                          {{"correlation_id", asked.request.correlation_id},
                           {"error", noted.error().describe()}});
    }
}

}  // namespace jobforge::api
