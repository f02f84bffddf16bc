// API keys in the database: what opens the door of the HTTP API, what closes it, and who waits for
// whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "access_world.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class AccessKeys : public testing::Test {
protected:
    std::string column(const std::string& name, const std::string& what) {
        return sql.one(
            fmt::format("select {} from jobforge.get_api_key('{}')", what, key_id(name)));
    }
    std::string events(const std::string& type) {
        return sql.one(fmt::format(
            "select coalesce(string_agg(convert_from(payload_canonical, 'UTF8') || ' by ' || "
            "coalesce(actor_id, '-'), '; ' order by event_seq), '') from jobforge.list_events("
            "p_event_type => '{}')",
            type));
    }
    EngineDatabase database;
    Session sql = database.session();
    Session gateway = database.login_as("jobforge_gateway");
};

TEST_F(AccessKeys, a_key_acts_for_its_tenant_until_the_transaction_ends) {
    sql.run(create_call("k"));
    EXPECT_EQ(gateway.one("begin; " + enter_call("k")), kTenantA);
    EXPECT_EQ(gateway.rows("select jobforge.current_tenant(), current_setting('app.actor_id')"),
              (std::vector<TextRow>{{kTenantA, "key:" + key_id("k")}}));
    EXPECT_EQ(gateway.error("select jobforge.enqueue_job('a')"), "ok");
    gateway.run("commit");
    EXPECT_EQ(gateway.one("select jobforge.current_tenant()"), "NULL");
    EXPECT_EQ(gateway.one("select current_setting('app.actor_id')"), "");
    EXPECT_EQ(gateway.error("select jobforge.enqueue_job('a')"), "FORBIDDEN");
}

TEST_F(AccessKeys, a_key_of_another_tenant_acts_for_that_one_whatever_was_set_before) {
    sql.run(create_call("k"));
    gateway.use_tenant(kTenantB);
    EXPECT_EQ(gateway.one("begin; " + enter_call("k")), kTenantA);
    EXPECT_EQ(gateway.one("select jobforge.current_tenant()"), kTenantA);
    gateway.run("commit");
}

TEST_F(AccessKeys, unknown_revoked_and_expired_keys_do_not_enter) {
    sql.run(create_call("revoked") + ";" + create_call("expired"));
    sql.run(revoke_call("revoked"));
    sql.run(
        fmt::format("update jobforge.api_keys set expires_at = created_at + interval '1 "
                    "microsecond', version = 2 where key_id = '{}'",
                    key_id("expired")));
    for (const bool changes : {false, true}) {
        EXPECT_EQ(gateway.error(enter_call("nobody", 1, 0, changes)), "UNAUTHORIZED");
        EXPECT_EQ(gateway.error(enter_call("revoked", 1, 0, changes)), "API_KEY_REVOKED");
        EXPECT_EQ(gateway.error(enter_call("revoked", 2, 0, changes)), "API_KEY_REVOKED");
        EXPECT_EQ(gateway.error(enter_call("expired", 2, 0, changes)), "UNAUTHORIZED");
        EXPECT_THAT(gateway.message(), HasSubstr("expired"));
    }
    EXPECT_EQ(gateway.error("select jobforge.enter_request(null, 1, 0)"), "UNAUTHORIZED");
}

