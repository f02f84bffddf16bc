// The completion transaction: a handler's writes and its job's end happen together or not at all.
#include <jobforge/client.h>
#include <jobforge/worker.h>

#include <latch>

#include <fmt/format.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

class CompletionTransaction : public WorkerWorld {
protected:
    static Result<TextRows> note(Transaction& transaction, const JobContext& context,
                                 const std::string& text) {
        return transaction.exec("note", "insert into public.effects values ($1::uuid, $2)",
                                {context.job().job_id.to_string(), text});
    }
    std::string effects() {
        return one("select coalesce(string_agg(note, ','), 'none') from public.effects");
    }
};

TEST_F(CompletionTransaction, commits_with_the_job) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        auto transaction = context.transaction();
        EXPECT_TRUE(transaction.ok());
        EXPECT_TRUE(note(**transaction, context, "written").ok());
        auto tenant = (*transaction)->exec("tenant", "select current_setting('app.tenant_id')");
        return Done{Json(*tenant->rows[0][0])};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(effects(), "written");
    EXPECT_EQ(job(id, "result #>> '{}'"), tenant_.to_string());
    EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 1; }));
    EXPECT_TRUE(wait_until([&] { return worker.numbers().pool_in_use == 0; }));
}

TEST_F(CompletionTransaction, commits_with_every_kind_of_answer) {
    type("t");
    const Uuid retried = enqueue("t", R"({"n": 1})", "p_max_attempts => 1");
    const Uuid failed = enqueue("t", R"({"n": 2})");
    const Uuid cancelled = enqueue("t", R"({"n": 3})");
    const Uuid snoozed = enqueue("t", R"({"n": 4})");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        EXPECT_TRUE(note(**context.transaction(), context, "x").ok());
        switch (*context.job().payload.find("n")->as_int64()) {
            case 1:
                return Retry{JobError("AGAIN", "later")};
            case 2:
                return Fail{JobError("NO", "never")};
            case 3:
                return Cancelled{"not wanted"};
            default:
                return Snooze{1h};
        }
    });
    expect_ok(worker.start());
    EXPECT_TRUE(becomes(retried, "DEAD_LETTER"));
    EXPECT_TRUE(becomes(failed, "FAILED"));
    EXPECT_TRUE(becomes(cancelled, "CANCELLED"));
    EXPECT_TRUE(wait_until([&] { return attempts(snoozed) == "SNOOZED"; }));
    EXPECT_EQ(effects(), "x,x,x,x");
}

TEST_F(CompletionTransaction, is_rolled_back_by_an_exception) {
    type("t");
    const Uuid id = enqueue("t", "{}", "p_max_attempts => 1");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        EXPECT_TRUE(note(**context.transaction(), context, "never").ok());
        throw std::runtime_error("after the write");
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "DEAD_LETTER"));
    EXPECT_EQ(effects(), "none");
    EXPECT_EQ(job(id, "last_error ->> 'message'"), "after the write");
}

TEST_F(CompletionTransaction, is_rolled_back_when_the_lease_was_lost) {
    type("t");
    const Uuid id = enqueue("t");
    std::latch written(1);
    std::latch taken(1);
    std::atomic<int> runs = 0;
    WorkerOptions quiet = options();
    quiet.listen = false;
    Worker worker(quiet);
    worker.on("t", [&](JobContext& context) -> Outcome {
        const int run = ++runs;
        EXPECT_TRUE(note(**context.transaction(), context, "run " + std::to_string(run)).ok());
        if (run == 1) {
            written.count_down();
            taken.wait();
        }
        return Done{};
    });
    expect_ok(worker.start());
    written.wait();
    // What an expired lease looks like, without the wait.
    run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 s'");
    run("select jobforge.reclaim_expired()");
    taken.count_down();
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(effects(), "run 2");
    EXPECT_EQ(attempts(id), "CRASHED,SUCCEEDED");
    EXPECT_EQ(worker.numbers().leases_lost, 1U);
}

TEST_F(CompletionTransaction, that_was_aborted_by_a_statement_fails_the_job_by_the_retry_table) {
    type("t");
    const Uuid permanent = enqueue("t", R"({"sql": "select 1/0"})");
    const Uuid passing = enqueue("t", R"({"sql": "do $$begin raise sqlstate ''40001''; end$$"})",
                                 "p_max_attempts => 1");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        auto transaction = *context.transaction();
        EXPECT_TRUE(note(*transaction, context, "never").ok());
        EXPECT_FALSE(
            transaction->exec("bad", *context.job().payload.find("sql")->as_string(), {}).ok());
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(permanent, "FAILED"));
    ASSERT_TRUE(becomes(passing, "DEAD_LETTER"));
    EXPECT_EQ(job(permanent, "last_error -> 'details' ->> 'sqlstate'"), "22012");
    EXPECT_EQ(effects(), "none");
}

