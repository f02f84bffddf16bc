// A worker and its database: lost connections, wake-ups, interrupted jobs, the registry.
#include <jobforge/worker.h>

#include <cmath>
#include <latch>
#include <mutex>
#include <set>

#include <gmock/gmock.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Outcome done(JobContext& /*context*/) {
    return Done{};
}

class WorkerAndDatabase : public WorkerWorld {};

TEST_F(WorkerAndDatabase, an_unmigrated_database_is_refused_with_what_to_do) {
    const TestDatabase empty;
    WorkerOptions elsewhere = options();
    elsewhere.database_url = empty.url();
    Worker worker(elsewhere);
    worker.on("t", done);
    const Status started = worker.start();
    ASSERT_FALSE(started.ok());
    EXPECT_THAT(started.error().hint, HasSubstr("jobforge migrate"));
}

TEST_F(WorkerAndDatabase, a_database_that_cannot_be_reached_is_refused) {
    WorkerOptions nowhere = options();
    nowhere.database_url = "host=/nonexistent dbname=x";
    Worker worker(nowhere);
    worker.on("t", done);
    const Status started = worker.start();
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, ErrorCode::DB_UNAVAILABLE);
}

TEST_F(WorkerAndDatabase, bad_options_are_refused_before_anything_happens) {
    const auto refused = [&](const auto& change) {
        WorkerOptions bad = options();
        change(bad);
        Worker worker(bad);
        worker.on("t", done);
        const Status started = worker.start();
        EXPECT_EQ(started.error().code, ErrorCode::CONFIG_MISSING);
        return started.error().message;
    };
    using Options = WorkerOptions;
    EXPECT_EQ(refused([](Options& o) { o.database_url.clear(); }),
              "WorkerOptions::database_url is empty; it must be a libpq URL or keyword string");
    EXPECT_EQ(refused([](Options& o) { o.worker_id = std::string(201, 'x'); }),
              "WorkerOptions::worker_id is 201 characters; it must be 1 to 200 characters");
    EXPECT_EQ(refused([](Options& o) { o.slots = 10'001; }),
              "WorkerOptions::slots is 10001; it must be 1 to 10000");
    EXPECT_EQ(refused([](Options& o) { o.prefetch = -1; }),
              "WorkerOptions::prefetch is -1; it must be 0 to 10000");
    EXPECT_EQ(refused([](Options& o) { o.pool_size = 0; }),
              "WorkerOptions::pool_size is 0; it must be 1 to 1000");
    EXPECT_EQ(refused([](Options& o) { o.lease = 25h; }),
              "WorkerOptions::lease is 90000000 ms; it must be 1 s to 24 h");
    EXPECT_EQ(refused([](Options& o) { o.lease_renew = 9s; }),
              "WorkerOptions::lease_renew is 9 s; it must be at least 1 s and at most half the "
              "lease of 10 s");
    EXPECT_EQ(refused([](Options& o) { o.poll_interval = 0ms; }),
              "WorkerOptions::poll_interval is 0 ms; it must be 1 ms to 24 h");
    EXPECT_EQ(refused([](Options& o) { o.drain_grace = -1s; }),
              "WorkerOptions::drain_grace is -1000 ms; it must be 0 s to 24 h");
    EXPECT_EQ(refused([](Options& o) { o.tenant_share = 1.5; }),
              "WorkerOptions::tenant_share is 1.5; it must be above 0 and at most 1");
    EXPECT_THAT(refused([](Options& o) { o.tenant_share = std::nan(""); }),
                HasSubstr("tenant_share is nan"));
    Worker never(options());
    never.on("t", done, {.concurrency = 0});
    EXPECT_EQ(never.start().error().message,
              "TypeOptions::concurrency of t is 0; it must be at least 1");
    Worker hasty(options());
    hasty.on("t", done, {.timeout = 0s});
    EXPECT_EQ(hasty.start().error().message,
              "TypeOptions::timeout of t is 0 s; it must be at least 1 s");
    Worker idle(options());
    EXPECT_EQ(idle.start().error().message, "a worker needs at least one handler: call on()");
}

TEST_F(WorkerAndDatabase, every_connection_may_be_killed_again_and_again) {
    type("t");
    Worker worker(options());
    worker.on("t", done);
    expect_ok(worker.start());
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 20; ++i) {
            enqueue_many("t", 10);
            run("select pg_terminate_backend(pid) from pg_stat_activity "
                "where datname = current_database() and application_name like 'jobforge worker %' "
                "order by random() limit 2");
        }
    }
    // A claim whose answer was lost expires like a crash.
    run("update jobforge.jobs set lease_expires_at = clock_timestamp() where status = 'RUNNING'");
    EXPECT_TRUE(wait_until(
        [&] { return one("select count(*) from jobforge.finished_jobs") == "1000"; }, 60s));
    EXPECT_EQ(one("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED'"),
              "1000");
    EXPECT_TRUE(wait_until([&] { return worker.ready(); }));
    EXPECT_GT(worker.numbers().reconnects, 0U);
}

