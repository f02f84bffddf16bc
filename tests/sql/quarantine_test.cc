// Jobs that lost their worker run again, few at once in one process, and nothing waits for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Quarantine : public testing::Test {
protected:
    void enqueue(int count, const std::string& more = "") {
        sql.run(
            fmt::format("select from jobforge.enqueue_jobs(array_fill('a'::text, array[{0}]), "
                        "array_fill('{{}}'::jsonb, array[{0}]){1})",
                        count, more));
    }
    void crash(const std::string& worker) {
        sql.run(
            fmt::format("update jobforge.jobs set lease_expires_at = clock_timestamp() - "
                        "interval '1 ms' where lease_owner = '{}'; select "
                        "jobforge.reclaim_expired(null, 1000)",
                        worker));
    }
    // Jobs that lost a worker; some of them lost two.
    void interrupted(int count, int twice = 0) {
        enqueue(count);
        sql.run(fmt::format("select from jobforge.claim_jobs('lost', {}, array['a'])", count));
        crash("lost");
        sql.run(
            fmt::format("update jobforge.jobs set interruptions = 2 where job_id in (select "
                        "job_id from jobforge.jobs order by scheduled_at limit {})",
                        twice));
    }
    // How many a claim got: "interrupted+others".
    std::string claim(const std::string& worker, int limit, int slots,
                      const std::string& more = "") {
        return sql.one(fmt::format(
            "select count(*) filter (where interrupted) || '+' || count(*) filter (where not "
            "interrupted) from jobforge.claim_jobs('{}', {}, array['a'], p_slots => {}{})",
            worker, limit, slots, more));
    }
    void complete(const std::string& worker) {
        sql.run(
            fmt::format("select jobforge.complete_job('{0}', tenant_id, job_id, lease_token) "
                        "from jobforge.jobs where lease_owner = '{0}'",
                        worker));
    }

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Quarantine, a_quarter_of_the_slots_runs_once_interrupted_jobs) {
    interrupted(60);
    EXPECT_EQ(claim("large", 64, 64), "16+0");
    EXPECT_EQ(claim("large", 64, 64), "0+0");
    EXPECT_EQ(claim("small", 8, 8), "2+0");
    EXPECT_EQ(claim("tiny", 2, 2), "1+0");
    complete("large");
    EXPECT_EQ(claim("large", 64, 64), "16+0");
}

TEST_F(Quarantine, one_at_a_time_runs_of_those_interrupted_more_often) {
    interrupted(45, 5);
    EXPECT_EQ(claim("w", 64, 64), "17+0");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where status = 'RUNNING' and "
                      "interruptions = 2"),
              "1");
    EXPECT_EQ(claim("other", 64, 64), "17+0");
    complete("w");
    EXPECT_EQ(claim("w", 64, 64), "9+0");  // 8 of the once interrupted were left
}

TEST_F(Quarantine, other_work_does_not_wait_for_it) {
    interrupted(40);
    enqueue(100);
    EXPECT_EQ(claim("w", 64, 64), "16+48");
    EXPECT_EQ(claim("w", 20, 64), "0+20");  // its quarantine is full
    EXPECT_EQ(claim("other", 8, 64), "2+6");
}

TEST_F(Quarantine, takes_the_places_that_nothing_else_needs) {
    interrupted(40);
    enqueue(1);
    EXPECT_EQ(claim("w", 8, 64), "7+1");
}

TEST_F(Quarantine, a_claim_for_one_job_goes_by_priority_and_due_time) {
    interrupted(1);
    const auto due = sql.one("select scheduled_at from jobforge.jobs");
    const auto at = [&](const std::string& when) {
        return fmt::format(", p_scheduled_at => array['{}'::timestamptz {}]", due, when);
    };
    enqueue(1, ", p_priorities => array[1]");
    EXPECT_EQ(claim("w", 1, 8), "0+1");
    enqueue(1, at("- interval '1 s'"));
    EXPECT_EQ(claim("w", 1, 8), "0+1");
    enqueue(1, at("+ interval '1 us'"));
    EXPECT_EQ(claim("w", 1, 8), "1+0");
    EXPECT_EQ(claim("w", 1, 8), "0+1");
}

