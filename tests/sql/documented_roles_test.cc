// The set-up of logins, taken from docs/sql.md and run as it stands there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "documented_sql.h"
#include "sql_session.h"

namespace jobforge::test {
namespace {

class DocumentedRoles : public testing::Test {
protected:
    // Roles belong to the whole server: each test has names of its own.
    DocumentedRoles() {
        const std::string own = sql.one("select current_database()");
        std::string setup = documented_sql("roles");
        for (const std::string& name : kNames) {
            logins[name] = name + "_" + own;
            replace_all(setup, "role " + name + " ", "role \"" + logins[name] + "\" ");
            replace_all(setup, "'" + name + "');", "'" + logins[name] + "');");
        }
        sql.run(setup);
    }
    ~DocumentedRoles() override {
        for (const auto& [name, login] : logins) {
            sql.run(fmt::format("drop role if exists \"{}\"", login));
        }
    }
    Session as(const std::string& name) { return Session(database.url(logins[name])); }

    const std::vector<std::string> kNames = {"shop_worker", "shop_api", "shop_monitor",
                                             "shop_admin", "acme"};
    EngineDatabase database;
    Session sql = database.session();
    std::map<std::string, std::string> logins;
};

TEST_F(DocumentedRoles, give_each_login_what_it_is_for_and_nothing_else) {
    const std::string claim = "select jobforge.claim_jobs('w', 1, array['a'])";
    const std::string enqueue = "select jobforge.enqueue_job('a')";
    const std::string tenants = "select jobforge.list_tenants()";
    {
        Session acme = as("acme");
        EXPECT_EQ(acme.error(enqueue), "ok") << acme.message();
        EXPECT_EQ(acme.one("select count(*) from jobforge.list_jobs()"), "1");
        EXPECT_EQ(acme.error(claim), "42501");
        EXPECT_EQ(acme.error(tenants), "42501");
    }
    {
        Session worker = as("shop_worker");
        EXPECT_EQ(worker.one("select count(*) from jobforge.claim_jobs('w', 1, array['a'])"), "1");
        EXPECT_EQ(worker.error(tenants), "42501");
    }
    {
        Session api = as("shop_api");
        EXPECT_EQ(api.error(enqueue), "FORBIDDEN");  // no tenant said
        api.use_tenant(kTenantB);
        EXPECT_EQ(api.error(enqueue), "ok") << api.message();
        EXPECT_EQ(api.error(claim), "42501");
    }
    {
        Session monitor = as("shop_monitor");
        EXPECT_EQ(monitor.error("select jobforge.metric_running()"), "ok") << monitor.message();
        EXPECT_EQ(monitor.error("select jobforge.list_jobs()"), "42501");
    }
    Session admin = as("shop_admin");
    EXPECT_EQ(admin.error(tenants), "ok") << admin.message();
    EXPECT_EQ(admin.error(claim), "42501");
    EXPECT_EQ(sql.one("select count(*) from jobforge.doctor_logins()"), "0");
}

}  // namespace
}  // namespace jobforge::test