TEST_F(CompletionTransaction, whose_connection_is_killed_ends_the_attempt_with_a_retry) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        auto transaction = *context.transaction();
        EXPECT_TRUE(note(*transaction, context, std::to_string(context.job().attempt_no)).ok());
        if (context.job().attempt_no == 1) {
            auto killed =
                transaction->exec("die", "select pg_terminate_backend(pg_backend_pid())", {});
            EXPECT_FALSE(killed.ok());
        }
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(effects(), "2");
    EXPECT_EQ(attempts(id), "RETRY,SUCCEEDED");
}

TEST_F(CompletionTransaction, that_the_handler_ended_itself_is_a_failure) {
    type("t");
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        EXPECT_TRUE((*context.transaction())->exec("end", "commit", {}).ok());
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "FAILED"));
}

TEST_F(CompletionTransaction, of_a_run_past_its_time_limit_is_rolled_back) {
    type("t", "timeout_seconds = 1");
    const Uuid id = enqueue("t", "{}", "p_max_attempts => 1");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        EXPECT_TRUE(note(**context.transaction(), context, "late").ok());
        wait_for_stop(context);
        return Done{};
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "DEAD_LETTER"));
    EXPECT_EQ(job(id, "last_error ->> 'code'"), "TIMEOUT");
    EXPECT_EQ(effects(), "none");
}

// Jobs that a handler enqueues in its transaction: they exist if and only if its job has ended.
class FollowUp : public CompletionTransaction {
protected:
    FollowUp() {
        type("t");
        type("next");
    }
    static NewJob next(const JobContext& context) {
        return {.type = "next",
                .payload = Json::object({{"of", context.job().job_id.to_string()}}),
                .priority = 1,
                .scheduled_at = TimePoint(std::chrono::seconds(4102444800)),
                .idempotency_key = "next-" + context.job().job_id.to_string(),
                .max_attempts = 7,
                .trace_id = "trace-1"};
    }
    std::string followers() {
        return one("select count(*) from jobforge.all_jobs where type = 'next'");
    }
};

TEST_F(FollowUp, is_enqueued_with_everything_it_was_given_when_the_job_ends) {
    const Uuid id = enqueue("t");
    std::latch enqueued(1);
    std::latch seen(1);
    Worker worker(options());
    worker.on("t", [&](JobContext& context) -> Outcome {
        auto* transaction = *context.transaction();
        auto first = Client::enqueue(*transaction, next(context));
        auto again = Client::enqueue(*transaction, next(context));
        EXPECT_TRUE(first.ok() && again.ok());
        EXPECT_EQ(first->job_id, again->job_id);
        EXPECT_EQ(first->deduplicated, false);
        EXPECT_EQ(again->deduplicated, true);
        enqueued.count_down();
        seen.wait();
        return Done{Json(first->job_id.to_string())};
    });
    expect_ok(worker.start());
    enqueued.wait();
    EXPECT_EQ(followers(), "0");  // not before the commit
    seen.count_down();
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(followers(), "1");
    const Uuid follower = *Uuid::parse(job(id, "result #>> '{}'"));
    EXPECT_EQ(
        job(follower,
            "concat_ws(' ', tenant_id, priority, max_attempts, trace_id, scheduled_at at "
            "time zone 'UTC', payload ->> 'of')"),
        fmt::format("{} 1 7 trace-1 2100-01-01 00:00:00 {}", tenant_.to_string(), id.to_string()));
}

TEST_F(FollowUp, is_rolled_back_with_a_job_that_throws) {
    const Uuid id = enqueue("t", "{}", "p_max_attempts => 1");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        EXPECT_TRUE(Client::enqueue(**context.transaction(), next(context)).ok());
        throw std::runtime_error("after the enqueue");
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "DEAD_LETTER"));
    EXPECT_EQ(followers(), "0");
}

TEST_F(FollowUp, that_is_refused_fails_the_job_with_the_reason) {
    const Uuid id = enqueue("t");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        auto job = Client::enqueue(**context.transaction(), {.type = "no.such.type"});
        return job.ok() ? Outcome(Done{}) : outcome_of(job.error());
    });
    expect_ok(worker.start());
    ASSERT_TRUE(becomes(id, "FAILED"));
    EXPECT_EQ(job(id, "last_error ->> 'code'"), "UNKNOWN_JOB_TYPE");
}

}  // namespace
}  // namespace jobforge::test