TEST_F(AccessKeys, whoever_decided_by_an_older_key_or_older_policies_must_ask_again) {
    sql.run(create_call("k"));
    EXPECT_EQ(gateway.error(enter_call("k", 1, 0)), "ok");
    sql.run("select jobforge.add_access_policy('deny', '/v1/jobs')");
    EXPECT_EQ(gateway.error(enter_call("k", 1, 0)), "ACCESS_CHANGED");
    EXPECT_EQ(gateway.error(enter_call("k", 1, 1)), "ok");
    sql.run("select jobforge.remove_access_policy(policy_id) from jobforge.list_access_policies()");
    EXPECT_EQ(gateway.error(enter_call("k", 1, 1)), "ACCESS_CHANGED");
    EXPECT_EQ(gateway.error(enter_call("k", 1, 2)), "ok");
    sql.run(rotate_call("k", "next"));
    EXPECT_EQ(gateway.error(enter_call("k", 1, 2)), "ACCESS_CHANGED");
    EXPECT_EQ(gateway.error(enter_call("k", 2, 2)), "ok");
    EXPECT_EQ(gateway.error("select jobforge.enter_request('" + key_id("k") + "', null, 2)"),
              "ACCESS_CHANGED");
    sql.use_tenant(kTenantB);
    sql.run("select jobforge.add_access_policy('deny', '/v1/jobs')");
    EXPECT_EQ(gateway.error(enter_call("k", 2, 2)), "ok");
}

TEST_F(AccessKeys, the_door_is_for_gateways_that_are_bound_to_no_tenant) {
    sql.run(create_call("k"));
    for (const char* role : {"jobforge_worker", "jobforge_observer", "jobforge_owner"}) {
        Session who = database.login_as(role);
        EXPECT_EQ(who.error(enter_call("k")), "42501") << role;
        EXPECT_EQ(who.error("select jobforge.find_api_key('" + key_id("k") + "')"), "42501");
    }
    Session bound = database.tenant_login(kTenantB);
    EXPECT_EQ(bound.error(enter_call("k")), "42501");
    sql.run(fmt::format("grant jobforge_gateway to \"{}\"", bound.one("select current_user")));
    EXPECT_EQ(bound.error(enter_call("k")), "FORBIDDEN");
}

TEST_F(AccessKeys, a_revocation_waits_for_the_changes_that_the_key_has_begun) {
    sql.run(create_call("k"));
    gateway.run(
        enter_call("k"));  // used a moment ago: the next one writes nothing to the key's row
    gateway.run("begin; " + enter_call("k", 1, 0, true));
    std::jthread revoker([this] {
        Session other = database.session();
        other.run(revoke_call("k"));
        // Whatever the key began is there by now.
        EXPECT_EQ(other.one("select count(*) from jobforge.jobs"), "1");
    });
    wait_until_blocked(sql);
    gateway.run("select jobforge.enqueue_job('a'); commit");
    revoker.join();
    EXPECT_EQ(gateway.error(enter_call("k", 1, 0, true)), "API_KEY_REVOKED");
}

TEST_F(AccessKeys, a_revocation_does_not_wait_for_reads_nor_for_other_keys) {
    sql.run(create_call("k") + ";" + create_call("other"));
    gateway.run("begin; " + enter_call("k"));
    Session busy = database.login_as("jobforge_gateway");
    busy.run("begin; " + enter_call("other", 1, 0, true));
    sql.run("set lock_timeout = '100ms'");
    EXPECT_EQ(sql.error(revoke_call("other")), "55P03") << "it waits for a change, here in vain";
    gateway.run("commit");
    gateway.run("begin; " + enter_call("k"));  // used a moment ago: writes nothing
    EXPECT_EQ(sql.error(revoke_call("k")), "ok");
    gateway.run("commit");
    busy.run("commit");
}

TEST_F(AccessKeys, a_change_that_waited_for_a_revocation_sees_it) {
    sql.run(create_call("k"));
    sql.run("begin; " + revoke_call("k"));
    EXPECT_EQ(gateway.error(enter_call("k")), "ok") << "not committed yet: reads go on";
    std::jthread client(
        [this] { EXPECT_EQ(gateway.error(enter_call("k", 1, 0, true)), "API_KEY_REVOKED"); });
    Session watcher = database.session();
    wait_until_blocked(watcher);
    sql.run("commit");
}

