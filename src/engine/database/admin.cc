#include "engine/database/admin.h"

#include <utility>

#include "engine/database/json_rows.h"
#include "engine/schema/schema_check.h"
#include "statements/jobs.h"
#include "statements/operations.h"
#include "statements/tenants.h"

namespace jobforge::engine {

namespace {

Error with_hint(Error error) {
    if (error.sqlstate == "42501" && error.hint.empty()) {
        // Not "grant it": the login may be a tenant's.
        error.hint = "Use an administrator's login; docs/sql.md#roles makes one.";
    }
    return error;
}

Result<std::vector<Json>> read_rows(pg::Connection& connection, const pg::Statement& statement,
                                    const pg::Params& params = {}) {
    auto rows = connection.exec(statement, params);
    if (!rows.ok()) {
        return with_hint(std::move(rows).error());
    }
    return parse_json_rows(*rows);
}

Result<Json> read_row(pg::Connection& connection, const pg::Statement& statement,
                      const pg::Params& params) {
    auto rows = read_rows(connection, statement, params);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return std::move(rows->at(0));
}

}  // namespace

Result<Admin> Admin::connect(const std::string& url) {
    auto connection = pg::Connection::connect({.url = url, .application_name = "jobforge admin"});
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    if (auto fits = require_schema(*connection); !fits.ok()) {
        return std::move(fits).error();
    }
    return Admin(*std::move(connection));
}

Result<std::vector<Json>> Admin::tenants() {
    return read_rows(connection_, statements::tenants::kListTenants);
}

Result<Uuid> Admin::create_tenant(const std::string& name, std::optional<Uuid> id) {
    pg::Params params;
    params.text(name).opt_uuid(id);
    auto rows = connection_.exec(statements::tenants::kCreateTenant, params);
    if (!rows.ok()) {
        return with_hint(std::move(rows).error());
    }
    return rows->uuid(0, 0);
}

Result<Json> Admin::set_tenant(const Uuid& tenant, const Json& changes) {
    pg::Params params;
    params.uuid(tenant).jsonb(changes.dump());
    return read_row(connection_, statements::tenants::kSetTenant, params);
}

Result<std::string> Admin::delete_tenant(const Uuid& tenant,
                                         const std::optional<std::string>& confirmed_name) {
    pg::Params params;
    params.uuid(tenant).opt_text(confirmed_name);
    auto rows = connection_.exec(statements::tenants::kDeleteTenant, params);
    if (!rows.ok()) {
        return with_hint(std::move(rows).error());
    }
    return std::string(rows->text(0, 0));
}

Status Admin::bind_login(const Uuid& tenant, const std::string& login) {
    pg::Params params;
    params.uuid(tenant).text(login);
    auto rows = connection_.exec(statements::tenants::kBindLogin, params);
    return rows.ok() ? grant_tenant(login) : Status(with_hint(std::move(rows).error()));
}

// A binding without rights would send people looking for more rights than the login should have.
Status Admin::grant_tenant(const std::string& login) {
    pg::Params params;
    params.text(login);
    const auto quoted = connection_.exec(statements::tenants::kQuoteLogin, params);
    if (!quoted.ok()) {
        return quoted.error();
    }
    if (quoted->boolean(0, 1)) {
        return ok_status();
    }
    const std::string command = "grant jobforge_tenant to " + std::string(quoted->text(0, 0));
    if (auto granted = connection_.script("grant_tenant", command); !granted.ok()) {
        Error error = granted.error();
        error.message = "the login is bound, but could not be given its role: " + error.message;
        error.hint = "As a superuser: " + command;
        return error;
    }
    return ok_status();
}

Result<Json> Admin::set_tenant_defaults(const Json& changes) {
    pg::Params params;
    params.jsonb(changes.dump());
    return read_row(connection_, statements::tenants::kSetTenantDefaults, params);
}

Status Admin::enable_test_types(bool enabled) {
    pg::Params params;
    params.boolean(enabled);
    auto rows = connection_.exec(statements::jobs::kEnableTestTypes, params);
    return rows.ok() ? ok_status() : Status(with_hint(std::move(rows).error()));
}

Result<std::vector<Json>> Admin::types() {
    return read_rows(connection_, statements::jobs::kListJobTypes);
}

Result<Json> Admin::set_type(const std::string& type, const Json& policy) {
    pg::Params params;
    params.text(type).jsonb(policy.dump());
    return read_row(connection_, statements::jobs::kSetJobType, params);
}

Result<std::vector<Json>> Admin::workers() {
    return read_rows(connection_, statements::operations::kListWorkers);
}

}  // namespace jobforge::engine
