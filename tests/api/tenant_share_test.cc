// Hole 6 of the attack on tenants: requests of one tenant that all wait for a lock took every
// connection, and other tenants and readiness got 503.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "api_http_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

class TenantShare : public ApiHttpWorld {
protected:
    using Clients = std::vector<std::unique_ptr<HttpConnection>>;

    TenantShare() {
        options().lock_timeout = 1h;
        run("select jobforge.set_job_type('test.echo', '{}')");
    }

    static std::string with_key(const std::string& key) {
        return fmt::format("Authorization: Bearer {}\r\n", key);
    }
    // A job of the hostile tenant whose row a session of its own keeps locked.
    std::string locked_job() {
        job_ = post("/v1/jobs", R"({"type":"test.echo"})").member("job_id");
        EXPECT_TRUE(
            holder_
                .script("hold", fmt::format("begin; select from jobforge.jobs where job_id = "
                                            "'{}' for update",
                                            job_))
                .ok());
        return job_;
    }
    void let_go() { EXPECT_TRUE(holder_.script("let go", "rollback").ok()); }
    // Requests that wait for that row.
    Clients cancel(int count, const std::string& key) {
        Clients clients;
        for (int i = 0; i < count; ++i) {
            clients.push_back(std::make_unique<HttpConnection>(port()));
            clients.back()->send(
                request_text("POST", "/v1/jobs/" + job_ + "/cancel", with_key(key)));
        }
        return clients;
    }
    bool waiting_in_the_database(int count) {
        return wait_until([&] {
            return one("select count(*) from pg_stat_activity where application_name = 'jobforge "
                       "api' and datname = current_database() and wait_event_type = 'Lock'") ==
                   std::to_string(count);
        });
    }
    int status_of(const std::string& target, const std::string& key) {
        return ask_http(target, with_key(key)).status;
    }

    std::string job_;
    pg::Connection holder_ = database_.connect();
};

TEST_F(TenantShare, a_tenant_whose_requests_all_wait_leaves_room_for_others_and_readiness) {
    options().lock_timeout = 2min;
    locked_job();
    ASSERT_EQ(status_of("/v1/jobs", admin_), 200);
    // Of five slots it has four; as many as it likes wait in its own line.
    Clients clients = cancel(40, admin_);
    ASSERT_TRUE(waiting_in_the_database(4));
    ASSERT_TRUE(wait_until([&] { return server().load().waiting == 36; }));
    EXPECT_EQ(status_of("/v1/jobs", other_admin_), 200) << "a key that this node has not seen";
    EXPECT_EQ(status_of("/v1/jobs", other_admin_), 200);
    HttpConnection change(port());
    change.send(request_text("POST", "/v1/jobs",
                             with_key(other_admin_) + "Content-Type: application/json\r\n",
                             R"({"type":"test.echo"})"));
    EXPECT_EQ(change.receive_one().status, 201);
    EXPECT_EQ(ask_http("/v1/health/ready").status, 200);
    EXPECT_EQ(ask_http("/v1/health/live").status, 200);
    let_go();
    for (auto& client : clients) {
        EXPECT_LT(client->receive_one().status, 500) << "what waited is answered";
    }
}

TEST_F(TenantShare, keys_that_this_node_has_not_seen_give_a_tenant_no_more_than_its_share) {
    options().lock_timeout = 2min;
    locked_job();
    ASSERT_EQ(status_of("/v1/jobs", admin_), 200);
    Clients clients = cancel(4, admin_);
    ASSERT_TRUE(waiting_in_the_database(4));
    // It logs in with a slot of those who log in, and gets none of its tenant's.
    const HttpReply refused = ask_http("/v1/jobs/" + job_, with_key(make_key(tenant_, {"Admin"})));
    EXPECT_EQ(refused.status, 429) << refused.body;
    EXPECT_EQ(error_code_of(refused), "RATE_LIMITED");
    EXPECT_NE(header_of(refused, "Retry-After"), "");
    EXPECT_EQ(status_of("/v1/jobs", other_admin_), 200);
    let_go();
    for (auto& client : clients) {
        EXPECT_LT(client->receive_one().status, 500);
    }
}

TEST_F(TenantShare, a_full_line_is_429_for_its_tenant_alone) {
    change_server = [](http::ServerOptions& options) { options.queue_limit = 3; };
    options().lock_timeout =
        2min;  // on a slow machine requests would be answered before all are there
    locked_job();
    ASSERT_EQ(status_of("/v1/jobs", admin_), 200);
    Clients clients = cancel(7, admin_);
    ASSERT_TRUE(waiting_in_the_database(4));
    ASSERT_TRUE(wait_until([&] { return server().load().waiting == 3; }));
    const HttpReply refused = ask_http("/v1/jobs", with_key(admin_));
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(error_code_of(refused), "RATE_LIMITED");
    EXPECT_EQ(header_of(refused, "Retry-After"), "1");
    EXPECT_EQ(status_of("/v1/jobs", other_admin_), 200);
    let_go();
    for (auto& client : clients) {
        EXPECT_LT(client->receive_one().status, 500);
    }
}

TEST_F(TenantShare, what_waits_for_a_lock_ends_by_itself) {
    options().lock_timeout = 100ms;
    locked_job();
    Clients clients = cancel(2, admin_);
    for (auto& client : clients) {
        const HttpReply reply = client->receive_one();
        EXPECT_EQ(reply.status, 503) << reply.body;
        EXPECT_EQ(error_code_of(reply), "DB_UNAVAILABLE");
        EXPECT_NE(header_of(reply, "Retry-After"), "");
    }
    let_go();
    EXPECT_EQ(get("/v1/jobs/" + job_).member("status"), "QUEUED");
}

TEST_F(TenantShare, a_lock_timeout_of_the_login_is_kept) {
    options().lock_timeout = 1h;
    run("do $$ begin execute format('alter database %I set lock_timeout = ''150ms''', "
        "current_database()); end $$");
    locked_job();
    Clients clients = cancel(1, admin_);
    EXPECT_EQ(clients.front()->receive_one().status, 503);
    let_go();
}

// The check waits, and so does one thread; a crowd that asks meanwhile gets the last answer.
TEST_F(TenantShare, any_number_of_readiness_requests_takes_one_connection) {
    ASSERT_EQ(ask_http("/v1/health/ready").status, 200);
    EXPECT_TRUE(holder_.script("hold", "begin; lock table jobforge.migrations").ok());
    HttpConnection first(port());
    first.send(request_text("GET", "/v1/health/ready"));
    ASSERT_TRUE(waiting_in_the_database(1));
    for (int i = 0; i < 20; ++i) {
        EXPECT_NE(ask_http("/v1/health/ready").status, 0) << "answered, and not by a look";
    }
    EXPECT_TRUE(waiting_in_the_database(1));
    let_go();
    EXPECT_EQ(first.receive_one().status, 200);
    EXPECT_EQ(ask_http("/v1/health/ready").status, 200);
}

}  // namespace
}  // namespace jobforge::test
