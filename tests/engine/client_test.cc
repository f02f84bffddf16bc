// The client on a real database: one job a key whatever races, the caller's own transaction, large
// payloads, lost connections, and the reasons of explain.
#include <jobforge/client.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "engine/schema/migrate.h"
#include "pg_bouncer.h"
#include "test_cluster.h"

namespace jobforge {
namespace {

using test::TestDatabase;
using ::testing::Contains;
using ::testing::HasSubstr;

Status migrate_template(const std::string& url) {
    auto report = engine::migrate(url);
    return report.ok() ? ok_status() : Status(std::move(report).error());
}

class ClientTest : public ::testing::Test {
protected:
    ClientTest() : admin_(database_.connect()) {
        auto rows = admin_.exec({"test_tenant", "select jobforge.create_tenant('acme')"});
        EXPECT_TRUE(rows.ok()) << rows.error().describe();
        tenant_ = rows->uuid(0, 0);
    }

    [[nodiscard]] ClientOptions options() const {
        ClientOptions options;
        options.database_url = test::pooled_url(database_.url());
        options.tenant_id = tenant_;
        return options;
    }
    [[nodiscard]] static Client connected(ClientOptions options) {
        auto client = Client::connect(std::move(options));
        EXPECT_TRUE(client.ok()) << (client.ok() ? "" : client.error().describe());
        return *std::move(client);
    }
    void run(const std::string& sql) {
        auto done = admin_.script("test_script", sql);
        EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().describe());
    }
    std::int64_t count(const std::string& sql) {
        auto rows = admin_.exec({"test_count", sql});
        EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().describe());
        return rows.ok() ? rows->integer(0, 0) : -1;
    }
    static NewJob echo(std::string key = {}) {
        NewJob job;
        job.type = "test.echo";
        job.payload = Json::object({{"key", key}});
        if (!key.empty()) job.idempotency_key = key;
        return job;
    }

    TestDatabase database_{"client_test", &migrate_template};
    pg::Connection admin_;
    Uuid tenant_;
};

TEST_F(ClientTest, an_enqueued_job_is_there_with_everything_it_was_given) {
    Client client = connected(options());
    NewJob job = echo("k1");
    job.priority = 0;
    job.max_attempts = 7;
    job.trace_id = "trace-1";
    job.scheduled_at = TimePoint(std::chrono::seconds(4102444800));
    auto enqueued = client.enqueue(job);
    ASSERT_TRUE(enqueued.ok()) << enqueued.error().describe();
    auto found = client.get(enqueued->job_id);
    ASSERT_TRUE(found.ok()) << found.error().describe();
    EXPECT_EQ(found->tenant_id, tenant_);
    EXPECT_EQ(found->status, "QUEUED");
    EXPECT_EQ(found->priority, 0);
    EXPECT_EQ(found->max_attempts, 7);
    EXPECT_EQ(found->trace_id, "trace-1");
    EXPECT_EQ(found->scheduled_at, *job.scheduled_at);
    EXPECT_EQ(found->payload, job.payload);
}

// Hole 14 of the attack on tenants: it stands in every log line of the job.
TEST_F(ClientTest, a_trace_id_has_at_most_200_characters_however_it_is_enqueued) {
    Client client = connected(options());
    NewJob job = echo();
    for (int i = 0; i < 200; ++i) {
        job.trace_id += "\u00e4";  // characters, not bytes
    }
    EXPECT_TRUE(client.enqueue(job).ok());
    job.trace_id += 'x';
    pg::Connection mine = database_.connect();
    ASSERT_TRUE(mine.script("begin", "begin").ok());
    const std::vector<NewJob> batch{echo(), job};
    for (const Error& error : {client.enqueue(job).error(), client.enqueue_many(batch).error(),
                               client.enqueue_in(mine.native(), job).error(),
                               client.enqueue_many_in(mine.native(), batch).error()}) {
        EXPECT_EQ(error.code, ErrorCode::VALIDATION_ERROR);
        EXPECT_EQ(error.message, "a trace_id has at most 200 characters");
    }
    EXPECT_EQ(count("select count(*) from jobforge.jobs"), 1);
}

