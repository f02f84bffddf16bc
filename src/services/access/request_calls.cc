#include "services/access/request_calls.h"

#include <fmt/format.h>

#include "base/text/bytes.h"

namespace jobforge::services {

namespace {

// A request's transaction holds nothing of the client's but the calls that the request stands for,
// so a settling call may be repeated in it (sql/functions/claims/tenant_work.sql).
// A node that freezes between two statements must not keep what it has locked: a claim of a limited
// type has the type's turn. Nothing in a request takes half a minute between statements.
constexpr pg::Statement kEnterRequest{
    "enter_request",
    "select jobforge.enter_request($1, $2, $3, $4), "
    "pg_catalog.set_config('jobforge.only_settles', 'true', true), "
    "pg_catalog.set_config('idle_in_transaction_session_timeout', '30000', true)"};
constexpr pg::Statement kEnterPlatform{
    "enter_platform_request",
    "select jobforge.enter_platform_request($1, $2, $3), "
    "pg_catalog.set_config('idle_in_transaction_session_timeout', '30000', true)"};
constexpr pg::Statement kPlatformRefused{"platform_refused",
                                         "select jobforge.platform_refused($1)::text"};
constexpr pg::Statement kBeginApiRequest{
    "begin_api_request",
    "select status, headers, body from jobforge.begin_api_request($1, $2, $3)"};
constexpr pg::Statement kStoreApiResponse{
    "store_api_response", "select jobforge.store_api_response($1, $2, $3, $4, $5, $6)::text"};
constexpr pg::Statement kNoteAccessDenied{"note_access_denied",
                                          "select jobforge.note_access_denied($1, $2, $3)::text"};

}  // namespace

engine::TenantCall enter_request_call(const Principal& principal, Effect effect) {
    pg::Params params;
    if (principal.platform_mac) {
        params.text(principal.key_id)
            .bytea(bytes_of(*principal.platform_mac))
            .boolean(effect == Effect::changes);
        return {kEnterPlatform, std::move(params)};
    }
    params.text(principal.key_id)
        .int8(principal.version)
        .int8(principal.access_version)
        .boolean(effect == Effect::changes);
    return {kEnterRequest, std::move(params)};
}

// Neither a method nor a target has a line feed, so no two requests give the same text.
Sha256 request_hash(std::string_view method, std::string_view target, std::string_view body) {
    return sha256(fmt::format("{}\n{}\n{}", method, target, body));
}

engine::TenantCall begin_api_request_call(const Principal& principal,
                                          std::string_view idempotency_key, const Sha256& hash) {
    pg::Params params;
    params.text(principal.key_id).text(idempotency_key).bytea(bytes_of(hash));
    return {kBeginApiRequest, std::move(params)};
}

std::optional<StoredResponse> stored_response(const pg::Rows& rows) {
    if (rows.empty()) {
        return std::nullopt;
    }
    return StoredResponse{.status = static_cast<int>(rows.integer(0, 0)),
                          .headers_json = std::string(rows.json(0, 1)),
                          .body = std::string(rows.text(0, 2))};
}

engine::TenantCall store_api_response_call(const Principal& principal,
                                           std::string_view idempotency_key, const Sha256& hash,
                                           const StoredResponse& response) {
    pg::Params params;
    params.text(principal.key_id)
        .text(idempotency_key)
        .bytea(bytes_of(hash))
        .int4(response.status)
        .jsonb(response.headers_json)
        .bytea(response.body);
    return {kStoreApiResponse, std::move(params)};
}

engine::TenantCall access_denied_call(const Principal& principal, std::string_view route,
                                      std::string_view reason) {
    return key_refused_call(principal.key_id, route, reason);
}

engine::TenantCall key_refused_call(std::string_view key_id, std::string_view route,
                                    std::string_view reason) {
    pg::Params params;
    params.text(key_id).text(route).text(reason);
    return {kNoteAccessDenied, std::move(params)};
}

engine::TenantCall platform_refused_call(std::string_view route) {
    pg::Params params;
    params.text(route);
    return {kPlatformRefused, std::move(params)};
}

}  // namespace jobforge::services
