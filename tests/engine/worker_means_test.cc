// A worker claims what it can renew and settle, keeps what it renews, and holds nothing for nobody.
#include <jobforge/worker.h>

#include <atomic>
#include <csignal>
#include <latch>

#include <fmt/format.h>

#include "engine/settle/transaction_pool.h"
#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

Outcome done(JobContext&) {
    return Done{};
}

// Not named Worker...: it counts connections, and is not run once more through PgBouncer.
class MeansOfAWorker : public WorkerWorld {
protected:
    // A handler that writes in its transaction, then is busy elsewhere for three leases.
    static Outcome busy_elsewhere(JobContext& context) {
        auto transaction = context.transaction();
        if (!transaction) {
            return Retry{transaction.error()};
        }
        auto written = (*transaction)
                           ->exec("effect", "insert into public.effects values ($1::uuid, 'once')",
                                  {context.job().job_id.to_string()});
        if (context.job().payload.find("lend") != nullptr) {
            EXPECT_NE((*transaction)->native(), nullptr);
        }
        work_for(context, 3s);
        return written ? Outcome(Done{}) : Outcome(Retry{written.error()});
    }
    void expect_one_attempt(const Uuid& id) {
        EXPECT_TRUE(becomes(id, "SUCCEEDED"));
        EXPECT_EQ(attempts(id), "SUCCEEDED");
        EXPECT_EQ(
            one("select count(*) from public.effects where job_id = '" + id.to_string() + "'"),
            "1");
    }
};

TEST_F(MeansOfAWorker, a_transaction_lives_as_long_as_its_lease_is_renewed) {
    type("t", "lease_seconds = 1");
    const Uuid idle = enqueue("t");
    const Uuid lent = enqueue("t", R"({"lend": true})");
    Worker worker(options());
    worker.on("t", busy_elsewhere);
    expect_ok(worker.start());
    expect_one_attempt(idle);
    expect_one_attempt(lent);
}

TEST_F(MeansOfAWorker, a_shorter_lease_of_the_type_does_not_cut_leases_that_run) {
    type("t", "lease_seconds = 4");
    const Uuid id = enqueue("t");
    std::latch began(1);
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        began.count_down();
        work_for(context, 6s);
        return Done{};
    });
    expect_ok(worker.start());
    began.wait();
    type("t", "lease_seconds = 1");
    EXPECT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(attempts(id), "SUCCEEDED");
    EXPECT_EQ(worker.numbers().leases_lost, 0U);
}

// Two workers with 40 runs of 4 s, while short jobs are claimed, renewed and completed all the
// time.
TEST_F(MeansOfAWorker, a_shorter_lease_under_load_costs_no_attempt) {
    type("long", "lease_seconds = 4");
    type("short", "lease_seconds = 4");
    enqueue_many("long", 40);
    WorkerOptions wide = options();
    wide.slots = 24;
    std::atomic<bool> all_run{false};  // none ends before, however late the second worker starts
    Worker first(wide);
    Worker second(wide);
    for (Worker* worker : {&first, &second}) {
        worker->on("short", done);
        worker->on("long", [&](JobContext& context) -> Outcome {
            while (!all_run && !context.stop_token().stop_requested()) {
                work_for(context, 20ms);
            }
            work_for(context, 4s);
            return Done{};
        });
        expect_ok(worker->start());
    }
    const bool seen =
        wait_until([&] { return first.numbers().running + second.numbers().running == 40; });
    all_run = true;
    ASSERT_TRUE(seen);
    type("long", "lease_seconds = 1");
    type("short", "lease_seconds = 1");
    int shorts = 0;
    ASSERT_TRUE(wait_until([&] {
        enqueue_many("short", 20);
        shorts += 20;
        return one("select count(*) from jobforge.finished_jobs where type = 'long'") == "40";
    }));
    ASSERT_TRUE(wait_until([&] { return one("select count(*) from jobforge.jobs") == "0"; }));
    EXPECT_EQ(one("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED' and "
                  "attempts = 1"),
              std::to_string(40 + shorts));
    EXPECT_EQ(first.numbers().leases_lost + second.numbers().leases_lost, 0U);
}

TEST_F(MeansOfAWorker, without_connections_to_renew_and_settle_it_claims_nothing) {
    type("t");
    enqueue_many("t", 20);
    Worker worker(options());
    worker.on("t", done);
    // The test's own and one more: enough to start and to register, and then for one of the
    // sessions.
    run(fmt::format("alter database \"{}\" connection limit 2", database_.name()));
    expect_ok(worker.start());
    EXPECT_FALSE(wait_until(
        [&] { return one("select count(*) from jobforge.jobs where attempts > 0") != "0"; }, 2s));
    EXPECT_EQ(worker.numbers().acquired, 0U);
    run(fmt::format("alter database \"{}\" connection limit -1", database_.name()));
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 20; }));
}

