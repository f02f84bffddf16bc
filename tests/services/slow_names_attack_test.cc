// Hole 9 of the attack on tenants' service: one tenant's names, hosts and locks that hang cost
// another tenant nothing, and what this worker is short of costs nobody an attempt.
#include <gmock/gmock.h>

#include "connect/guard/tenant_slots.h"
#include "connector_world.h"
#include "name_server.h"
#include "services/jobs/outgoing_slot.h"
#include "services/webhooks/webhooks.h"

namespace jobforge::services {
namespace {

using connect::TenantSlots;
using test::http_answer;
using test::kHttpRequest;
using test::kWebhookDeliver;
using test::TcpPeer;
using test::TcpServer;

// Two tenants on one worker. tenant_ is the honest one.
class Hole9SlowDns : public test::ConnectorWorld {
protected:
    Hole9SlowDns() {
        hostile_ = one("select jobforge.create_tenant('hostile')");
        // Who fails once does not come back within the test.
        run("update jobforge.job_types set backoff = 'source', backoff_base_seconds = 3600, "
            "backoff_jitter = 0");
        connect::HttpOptions options;
        options.allowed_networks = connect::parse_networks("127.0.0.0/8").value();
        options.resolver = connect::threaded_resolver(
            [look_up = names_->look_up()](
                const std::string& host) -> Result<std::vector<connect::IpAddress>> {
                std::vector<connect::IpAddress> found;
                for (const std::string& text : look_up(host)) {
                    found.push_back(connect::IpAddress::parse(text).value());
                }
                return found.empty() ? Result<std::vector<connect::IpAddress>>(
                                           Error::of(ErrorCode::CONNECTION_FAILED, "no address"))
                                     : found;
            },
            lookups_);
        settings_.http = std::make_shared<connect::HttpClient>(options);
        settings_.calls = calls_slots_;
        connectors_.http = settings_.http;
        connectors_.calls = settings_.calls;
    }
    ~Hole9SlowDns() override {
        names_.reset();
        stop();
    }

    void act_as(const std::string& tenant) {
        run(fmt::format("select set_config('app.tenant_id', '{}', false)", tenant));
    }
    std::string request(const std::string& url, std::string_view more = "") {
        return enqueue(kHttpRequest, fmt::format(R"({{"url":"{}"{}}})", url, more));
    }
    // Of the hostile tenant's jobs.
    std::string hostile(const std::string& expression) {
        return one(fmt::format("select {} from jobforge.all_jobs where tenant_id = '{}'",
                               expression, hostile_));
    }
    // Ten requests of the honest tenant, each of which must succeed at its first attempt.
    void expect_honest_work() {
        act_as(tenant_.to_string());
        std::vector<std::string> jobs;
        for (int i = 0; i < 10; ++i) {
            jobs.push_back(request(fmt::format("http://fine.example:{}/{}", echo_.port(), i)));
        }
        for (const std::string& id : jobs) {
            EXPECT_EQ(end_of(id), "SUCCEEDED") << message_of(id);
            EXPECT_EQ(job(id, "attempts"), "1");
        }
        EXPECT_EQ(one(fmt::format("select string_agg(state || failure_streak, ' ') from "
                                  "jobforge.governors where tenant_id = '{}'",
                                  tenant_.to_string())),
                  "CLOSED0");
    }
    // Waits until the job was put back without having spent an attempt.
    void expect_snoozed(const std::string& id) {
        start();
        EXPECT_TRUE(test::wait_until([&] {
            return job(id,
                       "status || attempts || (lease_token > 0)::text || "
                       "coalesce(last_error ->> 'code', '-')") == "QUEUED0true-";
        })) << job(id, "row_to_json(all_jobs)");
    }

