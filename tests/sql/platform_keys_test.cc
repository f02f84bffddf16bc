// Platform keys in the database: who makes them, what a gateway's login can do with and without
// one, and the platform's own trail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "access_world.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;

constexpr char kPlatform[] = "00000000-0000-0000-0000-000000000000";

std::string enter_platform(const std::string& name, bool changes = false) {
    return fmt::format("select jobforge.enter_platform_request('{}', sha256('{}'), {})",
                       key_id(name), name, changes);
}

class PlatformKeys : public testing::Test {
protected:
    void make(const std::string& name, const std::string& expires = "null") {
        operator_login.run(
            fmt::format("select jobforge.create_platform_key('{}', sha256('{}'), 'ops', {})",
                        key_id(name), name, expires));
    }
    void revoke(const std::string& name) {
        operator_login.run(
            fmt::format("select jobforge.revoke_platform_key('{}', 'found')", key_id(name)));
    }
    // What a statement of a gateway answers in a transaction that the key has entered.
    std::string within(const std::string& name, const std::string& statement) {
        gateway.run("begin; " + enter_platform(name));
        const std::string code = gateway.error(statement);
        gateway.run("rollback");
        return code;
    }
    std::string trail() {
        return sql.one(
            fmt::format("select coalesce(string_agg(event_type || ' by ' || actor_id, '; ' order "
                        "by event_seq), "
                        "'') from jobforge.events where tenant_id = '{}'",
                        kPlatform));
    }
    const std::vector<std::string> functions = {
        "platform_tenants()",
        fmt::format("platform_tenant('{}')", kTenantA),
        "platform_add_tenant('new')",
        fmt::format("platform_change_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantB),
        fmt::format("platform_remove_tenant('{}')", kTenantB),
        "platform_types()",
        "platform_type('a')",
        "platform_change_type('a', '{\"enabled\": false}', false)",
        "platform_read('doctor')",
        "platform_refused('GET /v1/jobs')"};

    EngineDatabase database;
    Session sql = database.session();
    Session gateway = database.login_as("jobforge_gateway");
    Session operator_login = database.login_as("jobforge_owner");
};

TEST_F(PlatformKeys, only_an_operators_login_makes_lists_and_revokes_them) {
    make("k");
    for (const char* role : {"jobforge_gateway", "jobforge_worker", "jobforge_observer"}) {
        Session who = database.login_as(role);
        for (const char* call :
             {"create_platform_key('bbbbbbbbbbbbbbbb', sha256('b'), 'mine')",
              "list_platform_keys()", "revoke_platform_key('k222222222222222')"}) {
            EXPECT_EQ(who.error(std::string("select * from jobforge.") + call), "42501") << role;
        }
    }
    Session tenant = database.tenant_login(kTenantA);
    EXPECT_EQ(tenant.error("select jobforge.create_platform_key('bbbbbbbbbbbbbbbb', sha256('b'), "
                           "'mine')"),
              "42501");
    const auto listed = operator_login.rows("select * from jobforge.list_platform_keys()");
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_THAT(trail(), HasSubstr("KEY_CREATED by login:"));
    revoke("k");
    revoke("k");  // nothing more happens
    EXPECT_THAT(trail(), testing::MatchesRegex("KEY_CREATED by login:[^;]*; KEY_REVOKED by "
                                               "login:[^;]*"));
}

TEST_F(PlatformKeys, a_gateways_login_alone_administers_nothing) {
    make("k");
    const std::string before = sql.one("select count(*) from jobforge.tenants");
    // It reads no mac, and the settings that a key's entry leaves are of no use without it.
    EXPECT_EQ(gateway.error("select * from jobforge.platform_keys"), "42501");
    for (const std::string& mac : {std::string(), std::string("\\x"), std::string(64, '0')}) {
        gateway.run(
            fmt::format("select set_config('app.platform_key', '{}', false), "
                        "set_config('app.platform_mac', '{}', false), "
                        "set_config('app.actor_id', 'platform:{}', false)",
                        key_id("k"), mac, key_id("k")));
        for (const std::string& function : functions) {
            EXPECT_EQ(gateway.error("select * from jobforge." + function), "FORBIDDEN") << function;
        }
    }
    gateway.use_tenant(kPlatform);
    EXPECT_EQ(gateway.error("select jobforge.platform_add_tenant('new')"), "FORBIDDEN");
    EXPECT_EQ(gateway.error("select jobforge.create_tenant('new')"), "42501");
    EXPECT_EQ(sql.one("select count(*) from jobforge.tenants"), before);
}

TEST_F(PlatformKeys, what_a_key_opens_is_open_to_the_end_of_its_transaction) {
    make("k");
    for (const std::string& function : functions) {
        const std::string code = within("k", "select * from jobforge." + function);
        EXPECT_EQ(code, "ok") << function << gateway.message();
    }
    gateway.run("begin; " + enter_platform("k") + "; commit");
    EXPECT_EQ(gateway.error("select * from jobforge.platform_tenants()"), "FORBIDDEN");
    // It acts for no tenant.
    EXPECT_EQ(within("k", "select jobforge.enqueue_job('a')"), "FORBIDDEN");
    EXPECT_EQ(within("k", "select * from jobforge.list_jobs()"), "ok");
    gateway.run("begin; " + enter_platform("k"));
    EXPECT_EQ(gateway.one("select count(*) from jobforge.list_jobs()"), "0");
    EXPECT_EQ(gateway.one("select current_setting('app.actor_id')"), "platform:" + key_id("k"));
    gateway.run("rollback");
}

TEST_F(PlatformKeys, unknown_wrong_revoked_and_expired_keys_do_not_enter) {
    make("k");
    make("old", "clock_timestamp() + interval '1 hour'");
    const std::string wrong =
        fmt::format("select jobforge.enter_platform_request('{}', sha256('other'))", key_id("k"));
    EXPECT_EQ(gateway.error(enter_platform("nobody")), "UNAUTHORIZED");
    const std::string of_nobody = gateway.message();
    EXPECT_EQ(gateway.error(wrong), "UNAUTHORIZED");
    EXPECT_EQ(gateway.message(), of_nobody);
    sql.run(
        "alter table jobforge.platform_keys disable trigger user; update "
        "jobforge.platform_keys set created_at = now() - interval '2 hours', expires_at = now() "
        "- interval '1 hour' where key_id = '" +
        key_id("old") + "'");
    EXPECT_EQ(gateway.error(enter_platform("old")), "UNAUTHORIZED");
    revoke("k");
    EXPECT_EQ(gateway.error(enter_platform("k")), "API_KEY_REVOKED");
    EXPECT_EQ(gateway.error(wrong), "UNAUTHORIZED");
}

TEST_F(PlatformKeys, a_revocation_waits_for_what_the_key_has_begun_and_ends_the_rest) {
    make("k");
    gateway.run(enter_platform("k"));  // the first use of a minute writes last_used_at
    gateway.run("begin; " + enter_platform("k", true));
    std::thread revoking([this] { revoke("k"); });
    wait_until_blocked(sql);
    gateway.run("select jobforge.platform_add_tenant('new'); commit");
    revoking.join();
    EXPECT_EQ(sql.one("select count(*) from jobforge.tenants where name = 'new'"), "1");
    // One that had only looked is refused at its next function.
    make("r");
    gateway.run(enter_platform("r"));
    gateway.run("begin; " + enter_platform("r"));
    revoke("r");
    EXPECT_EQ(gateway.error("select jobforge.platform_add_tenant('newer')"), "FORBIDDEN");
    gateway.run("rollback");
}

TEST_F(PlatformKeys, a_login_that_is_bound_to_a_tenant_does_not_enter) {
    make("k");
    Session bound = database.tenant_login(kTenantA);
    sql.run("grant jobforge_gateway to \"" + bound.one("select current_user") + "\"");
    EXPECT_EQ(bound.error(enter_platform("k")), "FORBIDDEN");
}

TEST_F(PlatformKeys, looks_are_told_once_a_minute_and_changes_each_time) {
    make("k");
    const auto commit = [&](const std::string& statement) {
        gateway.run("begin; " + enter_platform("k") + "; " + statement + "; commit");
    };
    for (int i = 0; i < 3; ++i) {
        commit("select jobforge.platform_tenants()");
        commit("select jobforge.platform_change_type('a', '{\"max_attempts\": 3}', false)");
    }
    const auto count = [&](const char* type) {
        return sql.one(
            fmt::format("select count(*) from jobforge.events where event_type = '{}'", type));
    };
    EXPECT_EQ(count("PLATFORM_READ"), "1");
    EXPECT_EQ(count("TYPE_CHANGED"), "3");
    sql.run("update jobforge.platform_reads set noted_at = noted_at - interval '61 seconds'");
    commit("select jobforge.platform_tenants()");
    EXPECT_EQ(count("PLATFORM_READ"), "2");
}

TEST_F(PlatformKeys, what_a_key_is_never_changes_and_revoked_is_the_end) {
    make("k");
    revoke("k");
    EXPECT_EQ(sql.error("update jobforge.platform_keys set status = 'ACTIVE', revoked_at = null"),
              "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("update jobforge.platform_keys set secret_mac = sha256('mine')"),
              "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("delete from jobforge.platform_keys"), "INVALID_TRANSITION");
}

}  // namespace
}  // namespace jobforge::test
