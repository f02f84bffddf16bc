// Why is this job not running? Every sentence that explain can say, each from the situation it is
// about, and none where the situation is not given.
#include <jobforge/client.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Explain : public WorkerWorld {
protected:
    Explain() {
        type("t");
        run("select jobforge.register_worker('w1', 'host', 1, 'v', array['t', 'other'], 4)");
    }
    std::vector<std::string> reasons(const Uuid& id) {
        auto client = Client::connect({.database_url = database_.url(), .tenant_id = tenant_});
        EXPECT_TRUE(client.ok());
        auto reasons = client->explain(id);
        EXPECT_TRUE(reasons.ok()) << (reasons.ok() ? "" : reasons.error().describe());
        return reasons.ok() ? *reasons : std::vector<std::string>();
    }
    void policy(const std::string& json) {
        run(fmt::format("select jobforge.set_job_type('t', '{}')", json));
    }
    void tenant(const std::string& json) {
        run(fmt::format("select jobforge.set_tenant('{}', '{}')", tenant_.to_string(), json));
    }
    // How many jobs a worker gets now.
    int claim(const std::string& type = "t", int limit = 1) {
        return std::stoi(one(fmt::format(
            "select count(*) from jobforge.claim_jobs('w1', {}, array['{}'])", limit, type)));
    }
};

TEST_F(Explain, a_job_that_nothing_holds_back_has_only_its_place) {
    EXPECT_THAT(reasons(enqueue("t")), ElementsAre(AllOf(StartsWith("It has been due for "),
                                                         HasSubstr("0 jobs are ahead of it"))));
}

TEST_F(Explain, the_place_is_counted_within_type_priority_and_tenant_and_not_beyond_a_thousand) {
    enqueue_many("t", 1001);
    enqueue("t", "{}", "p_priority => 0");
    type("other");
    enqueue("other");
    const Uuid last = enqueue("t");
    EXPECT_THAT(reasons(last), ElementsAre(HasSubstr("1000 or more jobs are")));
    EXPECT_THAT(reasons(enqueue("t", "{}", "p_priority => 0")), ElementsAre(HasSubstr("1 job is")));
}

TEST_F(Explain, the_limit_of_a_type_for_one_tenant) {
    policy(R"({"tenant_concurrency_limit": 1})");
    enqueue("t");
    const Uuid waiting = enqueue("t");
    EXPECT_THAT(reasons(waiting), Not(Contains(HasSubstr("limit"))));
    ASSERT_EQ(claim(), 1);
    EXPECT_THAT(reasons(waiting).front(),
                "The concurrency limit of the type t for this tenant is reached: 1 of 1 run.");
    EXPECT_EQ(claim(), 0);
}

TEST_F(Explain, the_limit_of_a_type_counts_other_tenants_too) {
    policy(R"({"concurrency_limit": 1})");
    const std::string other = one("select jobforge.create_tenant('other')");
    run(
        fmt::format("begin; select set_config('app.tenant_id', '{}', true);"
                    "select jobforge.enqueue_job('t', '{{}}'); commit",
                    other));
    ASSERT_EQ(claim(), 1);
    EXPECT_THAT(reasons(enqueue("t")).front(),
                "The concurrency limit of the type t is reached: 1 of 1 run.");
}

TEST_F(Explain, the_limit_of_a_tenant_counts_all_types) {
    tenant(R"({"concurrency_limit": 1})");
    type("other");
    enqueue("other");
    ASSERT_EQ(claim("other"), 1);
    EXPECT_THAT(reasons(enqueue("t")).front(),
                "The concurrency limit of this tenant is reached: 1 of 1 run.");
    EXPECT_EQ(claim(), 0);
}

TEST_F(Explain, an_empty_bucket_of_a_rate_limit_and_when_the_next_token_comes) {
    policy(R"({"rate_limit_per_minute": 2})");
    enqueue("t");
    const Uuid waiting = enqueue("t");
    EXPECT_THAT(reasons(waiting), Not(Contains(HasSubstr("rate limit"))));
    ASSERT_EQ(claim(), 1);
    EXPECT_THAT(
        reasons(waiting).front(),
        StartsWith("The rate limit of the type t (2 per minute) has no token left: the next "
                   "one comes in 2"));
    EXPECT_EQ(claim(), 0);
}

TEST_F(Explain, an_empty_bucket_of_a_tenants_rate_limit) {
    policy(R"({"tenant_rate_limit_per_minute": 1})");
    enqueue("t");
    const Uuid waiting = enqueue("t");
    ASSERT_EQ(claim(), 1);
    EXPECT_THAT(reasons(waiting).front(),
                HasSubstr("of the type t for this tenant (1 per minute) has no token left"));
}