TEST_F(AccessKeys, revoked_is_the_end_and_revoking_again_changes_nothing) {
    sql.run(create_call("k"));
    EXPECT_EQ(sql.one(revoke_call("k")), "REVOKED");
    const auto when = column("k", "revoked_at || ' ' || version || revoked_by");
    EXPECT_EQ(sql.one(revoke_call("k")), "REVOKED");
    EXPECT_EQ(column("k", "revoked_at || ' ' || version || revoked_by"), when);
    EXPECT_EQ(events("KEY_REVOKED"),
              R"({"key_id":")" + key_id("k") + R"(","reason":"leaked"} by me)");
    EXPECT_EQ(sql.error("update jobforge.api_keys set status = 'ACTIVE', revoked_at = null, "
                        "version = version + 1"),
              "INVALID_TRANSITION");
    EXPECT_EQ(sql.error(rotate_call("k", "next")), "INVALID_TRANSITION");
    EXPECT_EQ(sql.error(revoke_call("nobody")), "NOT_FOUND");
}

TEST_F(AccessKeys, a_rotated_key_works_until_its_overlap_is_over) {
    sql.run(create_call("old", "Auditor,Operator", "now() + interval '90 days'"));
    EXPECT_EQ(sql.one(rotate_call("old", "next")), key_id("next"));
    EXPECT_EQ(gateway.error(enter_call("old", 2)), "ok");
    EXPECT_EQ(gateway.error(enter_call("next")), "ok");
    EXPECT_EQ(column("old", "rotated_to || ' ' || (expires_at <= now() + interval '1 hour')"),
              key_id("next") + " true");
    EXPECT_EQ(column("next",
                     "name || roles::text || first_key_id || "
                     "(expires_at > now() + interval '89 days')"),
              "old{Auditor,Operator}" + key_id("old") + "true");
    EXPECT_THAT(events("KEY_CREATED"), HasSubstr(R"("rotated_from":")" + key_id("old")));
    // Its end is the end of the first key's life, if that comes sooner.
    sql.run(create_call("short", "Admin", "now() + interval '1 minute'"));
    sql.run(rotate_call("short", "shortnext", "30 days"));
    EXPECT_EQ(column("short", "expires_at < now() + interval '1 hour'"), "t");
    EXPECT_EQ(sql.error(rotate_call("next", "x", "31 days")), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(rotate_call("next", "x", "-1 s")), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(rotate_call("nobody", "x")), "NOT_FOUND");
    EXPECT_EQ(sql.error(rotate_call("next", "old")), "VALIDATION_ERROR") << "the id is taken";
}

TEST_F(AccessKeys, an_overlap_of_nothing_revokes_the_old_key) {
    sql.run(create_call("old") + ";" + rotate_call("old", "next", "0"));
    EXPECT_EQ(column("old", "status || ' ' || rotated_to || ' ' || version"),
              "REVOKED " + key_id("next") + " 3");
    EXPECT_EQ(gateway.error(enter_call("old", 3)), "API_KEY_REVOKED");
    EXPECT_EQ(gateway.error(enter_call("next")), "ok");
    EXPECT_THAT(events("KEY_REVOKED"), HasSubstr(R"("reason":"rotated")"));
}

TEST_F(AccessKeys, of_two_rotations_at_once_one_wins) {
    sql.run(create_call("old"));
    sql.run("begin; " + rotate_call("old", "one"));
    std::jthread second([this] {
        Session other = database.session();
        EXPECT_EQ(other.error(rotate_call("old", "two")), "INVALID_TRANSITION");
        EXPECT_THAT(other.message(), HasSubstr(key_id("one")));
    });
    Session watcher = database.session();
    wait_until_blocked(watcher);
    sql.run("commit");
    second.join();
    EXPECT_EQ(sql.one("select count(*) from jobforge.list_api_keys()"), "2");
}

TEST_F(AccessKeys, a_key_of_a_suspended_tenant_reads_and_changes_nothing) {
    sql.run(create_call("k"));
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantA));
    gateway.run("begin; " + enter_call("k"));
    EXPECT_EQ(gateway.error("select jobforge.list_jobs()"), "ok");
    EXPECT_EQ(gateway.error("select jobforge.enqueue_job('a')"), "FORBIDDEN");
    gateway.run("rollback");
    EXPECT_EQ(sql.error(create_call("x")), "FORBIDDEN");
    EXPECT_EQ(sql.error(rotate_call("k", "x")), "FORBIDDEN");
    EXPECT_EQ(sql.error("select jobforge.add_access_policy('deny', '/**')"), "FORBIDDEN");
    // A key that leaked must end, suspended or not.
    EXPECT_EQ(sql.error(revoke_call("k")), "ok");
}

