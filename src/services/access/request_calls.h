// The statements that stand around a request's own: the key is still allowed to, and an
// Idempotency-Key is answered once. Plain values, to be queued in the request's pipeline.
//
// A read, one round trip and no BEGIN (a pipeline is one transaction):
//     enter_request_call(principal, Effect::reads), then the request's statement
// A change:
//     BEGIN; enter_request_call(principal, Effect::changes);
//     [begin_api_request_call: a row means "answer this, and do nothing"];
//     the use case; [store_api_response_call]; COMMIT
// Whatever fails is rolled back and not stored: the client may try again with the same key.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/hash.h"
#include "engine/database/tenant_calls.h"
#include "services/access/key_ring.h"

namespace jobforge::services {

enum class Effect { reads, changes };

// For a platform key: enter_platform_request, which also sets what the functions of the platform
// ask for. Else:
// Sets app.tenant_id and app.actor_id ("key:<key_id>") for the transaction; one row with the tenant
// id. API_KEY_REVOKED, UNAUTHORIZED (expired), ACCESS_CHANGED (the principal is out of date: see
// KeyRing). Effect::changes also makes a revocation wait for this transaction's end: once a key's
// revocation has returned, nothing that the key began can still be committed.
[[nodiscard]] engine::TenantCall enter_request_call(const Principal& principal, Effect effect);

// What an Idempotency-Key is bound to. `target` with the query, as received.
[[nodiscard]] Sha256 request_hash(std::string_view method, std::string_view target,
                                  std::string_view body);

// No row: the first request with this key (others with it now wait for this transaction's end).
// One row: the stored answer, see stored_response(). IDEMPOTENCY_CONFLICT: the key was used for
// another request; VALIDATION_ERROR for a key that is not 1..255 visible ASCII characters. Keys are
// remembered for 24 hours, per API key (its rotations included).
[[nodiscard]] engine::TenantCall begin_api_request_call(const Principal& principal,
                                                        std::string_view idempotency_key,
                                                        const Sha256& hash);

struct StoredResponse {
    int status = 200;
    std::string headers_json = "{}";  // a JSON object, to be read when it is sent again
    std::string body;                 // at most 16 MiB
};
// nullopt: no row.
[[nodiscard]] std::optional<StoredResponse> stored_response(const pg::Rows& rows);
// Not for answers that show a secret (keys, webhook secrets): the database would keep it.
[[nodiscard]] engine::TenantCall store_api_response_call(const Principal& principal,
                                                         std::string_view idempotency_key,
                                                         const Sha256& hash,
                                                         const StoredResponse& response);

// An ACCESS_DENIED event in the key's chain, at most one a minute per key and route with a count of
// all that were meant. `route` is the method and the pattern ("GET /v1/jobs/{job_id}"), `reason` a
// word ("role", "policy", "NOT_FOUND"). Run enter_request_call first, in the same pipeline.
[[nodiscard]] engine::TenantCall access_denied_call(const Principal& principal,
                                                    std::string_view route,
                                                    std::string_view reason);
// For a key that could not enter (revoked, expired, wrong secret): stands alone, finds the tenant
// by itself, and does nothing for an id that does not exist.
[[nodiscard]] engine::TenantCall key_refused_call(std::string_view key_id, std::string_view route,
                                                  std::string_view reason);

// The same for a platform key, in the platform's own trail.
[[nodiscard]] engine::TenantCall platform_refused_call(std::string_view route);

}  // namespace jobforge::services
