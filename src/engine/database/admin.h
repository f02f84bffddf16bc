// Administration: tenants, job types, workers. For members of jobforge_owner (lists of types and
// workers: most roles).
//
// Rows come as JSON objects whose members are the columns of the SQL functions, in their order: one
// vocabulary in SQL, here and on the command line.
//
// Threads: one at a time. Works through PgBouncer. Errors: FORBIDDEN when the login may not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "pg/connection.h"

namespace jobforge::engine {

class Admin final {
public:
    // Connects and checks that program and database fit (is_version_mismatch()).
    [[nodiscard]] static Result<Admin> connect(const std::string& url);

    [[nodiscard]] Result<std::vector<Json>> tenants();
    [[nodiscard]] Result<Uuid> create_tenant(const std::string& name, std::optional<Uuid> id = {});
    // `changes`: status, max_waiting_jobs, max_waiting_bytes, concurrency_limit, min_priority,
    // name. Returns the row.
    [[nodiscard]] Result<Json> set_tenant(const Uuid& tenant, const Json& changes);
    // Deletes a tenant, and its data if `confirmed_name` repeats its name. INVALID_TRANSITION if it
    // has records that are kept (audit events, passports ...), jobs that run, or data while it is
    // not suspended. Answers what was deleted with it: "jobs: 3", or nothing.
    [[nodiscard]] Result<std::string> delete_tenant(
        const Uuid& tenant, const std::optional<std::string>& confirmed_name);
    // The quotas of tenants that are created from now on; without changes: as they are.
    [[nodiscard]] Result<Json> set_tenant_defaults(const Json& changes);
    // Whether the test.* types can be enqueued.
    [[nodiscard]] Status enable_test_types(bool enabled);
    // Also grants jobforge_tenant, where this login may: if not, the error's hint is the command.
    [[nodiscard]] Status bind_login(const Uuid& tenant, const std::string& login);

    [[nodiscard]] Result<std::vector<Json>> types();
    // Registers the type if it is new. Returns the row.
    [[nodiscard]] Result<Json> set_type(const std::string& type, const Json& policy);

    [[nodiscard]] Result<std::vector<Json>> workers();

    [[nodiscard]] pg::Connection& connection() noexcept { return connection_; }

private:
    [[nodiscard]] Status grant_tenant(const std::string& login);
    explicit Admin(pg::Connection connection) : connection_(std::move(connection)) {}
    pg::Connection connection_;
};

}  // namespace jobforge::engine