TEST_F(WorkerAndDatabase, an_idle_worker_is_woken_by_an_enqueue) {
    type("t");
    WorkerOptions lazy = options();
    lazy.poll_interval = 30s;
    Worker worker(lazy);
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.ready(); }));
    // Deep in its naps: the flag says that somebody sleeps for more than five seconds from now.
    ASSERT_TRUE(wait_until([&] {
        return one("select coalesce(pg_sequence_last_value(jobforge.wake_slot('t')), 0) > "
                   "(extract(epoch from clock_timestamp()) * 1000 + 5000)") == "true";
    }));
    const auto enqueued = std::chrono::steady_clock::now();
    const Uuid id = enqueue("t");
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_LT(std::chrono::steady_clock::now() - enqueued, 4s);
}

// Nobody notifies of a snooze, and the look before the nap could not know of it.
TEST_F(WorkerAndDatabase, a_job_that_goes_back_to_the_queue_interrupts_the_nap) {
    type("t");
    WorkerOptions lazy = options();
    lazy.poll_interval = 30s;
    std::atomic<int> runs = 0;
    std::latch asleep(1);
    Worker worker(lazy);
    worker.on("t", [&](JobContext& /*context*/) -> Outcome {
        if (++runs > 1) {
            return Done{};
        }
        asleep.wait();
        return Snooze{10ms};
    });
    expect_ok(worker.start());
    const Uuid id = enqueue("t");
    // Written three seconds ahead of the nap's end: this one lasts for another five.
    ASSERT_TRUE(wait_until([&] {
        return one("select coalesce(pg_sequence_last_value(jobforge.wake_slot('t')), 0) > "
                   "(extract(epoch from clock_timestamp()) * 1000 + 8000)") == "true";
    }));
    const auto snoozed = std::chrono::steady_clock::now();
    asleep.count_down();
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_LT(std::chrono::steady_clock::now() - snoozed, 4s);
}

// The quarantine of a worker with 8 slots: two at once of those interrupted once, one of the
// others.
TEST_F(WorkerAndDatabase, interrupted_jobs_run_beside_other_work_and_few_at_once) {
    type("t");
    type("hold");
    for (int i = 0; i < 6; ++i) {
        enqueue("hold");
    }
    run("update jobforge.jobs set interrupted = true, interruptions = 1 + (random() > 0.5)::int");
    run("update jobforge.jobs set interruptions = 2 where job_id in "
        "(select job_id from jobforge.jobs order by job_id limit 3)");
    run("update jobforge.jobs set interruptions = 1 where job_id not in "
        "(select job_id from jobforge.jobs order by job_id limit 3)");
    std::atomic<bool> go = false;
    std::atomic<int> held = 0;
    std::atomic<int> most = 0;
    WorkerOptions eight = options();
    eight.slots = 8;
    Worker worker(eight);
    worker.on("t", done);
    worker.on("hold", [&](JobContext& context) -> Outcome {
        most = std::max(most.load(), ++held);
        EXPECT_TRUE(wait_until([&] { return go.load() || context.stop_token().stop_requested(); }));
        --held;
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return held == 3; }));
    // A worker that would stop for them never gets here.
    enqueue_many("t", 100);
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 100; }));
    EXPECT_EQ(held, 3);
    go = true;
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 106; }));
    EXPECT_EQ(most, 3);
}

// Each claim of the trickle leaves nothing due, so the worker sleeps without a look; one is still
// needed now and then to find a job that lost its worker.
TEST_F(WorkerAndDatabase, a_trickle_of_jobs_does_not_starve_an_interrupted_one) {
    type("t");
    WorkerOptions lazy = options();
    lazy.poll_interval = 30s;
    Worker worker(lazy);
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.ready(); }));
    const Uuid alone = enqueue("t", "{}", "p_scheduled_at => clock_timestamp() + interval '1 day'");
    run("update jobforge.jobs set interrupted = true, interruptions = 1, scheduled_at = "
        "clock_timestamp()");
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (job(alone, "status") == "QUEUED" && std::chrono::steady_clock::now() < end) {
        ASSERT_TRUE(becomes(enqueue("t"), "SUCCEEDED"));
    }
    EXPECT_TRUE(becomes(alone, "SUCCEEDED"));
}

TEST_F(WorkerAndDatabase, an_expired_lease_is_taken_back_by_any_worker) {
    type("t");
    const Uuid id = enqueue("t");
    run("select jobforge.claim_jobs('dead-worker', 1, array['t'])");
    run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 s'");
    Worker worker(options());
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "CRASHED,SUCCEEDED");
    EXPECT_EQ(job(id, "attempts"), "2");
}