// The sessions are there, but one of them is stuck: with a flush that waits for a table, 20,000
// outcomes were held and renewed while other workers were idle.
TEST_F(MeansOfAWorker, while_outcomes_cannot_be_stored_it_claims_nothing) {
    type("t");
    Worker worker(options());
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.ready(); }));
    pg::Connection locker = database_.connect();
    expect_ok(locker.script("lock", "begin; lock table jobforge.finished_jobs in share mode"));
    enqueue_many("t", 4);
    ASSERT_TRUE(wait_until([&] { return !worker.ready(); })) << "it still claims";
    enqueue_many("t", 20);
    EXPECT_FALSE(wait_until([&] { return worker.numbers().acquired > 4; }, 2s));
    expect_ok(locker.script("unlock", "rollback"));
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 24; }));
}

// Not one that a busy renewal keeps alive for a minute: a lock must go when its lease does.
TEST_F(MeansOfAWorker, a_transaction_ends_with_its_lease_when_renewals_hang) {
    type("t", "lease_seconds = 2");
    std::latch leave(1);
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        if (context.job().attempt_no == 1) {
            EXPECT_TRUE(context.transaction().ok());
            leave.wait();
        }
        return Done{};
    });
    expect_ok(worker.start());
    const Uuid id = enqueue("t");
    const std::string idle =
        "select count(*) from pg_stat_activity where datname = current_database() and "
        "application_name = 'jobforge worker handler' and state = 'idle in transaction'";
    ASSERT_TRUE(wait_until([&] { return one(idle) == "1"; }));
    const int heartbeat =
        std::stoi(one("select pid from pg_stat_activity where datname = current_database() and "
                      "application_name = 'jobforge worker heartbeat'"));
    ASSERT_EQ(::kill(heartbeat, SIGSTOP), 0);
    EXPECT_TRUE(wait_until([&] { return one(idle) == "0"; })) << "its locks outlive its lease";
    EXPECT_TRUE(wait_until([&] { return !worker.ready(); })) << "it claims what it cannot renew";
    ASSERT_EQ(::kill(heartbeat, SIGCONT), 0);
    leave.count_down();
    EXPECT_TRUE(becomes(id, "SUCCEEDED"));
}

// Other leases are renewed all the time, and nobody reports this one as lost.
TEST_F(MeansOfAWorker, a_transaction_ends_when_its_run_ignores_the_time_limit) {
    type("t", "timeout_seconds = 1, lease_seconds = 1");
    type("other", "lease_seconds = 1");
    run("insert into public.effects values (null, 'nobody')");
    std::latch began(1);
    std::latch leave(1);
    Worker worker(options());
    worker.on("other", [&](JobContext& context) -> Outcome {
        wait_for_stop(context);
        return Done{};
    });
    worker.on("t", [&](JobContext& context) -> Outcome {
        auto transaction = context.transaction();
        EXPECT_TRUE(transaction.ok());
        auto written = (*transaction)
                           ->exec("effect", "update public.effects set note = $1",
                                  {std::to_string(context.job().attempt_no)});
        if (context.job().attempt_no == 1) {
            began.count_down();
            leave.wait();
        }
        return written ? Outcome(Done{}) : Outcome(Retry{written.error()});
    });
    expect_ok(worker.start());
    enqueue("other");
    const Uuid id = enqueue("t");
    began.wait();
    type("t", "timeout_seconds = null");  // the next attempt may wait for the lock
    EXPECT_TRUE(becomes(id, "SUCCEEDED")) << "its locks outlive its lease";
    leave.count_down();
    EXPECT_TRUE(wait_until([&] { return worker.numbers().running == 1; }));
    EXPECT_EQ(attempts(id).substr(0, 7), "CRASHED");
    EXPECT_EQ(one("select note from public.effects"), job(id, "attempts"));
}

// Five connections are enough for the sessions of a worker and not for a handler.
TEST_F(MeansOfAWorker, a_transaction_that_finds_no_connection_costs_no_attempt) {
    type("t");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        auto transaction = context.transaction();
        return transaction ? Outcome(Done{}) : Outcome(Retry{transaction.error()});
    });
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] {
        return one("select count(*) from pg_stat_activity where datname = current_database() and "
                   "application_name like 'jobforge worker %'") == "5";
    }));
    run(fmt::format("alter database \"{}\" connection limit 6", database_.name()));
    const Uuid id = enqueue("t");
    EXPECT_TRUE(wait_until([&] { return attempts(id) == "SNOOZED,SNOOZED"; })) << attempts(id);
    run(fmt::format("alter database \"{}\" connection limit -1", database_.name()));
    EXPECT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(job(id, "attempts"), "1");
}

