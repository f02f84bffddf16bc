// What a database has, against what this program brings. Private to migrate and its tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "engine/schema/embedded_sql.h"
#include "pg/connection.h"

namespace jobforge::engine {

struct AppliedFile {
    std::string name;
    std::string checksum;  // SHA-256 of the text, hexadecimal
};

struct AppliedSchema {
    std::vector<AppliedFile> migrations;
    std::vector<AppliedFile> functions;
};

struct MigratePlan {
    std::vector<EmbeddedFile> migrations;
    std::vector<EmbeddedFile> functions;
    std::vector<std::string> orphans;
};

// Creates the owning roles, the schema and the two tables that remember what was applied, where
// they are missing. Runs in a transaction of the caller, between borrow and return of ownership.
[[nodiscard]] Status create_bookkeeping(pg::Connection& connection);

// Lends the login the owning roles it is not a member of (a superuser needs none), and those roles
// the right to create in the schema, which ALTER ... OWNER TO asks for. What was lent is kept in a
// setting of this transaction, and return_ownership takes exactly that back.
[[nodiscard]] Status borrow_ownership(pg::Connection& connection);
[[nodiscard]] Status return_ownership(pg::Connection& connection);

// Empty for a database without our tables.
[[nodiscard]] Result<AppliedSchema> read_applied(pg::Connection& connection);

// Pure. INVALID_TRANSITION when an applied migration was edited or is unknown to this program.
[[nodiscard]] Result<MigratePlan> plan_migration(const AppliedSchema& applied,
                                                 std::span<const EmbeddedFile> migrations,
                                                 std::span<const EmbeddedFile> functions);

[[nodiscard]] Status record_migration(pg::Connection& connection, const EmbeddedFile& file,
                                      std::int64_t duration_ms);
[[nodiscard]] Status record_function(pg::Connection& connection, const EmbeddedFile& file);

}  // namespace jobforge::engine
