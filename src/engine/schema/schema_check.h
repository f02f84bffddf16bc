// Do this program and this database fit together, and if not, what to do.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

#include "pg/connection.h"

namespace jobforge::engine {

enum class SchemaState {
    current,  // made by the same migrations
    missing,  // not a Jobforge database yet
    older,    // run `jobforge migrate`
    newer,    // this program is older than the database
};

struct SchemaCheck {
    SchemaState state = SchemaState::missing;
    std::string database;  // its newest migration; empty if missing
    std::string program;   // ours
};

// Asks the database; works through a pooler. FORBIDDEN, with a hint, for a login without any of
// our roles.
[[nodiscard]] Result<SchemaCheck> check_schema(pg::Connection& connection);

// ok for `current`; else an error with is_version_mismatch() whose hint says what to do.
[[nodiscard]] Status require_schema(const SchemaCheck& check);
[[nodiscard]] Status require_schema(pg::Connection& connection);

// 15: the views need security_invoker. CONFIG_MISSING for an older server.
inline constexpr int kOldestServer = 150000;
[[nodiscard]] Status require_server_version(const pg::Connection& connection);

// INVALID_TRANSITION, marked as a mismatch of versions: programs exit with their own code for it.
[[nodiscard]] Error version_mismatch(std::string message, std::string hint);
[[nodiscard]] bool is_version_mismatch(const Error& error) noexcept;

}  // namespace jobforge::engine
