// Policies, answers of repeated requests and refusals, as the HTTP API asks the database for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "access_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;

class AccessRequests : public testing::Test {
protected:
    void SetUp() override { sql.run(create_call("k", "Admin,Operator")); }

    static std::string begin_call(const std::string& key, const std::string& request = "r",
                                  const std::string& name = "k") {
        return fmt::format(
            "select status, headers, convert_from(body, 'UTF8') from "
            "jobforge.begin_api_request('{}', '{}', sha256('{}'))",
            key_id(name), key, request);
    }
    static std::string store_call(const std::string& key, const std::string& body,
                                  const std::string& request = "r", int status = 201) {
        return fmt::format(
            "select jobforge.store_api_response('{}', '{}', sha256('{}'), {}, "
            "'{{\"location\": \"/here\"}}', '{}')",
            key_id("k"), key, request, status, body);
    }
    std::string denied_events() {
        return sql.one(
            "select coalesce(string_agg(payload ->> 'route' || ' ' || (payload ->> 'reason') || "
            "' ' || (payload ->> 'count'), ', ' order by event_seq), '') from (select event_seq, "
            "convert_from(payload_canonical, 'UTF8')::jsonb as payload from "
            "jobforge.list_events(p_event_type => 'ACCESS_DENIED')) e");
    }
    static std::string deny_call(const std::string& route, const std::string& name = "k") {
        return fmt::format("select jobforge.note_access_denied('{}', '{}', 'role')", key_id(name),
                           route);
    }
    void a_minute_passes() {
        sql.run("update jobforge.access_denials set noted_at = noted_at - interval '1 minute'");
    }
    std::string policies_of(const std::string& name) {
        return gateway.one(fmt::format(
            "select coalesce(string_agg(p ->> 'path_pattern', ' ' order by n), '') from "
            "jobforge.find_api_key('{}') k, json_array_elements(k.policies) with ordinality q(p, "
            "n)",
            key_id(name)));
    }
    EngineDatabase database;
    Session sql = database.session();
    Session gateway = database.login_as("jobforge_gateway");
};

TEST_F(AccessRequests, the_second_request_with_a_key_gets_the_answer_of_the_first) {
    EXPECT_TRUE(sql.rows(begin_call("i")).empty());
    sql.run(store_call("i", "made"));
    const std::vector<TextRow> answer{{"201", "{\"location\": \"/here\"}", "made"}};
    EXPECT_EQ(sql.rows(begin_call("i")), answer);
    EXPECT_TRUE(sql.rows(begin_call("other")).empty());
    EXPECT_EQ(sql.error(begin_call("i", "another request")), "IDEMPOTENCY_CONFLICT");
    EXPECT_EQ(sql.error(store_call("i", "made twice")), "IDEMPOTENCY_CONFLICT");
    EXPECT_EQ(sql.rows(begin_call("i")), answer);
}

TEST_F(AccessRequests, a_key_belongs_to_one_api_key_and_to_what_that_is_rotated_to) {
    sql.run(store_call("i", "made") + ";" + create_call("other") + ";" + rotate_call("k", "next") +
            ";" + rotate_call("next", "third"));
    EXPECT_TRUE(sql.rows(begin_call("i", "r", "other")).empty());
    EXPECT_EQ(sql.rows(begin_call("i", "r", "next")).size(), 1U);
    EXPECT_EQ(sql.rows(begin_call("i", "r", "third")).size(), 1U);
    sql.use_tenant(kTenantB);
    EXPECT_EQ(sql.error(begin_call("i")), "NOT_FOUND");
}

TEST_F(AccessRequests, a_request_that_was_rolled_back_leaves_its_key_free) {
    sql.run("begin; " + begin_call("i") + ";" + store_call("i", "lost") + "; rollback");
    EXPECT_TRUE(sql.rows(begin_call("i", "another request")).empty());
}

TEST_F(AccessRequests, what_is_no_key_or_no_success_is_not_kept) {
    EXPECT_EQ(sql.error(begin_call("")), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(begin_call("with space")), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(begin_call("\xc3\xa4")), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(begin_call(std::string(256, 'x'))), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(begin_call(std::string(255, 'x'))), "ok");
    EXPECT_EQ(sql.error(store_call("i", "no", "r", 404)), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(store_call("i", "no", "r", 500)), "VALIDATION_ERROR");
}

TEST_F(AccessRequests, answers_are_forgotten_after_a_day_with_or_without_housekeeping) {
    const auto stored = [this](const std::string& key, const std::string& age) {
        sql.run(
            fmt::format("insert into jobforge.api_requests values ('{}', '{}', '{}', "
                        "sha256('r'), 200, '{{}}', 'x', now() - interval '{}')",
                        kTenantA, key_id("k"), key, age));
    };
    stored("old", "24 hours");
    stored("older", "30 hours");
    stored("young", "23 hours 59 minutes");
    EXPECT_TRUE(sql.rows(begin_call("old", "another request")).empty());
    sql.run(store_call("old", "new", "another request"));
    Session worker = database.login_as("jobforge_worker");
    EXPECT_EQ(worker.one("select jobforge.prune_api_requests()"), "1");
    EXPECT_EQ(sql.one("select string_agg(idempotency_key, ' ' order by idempotency_key) from "
                      "jobforge.api_requests"),
              "old young");
}

