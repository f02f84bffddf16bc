// Platform keys, as an operator's database login handles them: members of jobforge_owner only,
// never over HTTP. The actor is the login, which the database writes to the platform's trail.
// Threads: those of the connection. Errors: FORBIDDEN when the login may not.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "pg/connection.h"
#include "services/access/key_text.h"

namespace jobforge::services {

struct NewPlatformKey {
    std::string name;
    // At most one of them; neither: it does not expire. By the database's clock.
    std::optional<pg::Timestamp> expires_at = {};
    std::optional<std::chrono::milliseconds> expires_in = {};
};
struct CreatedPlatformKey {
    std::string text;  // the whole key: shown once, not stored
    Json row;          // as list_platform_keys shows it
};
// VALIDATION_ERROR.
[[nodiscard]] Result<CreatedPlatformKey> create_platform_key(pg::Connection& connection,
                                                             const Pepper& pepper,
                                                             std::string_view environment,
                                                             const NewPlatformKey& key);
// Newest first, without macs.
[[nodiscard]] Result<std::vector<Json>> list_platform_keys(pg::Connection& connection);
// Returns when nothing that the key began can still be committed. Revoked already: nothing changes.
// NOT_FOUND.
[[nodiscard]] Status revoke_platform_key(pg::Connection& connection, const std::string& key_id,
                                         const std::string& reason);

}  // namespace jobforge::services
