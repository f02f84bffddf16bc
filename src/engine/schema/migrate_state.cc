#include "engine/schema/migrate_state.h"

#include <algorithm>

#include <fmt/format.h>
#include <jobforge/build_info.h>

#include "base/crypto/hash.h"
#include "engine/schema/schema_check.h"
#include "statements/schema.h"

namespace jobforge::engine {

namespace {

// The files that make what the others need come first, those that name everything last: the byte
// order of names. Policies and grants (zz_) cover every table, so any change applies them again.
constexpr std::string_view kAlwaysLast = "zz_";

Result<std::vector<AppliedFile>> read_files(pg::Connection& connection,
                                            const pg::Statement& statement) {
    auto rows = connection.exec(statement);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    std::vector<AppliedFile> files;
    for (int row = 0; row < rows->size(); ++row) {
        files.push_back({std::string(rows->text(row, 0)), std::string(rows->text(row, 1))});
    }
    return files;
}

const EmbeddedFile* find_file(std::span<const EmbeddedFile> files, std::string_view name) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [name](const EmbeddedFile& file) { return file.name == name; });
    return found == files.end() ? nullptr : &*found;
}

const AppliedFile* find_applied(const std::vector<AppliedFile>& files, std::string_view name) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [name](const AppliedFile& file) { return file.name == name; });
    return found == files.end() ? nullptr : &*found;
}

// Every applied migration must be ours, unchanged.
Status check_history(const AppliedSchema& applied, std::span<const EmbeddedFile> migrations) {
    for (const AppliedFile& done : applied.migrations) {
        const EmbeddedFile* ours = find_file(migrations, done.name);
        if (ours == nullptr) {
            return version_mismatch(
                fmt::format("this program is older than the database: it does not know the "
                            "migration {}",
                            done.name),
                "Use the release of jobforge that migrated this database, or a newer one.");
        }
        if (sha256_hex(ours->text) != done.checksum) {
            return version_mismatch(
                fmt::format("the migration {} was edited after this database had applied it",
                            done.name),
                "Migrations only grow: undo the edit and put the change into a new file.");
        }
    }
    return ok_status();
}

Status discard_rows(Result<pg::Rows> rows) {
    return rows.ok() ? ok_status() : Status(std::move(rows).error());
}

}  // namespace

Status create_bookkeeping(pg::Connection& connection) {
    if (auto roles = connection.script(statements::schema::kCreateOwnerRoles); !roles.ok()) {
        return roles;
    }
    if (auto borrowed = borrow_ownership(connection); !borrowed.ok()) {
        return borrowed;
    }
    if (auto tables = connection.script(statements::schema::kCreateMigrationTables); !tables.ok()) {
        return tables;
    }
    return return_ownership(connection);
}

Status borrow_ownership(pg::Connection& connection) {
    return connection.script(statements::schema::kBorrowOwnership);
}

Status return_ownership(pg::Connection& connection) {
    return connection.script(statements::schema::kReturnOwnership);
}

Result<AppliedSchema> read_applied(pg::Connection& connection) {
    AppliedSchema applied;
    auto present = connection.exec(statements::schema::kFindMigrations);
    if (!present.ok()) {
        return std::move(present).error();
    }
    if (!present->boolean(0, 0)) {
        return applied;
    }
    auto migrations = read_files(connection, statements::schema::kReadMigrations);
    if (!migrations.ok()) {
        return std::move(migrations).error();
    }
    auto functions = read_files(connection, statements::schema::kReadFunctionSources);
    if (!functions.ok()) {
        return std::move(functions).error();
    }
    applied.migrations = *std::move(migrations);
    applied.functions = *std::move(functions);
    return applied;
}

Result<MigratePlan> plan_migration(const AppliedSchema& applied,
                                   std::span<const EmbeddedFile> migrations,
                                   std::span<const EmbeddedFile> functions) {
    if (auto history = check_history(applied, migrations); !history.ok()) {
        return std::move(history).error();
    }
    MigratePlan plan;
    for (const EmbeddedFile& file : migrations) {
        if (find_applied(applied.migrations, file.name) == nullptr) {
            plan.migrations.push_back(file);
        }
    }
    const auto changed = [&applied](const EmbeddedFile& file) {
        const AppliedFile* done = find_applied(applied.functions, file.name);
        return done == nullptr || done->checksum != sha256_hex(file.text);
    };
    const bool any =
        !plan.migrations.empty() || std::any_of(functions.begin(), functions.end(), changed);
    for (const EmbeddedFile& file : functions) {
        if (changed(file) || (any && file.name.starts_with(kAlwaysLast))) {
            plan.functions.push_back(file);
        }
    }
    for (const AppliedFile& done : applied.functions) {
        if (find_file(functions, done.name) == nullptr) {
            plan.orphans.push_back(done.name);
        }
    }
    return plan;
}

Status record_migration(pg::Connection& connection, const EmbeddedFile& file,
                        std::int64_t duration_ms) {
    pg::Params params;
    params.text(file.name).text(sha256_hex(file.text)).text(version()).int8(duration_ms);
    return discard_rows(connection.exec(statements::schema::kRecordMigration, params));
}

Status record_function(pg::Connection& connection, const EmbeddedFile& file) {
    pg::Params params;
    params.text(file.name).text(sha256_hex(file.text));
    return discard_rows(connection.exec(statements::schema::kRecordFunctionSource, params));
}

}  // namespace jobforge::engine
