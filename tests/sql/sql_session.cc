#include "sql_session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>

#include "engine/schema/migrate.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

pg::Connection must_connect(const std::string& url) {
    auto connection = pg::Connection::connect({.url = url});
    if (!connection) {
        ADD_FAILURE() << connection.error().describe();
        std::abort();
    }
    return std::move(*connection);
}

Status fill_template(const std::string& url) {
    if (auto migrated = engine::migrate(url); !migrated) {
        return migrated.error();
    }
    auto connection = must_connect(url);
    return connection.script("fixtures", fmt::format(R"(
        select jobforge.create_tenant('tenant a', '{}');
        select jobforge.create_tenant('tenant b', '{}');
        select jobforge.set_job_type('a', '{{"backoff_jitter": 0}}');
        select jobforge.set_job_type('b', '{{"backoff_jitter": 0}}');
        select jobforge.set_job_type('fast', '{{"lease_seconds": 1, "backoff_jitter": 0}}');
    )",
                                                     kTenantA, kTenantB));
}

}  // namespace

Session::Session(const std::string& url) : connection_(must_connect(url)) {}

std::vector<TextRow> Session::rows(const std::string& sql) {
    PGresult* result = PQexec(connection_.native(), sql.c_str());
    const auto status = PQresultStatus(result);
    std::vector<TextRow> rows;
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        ADD_FAILURE() << sql << "\n" << PQresultErrorMessage(result);
    }
    for (int row = 0; row < PQntuples(result); ++row) {
        TextRow& values = rows.emplace_back();
        for (int column = 0; column < PQnfields(result); ++column) {
            values.emplace_back(
                PQgetisnull(result, row, column) != 0 ? "NULL" : PQgetvalue(result, row, column));
        }
    }
    PQclear(result);
    return rows;
}

std::string Session::one(const std::string& sql) {
    const auto all = rows(sql);
    return all.empty() ? "(none)" : all.front().front();
}

std::string Session::error(const std::string& sql) {
    PGresult* result = PQexec(connection_.native(), sql.c_str());
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    std::string code = state == nullptr ? "ok" : state;
    message_ = PQresultErrorMessage(result);
    PQclear(result);
    if (const auto known = error_code_from_sqlstate(code)) {
        code = to_string(*known);
    }
    return code;
}

void Session::use_tenant(std::string_view tenant_id) {
    run(fmt::format("set app.tenant_id = '{}'", tenant_id));
}

void wait_until_blocked(Session& sql) {
    // A transaction sees one moment of pg_stat_activity until it clears that.
    EXPECT_TRUE(wait_until([&sql] {
        return sql.one(
                   "select pg_stat_clear_snapshot(); select count(*) from pg_stat_activity "
                   "where wait_event_type = 'Lock' and datname = current_database()") != "0";
    })) << "nobody waits for a lock";
}

EngineDatabase::EngineDatabase() : database_("jobforge_sql_tests", fill_template) {}

Session EngineDatabase::session() const {
    Session session(database_.url());
    session.use_tenant(kTenantA);
    return session;
}

std::string EngineDatabase::make_login(std::string_view role) const {
    // Roles belong to the server, databases to the test: the name carries the database's.
    const std::string login = fmt::format("{}_{}", database_.name(), role);
    Session admin(database_.url());
    if (admin.one(fmt::format("select count(*) from pg_roles where rolname = '{}'", login)) ==
        "0") {
        admin.run(fmt::format("create role \"{}\" login in role {}", login, role));
    }
    return login;
}

Session EngineDatabase::login_as(std::string_view role) const {
    return Session(database_.url(make_login(role)));
}

Session EngineDatabase::tenant_login(std::string_view tenant_id) const {
    const std::string login = make_login("jobforge_tenant") + std::string(tenant_id.substr(0, 4));
    Session admin(database_.url());
    admin.run(
        fmt::format("create role \"{}\" login in role jobforge_tenant;"
                    "select jobforge.bind_login('{}', '{}')",
                    login, tenant_id, login));
    return Session(database_.url(login));
}

}  // namespace jobforge::test