TEST_F(WorkerAndDatabase, ten_workers_share_a_hundred_jobs_without_duplicates) {
    type("t");
    enqueue_many("t", 100);
    std::mutex mutex;
    std::multiset<Uuid> runs;
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < 10; ++i) {
        workers.push_back(std::make_unique<Worker>(options()));
        workers.back()->on("t", [&](JobContext& context) -> Outcome {
            const std::lock_guard guard(mutex);
            runs.insert(context.job().job_id);
            return Done{};
        });
        expect_ok(workers.back()->start());
    }
    EXPECT_TRUE(wait_until([&] { return one("select count(*) from jobforge.jobs") == "0"; }));
    EXPECT_EQ(runs.size(), 100U);
    EXPECT_EQ(std::set<Uuid>(runs.begin(), runs.end()).size(), 100U);
}

TEST_F(WorkerAndDatabase, a_job_locked_by_an_open_transaction_holds_up_nobody_else) {
    type("t", "lease_seconds = 2");
    const Uuid locked = enqueue("t", R"({"wait": true})");
    std::latch began(1);
    std::latch leave(1);
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        if (context.job().payload.find("wait") != nullptr) {
            began.count_down();
            leave.wait();
        }
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    pg::Connection somebody = database_.connect();
    expect_ok(somebody.script("lock", "begin; select from jobforge.jobs where job_id = '" +
                                          locked.to_string() + "' for update"));
    leave.count_down();
    enqueue_many("t", 50);
    EXPECT_TRUE(
        wait_until([&] { return one("select count(*) from jobforge.finished_jobs") == "50"; }));
    EXPECT_EQ(job(locked, "status"), "RUNNING");
    expect_ok(somebody.script("unlock", "rollback"));
    EXPECT_TRUE(becomes(locked, "SUCCEEDED"));
}

TEST_F(WorkerAndDatabase, forged_messages_change_nothing) {
    type("t");
    const Uuid id = enqueue("t");
    std::latch began(1);
    std::latch leave(1);
    std::atomic<StopReason> reason = StopReason::none;
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        began.count_down();
        leave.wait();
        reason = context.stop_reason();
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    for (const char* message :
         {"", "{", "[]", "null", R"({"worker_id":1,"job_id":2,"lease_token":3})"}) {
        run(std::string("select pg_notify('jobforge_cancel', '") + message + "')");
        run(std::string("select pg_notify('jobforge_wake', '") + message + "')");
    }
    run("select pg_notify('jobforge_cancel', json_build_object('worker_id', lease_owner, 'job_id', "
        "job_id, 'lease_token', lease_token)::text) from jobforge.jobs");
    // The forged cancel is looked up: that is a renewal.
    EXPECT_TRUE(wait_until([&] { return worker.numbers().lease_renewals > 0; }));
    leave.count_down();
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(reason, StopReason::none);
}

TEST_F(WorkerAndDatabase, the_registry_and_the_metrics_tell_what_it_does) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(one("select types::text || slots || state from jobforge.workers"), "{t}4ACTIVE");
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 1; }));
    const std::string metrics = worker.metrics_text();
    EXPECT_THAT(metrics, HasSubstr("bpc_jobs_acquired_total{type=\"t\"} 1\n"));
    EXPECT_THAT(metrics, HasSubstr("bpc_jobs_completed_total{tenant_id=\"" + tenant_.to_string() +
                                   "\",job_type=\"t\",status=\"SUCCEEDED\"} 1\n"));
    EXPECT_THAT(metrics, HasSubstr("bpc_jobs_enqueued_total{tenant_id=\"" + tenant_.to_string() +
                                   "\",job_type=\"t\"} 1\n"));
    EXPECT_THAT(metrics,
                HasSubstr("bpc_job_duration_seconds_bucket{job_type=\"t\",le=\"+Inf\"} 1\n"));
    EXPECT_THAT(metrics,
                HasSubstr("bpc_lease_renewals_total{worker_id=\"" + worker.worker_id() + "\"}"));
}

TEST_F(WorkerAndDatabase, metrics_without_tenants_are_sums_over_all_of_them) {
    type("t");
    run("select set_config('app.tenant_id', jobforge.create_tenant('other')::text, false)");
    const Uuid theirs = enqueue("t");
    run("select set_config('app.tenant_id', '" + tenant_.to_string() + "', false)");
    const Uuid ours = enqueue("t");
    WorkerOptions sums = options();
    sums.tenant_metrics = false;
    Worker worker(sums);
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(ours, "SUCCEEDED"));
    ASSERT_TRUE(becomes(theirs, "SUCCEEDED"));
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 2; }));
    const std::string metrics = worker.metrics_text();
    EXPECT_THAT(metrics,
                HasSubstr("bpc_jobs_completed_total{job_type=\"t\",status=\"SUCCEEDED\"} 2\n"));
    EXPECT_THAT(metrics, HasSubstr("bpc_jobs_enqueued_total{job_type=\"t\"} 2\n"));
    EXPECT_THAT(metrics, testing::Not(HasSubstr("tenant_id")));
}

}  // namespace
}  // namespace jobforge::test
