#include "engine/schema/schema_check.h"

#include <fmt/format.h>

#include "engine/schema/embedded_sql.h"

namespace jobforge::engine {

namespace {

constexpr std::string_view kMismatchDetails = R"({"version_mismatch":true})";

// A function that does not exist is not an error here: to_regprocedure answers NULL.
constexpr pg::Statement kFindVersion{
    "find_schema_version",
    "select pg_catalog.to_regprocedure('jobforge.schema_version()') is not null as present"};
constexpr pg::Statement kVersion{"schema_version", "select jobforge.schema_version() as name"};
constexpr pg::Statement kLogin{"current_login",
                               "select pg_catalog.quote_ident(current_user) as login"};

Error without_roles(pg::Connection& connection, Error error) {
    auto login = connection.exec(kLogin);
    const std::string name = login.ok() ? std::string(login->text(0, 0)) : "LOGIN";
    error.message = fmt::format("the login {} has no rights in schema jobforge", name);
    // The smallest right: the others span tenants, and what a login is for is not known here.
    error.hint = fmt::format(
        "As an administrator, for a tenant's own login: grant jobforge_tenant to {}. docs/sql.md "
        "has the roles of workers and services.",
        name);
    return error;
}

std::string newest_embedded() {
    const auto migrations = embedded_migrations();
    return migrations.empty() ? std::string() : std::string(migrations.back().name);
}

}  // namespace

namespace {

Error mismatch(ErrorCode code, std::string message, std::string hint) {
    Error error = Error::of(code, std::move(message));
    error.hint = std::move(hint);
    error.details = kMismatchDetails;
    return error;
}

}  // namespace

Error version_mismatch(std::string message, std::string hint) {
    return mismatch(ErrorCode::INVALID_TRANSITION, std::move(message), std::move(hint));
}

bool is_version_mismatch(const Error& error) noexcept {
    return error.details == kMismatchDetails &&
           (error.code == ErrorCode::INVALID_TRANSITION || error.code == ErrorCode::SCHEMA_MISSING);
}

Status require_server_version(const pg::Connection& connection) {
    if (connection.server_version() >= kOldestServer) {
        return ok_status();
    }
    return Error::of(ErrorCode::CONFIG_MISSING,
                     fmt::format("Postgres {} is too old: version {} or newer is needed",
                                 connection.server_version() / 10000, kOldestServer / 10000));
}

Result<SchemaCheck> check_schema(pg::Connection& connection) {
    SchemaCheck check;
    check.program = newest_embedded();
    auto present = connection.exec(kFindVersion);
    if (present.ok() && !present->boolean(0, 0)) {
        return check;
    }
    auto version = present.ok() ? connection.exec(kVersion) : std::move(present);
    if (!version.ok()) {
        Error error = std::move(version).error();
        return error.sqlstate == "42501" ? without_roles(connection, std::move(error)) : error;
    }
    if (version->is_null(0, 0)) {
        return check;
    }
    check.database = std::string(version->text(0, 0));
    check.state = check.database == check.program  ? SchemaState::current
                  : check.database < check.program ? SchemaState::older
                                                   : SchemaState::newer;
    return check;
}

Status require_schema(const SchemaCheck& check) {
    switch (check.state) {
        case SchemaState::current:
            return ok_status();
        case SchemaState::missing:
            return mismatch(ErrorCode::SCHEMA_MISSING, "the database has no Jobforge schema",
                            "Run: jobforge migrate");
        case SchemaState::older:
            return version_mismatch(
                fmt::format("the database is older than this program: it has {}, this program "
                            "needs {}",
                            check.database, check.program),
                "Run: jobforge migrate");
        case SchemaState::newer:
            break;
    }
    return version_mismatch(
        fmt::format("this program is older than the database: it knows {}, the database has {}",
                    check.program, check.database),
        "Use the release of jobforge that migrated this database, or a newer one.");
}

Status require_schema(pg::Connection& connection) {
    auto check = check_schema(connection);
    return check.ok() ? require_schema(*check) : Status(std::move(check).error());
}

}  // namespace jobforge::engine
