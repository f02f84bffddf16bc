#include "engine/schema/migrate_state.h"

#include <algorithm>

#include <fmt/format.h>
#include <jobforge/build_info.h>

#include "base/crypto/hash.h"
#include "engine/schema/schema_check.h"

namespace jobforge::engine {

namespace {

// The files that make what the others need come first, those that name everything last: the byte
// order of names. Policies and grants (zz_) cover every table, so any change applies them again.
constexpr std::string_view kAlwaysLast = "zz_";

// The schema must have its owner before the first migration, which gives objects to that role.
constexpr std::string_view kCreateRoles = R"sql(
do $$
declare
    v_role text;
begin
    foreach v_role in array array['jobforge_owner', 'jobforge_definer', 'jobforge_engine'] loop
        if not exists (select from pg_catalog.pg_roles r where r.rolname = v_role) then
            begin
                execute pg_catalog.format('create role %I nologin', v_role);
            exception when duplicate_object or unique_violation then
                null; -- another database of this server made it at the same moment
            end;
        end if;
    end loop;
end
$$;
)sql";

constexpr std::string_view kCreateTables = R"sql(
create schema if not exists jobforge;
alter schema jobforge owner to jobforge_owner;
create table if not exists jobforge.migrations (
    name         text        collate "C" not null,
    checksum     text        not null,
    applied_at   timestamptz not null default pg_catalog.clock_timestamp(),
    applied_by   text        not null,
    duration_ms  bigint      not null,
    constraint migrations_pkey primary key (name),
    constraint migrations_checksum_is_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);
create table if not exists jobforge.function_sources (
    name        text        collate "C" not null,
    checksum    text        not null,
    applied_at  timestamptz not null default pg_catalog.clock_timestamp(),
    constraint function_sources_pkey primary key (name),
    constraint function_sources_checksum_is_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);
alter table jobforge.migrations owner to jobforge_owner;
alter table jobforge.function_sources owner to jobforge_owner;
)sql";

constexpr std::string_view kBorrow = R"sql(
do $$
declare
    v_role text;
    v_roles text := '';
    v_creators text := '';
begin
    foreach v_role in array array['jobforge_owner', 'jobforge_definer', 'jobforge_engine'] loop
        if exists (select from pg_catalog.pg_roles r where r.rolname = v_role)
            and not pg_catalog.pg_has_role(current_user, v_role, 'usage') then
            execute pg_catalog.format('grant %I to current_user', v_role);
            v_roles := v_roles || ' ' || v_role;
        end if;
    end loop;
    if exists (select from pg_catalog.pg_namespace n where n.nspname = 'jobforge')
        and not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
        foreach v_role in array array['jobforge_definer', 'jobforge_engine'] loop
            if not pg_catalog.has_schema_privilege(v_role, 'jobforge', 'create') then
                execute pg_catalog.format('grant create on schema jobforge to %I', v_role);
                v_creators := v_creators || ' ' || v_role;
            end if;
        end loop;
    end if;
    perform pg_catalog.set_config('jobforge.lent_roles', v_roles, true);
    perform pg_catalog.set_config('jobforge.lent_creators', v_creators, true);
end
$$;
)sql";

constexpr std::string_view kReturn = R"sql(
do $$
declare
    v_role text;
begin
    foreach v_role in array pg_catalog.regexp_split_to_array(
        pg_catalog.btrim(pg_catalog.current_setting('jobforge.lent_creators')), ' +') loop
        if v_role <> '' then
            execute pg_catalog.format('revoke create on schema jobforge from %I', v_role);
        end if;
    end loop;
    foreach v_role in array pg_catalog.regexp_split_to_array(
        pg_catalog.btrim(pg_catalog.current_setting('jobforge.lent_roles')), ' +') loop
        if v_role <> '' then
            execute pg_catalog.format('revoke %I from current_user', v_role);
        end if;
    end loop;
end
$$;
)sql";

constexpr pg::Statement kHasTables{
    "find_migrations",
    "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n "
    "on n.oid = c.relnamespace where n.nspname = 'jobforge' and c.relname = 'function_sources')"};
constexpr pg::Statement kReadMigrations{
    "read_migrations", "select m.name, m.checksum from jobforge.migrations m order by m.name"};
constexpr pg::Statement kReadFunctions{
    "read_function_sources",
    "select f.name, f.checksum from jobforge.function_sources f order by f.name"};
constexpr pg::Statement kRecordMigration{
    "record_migration",
    "insert into jobforge.migrations (name, checksum, applied_by, duration_ms) "
    "values ($1, $2, session_user || ' with jobforge ' || $3, $4)"};
constexpr pg::Statement kRecordFunction{
    "record_function_source",
    "insert into jobforge.function_sources as f (name, checksum) values ($1, $2) "
    "on conflict (name) do update set checksum = excluded.checksum, "
    "applied_at = pg_catalog.clock_timestamp()"};

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
    if (auto roles = connection.script("create_owner_roles", kCreateRoles); !roles.ok()) {
        return roles;
    }
    if (auto borrowed = borrow_ownership(connection); !borrowed.ok()) {
        return borrowed;
    }
    if (auto tables = connection.script("create_migration_tables", kCreateTables); !tables.ok()) {
        return tables;
    }
    return return_ownership(connection);
}

Status borrow_ownership(pg::Connection& connection) {
    return connection.script("borrow_ownership", kBorrow);
}

Status return_ownership(pg::Connection& connection) {
    return connection.script("return_ownership", kReturn);
}

Result<AppliedSchema> read_applied(pg::Connection& connection) {
    AppliedSchema applied;
    auto present = connection.exec(kHasTables);
    if (!present.ok()) {
        return std::move(present).error();
    }
    if (!present->boolean(0, 0)) {
        return applied;
    }
    auto migrations = read_files(connection, kReadMigrations);
    if (!migrations.ok()) {
        return std::move(migrations).error();
    }
    auto functions = read_files(connection, kReadFunctions);
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
    return discard_rows(connection.exec(kRecordMigration, params));
}

Status record_function(pg::Connection& connection, const EmbeddedFile& file) {
    pg::Params params;
    params.text(file.name).text(sha256_hex(file.text));
    return discard_rows(connection.exec(kRecordFunction, params));
}

}  // namespace jobforge::engine