TEST_F(MeansOfAWorker, a_tenant_gets_half_of_the_transactions_while_others_are_there) {
    const Uuid other = *Uuid::parse("00000000-0000-4000-8000-000000000001");
    std::atomic<bool> others_here{true};
    pg::Pool connections({.connect = {.url = database_.url("test_world_worker")}, .max_size = 4});
    engine::TransactionPool pool(connections, 4, [&](const Uuid&) { return others_here.load(); });
    auto first = pool.acquire(tenant_);
    auto second = pool.acquire(tenant_);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(pool.acquire(tenant_).error().code, ErrorCode::TIMEOUT);
    EXPECT_TRUE(pool.acquire(other).ok());
    others_here = false;
    EXPECT_TRUE(pool.acquire(tenant_).ok()) << "alone it may have all";
    others_here = true;
    {
        const auto ended = std::move(second);
    }
    EXPECT_TRUE(pool.acquire(tenant_).ok()) << "one has come back";
}

// A worker whose slots are busy and that has claimed tiny jobs ahead, of a backlog.
class ClaimedAhead : public MeansOfAWorker {
protected:
    static constexpr int kJobs = 5000;
    static constexpr int kTiny = 1000;  // so many end at once: it claims ahead; the next ones stay
    static constexpr int kSlots = 4;

    ClaimedAhead() {
        type("t");
        enqueue_many("t", kJobs);
        worker_.on("t", [this](JobContext&) -> Outcome {
            if (++runs_ > kTiny) {
                leave_.wait();
            }
            return Done{};
        });
        expect_ok(worker_.start());
        EXPECT_TRUE(wait_until([&] {
            return worker_.numbers().succeeded == kTiny && worker_.numbers().running == kSlots &&
                   jobs("RUNNING") > kSlots;
        }));
    }
    int jobs(const std::string& status) {
        return std::stoi(
            one("select count(*) from jobforge.jobs where interruptions = 0 and "
                "status = '" +
                status + "'"));
    }
    // Ends these sessions of the worker; they cannot come back. Expects what has not started to
    // wait again before its lease of 10 s could have ended.
    void expect_given_back_without(const std::string& sessions) {
        run(fmt::format("alter database \"{}\" connection limit 0", database_.name()));
        run(fmt::format(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = '{}' and "
            "application_name in ({})",
            database_.name(), sessions));
        EXPECT_TRUE(wait_until([&] { return jobs("QUEUED") == kJobs - kTiny - kSlots; }, 7s))
            << jobs("QUEUED") << " wait, " << jobs("RUNNING") << " are held";
        run(fmt::format("alter database \"{}\" connection limit -1", database_.name()));
        leave_.count_down();
        EXPECT_TRUE(wait_until([&] { return worker_.numbers().succeeded == kJobs; }));
    }

    std::atomic<int> runs_ = 0;
    std::latch leave_{1};
    Worker worker_{options()};
};

TEST_F(ClaimedAhead, is_given_back_by_the_dispatcher_when_the_others_are_gone) {
    expect_given_back_without("'jobforge worker completer', 'jobforge worker heartbeat'");
}

TEST_F(ClaimedAhead, is_given_back_by_the_heartbeat_when_the_others_are_gone) {
    expect_given_back_without("'jobforge worker completer', 'jobforge worker dispatcher'");
}

// 300 rows that stay locked were tried one after another, 20 ms each, before everything else.
TEST_F(MeansOfAWorker, rows_that_stay_locked_do_not_delay_the_completions_of_others) {
    type("held");
    type("t");
    enqueue_many("held", 300);
    std::latch leave(1);
    WorkerOptions many = options();
    many.slots = 310;
    Worker worker(many);
    worker.on("held", [&](JobContext&) -> Outcome {
        leave.wait();
        return Done{};
    });
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(wait_until([&] { return worker.numbers().running == 300; }));
    const auto twenty_one_after_another = [&] {
        const auto began = std::chrono::steady_clock::now();
        for (int i = 0; i < 20; ++i) {
            EXPECT_TRUE(becomes(enqueue("t"), "SUCCEEDED"));
        }
        return std::chrono::steady_clock::now() - began;
    };
    const auto usual = twenty_one_after_another();
    pg::Connection cancels = database_.connect();
    expect_ok(
        cancels.script("lock", "begin; select from jobforge.jobs where type = 'held' for update"));
    leave.count_down();
    ASSERT_TRUE(wait_until([&] { return worker.numbers().running == 0; }));
    EXPECT_LT(twenty_one_after_another(), 10 * usual + 2s);
    EXPECT_EQ(one("select count(*) from jobforge.jobs where type = 'held'"), "300");
    expect_ok(cancels.script("unlock", "rollback"));
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 340; }));
}

