// Bringing a database to the schema this program was built with.
//
// sql/migrations/ only grows: each file is applied once, in byte order of names, in a transaction
// of its own, and remembered with its checksum. sql/functions/ holds the present body of every
// function: a file whose checksum changed is applied again, all such files in one transaction.
//
// Safe to run twice and from several processes at once: an advisory lock lets one work; the others
// poll for it (a session that waits inside pg_advisory_lock deadlocks with CREATE INDEX
// CONCURRENTLY in another) and then find nothing left to do. Running workers go on: no statement
// waits longer than kLockTimeout for a lock that they hold, it is tried again instead.
//
// The login is a superuser, or has CREATEROLE and owns the database: it then lends itself the
// owning roles inside each transaction and gives them back before the commit.
//
// A migration whose first line is `-- no-transaction` is one statement that cannot run inside a
// transaction block. It must be safe to repeat (`if not exists`): a crash between the statement
// and its record runs it again.
//
// Threads: any; each call has a connection of its own, which must be direct (no PgBouncer).
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

#include "engine/schema/embedded_sql.h"

namespace jobforge::engine {

inline constexpr std::chrono::milliseconds kLockTimeout{2000};

struct MigrateOptions {
    bool dry_run = false;                        // say what would happen, change nothing
    std::chrono::milliseconds lock_wait{60000};  // for another migration to end; then TIMEOUT
    // Called before each step: "0001_roles.sql", "functions (34 files)", "waiting for ...".
    std::function<void(std::string_view)> on_step = {};
    // What to apply; tests bring their own.
    std::span<const EmbeddedFile> migrations = embedded_migrations();
    std::span<const EmbeddedFile> functions = embedded_functions();
};

// What was done, or would be done by a dry run.
struct MigrateReport {
    std::vector<std::string> migrations;  // applied now
    std::vector<std::string> functions;   // applied (again) now
    std::vector<std::string> orphans;  // function files of the database that this program has not

    [[nodiscard]] bool nothing_to_do() const noexcept {
        return migrations.empty() && functions.empty();
    }
};

// DB_UNAVAILABLE, UNAUTHORIZED, NOT_FOUND (no such database), CONFIG_MISSING (a pooler, a server
// before 13), FORBIDDEN (the login may not), TIMEOUT (another migration runs), INVALID_TRANSITION
// with is_version_mismatch() (edited migration, database newer than this program). After an error
// everything that was applied before stays applied; run it again.
[[nodiscard]] Result<MigrateReport> migrate(const std::string& url,
                                            const MigrateOptions& options = {});

}  // namespace jobforge::engine
