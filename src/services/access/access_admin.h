// Use cases: API keys and access policies of a tenant. Threads: as TenantCalls.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "engine/database/tenant_calls.h"
#include "services/access/key_text.h"

namespace jobforge::services {

struct NewApiKey {
    std::string name;
    std::vector<std::string> roles;  // "Admin", "ComplianceOfficer", "Auditor", "Operator"
    std::optional<pg::Timestamp> expires_at = {};
    std::string actor_id = {};  // empty: app.actor_id, which enter_request sets
};
struct CreatedApiKey {
    std::string text;  // the whole key: shown once, not stored
    Json row;          // as list_api_keys shows it
};
// VALIDATION_ERROR, FORBIDDEN (a suspended tenant).
[[nodiscard]] Result<CreatedApiKey> create_api_key(engine::TenantCalls& calls, const Pepper& pepper,
                                                   std::string_view environment,
                                                   const NewApiKey& key);

// A new key with the name and roles of an old one, which works until the overlap (0..30 days) is
// over; 0 revokes it at once. The new one lives as long as the old one was meant to. NOT_FOUND;
// INVALID_TRANSITION for a key that is revoked, expired or rotated already (also by another caller
// at the same moment: exactly one wins).
[[nodiscard]] Result<CreatedApiKey> rotate_api_key(engine::TenantCalls& calls, const Pepper& pepper,
                                                   std::string_view environment,
                                                   const std::string& key_id,
                                                   std::chrono::seconds overlap,
                                                   const std::string& actor_id = {});

// The row of the key. Revoked already: as it was. NOT_FOUND. Returns when nothing that the key
// began can still be committed.
[[nodiscard]] Result<Json> revoke_api_key(engine::TenantCalls& calls, const std::string& key_id,
                                          const std::string& reason = {},
                                          const std::string& actor_id = {});
[[nodiscard]] Result<Json> get_api_key(engine::TenantCalls& calls, const std::string& key_id);

struct KeyFilter {
    int limit = 50;                          // 1..1000
    std::optional<std::string> before = {};  // a key id: the page behind it
    std::optional<std::string> status = {};  // ACTIVE or REVOKED
};
// Newest first, without macs.
[[nodiscard]] Result<std::vector<Json>> list_api_keys(engine::TenantCalls& calls,
                                                      const KeyFilter& filter);

struct NewPolicy {
    std::string effect;        // "allow" or "deny"
    std::string path_pattern;  // policies.h
    int priority = 0;
    std::string method = "*";
    std::optional<std::string> role = {};    // at most one of role and key_id
    std::optional<std::string> key_id = {};  // and all that the key is rotated to
    std::string note = {};
    std::string actor_id = {};
};
// The row of the new policy. In force for every request that begins after the commit.
[[nodiscard]] Result<Json> add_access_policy(engine::TenantCalls& calls, const NewPolicy& policy);
// NOT_FOUND.
[[nodiscard]] Status remove_access_policy(engine::TenantCalls& calls, const Uuid& policy_id,
                                          const std::string& actor_id = {});
// In the order in which they decide.
[[nodiscard]] Result<std::vector<Json>> list_access_policies(engine::TenantCalls& calls);

}  // namespace jobforge::services
