// The completion transaction as this program's own handlers use it: it begins with their first
// calls and ends with their last.
#include <jobforge/worker.h>

#include <latch>

#include "engine/worker/job_context.h"
#include "worker_world.h"

namespace jobforge::test {
namespace {

using engine::TenantCall;

engine::CompletionTransaction& completion(JobContext& context) {
    return dynamic_cast<engine::HandlerContext&>(context).completion();
}

constexpr pg::Statement kDivide{"divide", "select 1 / 0"};

class CompletionCalls : public WorkerWorld {
protected:
    CompletionCalls() { type("t"); }

    static TenantCall note(const JobContext& context, const std::string& text) {
        pg::Params params;
        params.uuid(context.job().job_id).text(text);
        return {{"note", "insert into public.effects values ($1, $2)"}, params};
    }
    std::string effects() {
        return one(
            "select coalesce(string_agg(note, ',' order by note), 'none') from public.effects");
    }
    // Runs the job to its end with this handler.
    void run_job(const Uuid& id, const std::string& end, Handler handler) {
        Worker worker(options());
        worker.on("t", std::move(handler));
        expect_ok(worker.start());
        ASSERT_TRUE(becomes(id, end)) << job(id, "status");
    }
};

TEST_F(CompletionCalls, begin_together_with_the_transaction_and_commit_with_the_job) {
    const Uuid id = enqueue("t");
    run_job(id, "SUCCEEDED", [](JobContext& context) -> Outcome {
        const std::vector<TenantCall> first{
            {{"tenant", "select current_setting('app.tenant_id')"}, {}}, note(context, "first")};
        const auto rows = completion(context).run(first);
        EXPECT_TRUE(rows.ok());
        EXPECT_EQ(rows->size(), 2U);
        const std::vector<TenantCall> second{note(context, "second")};
        EXPECT_TRUE(completion(context).run(second).ok());
        completion(context).run_at_end(note(context, "third"));
        return Done{Json(std::string(rows->at(0).text(0, 0)))};
    });
    EXPECT_EQ(effects(), "first,second,third");
    EXPECT_EQ(job(id, "result #>> '{}'"), tenant_.to_string());
}

TEST_F(CompletionCalls, that_are_only_made_at_the_end_commit_with_every_kind_of_answer) {
    const Uuid failed = enqueue("t", R"({"n": 1})");
    const Uuid retried = enqueue("t", R"({"n": 2})", "p_max_attempts => 1");
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        completion(context).run_at_end(note(context, "end"));
        const bool fails = context.job().payload.find("n")->as_int64() == 1;
        const JobError error("NO", "not today");
        return fails ? Outcome(Fail{error}) : Outcome(Retry{error});
    });
    expect_ok(worker.start());
    EXPECT_TRUE(becomes(failed, "FAILED"));
    EXPECT_TRUE(becomes(retried, "DEAD_LETTER"));
    EXPECT_EQ(effects(), "end,end");
}

TEST_F(CompletionCalls, whose_last_one_fails_end_the_job_with_its_error) {
    const Uuid id = enqueue("t");
    run_job(id, "FAILED", [](JobContext& context) -> Outcome {
        const std::vector<TenantCall> first{note(context, "never")};
        EXPECT_TRUE(completion(context).run(first).ok());
        completion(context).run_at_end({kDivide, {}});
        return Done{};
    });
    EXPECT_EQ(job(id, "last_error -> 'details' ->> 'sqlstate'"), "22012");
    EXPECT_EQ(effects(), "none");
}

TEST_F(CompletionCalls,
       whose_first_one_fails_end_the_job_with_its_error_whatever_the_handler_says) {
    const Uuid id = enqueue("t");
    run_job(id, "FAILED", [](JobContext& context) -> Outcome {
        const std::vector<TenantCall> first{note(context, "never"), {kDivide, {}}};
        EXPECT_FALSE(completion(context).run(first).ok());
        return Done{};
    });
    EXPECT_EQ(job(id, "last_error -> 'details' ->> 'sqlstate'"), "22012");
    EXPECT_EQ(effects(), "none");
}

TEST_F(CompletionCalls, at_the_end_are_rolled_back_when_the_lease_was_lost) {
    const Uuid id = enqueue("t");
    std::latch running(1);
    std::latch taken(1);
    WorkerOptions quiet = options();
    quiet.listen = false;
    Worker worker(quiet);
    worker.on("t", [&](JobContext& context) -> Outcome {
        completion(context).run_at_end(note(context, std::to_string(context.job().lease_token)));
        if (context.job().lease_token == 1) {
            running.count_down();
            taken.wait();
        }
        return Done{};
    });
    expect_ok(worker.start());
    running.wait();
    run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 s'");
    run("select jobforge.reclaim_expired()");
    taken.count_down();
    ASSERT_TRUE(becomes(id, "SUCCEEDED"));
    EXPECT_EQ(effects(), "2");
}

TEST_F(CompletionCalls, find_another_connection_when_an_idle_one_has_died) {
    Worker worker(options());
    worker.on("t", [](JobContext& context) -> Outcome {
        const std::vector<TenantCall> first{note(context, "done")};
        auto rows = completion(context).run(first);
        return rows.ok() ? Outcome(Done{}) : outcome_of(rows.error());
    });
    expect_ok(worker.start());
    const Uuid before = enqueue("t");
    ASSERT_TRUE(becomes(before, "SUCCEEDED"));
    ASSERT_TRUE(wait_until([&] { return worker.numbers().pool_in_use == 0; }));
    EXPECT_EQ(one("select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = "
                  "current_database() and pid <> pg_backend_pid() and query ilike 'commit%'"),
              "1");
    const Uuid after = enqueue("t");
    ASSERT_TRUE(becomes(after, "SUCCEEDED"));
    EXPECT_EQ(job(after, "attempts"), "1");
    EXPECT_EQ(effects(), "done,done");
}

// Only idle connections are tried one after the other: a call that breaks its connection would else
// break them all.
TEST_F(CompletionCalls, that_break_their_connection_break_two_at_most) {
    run("create sequence public.broken; grant all on sequence public.broken to public");
    const Uuid id = enqueue("t", "{}", "p_max_attempts => 1");
    run_job(id, "DEAD_LETTER", [](JobContext& context) -> Outcome {
        const std::vector<TenantCall> first{
            {{"break", "select nextval('public.broken'), pg_terminate_backend(pg_backend_pid())"},
             {}}};
        auto rows = completion(context).run(first);
        EXPECT_FALSE(rows.ok());
        return rows.ok() ? Outcome(Done{}) : outcome_of(rows.error());
    });
    EXPECT_EQ(one("select last_value from public.broken"), "2");
}

}  // namespace
}  // namespace jobforge::test
