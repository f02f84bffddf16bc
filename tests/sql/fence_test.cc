// A worker that has lost its lease can commit nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Fence : public testing::Test {
protected:
    std::string call(const std::string& worker, const std::string& function,
                     const std::string& token, const std::string& more = "") {
        return fmt::format("select jobforge.{}('{}', '{}', '{}', {}{})", function, worker, kTenantA,
                           job, token, more);
    }
    void expire() {
        sql.run(
            "update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 ms' where "
            "status = 'RUNNING'");
    }

    EngineDatabase database;
    Session sql = database.session();
    std::string job = sql.one("select job_id from jobforge.enqueue_job('a')");
};

TEST_F(Fence, an_expired_job_is_claimable_again_at_once_and_the_zombie_is_refused_everything) {
    ASSERT_EQ(sql.one("select lease_token from jobforge.claim_jobs('zombie', 1, array['a'])"), "1");
    expire();
    ASSERT_EQ(sql.one("select lease_token from jobforge.claim_jobs('heir', 1, array['a'])"), "2");
    EXPECT_EQ(sql.error(call("zombie", "complete_job", "1")), "LEASE_LOST");
    EXPECT_EQ(sql.error(call("zombie", "fail_job", "1", ", '{\"code\":\"X\",\"message\":\"m\"}'")),
              "LEASE_LOST");
    EXPECT_EQ(sql.error(call("zombie", "snooze_job", "1", ", 1")), "LEASE_LOST");
    EXPECT_EQ(sql.error(call("zombie", "cancel_running_job", "1")), "LEASE_LOST");
    EXPECT_EQ(sql.one(fmt::format(
                  "select state from jobforge.heartbeat_jobs('zombie', array['{}']::uuid[], "
                  "array['{}']::uuid[], array[1::bigint])",
                  kTenantA, job)),
              "LOST");
    EXPECT_EQ(
        sql.rows(fmt::format("select * from jobforge.release_jobs('zombie', array['{}']::uuid[], "
                             "array['{}']::uuid[], array[1::bigint])",
                             kTenantA, job))
            .size(),
        1U);
    // Guessing the token does not help either: the owner is part of the fence.
    EXPECT_EQ(sql.error(call("zombie", "complete_job", "2")), "LEASE_LOST");
    EXPECT_EQ(sql.error(call("heir", "complete_job", "2")), "ok");
}

TEST_F(Fence, a_worker_that_claimed_its_own_lost_job_again_cannot_use_the_old_token) {
    const auto claim = [&] {
        return sql.one("select lease_token from jobforge.claim_jobs('w', 1, array['a'])");
    };
    ASSERT_EQ(claim(), "1");
    expire();
    ASSERT_EQ(claim(), "2");
    EXPECT_EQ(sql.error(call("w", "complete_job", "1")), "LEASE_LOST");
    EXPECT_EQ(sql.error(call("w", "fail_job", "1", ", '{\"code\":\"X\",\"message\":\"m\"}'")),
              "LEASE_LOST");
    EXPECT_EQ(sql.error(call("w", "complete_job", "2")), "ok");
}

TEST_F(Fence, a_cancel_takes_the_next_token) {
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
    EXPECT_EQ(sql.one("select lease_token from jobforge.finished_jobs"), "2");
}

TEST_F(Fence, an_expired_lease_that_nobody_took_can_still_complete) {
    sql.run("select from jobforge.claim_jobs('slow', 1, array['a'])");
    expire();
    EXPECT_EQ(sql.error(call("slow", "complete_job", "1")), "ok");
}

TEST_F(Fence, a_handlers_writes_roll_back_with_its_lost_lease) {
    sql.run("create table public.effects (n int)");
    sql.run("select from jobforge.claim_jobs('zombie', 1, array['a'])");
    Session zombie = database.session();
    zombie.run("begin; insert into public.effects values (1)");
    expire();
    sql.run("select from jobforge.claim_jobs('heir', 1, array['a'])");
    EXPECT_EQ(zombie.error(call("zombie", "complete_job", "1")), "LEASE_LOST");
    EXPECT_EQ(zombie.error("commit"), "ok");  // of an aborted transaction: a rollback
    EXPECT_EQ(sql.one("select count(*) from public.effects"), "0");
    EXPECT_EQ(sql.error("begin; insert into public.effects values (2); " +
                        call("heir", "complete_job", "2") + "; commit"),
              "ok");
    EXPECT_EQ(sql.one("select string_agg(n::text, ' ') from public.effects"), "2");
}

