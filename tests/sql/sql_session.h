// The schema under test, spoken to in plain SQL: what any language would send.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pg/connection.h"
#include "test_cluster.h"

namespace jobforge::test {

inline constexpr char kTenantA[] = "aaaaaaaa-0000-4000-8000-000000000001";
inline constexpr char kTenantB[] = "bbbbbbbb-0000-4000-8000-000000000002";

using TextRow = std::vector<std::string>;  // NULL is "NULL"

// One connection. Values come back as text; a failed statement aborts the test unless error() is
// used, which wants the failure.
class Session final {
public:
    explicit Session(const std::string& url);
    // Rows of one or more statements (the last one's).
    std::vector<TextRow> rows(const std::string& sql);
    // The first column of the first row; "(none)" without a row.
    std::string one(const std::string& sql);
    void run(const std::string& sql) { (void)rows(sql); }
    // Our code, or the SQLSTATE of a foreign error; "ok" if the statement succeeds.
    std::string error(const std::string& sql);
    // The text of the last error.
    [[nodiscard]] const std::string& message() const noexcept { return message_; }
    void use_tenant(std::string_view tenant_id);
    [[nodiscard]] pg::Connection& connection() noexcept { return connection_; }

private:
    pg::Connection connection_;
    std::string message_;
};

// Waits until some session of `sql`'s database waits for a lock; the test fails when none does.
void wait_until_blocked(Session& sql);

// A database with the engine's schema, the tenants A and B, and the job types a, b and fast (whose
// lease is one second). Every test has its own.
class EngineDatabase final {
public:
    EngineDatabase();
    [[nodiscard]] std::string url(std::string_view login = "postgres") const {
        return database_.url(login);
    }
    // A superuser's session acting for tenant A (functions still run as their definers).
    [[nodiscard]] Session session() const;
    // A session of a login (made on first use) that is a member of `role`; no tenant set.
    [[nodiscard]] Session login_as(std::string_view role) const;
    // A login bound to a tenant.
    [[nodiscard]] Session tenant_login(std::string_view tenant_id) const;

private:
    [[nodiscard]] std::string make_login(std::string_view role) const;
    TestDatabase database_;
};

}  // namespace jobforge::test