TEST_F(AccessRequests, thirty_two_first_requests_at_once_do_the_work_once) {
    constexpr int kClients = 32;
    // Answers can be looked for and not be stored: all clients are in the middle of their requests
    // at the same time, whoever came first.
    sql.run("begin; lock table jobforge.api_requests in share mode");
    std::mutex mutex;
    std::set<std::string> answers;
    std::atomic<int> worked = 0;
    std::vector<std::jthread> clients;
    for (int client = 0; client < kClients; ++client) {
        clients.emplace_back([&, client] {
            Session mine = database.login_as("jobforge_gateway");
            mine.run("begin; " + enter_call("k", 1, 0, true));
            auto rows = mine.rows(begin_call("i"));
            std::string answer = fmt::format("made by {}", client);
            if (rows.empty()) {
                ++worked;
                mine.run("select jobforge.enqueue_job('a'); " + store_call("i", answer));
            } else {
                answer = rows.at(0).at(2);
            }
            mine.run("commit");
            const std::lock_guard lock(mutex);
            answers.insert(answer);
        });
    }
    Session watcher = database.session();
    EXPECT_TRUE(wait_until(
        [&watcher] {
            return watcher.one(
                       "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                       "datname = current_database()") == std::to_string(kClients);
        },
        std::chrono::seconds(60)))
        << "not all clients wait";
    sql.run("commit");
    clients.clear();
    EXPECT_EQ(worked, 1);
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "1");
}

TEST_F(AccessRequests, when_the_first_fails_the_second_does_the_work) {
    sql.run("begin; " + begin_call("i"));
    std::jthread second([this] {
        gateway.run("begin; " + enter_call("k", 1, 0, true));
        EXPECT_TRUE(gateway.rows(begin_call("i")).empty());
        gateway.run(store_call("i", "made") + "; commit");
    });
    Session watcher = database.session();
    wait_until_blocked(watcher);
    sql.run("rollback");
    second.join();
    EXPECT_EQ(sql.rows(begin_call("i")).at(0).at(2), "made");
}

TEST_F(AccessRequests, refusals_are_told_once_a_minute_per_key_and_route_with_their_count) {
    for (int i = 0; i < 5; ++i) {
        gateway.run(deny_call("GET /v1/jobs"));
    }
    gateway.run(deny_call("POST /v1/jobs"));
    EXPECT_EQ(denied_events(), "GET /v1/jobs role 1, POST /v1/jobs role 1");
    a_minute_passes();
    gateway.run(deny_call("GET /v1/jobs"));
    EXPECT_EQ(denied_events(), "GET /v1/jobs role 1, POST /v1/jobs role 1, GET /v1/jobs role 5");
    EXPECT_EQ(sql.one("select distinct aggregate_type || ' ' || actor_id from "
                      "jobforge.list_events(p_event_type => 'ACCESS_DENIED')"),
              "Actor key:" + key_id("k"));
}

TEST_F(AccessRequests, housekeeping_tells_of_refusals_that_nobody_followed) {
    Session worker = database.login_as("jobforge_worker");
    const auto flush = [&worker] { return worker.one("select jobforge.flush_access_denied()"); };
    for (int i = 0; i < 4; ++i) {
        gateway.run(deny_call("GET /v1/jobs"));
    }
    EXPECT_EQ(flush(), "0") << "the minute is not over";
    a_minute_passes();
    EXPECT_EQ(flush(), "1");
    EXPECT_EQ(denied_events(), "GET /v1/jobs role 1, GET /v1/jobs role 3");
    EXPECT_EQ(flush(), "0");
    EXPECT_EQ(worker.one("select jobforge.current_tenant()"), "NULL");
    sql.run("update jobforge.access_denials set last_at = now() - interval '1 hour'");
    EXPECT_EQ(flush(), "0");
    EXPECT_EQ(sql.one("select count(*) from jobforge.access_denials"), "0");
}

TEST_F(AccessRequests, a_refused_key_is_told_to_its_own_tenant_and_an_unknown_one_to_nobody) {
    sql.run(revoke_call("k"));
    gateway.run(deny_call("GET /v1/jobs") + ";" + deny_call("GET /v1/jobs", "nobody"));
    EXPECT_EQ(denied_events(), "GET /v1/jobs role 1");
    EXPECT_EQ(sql.one("select count(*) from jobforge.access_denials"), "1");
    EXPECT_EQ(sql.one("select count(*) from jobforge.events where event_type = 'ACCESS_DENIED' "
                      "and tenant_id <> '" +
                      std::string(kTenantA) + "'"),
              "0");
}

