// Plain requests on their short way, without a handler thread: the same answers, the same rights.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "api_http_world.h"
#include "services/access/access_admin.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

constexpr char kJob[] = R"({"type":"test.echo","payload":{"n":1}})";

class ShortWayApi : public ApiHttpWorld {
protected:
    ShortWayApi() {
        run("select jobforge.set_job_type('test.echo', '{}')");
        options().lock_timeout = std::chrono::hours(1);  // what waits here waits for the test
    }

    // The key is known and a connection idle: what follows is plain.
    std::string path_of_a_job() {
        const Reply made = post("/v1/jobs", kJob);
        EXPECT_EQ(made.status, 201) << made.body;
        return "/v1/jobs/" + made.member("job_id");
    }
    std::string jobs() { return one("select count(*) from jobforge.jobs"); }
    // Whether the database comes to have so many sessions in hand that wait for a lock.
    bool waiting(int count, const char* application = "jobforge api") {
        return wait_until([&] {
            return one(fmt::format("select count(*) from pg_stat_activity where application_name = "
                                   "'{}' and datname = current_database() and wait_event_type = "
                                   "'Lock'",
                                   application)) == std::to_string(count);
        });
    }
    std::string sessions() {
        return one(
            "select count(*) from pg_stat_activity where application_name = 'jobforge api' "
            "and datname = current_database()");
    }
    void end_waiting() {
        run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = "
            "'jobforge api' and datname = current_database() and wait_event_type = 'Lock'");
    }
    static std::string with_key(const std::string& key) {
        return fmt::format("Authorization: Bearer {}\r\n", key);
    }
    // A session that holds a table until it is told otherwise.
    pg::Connection hold(const char* table) {
        pg::Connection holder = database_.connect();
        EXPECT_TRUE(holder.script("hold", fmt::format("begin; lock table {}", table)).ok());
        return holder;
    }
};

TEST_F(ShortWayApi, a_known_keys_plain_requests_take_it) {
    const std::string path = path_of_a_job();
    for (const char* part : {"", "/attempts", "/result", "/explanation"}) {
        EXPECT_EQ(get(path + part).status, 200) << part;
        EXPECT_TRUE(begun()) << part;
    }
    EXPECT_EQ(post("/v1/jobs", kJob).status, 201);
    EXPECT_TRUE(begun());
    EXPECT_EQ(jobs(), "2");
    EXPECT_EQ(one("select distinct created_by from jobforge.jobs"), "key:" + key_id(admin_));
}

TEST_F(ShortWayApi, its_answers_are_those_of_a_handler) {
    const std::string path = path_of_a_job();
    const Reply quick = get(path);
    EXPECT_TRUE(begun());
    // The first request of another service knows no key yet.
    auto other = std::move(api::ApiService::start(options())).value();
    http::Request request;
    request.method = "GET";
    request.path = path;
    request.headers = {{"authorization", "Bearer " + admin_}};
    const http::Plan plan = other->plan(request);
    ASSERT_FALSE(plan.may_begin);
    const http::Response slow = plan.exchange->handle();
    EXPECT_EQ(quick.status, slow.status);
    EXPECT_EQ(quick.body, slow.body);
    EXPECT_EQ(quick.response.content_type, slow.content_type);
}

