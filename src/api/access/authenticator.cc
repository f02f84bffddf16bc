#include "api/access/authenticator.h"

#include <utility>

#include "engine/database/tenant_calls.h"
#include "http/server/connection_limits.h"
#include "services/access/request_calls.h"

namespace jobforge::api {

namespace {

services::KeyRingOptions ring_options(const AuthenticatorOptions& options) {
    services::KeyRingOptions ring;
    ring.environment = options.environment;
    return ring;
}

}  // namespace

Authenticator::Authenticator(pg::Pool& pool, AuthenticatorOptions options,
                             services::Pepper ring_pepper)
    : pool_(pool),
      options_(std::move(options)),
      ring_(std::move(ring_pepper), ring_options(options_)),
      log_in_limit_(options_.rate_limit),
      refusal_notes_(pool_, options_.log,
                     [this](const std::string& key_id) { return ring_.has(key_id); }) {}

// A key that this node remembers is never refused because of its address, nor one that this request
// has logged in with before.
Result<services::Principal> Authenticator::log_in(const http::RequestHead& head, const Route& route,
                                                  bool again, TimePoint now,
                                                  std::optional<RateDecision>& rate) {
    const std::string* given = head.header("authorization");
    const std::string_view header = given == nullptr ? std::string_view() : *given;
    if (auto known = ring_.find_cached(header)) {
        return *std::move(known);
    }
    if (again) {
        return find(header);
    }
    const auto attempt = log_in_limit_.begin(http::address_group(head.remote_address), now);
    const auto too_often = [&] {
        rate = attempt.rate();
        return Error::of(ErrorCode::RATE_LIMITED, "too many log-ins of this address have failed");
    };
    if (!attempt.is_heard()) {
        return too_often();
    }
    auto principal = find(header);
    if (principal.ok() || http_status_of(principal.error().code) != 401) {
        log_in_limit_.succeeded(attempt, now);
        return principal;
    }
    note_refused(head, route, header, principal.error());
    return attempt.is_within_rate() ? std::move(principal)
                                    : Result<services::Principal>(too_often());
}

Result<services::Principal> Authenticator::find(std::string_view header) {
    const auto key = services::ApiKeyText::from_authorization(header);
    return key.ok() && key->kind == services::KeyKind::platform ? find_platform_key(*key)
                                                                : ring_.find(header, pool_);
}

// The database compares: a node neither keeps nor knows what is stored of a platform key.
Result<services::Principal> Authenticator::find_platform_key(const services::ApiKeyText& key) {
    if (key.environment != options_.environment) {
        return Error::of(ErrorCode::UNAUTHORIZED, "this API key belongs to another environment");
    }
    services::Principal principal;
    principal.key_id = key.key_id;
    principal.policies = std::make_shared<const services::Policies>();
    principal.platform_mac = options_.pepper->mac(key);
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

void Authenticator::note_refused(const http::RequestHead& head, const Route& route,
                                 std::string_view header, const Error& error) {
    auto key = services::ApiKeyText::from_authorization(header);
    if (key.ok()) {
        refusal_notes_.add({.key_id = std::move(key->key_id),
                            .route = route_name(route),
                            .reason = std::string(to_string(error.code)),
                            .address = head.remote_address});
    }
}

}  // namespace jobforge::api
