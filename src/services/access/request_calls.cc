#include "services/access/request_calls.h"

#include <fmt/format.h>

#include "base/text/bytes.h"
#include "statements/access.h"

namespace jobforge::services {

engine::TenantCall enter_request_call(const Principal& principal, Effect effect) {
    pg::Params params;
    if (principal.platform_mac) {
        params.text(principal.key_id)
            .bytea(bytes_of(*principal.platform_mac))
            .boolean(effect == Effect::changes);
        return {statements::access::kEnterPlatformRequest, std::move(params)};
    }
    params.text(principal.key_id)
        .int8(principal.version)
        .int8(principal.access_version)
        .boolean(effect == Effect::changes);
    return {statements::access::kEnterRequest, std::move(params)};
}

// Neither a method nor a target has a line feed, so no two requests give the same text.
Sha256 request_hash(std::string_view method, std::string_view target, std::string_view body) {
    return sha256(fmt::format("{}\n{}\n{}", method, target, body));
}

engine::TenantCall begin_api_request_call(const Principal& principal,
                                          std::string_view idempotency_key, const Sha256& hash) {
    pg::Params params;
    params.text(principal.key_id).text(idempotency_key).bytea(bytes_of(hash));
    return {statements::access::kBeginApiRequest, std::move(params)};
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
    return {statements::access::kStoreApiResponse, std::move(params)};
}

engine::TenantCall access_denied_call(const Principal& principal, std::string_view route,
                                      std::string_view reason) {
    return key_refused_call(principal.key_id, route, reason);
}

engine::TenantCall key_refused_call(std::string_view key_id, std::string_view route,
                                    std::string_view reason) {
    pg::Params params;
    params.text(key_id).text(route).text(reason);
    return {statements::access::kNoteAccessDenied, std::move(params)};
}

engine::TenantCall platform_refused_call(std::string_view route) {
    pg::Params params;
    params.text(route);
    return {statements::access::kPlatformRefused, std::move(params)};
}

}  // namespace jobforge::services