TEST_F(ShortWayApi, what_is_not_plain_does_not_take_it) {
    const std::string path = path_of_a_job();
    const auto refused = [&](const char* why, int status, const Reply& reply) {
        EXPECT_EQ(reply.status, status) << why;
        EXPECT_FALSE(begun()) << why;
    };
    refused("a list", 200, get("/v1/jobs"));
    refused("no id", 404, get("/v1/jobs/nonsense"));
    refused(
        "an unknown key", 401,
        ask("GET", path, {.key = "jf_test_" + std::string(16, 'a') + "_" + std::string(52, 'a')}));
    refused("two keys", 401,
            ask("GET", path, {.key = "x", .headers = {{"authorization", "Bearer " + admin_}}}));
    refused("repeatable", 201,
            ask("POST", "/v1/jobs",
                {.key = admin_, .body = kJob, .headers = {{"idempotency-key", "k"}}}));
    refused("not JSON", 422, post("/v1/jobs", "{"));
    refused("another media type", 415,
            ask("POST", "/v1/jobs", {.key = admin_, .body = kJob, .media_type = "text/csv"}));
    refused("a field too many", 422, post("/v1/jobs", R"({"type":"test.echo","prio":1})"));
    refused("large", 201,
            post("/v1/jobs", fmt::format(R"({{"type":"test.echo","payload":{{"x":"{}"}}}})",
                                         std::string(20'000, 'x'))));
    EXPECT_EQ(get(path).status, 200);
    EXPECT_TRUE(begun()) << "no connection was lost on the way";
}

TEST_F(ShortWayApi, a_broker_that_is_told_of_jobs_may_block_so_a_handler_tells_it) {
    std::size_t told = 0;
    options().tools.after_enqueue = [&](std::span<const Uuid> ids) { told += ids.size(); };
    const std::string path = path_of_a_job();
    EXPECT_EQ(post("/v1/jobs", kJob).status, 201);
    EXPECT_FALSE(begun());
    EXPECT_EQ(told, 2u);
    EXPECT_EQ(get(path).status, 200);
    EXPECT_TRUE(begun());
}

TEST_F(ShortWayApi, a_revoked_key_ends_at_once) {
    const std::string path = path_of_a_job();
    const std::string key = make_key(tenant_, {"Operator"});
    EXPECT_EQ(ask("GET", path, {.key = key}).status, 200);
    auto as_tenant = calls(tenant_);
    ASSERT_TRUE(services::revoke_api_key(as_tenant, key_id(key), "test", "test").ok());
    const Reply refused = ask("GET", path, {.key = key});
    EXPECT_TRUE(begun()) << "the cache did not know";
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.member("error.code"), "API_KEY_REVOKED");
    EXPECT_EQ(ask("POST", "/v1/jobs", {.key = key, .body = kJob}).status, 401);
    EXPECT_EQ(jobs(), "1");
}

TEST_F(ShortWayApi, a_revocation_waits_for_a_change_that_was_let_in) {
    const std::string key = make_key(tenant_, {"Operator"});
    EXPECT_EQ(ask("POST", "/v1/jobs", {.key = key, .body = kJob}).status, 201);
    auto as_tenant = calls(tenant_);
    HttpConnection client(port());
    pg::Connection holder = hold("jobforge.jobs");
    client.send(request_text("POST", "/v1/jobs",
                             with_key(key) + "Content-Type: application/json\r\n", kJob));
    ASSERT_TRUE(waiting(1));
    EXPECT_EQ(server().load().handling, 0u) << "it is on its short way";
    std::thread revoker([&] {
        EXPECT_TRUE(services::revoke_api_key(as_tenant, key_id(key), "test", "test").ok());
    });
    EXPECT_TRUE(waiting(1, "jobforge client"));
    EXPECT_TRUE(holder.script("let go", "rollback").ok());
    EXPECT_EQ(client.receive_one().status, 201);
    revoker.join();
    EXPECT_EQ(jobs(), "2");
}

TEST_F(ShortWayApi, policies_hold_from_their_commit_on) {
    const std::string path = path_of_a_job();
    EXPECT_EQ(get(path).status, 200);
    ASSERT_EQ(post("/v1/access-policies",
                   fmt::format(R"({{"effect":"deny","path_pattern":"/v1/jobs/*","priority":1}})"))
                  .status,
              201);
    EXPECT_EQ(get(path).status, 403);
    EXPECT_EQ(get(path).status, 403);
    EXPECT_FALSE(begun()) << "the cache knows by now";
    EXPECT_EQ(post("/v1/jobs", kJob).status, 201) << "another path";
}

TEST_F(ShortWayApi, a_role_without_the_permission_is_refused_with_an_audit_event) {
    const std::string key = make_key(tenant_, {"Auditor"});
    EXPECT_EQ(ask("GET", path_of_a_job(), {.key = key}).status, 200);
    EXPECT_EQ(ask("POST", "/v1/jobs", {.key = key, .body = kJob}).status, 403);
    EXPECT_FALSE(begun());
    EXPECT_EQ(events_of_key(key), "POST /v1/jobs role");
}

TEST_F(ShortWayApi, another_tenants_job_is_not_found_and_the_probe_is_noted) {
    const std::string path = path_of_a_job();
    EXPECT_EQ(ask("GET", "/v1/jobs", {.key = other_admin_}).status, 200);
    const Reply probe = ask("GET", path, {.key = other_admin_});
    EXPECT_TRUE(begun());
    EXPECT_EQ(probe.status, 404);
    EXPECT_EQ(events_of_key(other_admin_), "GET /v1/jobs/{job_id} NOT_FOUND");
}

TEST_F(ShortWayApi, the_rate_is_taken_once_and_told) {
    const auto now = std::chrono::steady_clock::now();
    options().rate_limit = {.enabled = true, .requests_per_second = 1, .burst = 4};
    options().clock = [now] { return now; };
    const std::string path = path_of_a_job();  // one
    const Reply found = get(path);             // two
    EXPECT_TRUE(begun());
    EXPECT_EQ(found.header("RateLimit-Remaining"), "2");
    const Reply missing = get("/v1/jobs/01890000-0000-7000-8000-000000000000");  // three
    EXPECT_TRUE(begun());
    EXPECT_EQ(missing.status, 404);
    EXPECT_EQ(missing.header("RateLimit-Remaining"), "1") << "not again by the handler";
    EXPECT_EQ(get(path).header("RateLimit-Remaining"), "0");
    const Reply refused = get(path);
    EXPECT_FALSE(begun());
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.header("Retry-After"), "1");
}

TEST_F(ShortWayApi, more_than_there_are_threads_wait_for_the_database_and_others_do_not_notice) {
    const std::string target = path_of_a_job();
    constexpr int kWaiting = 4;  // connections of the pool, and handler threads
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (int i = 0; i < kWaiting; ++i) {  // as many open connections as will wait
        clients.push_back(std::make_unique<HttpConnection>(port()));
    }
    pg::Connection keys = hold("jobforge.api_keys");
    for (auto& client : clients) {
        client->send(request_text("GET", target, with_key(admin_)));
    }
    // The first has the only idle connection, the others come by handler threads.
    EXPECT_TRUE(waiting(kWaiting));
    ASSERT_TRUE(keys.script("let go", "rollback").ok());
    for (auto& client : clients) {
        EXPECT_EQ(client->receive_one().status, 200);
    }
    keys = hold("jobforge.api_keys");
    for (auto& client : clients) {
        client->send(request_text("GET", target, with_key(admin_)));
    }
    EXPECT_TRUE(waiting(kWaiting));
    EXPECT_TRUE(wait_until([&] { return server().load().handling == 0; }));
    EXPECT_EQ(ask_http("/v1/health/live").status, 200);
    ASSERT_TRUE(keys.script("let go", "rollback").ok());
    for (auto& client : clients) {
        EXPECT_EQ(client->receive_one().status, 200);
    }
}

// Statements that wait on others must not take the connections of everything else.
TEST_F(ShortWayApi, it_takes_a_tenants_share_and_leaves_the_rest_to_others) {
    const std::string target = path_of_a_job();
    EXPECT_EQ(ask_http("/v1/job-types", with_key(other_admin_)).status, 200) << "known, too";
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (int i = 0; i < 5; ++i) {
        clients.push_back(std::make_unique<HttpConnection>(port()));
    }
    const auto all_wait = [&](const std::function<void()>& meanwhile) {
        pg::Connection holder = hold("jobforge.jobs");
        for (auto& client : clients) {
            client->send(request_text("GET", target, with_key(admin_)));
        }
        EXPECT_TRUE(waiting(4)) << "of five slots one tenant has four";
        EXPECT_TRUE(wait_until([&] { return server().load().waiting == 1; }));
        meanwhile();
        EXPECT_TRUE(holder.script("let go", "rollback").ok());
        for (auto& client : clients) {
            EXPECT_EQ(client->receive_one().status, 200);
        }
        EXPECT_TRUE(wait_until([&] { return server().load().handling == 0; }));
    };
    all_wait([] {});  // handlers open connections
    all_wait([&] {
        EXPECT_EQ(server().load().handling, 0u) << "four are on their short way";
        EXPECT_EQ(ask_http("/v1/job-types", with_key(other_admin_)).status, 200);
        EXPECT_EQ(ask_http("/v1/health/ready").status, 200);
    });
}

TEST_F(ShortWayApi, who_only_looks_does_not_notice_a_lost_connection) {
    const std::string target = path_of_a_job();
    HttpConnection client(port());
    pg::Connection holder = hold("jobforge.api_keys");
    client.send(request_text("GET", target, with_key(admin_)));
    ASSERT_TRUE(waiting(1));
    end_waiting();
    ASSERT_TRUE(holder.script("let go", "rollback").ok());
    EXPECT_EQ(client.receive_one().status, 200);
}

// Nobody knows whether it was done: to do it again might be once too often.
TEST_F(ShortWayApi, a_change_whose_connection_was_lost_is_not_done_again) {
    (void)path_of_a_job();
    HttpConnection client(port());
    pg::Connection holder = hold("jobforge.jobs");
    client.send(request_text("POST", "/v1/jobs",
                             with_key(admin_) + "Content-Type: application/json\r\n", kJob));
    ASSERT_TRUE(waiting(1));
    end_waiting();
    ASSERT_TRUE(holder.script("let go", "rollback").ok());
    const HttpReply reply = client.receive_one();
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(error_code_of(reply), "DB_UNAVAILABLE");
    EXPECT_EQ(jobs(), "1");
}

// A hung server answers nothing and closes nothing.
TEST_F(ShortWayApi, a_request_to_a_frozen_session_is_answered_and_gives_its_connection_back) {
    pending_timeout_ = std::chrono::milliseconds(500);
    (void)path_of_a_job();
    (void)port();
    const auto signal_sessions = [&](int signal) {
        auto rows = database_.connect().exec(
            {"sessions",
             "select pid from pg_stat_activity where application_name = 'jobforge api' "
             "and datname = current_database()"});
        for (int row = 0; rows.ok() && row < rows->size(); ++row) {
            EXPECT_EQ(::kill(static_cast<pid_t>(rows->integer(row, 0)), signal), 0);
        }
        return rows.ok() ? rows->size() : 0;
    };
    ASSERT_GT(signal_sessions(SIGSTOP), 0);
    HttpConnection client(port());
    client.send(request_text("POST", "/v1/jobs",
                             with_key(admin_) + "Content-Type: application/json\r\n", kJob));
    const HttpReply reply = client.receive_one();
    signal_sessions(SIGCONT);
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(error_code_of(reply), "DB_UNAVAILABLE");
    EXPECT_EQ(post("/v1/jobs", kJob).status, 201);
}

TEST_F(ShortWayApi, a_server_that_stops_lets_go_of_the_database) {
    const std::string target = path_of_a_job();
    HttpConnection client(port());
    pg::Connection holder = hold("jobforge.api_keys");
    client.send(request_text("GET", target, with_key(admin_)));
    ASSERT_TRUE(waiting(1));
    server().stop();
    EXPECT_EQ(client.receive().status, 0);
    ASSERT_TRUE(holder.script("let go", "rollback").ok());
    EXPECT_TRUE(wait_until([&] { return sessions() == "0"; })) << "half-answered ones are closed";
    EXPECT_EQ(get(target).status, 200);
}

}  // namespace
}  // namespace jobforge::test