TEST_F(AccessRequests, refusals_of_many_routes_at_once_stand_in_line) {
    std::vector<std::jthread> clients;
    for (int client = 0; client < 16; ++client) {
        clients.emplace_back([this, client] {
            Session mine = database.login_as("jobforge_gateway");
            EXPECT_EQ(mine.error(deny_call(fmt::format("GET /{}", client))), "ok")
                << mine.message();
        });
    }
    clients.clear();
    // Where the line took longer than a refusal waits.
    database.login_as("jobforge_worker").run("select jobforge.flush_access_denied()");
    EXPECT_EQ(sql.one("select count(*) from jobforge.list_events(p_event_type => "
                      "'ACCESS_DENIED')"),
              "16");
}

TEST_F(AccessRequests, a_key_gets_the_policies_for_all_for_its_roles_and_for_itself) {
    sql.run(create_call("auditor", "Auditor"));
    sql.run(
        fmt::format("select jobforge.add_access_policy('deny', '/all');"
                    "select jobforge.add_access_policy('deny', '/operators', 5, "
                    "p_role => 'Operator');"
                    "select jobforge.add_access_policy('allow', '/k', p_key_id => '{}');"
                    "select jobforge.add_access_policy('allow', '/high', 9)",
                    key_id("k")));
    EXPECT_EQ(policies_of("k"), "/high /operators /all /k");
    EXPECT_EQ(policies_of("auditor"), "/high /all");
    sql.run(rotate_call("k", "next") + ";" + rotate_call("next", "third"));
    EXPECT_EQ(policies_of("third"), "/high /operators /all /k") << "rotation sheds no policy";
    sql.run(fmt::format("select jobforge.add_access_policy('deny', '/third', p_key_id => '{}')",
                        key_id("third")));
    EXPECT_EQ(policies_of("k"), "/high /operators /all /third /k") << "the line is one client";
    sql.use_tenant(kTenantB);
    sql.run("select jobforge.add_access_policy('deny', '/of-b')");
    EXPECT_EQ(policies_of("auditor"), "/high /all");
}

TEST_F(AccessRequests, what_is_no_policy_is_refused_by_name) {
    const auto add = [this](const std::string& arguments) {
        return sql.error("select jobforge.add_access_policy(" + arguments + ")");
    };
    for (const char* bad :
         {"'maybe', '/v1'", "null, '/v1'", "'deny', ''", "'deny', null", "'deny', 'v1/jobs'",
          "'deny', '/v1/'", "'deny', '/v1//jobs'", "'deny', '/**/jobs'", "'deny', '/v1/jo*'",
          "'deny', '/v1/***'", "'deny', '/v1 '", "'deny', '/v1', null", "'deny', '/v1', 1000001",
          "'deny', '/v1', 0, 'get'", "'deny', '/v1', 0, 'HEAD'", "'deny', '/v1', p_role => 'Boss'",
          "'deny', '/v1', p_note => repeat('x', 501)"}) {
        EXPECT_EQ(add(bad), "VALIDATION_ERROR") << bad;
    }
    EXPECT_EQ(add(fmt::format("'deny', '/v1', p_role => 'Admin', p_key_id => '{}'", key_id("k"))),
              "VALIDATION_ERROR");
    EXPECT_EQ(add("'deny', '/v1', p_key_id => 'nobody'"), "NOT_FOUND");
    EXPECT_EQ(sql.one("select count(*) from jobforge.list_access_policies()"), "0");
    for (const char* good : {"'deny', '/**'", "'allow', '/v1/jobs/*/cancel'",
                             "'deny', '/v1/rule-packages/*/versions/*/tests:run', -5, 'POST'"}) {
        EXPECT_EQ(add(good), "ok") << good << sql.message();
    }
    EXPECT_EQ(sql.error("select jobforge.remove_access_policy(gen_random_uuid())"), "NOT_FOUND");
}

TEST_F(AccessRequests, every_change_of_a_policy_is_an_event_and_a_version) {
    sql.run(
        "select jobforge.add_access_policy('deny', '/v1/jobs', 3, p_note => 'n', p_actor_id "
        "=> 'me'); select jobforge.remove_access_policy(policy_id, 'you') from "
        "jobforge.list_access_policies()");
    EXPECT_EQ(sql.one("select string_agg(actor_id || ' ' || (p ->> 'change') || ' ' || (p -> "
                      "'policy' ->> 'path_pattern') || ' ' || (p ->> 'access_version'), ', ' order "
                      "by event_seq) from (select actor_id, event_seq, "
                      "convert_from(payload_canonical, 'UTF8')::jsonb as p from "
                      "jobforge.list_events('System', p_event_type => 'POLICY_CHANGED')) e"),
              "me added /v1/jobs 1, you removed /v1/jobs 2");
}

TEST_F(AccessRequests, a_tenant_has_at_most_five_hundred_policies) {
    sql.run("select from generate_series(1, 500) n, jobforge.add_access_policy('deny', '/' || n)");
    EXPECT_EQ(sql.error("select jobforge.add_access_policy('deny', '/x')"), "VALIDATION_ERROR");
    EXPECT_THAT(sql.message(), HasSubstr("500"));
}

}  // namespace
}  // namespace jobforge::test