    std::string hostile_;
    std::unique_ptr<test::NameServer> names_ = std::make_unique<test::NameServer>("hangs.example");
    std::shared_ptr<TenantSlots> lookups_ = std::make_shared<TenantSlots>(
        connect::TenantSlotsOptions{.name = "look-ups of names", .total = connect::kMostLookups});
    std::shared_ptr<TenantSlots> calls_slots_ = outgoing_calls(16);
    TcpServer echo_{test::echoes};
};

TEST_F(Hole9SlowDns, of_one_tenant_costs_another_no_attempt_and_opens_no_breaker) {
    act_as(hostile_);
    for (int i = 0; i < 150; ++i) {
        (void)request(fmt::format("http://n{}.hangs.example/", i), R"(,"timeout_ms":50)");
    }
    start();
    // Each look-up that was begun hangs on after its request; the others found no slot.
    ASSERT_TRUE(test::wait_until([&] {
        return hostile("count(*) filter (where lease_token > 0)") == "150" &&
               hostile("count(last_error)") == "48";
    })) << hostile("count(last_error)");
    EXPECT_EQ(lookups_->held_by(hostile_), 48) << "three quarters of 64: it came alone";
    EXPECT_EQ(names_->hanging(), 48);

    expect_honest_work();

    EXPECT_EQ(hostile("count(*) filter (where status = 'QUEUED' and attempts > 0)"), "48")
        << "a name that hangs is its own tenant's failure, a slot that is missing is none";
    EXPECT_EQ(hostile("string_agg(distinct coalesce(last_error ->> 'code', '-'), ' ')"),
              "- TIMEOUT");
    EXPECT_EQ(names_->hanging(), 48);
}

TEST_F(Hole9SlowDns, hosts_that_hang_leave_places_for_the_jobs_of_others) {
    options_.slots = 16;
    const TcpServer tarpit([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.read_request();  // until the client is gone
    });
    act_as(hostile_);
    for (int i = 0; i < 60; ++i) {
        (void)request(tarpit.url(), R"(,"timeout_ms":300000)");
    }
    start();
    ASSERT_TRUE(test::wait_until([&] { return tarpit.connections() == 12; }));

    expect_honest_work();

    EXPECT_EQ(calls_slots_->held_by(hostile_), 12) << "three quarters: it came alone";
    EXPECT_EQ(tarpit.connections(), 12);
    EXPECT_EQ(hostile("count(*) filter (where status = 'QUEUED' and attempts > 0)"), "0");
    EXPECT_EQ(hostile("count(last_error)"), "0");
    stop();
}

TEST_F(Hole9SlowDns, locks_of_one_tenant_leave_connections_for_the_reads_of_others) {
    act_as(hostile_);
    configure(kHttpRequest, R"({"requests_per_minute":60000})");
    ASSERT_EQ(end_of(request(echo_.url())), "SUCCEEDED");
    pg::Connection locker = database_.connect();
    test::must(locker.script("lock", fmt::format("begin; update jobforge.governors set key = key "
                                                 "where tenant_id = '{}'",
                                                 hostile_)));
    for (int i = 0; i < 40; ++i) {
        (void)request(echo_.url());
    }
    ASSERT_TRUE(test::wait_until([&] {
        return one("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                   "datname = current_database()") == "3";
    })) << "three of four connections for reads";

    expect_honest_work();

    test::must(locker.script("unlock", "rollback"));
    EXPECT_TRUE(test::wait_until([&] {
        return hostile("count(*) filter (where status = 'SUCCEEDED' and attempts = 1)") == "41";
    })) << hostile("string_agg(distinct status || attempts, ' ')");
}

TEST_F(Hole9SlowDns, a_governor_that_its_tenant_keeps_locked_is_waited_for_for_five_seconds) {
    configure(kHttpRequest, R"({"requests_per_minute":60000})");
    ASSERT_EQ(end_of(request(echo_.url())), "SUCCEEDED");
    pg::Connection locker = database_.connect();
    test::must(locker.script(
        "lock", fmt::format("select set_config('app.tenant_id', '{}', false); begin; "
                            "select jobforge.governor_configure(g.kind, g.key, '{{\"burst\":2}}') "
                            "from jobforge.list_governors() g",
                            tenant_.to_string())));
    const std::string id = request(echo_.url());
    expect_snoozed(id);
    EXPECT_EQ(one("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                  "datname = current_database()"),
              "0");
    test::must(locker.script("unlock", "rollback"));
    run(fmt::format("select jobforge.reschedule_job('{}', now())", id));
    EXPECT_EQ(end_of(id), "SUCCEEDED") << message_of(id);
    EXPECT_EQ(job(id, "attempts"), "1") << "waiting for the lock spent no attempt";
}

TEST_F(Hole9SlowDns, every_kind_of_call_takes_its_own_tenants_look_up) {
    secrets_["JOBFORGE_SECRET_HOOK"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    hold("PARSE_FACTS");
    const CreatedEndpoint to = test::must(add_webhook_endpoint(
        *calls_, *settings_.secrets, tenant_, {.url = "http://a.hangs.example/"}, false));
    test::must(subscribe_webhook(*calls_, to.webhook_endpoint_id, {"DOCUMENT_UPLOADED"}));
    (void)upload("BOM", R"({"n":1})");
    (void)request("http://b.hangs.example/");
    (void)enqueue(kWebhookDeliver,
                  R"({"target_url":"http://c.hangs.example/","event_type":"a","secret_ref":"HOOK",
                      "event_id":"01890a5d-ac96-774b-bcce-b302099a8057"})");
    start();
    EXPECT_TRUE(test::wait_until([&] { return lookups_->held_by(tenant_.to_string()) == 3; }));
    EXPECT_EQ(lookups_->in_use(), 3);
    EXPECT_EQ(calls_slots_->held_by(tenant_.to_string()), 3);
}

TEST_F(Hole9SlowDns, a_job_that_finds_no_slot_waits_without_spending_an_attempt) {
    // A call of one tenant holds the only slot there is.
    settings_.calls = std::make_shared<TenantSlots>(
        connect::TenantSlotsOptions{.name = "outgoing calls", .total = 1});
    connectors_.calls = settings_.calls;
    std::optional<TenantSlots::Slot> held(settings_.calls->take("another").value());
    secrets_["JOBFORGE_SECRET_HOOK"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    hold("PARSE_FACTS");
    const auto receiver = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = test::must(add_webhook_endpoint(
        *calls_, *settings_.secrets, tenant_, {.url = receiver->url("/endpoint")}, false));
    test::must(subscribe_webhook(*calls_, to.webhook_endpoint_id, {"DOCUMENT_UPLOADED"}));
    (void)upload("BOM", R"({"n":1})");
    const std::string jobs[] = {
        request(receiver->url("/request")),
        enqueue(kWebhookDeliver,
                fmt::format(R"({{"target_url":"{}","event_type":"a","secret_ref":"HOOK",
                    "event_id":"01890a5d-ac96-774b-bcce-b302099a8057"}})",
                            receiver->url("/deliver"))),
        one("select job_id from jobforge.webhook_deliveries")};
    for (const std::string& id : jobs) {
        expect_snoozed(id);
    }
    EXPECT_EQ(receiver->connections(), 0);
    EXPECT_EQ(one("select count(*) from jobforge.governors"), "0")
        << "no breaker was asked: it has no permit or probe to lose";
    EXPECT_EQ(one("select status || attempts from jobforge.webhook_deliveries"), "PENDING0");
    held.reset();
    for (const std::string& id : jobs) {
        EXPECT_EQ(end_of(id), "SUCCEEDED") << message_of(id);
        EXPECT_EQ(job(id, "attempts"), "1");
    }
    EXPECT_EQ(receiver->requests().size(), 3U);
}

TEST_F(Hole9SlowDns, a_job_that_finds_no_look_up_waits_and_its_breaker_hears_nothing) {
    std::vector<TenantSlots::Slot> held;
    for (int i = 0; lookups_->in_use() < connect::kMostLookups; ++i) {
        held.push_back(lookups_->take(fmt::format("another {}", i)).value());
    }
    hold("PARSE_FACTS");
    const auto receiver = TcpServer::answering(http_answer("200 OK"));
    const auto url = [&](const char* path) {
        return fmt::format("http://fine.example:{}/{}", receiver->port(), path);
    };
    const CreatedEndpoint to = test::must(add_webhook_endpoint(*calls_, *settings_.secrets, tenant_,
                                                               {.url = url("endpoint")}, false));
    test::must(subscribe_webhook(*calls_, to.webhook_endpoint_id, {"DOCUMENT_UPLOADED"}));
    (void)upload("BOM", R"({"n":1})");
    const std::string jobs[] = {request(url("request")),
                                one("select job_id from jobforge.webhook_deliveries")};
    for (const std::string& id : jobs) {
        expect_snoozed(id);
    }
    EXPECT_EQ(one("select max(failure_streak) from jobforge.governors"), "0");
    EXPECT_EQ(one("select status || attempts from jobforge.webhook_deliveries"), "PENDING0");
    held.clear();
    for (const std::string& id : jobs) {
        EXPECT_EQ(end_of(id), "SUCCEEDED") << message_of(id);
        EXPECT_EQ(job(id, "attempts"), "1");
    }
}

}  // namespace
}  // namespace jobforge::services