// A tenant stores the bytes that its job will answer, in a transaction that it leaves open.
TEST_F(MeansOfAWorker, an_artifact_in_an_open_transaction_delays_no_completion) {
    type("large");
    type("t");
    Worker worker(options());
    worker.on("large", [](JobContext&) -> Outcome {
        return Done{Json::object({{"x", Json(std::string(300000, 'r'))}})};
    });
    worker.on("t", done);
    expect_ok(worker.start());
    pg::Connection open = database_.connect();
    expect_ok(open.script(
        "store", fmt::format("begin; insert into jobforge.artifacts (tenant_id, sha256, content) "
                             "select '{}', sha256(v.bytes), v.bytes from (select "
                             "convert_to(jsonb_build_object('x', repeat('r', 300000))::text, "
                             "'UTF8')) v(bytes)",
                             tenant_.to_string())));
    const Uuid large = enqueue("large");
    EXPECT_TRUE(becomes(large, "SUCCEEDED"));
    EXPECT_TRUE(becomes(enqueue("t"), "SUCCEEDED"));
    expect_ok(open.script("end", "rollback"));
    EXPECT_EQ(one("select length(result ->> 'x') from jobforge.finished_jobs where job_id = '" +
                  large.to_string() + "'"),
              "300000");
}

TEST_F(MeansOfAWorker, a_payload_that_is_gone_fails_its_job_at_once) {
    type("t");
    const Uuid id = enqueue("t", fmt::format(R"({{"x": "{}"}})", std::string(300000, 'x')));
    run("delete from jobforge.artifacts");
    Worker worker(options());
    worker.on("t", done);
    expect_ok(worker.start());
    EXPECT_TRUE(becomes(id, "FAILED"));
    EXPECT_EQ(one("select last_error ->> 'code' from jobforge.finished_jobs"),
              "JOB_PAYLOAD_INVALID");
}

TEST_F(MeansOfAWorker, a_job_that_lost_its_worker_is_logged_when_it_runs_again) {
    type("t");
    const Uuid id = enqueue("t");
    run("select from jobforge.claim_jobs('dead', 1, array['t'])");
    run("update jobforge.jobs set lease_expires_at = clock_timestamp()");
    const auto lines = std::make_shared<Lines>();
    WorkerOptions logged = options();
    logged.log = Logger(lines);
    Worker worker(logged);
    worker.on("t", done);
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_NE(lines->text().find("a job that lost its worker runs again, in quarantine"),
              std::string::npos)
        << lines->text();
    EXPECT_NE(lines->text().find("interruptions=1"), std::string::npos) << lines->text();
}

TEST_F(MeansOfAWorker, a_retry_keeps_what_was_written_unless_it_says_rollback) {
    type("t", "backoff_base_seconds = 1");
    const Uuid kept = enqueue("t", R"({"note": "kept"})");
    const Uuid discarded = enqueue("t", R"({"note": "discarded"})");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        const std::string note = *context.job().payload.find("note")->as_string();
        auto written = (*context.transaction())
                           ->exec("note", "insert into public.effects values ($1::uuid, $2)",
                                  {context.job().job_id.to_string(), note});
        EXPECT_TRUE(written.ok());
        if (context.job().attempt_no > 1) {
            return Done{};
        }
        const JobError again("AGAIN", "later");
        return note == "kept" ? Retry{again} : Retry::rollback(again);
    });
    expect_ok(worker.start());
    EXPECT_TRUE(becomes(kept, "SUCCEEDED"));
    EXPECT_TRUE(becomes(discarded, "SUCCEEDED"));
    EXPECT_EQ(attempts(discarded), "RETRY,SUCCEEDED");
    EXPECT_EQ(one("select string_agg(note, ',' order by note) from public.effects"),
              "discarded,kept,kept");
}

// Not through a pooler: its sessions are shared, so the level of the database stays.
class DatabaseDefaults : public MeansOfAWorker {};

TEST_F(DatabaseDefaults, of_a_higher_isolation_level_do_not_reach_a_worker) {
    run(fmt::format("alter database \"{}\" set default_transaction_isolation = 'repeatable read'",
                    database_.name()));
    run(fmt::format("alter database \"{}\" set row_security = off", database_.name()));
    type("t", "lease_seconds = 1");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", busy_elsewhere);
    expect_ok(worker.start());
    expect_one_attempt(id);
}

}  // namespace
}  // namespace jobforge::test