TEST_F(AccessKeys, the_last_use_is_written_once_a_minute_and_nobody_waits_for_it) {
    sql.run(create_call("k"));
    EXPECT_EQ(column("k", "last_used_at"), "NULL");
    gateway.run(enter_call("k"));
    const auto first = column("k", "last_used_at");
    EXPECT_NE(first, "NULL");
    gateway.run(enter_call("k"));
    EXPECT_EQ(column("k", "last_used_at"), first);
    sql.run("update jobforge.api_keys set last_used_at = now() - interval '2 minutes'");
    const auto old = column("k", "last_used_at");
    sql.run("begin; select from jobforge.api_keys for update");
    gateway.run("set lock_timeout = '5s'; " + enter_call("k"));
    sql.run("commit");
    EXPECT_EQ(column("k", "last_used_at"), old) << "busy: left alone";
    gateway.run(enter_call("k"));
    EXPECT_NE(column("k", "last_used_at"), old);
    EXPECT_EQ(column("k", "version"), "1") << "a use is not a change";
}

TEST_F(AccessKeys, a_key_needs_a_name_known_roles_a_mac_and_a_future) {
    const auto create = [this](const std::string& arguments) {
        return sql.error("select jobforge.create_api_key(" + arguments + ")");
    };
    const std::string id = "'" + key_id("k") + "'";
    EXPECT_EQ(create("'short', sha256('x'), 'n', '{Admin}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create("null, sha256('x'), 'n', '{Admin}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", 'x', 'n', '{Admin}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", null, 'n', '{Admin}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), '', '{Admin}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), null, '{Admin}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), 'n', '{}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), 'n', null"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), 'n', '{Admin,NULL}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), 'n', '{admin}'"), "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), 'n', '{Admin}', now() - interval '1 s'"),
              "VALIDATION_ERROR");
    EXPECT_EQ(create(id + ", sha256('x'), 'n', '{Operator,Admin,Admin}'"), "ok");
    EXPECT_EQ(column("k", "roles"), "{Admin,Operator}");
    EXPECT_EQ(create(id + ", sha256('y'), 'n', '{Admin}'"), "VALIDATION_ERROR");
    sql.use_tenant(kTenantB);
    EXPECT_EQ(create(id + ", sha256('y'), 'n', '{Admin}'"), "VALIDATION_ERROR");
}

TEST_F(AccessKeys, lists_come_in_pages_newest_first_and_never_show_a_mac) {
    for (const char* name : {"a", "b", "c"}) {
        sql.run(create_call(name));
    }
    sql.run(revoke_call("b"));
    const auto names = [this](const std::string& arguments) {
        return sql.one(
            fmt::format("select string_agg(name, ' ') from jobforge.list_api_keys({})", arguments));
    };
    EXPECT_EQ(names(""), "c b a");
    EXPECT_EQ(names("p_limit => 2"), "c b");
    EXPECT_EQ(names(fmt::format("p_limit => 2, p_before => '{}'", key_id("b"))), "a");
    EXPECT_EQ(names("'ACTIVE'"), "c a");
    EXPECT_EQ(names("'REVOKED'"), "b");
    EXPECT_EQ(sql.error("select jobforge.list_api_keys('GONE')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.list_api_keys(p_limit => 0)"), "VALIDATION_ERROR");
    EXPECT_THAT(sql.one("select json_agg(k) from jobforge.list_api_keys() k"),
                Not(HasSubstr("mac")));
}

}  // namespace
}  // namespace jobforge::test