TEST_F(Fence, tokens_strictly_grow_over_every_kind_of_turn) {
    std::string last = "0";
    const auto claim = [&] {
        const auto token =
            sql.one("select lease_token from jobforge.claim_jobs('w', 1, array['a'])");
        EXPECT_GT(std::stol(token), std::stol(last));
        last = token;
    };
    claim();
    sql.run(call("w", "snooze_job", last, ", 0"));
    claim();
    sql.run(call("w", "fail_job", last, ", '{\"code\":\"X\",\"message\":\"m\"}'"));
    sql.run(fmt::format("select jobforge.reschedule_job('{}')", job));
    claim();
    expire();
    claim();
    sql.run(
        fmt::format("select jobforge.cancel_job('{0}'); select jobforge.reschedule_job('{0}', "
                    "p_reset_attempts => true)",
                    job));
    claim();
    sql.run(
        call("w", "fail_job", last, ", '{\"code\":\"X\",\"message\":\"m\",\"retryable\":false}'"));
    sql.run(fmt::format("select jobforge.reschedule_job('{}', p_reset_attempts => true)", job));
    claim();
    EXPECT_EQ(sql.one("select count(distinct lease_token) = count(*) from jobforge.job_attempts"),
              "t");
}

TEST_F(Fence, a_batch_settles_what_is_held_and_names_what_is_lost) {
    sql.run("select from jobforge.enqueue_jobs(array['a', 'a'], array['{}', '{}']::jsonb[])");
    sql.run("select from jobforge.claim_jobs('w', 3, array['a'])");
    sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
    EXPECT_EQ(sql.one("select job_id from jobforge.complete_jobs('w', "
                      "(select array_agg(tenant_id) from jobforge.all_jobs), (select "
                      "array_agg(job_id) from jobforge.all_jobs), "
                      "(select array_agg(1::bigint) from jobforge.all_jobs))"),
              job);
    EXPECT_EQ(sql.one("select count(*) from jobforge.all_jobs where status = 'SUCCEEDED'"), "2");
}

TEST_F(Fence, a_batch_of_cancelled_answers_ends_what_is_held_and_names_what_is_lost) {
    sql.run("select from jobforge.enqueue_jobs(array['a', 'a'], array['{}', '{}']::jsonb[])");
    sql.run("select from jobforge.claim_jobs('w', 3, array['a'])");
    sql.run(fmt::format("select jobforge.cancel_job('{}', 'by hand')", job));
    const std::string cancel =
        "select job_id, state from jobforge.cancel_running_jobs('w', (select "
        "array_agg(tenant_id order by job_id) from jobforge.all_jobs), (select array_agg(job_id "
        "order by job_id) from jobforge.all_jobs), array[1, 1, 1]::bigint[], array[null, "
        "'{\"code\": \"NO\", \"message\": \"no need\"}', null]::jsonb[])";
    EXPECT_EQ(sql.rows(cancel), (std::vector<TextRow>{{job, "LOST"}}));
    EXPECT_EQ(sql.one("select string_agg(status || coalesce(last_error ->> 'message', '-'), ' ' "
                      "order by job_id) from jobforge.all_jobs"),
              "CANCELLEDby hand CANCELLEDno need CANCELLED-");
    // A repetition changes nothing and is told apart from a loss.
    std::string states;
    for (const auto& row : sql.rows(cancel)) {
        states += row[1] + " ";
    }
    EXPECT_EQ(states, "LOST SETTLED SETTLED ");
}

TEST_F(Fence, lease_state_tells_what_became_of_an_unknown_commit) {
    const auto state = [&](const std::string& token) {
        return sql.one(call("w", "lease_state", token));
    };
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    EXPECT_EQ(state("1"), "HELD");
    sql.run(call("w", "snooze_job", "1", ", 0"));
    EXPECT_EQ(state("1"), "SETTLED");
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    expire();
    sql.run("select jobforge.reclaim_expired()");
    EXPECT_EQ(state("2"), "LOST");
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    sql.run(call("w", "complete_job", "3"));
    EXPECT_EQ(state("3"), "SETTLED");
}

TEST_F(Fence, what_others_did_with_a_job_is_lost_and_never_settled) {
    // Settled means that a transaction of this worker committed: it may forget the job as done.
    const auto refused = [&](const std::string& token) {
        return sql.one(call("w", "lease_state", token)) + " " +
               sql.error(call("w", "complete_job", token));
    };
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
    EXPECT_EQ(refused("1"), "LOST LEASE_LOST");
    // Its last attempt was taken back, into the dead letter.
    sql.run(fmt::format("select jobforge.reschedule_job('{}', p_max_attempts => 2)", job));
    const auto token = sql.one("select lease_token from jobforge.claim_jobs('w', 1, array['a'])");
    expire();
    EXPECT_EQ(sql.one("select jobforge.reclaim_expired()"), "1");
    EXPECT_EQ(sql.one("select status from jobforge.all_jobs"), "DEAD_LETTER");
    EXPECT_EQ(refused(token), "LOST LEASE_LOST");
}

}  // namespace
}  // namespace jobforge::test