// Suspension closes the door and does not stop the machines: what was accepted is kept. A tenant
// whose jobs must stand still gets concurrency_limit 0.
TEST_F(Explain, a_suspended_tenant_whose_waiting_jobs_still_run) {
    const Uuid waiting = enqueue("t");
    tenant(R"({"status": "SUSPENDED"})");
    EXPECT_THAT(reasons(waiting).front(),
                "The tenant is suspended: nothing new is accepted, but jobs that wait still run.");
    tenant(R"({"concurrency_limit": 0})");
    EXPECT_THAT(reasons(waiting),
                Contains("The concurrency limit of this tenant is reached: 0 of 0 run."));
    EXPECT_EQ(claim(), 0);
    tenant(R"({"concurrency_limit": null})");
    EXPECT_EQ(claim(), 1);
}

TEST_F(Explain, a_retry_that_waits_says_what_went_wrong) {
    const Uuid id = enqueue("t");
    ASSERT_EQ(claim(), 1);
    run(fmt::format(
        "select * from jobforge.fail_job('w1', '{}', '{}', 1, "
        "'{{\"code\": \"SMTP_DOWN\", \"message\": \"no answer\", \"retryable\": true}}', "
        "3600)",
        tenant_.to_string(), id.to_string()));
    EXPECT_THAT(
        reasons(id),
        ElementsAre(HasSubstr("It is not due yet"),
                    "It waits for its retry: attempt 1 of 5 ended with SMTP_DOWN: no answer"));
}

TEST_F(Explain, a_job_that_lost_its_worker_is_in_quarantine) {
    const Uuid id = enqueue("t");
    ASSERT_EQ(claim(), 1);
    run("update jobforge.jobs set lease_expires_at = now() - interval '3 minutes'");
    EXPECT_THAT(reasons(id),
                Contains(StartsWith("Its lease expired 3 min 0 s ago: the next claim")));
    run("select jobforge.reclaim_expired(null)");
    EXPECT_THAT(reasons(id),
                ElementsAre(HasSubstr("It lost its worker once, so it is in quarantine")));
    ASSERT_EQ(claim(), 1);
    EXPECT_THAT(reasons(id), Contains(HasSubstr("it runs in quarantine")));
}

TEST_F(Explain, a_running_job_whose_worker_has_stopped_or_was_never_registered) {
    const Uuid id = enqueue("t");
    ASSERT_EQ(claim(), 1);
    run("select jobforge.worker_heartbeat('w1', 0, 'STOPPED')");
    EXPECT_THAT(reasons(id), Contains("Its worker has stopped."));
    run("delete from jobforge.workers");
    EXPECT_THAT(reasons(id), Contains("Its worker is not registered."));
}

TEST_F(Explain, workers_of_other_types_silent_and_stopped_ones_do_not_count) {
    const Uuid id = enqueue("t");
    const auto none = Contains(HasSubstr("No live worker has a handler for t"));
    EXPECT_THAT(reasons(id), Not(none));
    run("update jobforge.workers set heartbeat_at = now() - interval '61 seconds'");
    EXPECT_THAT(reasons(id), none);
    run("select jobforge.worker_heartbeat('w1', 0, 'STOPPED')");
    EXPECT_THAT(reasons(id), none);
    run("select jobforge.register_worker('w1', 'host', 1, 'v', array['other'], 4)");
    EXPECT_THAT(reasons(id), none);
    run("select jobforge.register_worker('w2', 'host', 1, 'v', array['t'], 4)");
    EXPECT_THAT(reasons(id), Not(none));
}

TEST_F(Explain, a_failed_job_names_its_error_and_how_to_run_it_again) {
    const Uuid id = enqueue("t");
    ASSERT_EQ(claim(), 1);
    run(
        fmt::format("select * from jobforge.fail_job('w1', '{}', '{}', 1, "
                    "'{{\"code\": \"NO\", \"message\": \"never\", \"retryable\": false}}')",
                    tenant_.to_string(), id.to_string()));
    EXPECT_THAT(reasons(id), ElementsAre(StartsWith("It is finished: FAILED after 1 of 5 attempts"),
                                         "Its last error: NO: never",
                                         "To run it again: jobforge jobs retry " + id.to_string()));
}

TEST_F(Explain, another_tenants_job_is_not_there) {
    const Uuid mine = enqueue("t");
    auto other = Uuid::parse(one("select jobforge.create_tenant('other')"));
    auto client = Client::connect({.database_url = database_.url(), .tenant_id = *other});
    ASSERT_TRUE(client.ok());
    EXPECT_EQ(client->explain(mine).error().code, ErrorCode::NOT_FOUND);
}

}  // namespace
}  // namespace jobforge::test