TEST_F(Quarantine, a_better_priority_comes_first_and_its_places_are_not_kept) {
    interrupted(4);
    sql.run("update jobforge.jobs set priority = 3");
    enqueue(2, ", p_priorities => array[0, 2]");
    EXPECT_EQ(claim("w", 2, 64), "0+2");
    // A trickle of better work does not keep the quarter of the rest from them.
    enqueue(9, ", p_priorities => array[0, 3, 3, 3, 3, 3, 3, 3, 3]");
    EXPECT_EQ(claim("w", 5, 64), "1+4");
    EXPECT_EQ(claim("w", 2, 64), "1+1");
    complete("w");
    // Nor do better ones among the interrupted take others along.
    sql.run(
        "update jobforge.jobs set priority = 0 where job_id = (select job_id from jobforge.jobs "
        "where interrupted limit 1)");
    enqueue(8, ", p_priorities => array[1, 1, 1, 1, 1, 1, 1, 1]");
    EXPECT_EQ(claim("w", 9, 64), "1+8");
}

TEST_F(Quarantine, keeps_the_place_in_the_queue_and_ends_with_a_fresh_start) {
    enqueue(1);
    const auto due = sql.one("select scheduled_at from jobforge.jobs");
    sql.run("select from jobforge.claim_jobs('lost', 1, array['a'])");
    crash("lost");
    EXPECT_EQ(sql.one("select scheduled_at from jobforge.jobs"), due);
    sql.run("select jobforge.reschedule_job(job_id, p_reset_attempts => true) from jobforge.jobs");
    EXPECT_EQ(claim("w", 1, 1), "0+1");
}

TEST_F(Quarantine, takes_tokens_of_a_rate) {
    interrupted(15);
    sql.run("select jobforge.set_job_type('a', '{\"rate_limit_per_minute\": 60}')");
    EXPECT_EQ(claim("w", 64, 64), "1+0");
    EXPECT_EQ(claim("w", 64, 64), "0+0");
    sql.run(
        "select jobforge.set_job_type('a', '{\"rate_limit_per_minute\": null, "
        "\"tenant_rate_limit_per_minute\": 120}')");
    EXPECT_EQ(claim("w", 64, 64), "2+0");
    EXPECT_EQ(claim("w", 64, 64), "0+0");
}

TEST_F(Quarantine, keeps_the_limits_of_the_worker_the_type_and_the_tenant) {
    interrupted(15);
    enqueue(15);
    EXPECT_EQ(claim("w", 20, 64, ", p_type_limits => array[3]"), "3+0");
    EXPECT_EQ(claim("w", 20, 64, ", p_type_limits => array[0]"), "0+0");
    sql.run("select jobforge.set_job_type('a', '{\"concurrency_limit\": 5}')");
    EXPECT_EQ(claim("w", 8, 64), "2+0");
    sql.run("select jobforge.set_job_type('a', '{\"concurrency_limit\": null}')");
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"concurrency_limit\": 6}}')", kTenantA));
    EXPECT_EQ(claim("w", 8, 64), "1+0");
}

TEST_F(Quarantine, a_job_that_always_kills_its_worker_ends_alone) {
    enqueue(64, ", p_max_attempts => array_fill(5, array[64])");
    const auto killer = sql.one("select job_id from jobforge.jobs order by scheduled_at offset 20");
    for (int turn = 0; sql.one("select count(*) from jobforge.jobs") != "0"; ++turn) {
        ASSERT_LT(turn, 100);
        claim("w", 64, 64);
        if (sql.one(fmt::format("select count(*) from jobforge.jobs where job_id = '{}' and "
                                "status = 'RUNNING'",
                                killer)) == "1") {
            crash("w");
        } else {
            complete("w");
        }
    }
    EXPECT_EQ(sql.one(fmt::format("select status || attempts from jobforge.get_job('{}')", killer)),
              "DEAD_LETTER5");
    EXPECT_EQ(sql.one("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED'"),
              "63");
    EXPECT_LE(std::stoi(sql.one("select max(attempts) from jobforge.finished_jobs where status = "
                                "'SUCCEEDED'")),
              3);
}

}  // namespace
}  // namespace jobforge::test