TEST_F(ClientTest, sixty_four_threads_on_the_same_keys_make_one_job_a_key) {
    constexpr int kThreads = 64;
    constexpr int kKeys = 8;
    ClientOptions shared = options();
    shared.pool_size = 16;
    shared.timeout = std::chrono::seconds(60);
    Client client = connected(shared);
    std::array<std::array<Uuid, kKeys>, kThreads> ids;
    std::atomic<int> added{0};
    std::vector<std::thread> threads;
    for (auto& mine : ids) {
        threads.emplace_back([&client, &mine, &added] {
            for (int key = 0; key < kKeys; ++key) {
                auto job = client.enqueue(echo("race-" + std::to_string(key)));
                ASSERT_TRUE(job.ok()) << job.error().describe();
                mine[static_cast<std::size_t>(key)] = job->job_id;
                added += job->deduplicated ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(added, kKeys);
    for (const auto& mine : ids) EXPECT_EQ(mine, ids[0]);
    EXPECT_EQ(count("select count(*) from jobforge.jobs"), kKeys);
}

TEST_F(ClientTest, the_same_key_with_another_payload_is_a_conflict) {
    Client client = connected(options());
    ASSERT_TRUE(client.enqueue(echo("same")).ok());
    NewJob other = echo("same");
    other.payload = Json::object({{"key", "different"}});
    auto refused = client.enqueue(other);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::IDEMPOTENCY_CONFLICT);
}

TEST_F(ClientTest, a_batch_keeps_its_order_and_is_all_or_nothing) {
    Client client = connected(options());
    std::vector<NewJob> jobs(100, echo());
    jobs[10].priority = 1;
    jobs[20].max_attempts = 2;
    auto enqueued = client.enqueue_many(jobs);
    ASSERT_TRUE(enqueued.ok()) << enqueued.error().describe();
    ASSERT_EQ(enqueued->size(), 100U);
    EXPECT_EQ(client.get((*enqueued)[10].job_id)->priority, 1);
    EXPECT_EQ(client.get((*enqueued)[20].job_id)->max_attempts, 2);
    jobs[50].type = "no.such.type";
    auto refused = client.enqueue_many(jobs);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::UNKNOWN_JOB_TYPE);
    EXPECT_EQ(count("select count(*) from jobforge.jobs"), 100);
}

TEST_F(ClientTest, a_job_in_the_callers_transaction_exists_only_if_he_commits) {
    Client client = connected(options());
    auto mine = database_.connect();
    ASSERT_TRUE(mine.script("test_begin", "begin").ok());
    ASSERT_TRUE(client.enqueue_in(mine.native(), echo()).ok());
    ASSERT_TRUE(mine.script("test_rollback", "rollback").ok());
    EXPECT_EQ(count("select count(*) from jobforge.jobs"), 0);

    ASSERT_TRUE(mine.script("test_begin", "begin").ok());
    auto job = client.enqueue_in(mine.native(), echo());
    ASSERT_TRUE(job.ok()) << job.error().describe();
    EXPECT_EQ(client.get(job->job_id).error().code, ErrorCode::NOT_FOUND);
    ASSERT_TRUE(mine.script("test_commit", "commit").ok());
    EXPECT_TRUE(client.get(job->job_id).ok());

    auto outside = client.enqueue_in(mine.native(), echo());
    ASSERT_FALSE(outside.ok());
    EXPECT_EQ(outside.error().code, ErrorCode::VALIDATION_ERROR);
}

TEST_F(ClientTest, jobs_and_the_callers_own_rows_are_committed_or_rolled_back_together) {
    Client client = connected(options());
    run("create table public.orders (n int)");
    auto mine = database_.connect();
    const std::vector<NewJob> batch{echo("a"), echo("b")};
    for (const bool commit : {false, true}) {
        ASSERT_TRUE(mine.script("test_begin", "begin; insert into public.orders values (1)").ok());
        auto jobs = client.enqueue_many_in(mine.native(), batch);
        ASSERT_TRUE(jobs.ok()) << jobs.error().describe();
        EXPECT_FALSE(jobs->front().deduplicated);
        ASSERT_TRUE(mine.script("test_end", commit ? "commit" : "rollback").ok());
        EXPECT_EQ(count("select count(*) from public.orders"), commit ? 1 : 0);
        EXPECT_EQ(count("select count(*) from jobforge.jobs"), commit ? 2 : 0);
    }
    // The tenant was the transaction's, not the session's.
    auto tenant = mine.exec({"test_tenant", "select current_setting('app.tenant_id', true)"});
    EXPECT_EQ(tenant->text(0, 0), "");
}

TEST_F(ClientTest, a_refused_job_aborts_the_callers_transaction_and_his_rows_with_it) {
    Client client = connected(options());
    run("create table public.orders (n int)");
    auto mine = database_.connect();
    ASSERT_TRUE(mine.script("test_begin", "begin; insert into public.orders values (1)").ok());
    NewJob unknown = echo();
    unknown.type = "no.such.type";
    EXPECT_EQ(client.enqueue_in(mine.native(), unknown).error().code, ErrorCode::UNKNOWN_JOB_TYPE);
    EXPECT_TRUE(mine.in_transaction());  // it is the caller's to end
    ASSERT_TRUE(mine.script("test_commit", "commit").ok());
    EXPECT_EQ(count("select count(*) from public.orders"), 0);
}

TEST_F(ClientTest, now_is_the_databases_clock) {
    Client client = connected(options());
    const auto seconds = [this] {
        return count("select floor(extract(epoch from clock_timestamp()))::bigint");
    };
    const std::int64_t before = seconds();
    auto now = client.now();
    ASSERT_TRUE(now.ok()) << now.error().describe();
    const auto told = std::chrono::floor<std::chrono::seconds>(now->time_since_epoch()).count();
    EXPECT_LE(before, told);
    EXPECT_LE(told, seconds());
}

TEST_F(ClientTest, a_payload_of_one_mebibyte_comes_back_as_it_was) {
    Client client = connected(options());
    NewJob job = echo();
    job.payload = Json::object({{"text", std::string(1 << 20, 'x')}});
    auto enqueued = client.enqueue(job);
    ASSERT_TRUE(enqueued.ok()) << enqueued.error().describe();
    EXPECT_EQ(client.get(enqueued->job_id)->payload, job.payload);
    EXPECT_EQ(count("select count(*) from jobforge.artifacts"), 1);
}

TEST_F(ClientTest, a_lost_connection_is_replaced_and_a_keyed_enqueue_makes_no_second_job) {
    Client client = connected(options());
    auto killer = database_.connect();
    std::set<Uuid> ids;
    for (int i = 0; i < 50; ++i) {
        // One kill beside each enqueue: it hits before, during or after the commit.
        std::thread kill([&killer] {
            (void)killer.script(
                "test_kill",
                "select pg_terminate_backend(pid) from pg_stat_activity where "
                "application_name = 'jobforge client' and datname = current_database()");
        });
        auto job = client.enqueue(echo("lost-" + std::to_string(i)));
        kill.join();
        ASSERT_TRUE(job.ok()) << job.error().describe();
        ids.insert(job->job_id);
    }
    EXPECT_EQ(ids.size(), 50U);
    EXPECT_EQ(count("select count(*) from jobforge.jobs"), 50);
}

TEST_F(ClientTest, after_enqueue_hears_of_new_jobs_only_and_may_throw) {
    ClientOptions with_hook = options();
    std::vector<Uuid> heard;
    with_hook.after_enqueue = [&heard](std::span<const Uuid> ids) {
        heard.insert(heard.end(), ids.begin(), ids.end());
        throw std::runtime_error("broker down");
    };
    Client client = connected(with_hook);
    auto first = client.enqueue(echo("once"));
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(client.enqueue(echo("once")).ok());
    EXPECT_EQ(heard, std::vector<Uuid>{first->job_id});
}

TEST_F(ClientTest, cancel_retry_and_reschedule_do_what_they_say) {
    Client client = connected(options());
    const Uuid id = client.enqueue(echo())->job_id;
    ASSERT_TRUE(client.cancel(id, "no longer wanted").ok());
    EXPECT_EQ(client.get(id)->status, "CANCELLED");
    JobFilter cancelled;
    cancelled.status = "CANCELLED";
    auto retried = client.retry(cancelled);
    ASSERT_TRUE(retried.ok()) << retried.error().describe();
    EXPECT_EQ(*retried, std::vector<Uuid>{id});
    const TimePoint later(std::chrono::seconds(4102444800));
    EXPECT_EQ(*client.reschedule(id, later), later);
    EXPECT_EQ(client.list()->front().scheduled_at, later);
    auto unknown = client.cancel(Uuid{});
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().code, ErrorCode::NOT_FOUND);
}

TEST_F(ClientTest, bad_options_and_databases_are_told_apart) {
    ClientOptions bad = options();
    bad.pool_size = 0;
    auto refused = Client::connect(bad);
    EXPECT_EQ(refused.error().code, ErrorCode::CONFIG_MISSING);
    EXPECT_EQ(refused.error().message, "pool_size is 0; it must be 1 to 100");
    bad = options();
    bad.timeout = std::chrono::milliseconds(0);
    EXPECT_EQ(Client::connect(bad).error().message, "timeout is 0 ms; it must be 1 ms to 24 h");
    bad = options();
    bad.database_url = test::TestCluster::instance().url("postgres", "no_such_database");
    EXPECT_EQ(Client::connect(bad).error().code, ErrorCode::NOT_FOUND);
    bad = options();
    bad.tenant_id.reset();
    EXPECT_EQ(Client::connect(bad).error().code, ErrorCode::CONFIG_MISSING);
    TestDatabase empty;
    bad = options();
    bad.database_url = empty.url();
    EXPECT_THAT(Client::connect(bad).error().hint, HasSubstr("jobforge migrate"));
}

TEST_F(ClientTest, explain_names_the_reason_why_a_job_waits) {
    Client client = connected(options());
    const Uuid id = client.enqueue(echo())->job_id;
    const auto reasons = [&] { return *client.explain(id); };
    EXPECT_THAT(reasons(), Contains(HasSubstr("No live worker has a handler for test.echo")));

    run("select jobforge.register_worker('w1', 'host', 1, 'v', array['test.echo'], 1); "
        "select jobforge.worker_heartbeat('w1', 1, 'ACTIVE')");
    EXPECT_THAT(reasons(), Contains(HasSubstr("All slots of the 1 live worker")));

    run("select jobforge.worker_heartbeat('w1', 0, 'ACTIVE'); select jobforge.set_job_type("
        "'test.echo', '{\"enabled\": false, \"concurrency_limit\": 0, \"rate_limit_per_minute\": "
        "0}')");
    EXPECT_THAT(reasons(), Contains(HasSubstr("The type test.echo is disabled")));
    EXPECT_THAT(reasons(), Contains(HasSubstr("0 of 0 run")));
    EXPECT_THAT(reasons(), Contains(HasSubstr("rate limit of the type test.echo is 0")));

    ASSERT_TRUE(client.reschedule(id, TimePoint(std::chrono::seconds(4102444800))).ok());
    EXPECT_THAT(reasons().front(), HasSubstr("not due yet: it is scheduled for 2100-01-01"));
}

TEST_F(ClientTest, explain_tells_of_places_leases_and_ends) {
    Client client = connected(options());
    ASSERT_TRUE(client.enqueue(echo()).ok());
    const Uuid id = client.enqueue(echo())->job_id;
    EXPECT_THAT(client.explain(id)->back(), HasSubstr("1 job is ahead of it"));

    run("select jobforge.register_worker('w1', 'host', 1, 'v', array['test.echo'], 4); "
        "select count(*) from jobforge.claim_jobs('w1', 10, array['test.echo'])");
    auto running = client.explain(id);
    ASSERT_TRUE(running.ok()) << running.error().describe();
    EXPECT_THAT(running->front(), HasSubstr("It is running: attempt 1 of 5 on worker w1"));
    EXPECT_THAT(*running, Contains(HasSubstr("Its worker is alive")));

    run("update jobforge.workers set heartbeat_at = now() - interval '5 minutes'");
    EXPECT_THAT(*client.explain(id), Contains(HasSubstr("silent for 5 min")));

    ASSERT_TRUE(client.cancel(id, "enough").ok());
    EXPECT_THAT(client.explain(id)->front(), HasSubstr("It is finished: CANCELLED"));
    EXPECT_EQ(client.explain(Uuid{}).error().code, ErrorCode::NOT_FOUND);
}

TEST_F(ClientTest, a_tenants_own_login_needs_no_tenant_id_and_cannot_take_another) {
    const std::string login = "tenant_" + database_.name();
    run("create role \"" + login +
        "\" login in role jobforge_tenant; select jobforge.bind_login('" + tenant_.to_string() +
        "', '" + login + "')");
    ClientOptions own = options();
    own.database_url = test::pooled_url(database_.url(login));
    own.tenant_id.reset();
    Client client = connected(own);
    EXPECT_EQ(client.get(client.enqueue(echo())->job_id)->tenant_id, tenant_);
    own.tenant_id = Uuid{};
    auto foreign = Client::connect(own);
    ASSERT_FALSE(foreign.ok());
    EXPECT_EQ(foreign.error().code, ErrorCode::FORBIDDEN);
    run("drop role \"" + login + "\"");
}

}  // namespace
}  // namespace jobforge
