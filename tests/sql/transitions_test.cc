// Every legal transition of a job, and every illegal one refused by the database with our code.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Transitions : public testing::Test {
protected:
    std::string enqueue(const std::string& type = "a", int max_attempts = 5) {
        return sql.one(fmt::format(
            "select job_id from jobforge.enqueue_job('{}', '{{}}', p_max_attempts => {})", type,
            max_attempts));
    }
    // Claims exactly this job (it must be the only due one of its type).
    std::string claim(const std::string& type = "a") {
        return sql.one(
            fmt::format("select lease_token from jobforge.claim_jobs('w', 1, array['{}'])", type));
    }
    std::string status(const std::string& job) {
        return sql.one(fmt::format("select status from jobforge.get_job('{}')", job));
    }
    std::string settle(const std::string& function, const std::string& job,
                       const std::string& token, const std::string& more = "") {
        return sql.error(fmt::format("select jobforge.{}('w', '{}', '{}', {}{})", function,
                                     kTenantA, job, token, more));
    }
    // A job brought into this state.
    std::string job_in(const std::string& state) {
        const std::string job = enqueue("a", state == "DEAD_LETTER" ? 1 : 5);
        if (state == "QUEUED") {
            return job;
        }
        if (state == "CANCELLED") {
            sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
            return job;
        }
        const std::string token = claim();
        if (state == "SUCCEEDED") {
            EXPECT_EQ(settle("complete_job", job, token), "ok");
        } else if (state == "FAILED") {
            EXPECT_EQ(settle("fail_job", job, token,
                             ", '{\"code\":\"X\",\"message\":\"m\",\"retryable\":false}'"),
                      "ok");
        } else if (state == "DEAD_LETTER") {
            EXPECT_EQ(settle("fail_job", job, token, ", '{\"code\":\"X\",\"message\":\"m\"}'"),
                      "ok");
        }
        EXPECT_EQ(status(job), state);
        return job;
    }

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Transitions, a_claim_starts_the_first_attempt_with_the_first_token) {
    const auto job = enqueue();
    EXPECT_EQ(claim(), "1");
    EXPECT_EQ(status(job), "RUNNING");
    EXPECT_EQ(sql.one(fmt::format("select attempts from jobforge.get_job('{}')", job)), "1");
}

TEST_F(Transitions, completion_keeps_the_result_and_leaves_the_hot_table) {
    const auto job = enqueue();
    const auto token = claim();
    EXPECT_EQ(settle("complete_job", job, token, ", '{\"answer\": 42}'"), "ok");
    EXPECT_EQ(status(job), "SUCCEEDED");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "0");
    EXPECT_EQ(
        sql.one(fmt::format("select result from jobforge.job_results where job_id = '{}'", job)),
        "{\"answer\": 42}");
    EXPECT_EQ(
        sql.one(fmt::format("select outcome from jobforge.job_attempts where job_id = '{}'", job)),
        "SUCCEEDED");
}

TEST_F(Transitions,
       a_retryable_failure_waits_2_4_8_16_seconds_with_the_passport_policy_then_dead_letter) {
    sql.run("select jobforge.set_job_type('a', '{\"backoff\": \"bpc\"}')");
    const auto job = enqueue();
    const std::vector<std::string> delays = {"2", "4", "8", "16"};
    for (std::size_t attempt = 0; attempt < 5; ++attempt) {
        const auto token = claim();
        ASSERT_EQ(token, std::to_string(attempt + 1));
        ASSERT_EQ(settle("fail_job", job, token,
                         ", '{\"code\":\"X\",\"message\":\"m\",\"retryable\":true}'"),
                  "ok");
        if (attempt < 4) {
            EXPECT_EQ(status(job), "QUEUED");
            EXPECT_EQ(sql.one(fmt::format("select round(extract(epoch from j.scheduled_at - "
                                          "a.ended_at)) from jobforge.jobs j "
                                          "join jobforge.job_attempts a using (job_id) where "
                                          "job_id = '{}' and a.lease_token = {}",
                                          job, token)),
                      delays[attempt]);
            sql.run(fmt::format("select jobforge.reschedule_job('{}')", job));
        }
    }
    EXPECT_EQ(status(job), "DEAD_LETTER");
    EXPECT_EQ(sql.one(fmt::format("select attempts from jobforge.get_job('{}')", job)), "5");
    EXPECT_EQ(sql.one(fmt::format("select count(*) from jobforge.list_attempts('{}')", job)), "5");
}

TEST_F(Transitions, a_permanent_failure_is_failed_at_once_also_on_the_last_attempt) {
    for (int max_attempts : {5, 1}) {
        const auto job = enqueue("a", max_attempts);
        const auto token = claim();
        EXPECT_EQ(settle("fail_job", job, token,
                         ", '{\"code\":\"X\",\"message\":\"m\",\"retryable\":false}'"),
                  "ok");
        EXPECT_EQ(status(job), "FAILED");
    }
}

TEST_F(Transitions, retry_after_wins_when_it_is_later) {
    const auto job = enqueue();
    const auto token = claim();
    EXPECT_EQ(settle("fail_job", job, token, ", '{\"code\":\"X\",\"message\":\"m\"}', 100"), "ok");
    EXPECT_EQ(sql.one("select scheduled_at > clock_timestamp() + interval '98 s' and "
                      "scheduled_at < clock_timestamp() + interval '102 s' from jobforge.jobs"),
              "t");
}

TEST_F(Transitions, a_snooze_gives_the_attempt_back_and_the_token_grows) {
    const auto job = enqueue();
    EXPECT_EQ(settle("snooze_job", job, claim(), ", 0"), "ok");
    EXPECT_EQ(sql.one("select attempts from jobforge.jobs"), "0");
    EXPECT_EQ(claim(), "2");
    EXPECT_EQ(sql.one("select attempts from jobforge.jobs"), "1");
    EXPECT_EQ(
        sql.one(fmt::format("select string_agg(attempt_no || outcome, ' ' order by lease_token) "
                            "from jobforge.list_attempts('{}')",
                            job)),
        "1SNOOZED 1RUNNING");
}

TEST_F(Transitions, a_release_gives_the_attempt_back_at_the_old_place) {
    const auto job = enqueue();
    const auto due = sql.one("select scheduled_at from jobforge.jobs");
    const auto token = claim();
    EXPECT_EQ(sql.rows(fmt::format("select * from jobforge.release_jobs('w', array['{}']::uuid[], "
                                   "array['{}']::uuid[], array[{}::bigint])",
                                   kTenantA, job, token))
                  .size(),
              0U);
    EXPECT_EQ(sql.one("select scheduled_at from jobforge.jobs"), due);
    EXPECT_EQ(sql.one("select attempts || status from jobforge.jobs"), "0QUEUED");
}

TEST_F(Transitions, cancel_takes_waiting_and_running_jobs_at_once_and_twice_changes_nothing) {
    for (const char* state : {"QUEUED", "RUNNING"}) {
        const auto job = job_in(state);
        EXPECT_EQ(sql.one(fmt::format("select jobforge.cancel_job('{}', 'no need')", job)),
                  "CANCELLED");
        EXPECT_EQ(status(job), "CANCELLED");
        EXPECT_EQ(sql.one(fmt::format("select last_error ->> 'message' from jobforge.get_job('{}')",
                                      job)),
                  "no need");
        EXPECT_EQ(sql.error(fmt::format("select jobforge.cancel_job('{}')", job)), "ok");
    }
}

TEST_F(Transitions, a_cancelled_running_job_cannot_be_completed_any_more) {
    const auto job = enqueue();
    const auto token = claim();
    sql.run(fmt::format("select jobforge.cancel_job('{}')", job));
    for (const char* call : {"complete_job", "cancel_running_job"}) {
        EXPECT_EQ(settle(call, job, token), "LEASE_LOST");
    }
    EXPECT_EQ(settle("fail_job", job, token, ", '{\"code\":\"X\",\"message\":\"m\"}'"),
              "LEASE_LOST");
    EXPECT_EQ(settle("snooze_job", job, token, ", 1"), "LEASE_LOST");
    EXPECT_EQ(
        sql.one(fmt::format("select state from jobforge.heartbeat_jobs('w', array['{}']::uuid[], "
                            "array['{}']::uuid[], array[{}::bigint])",
                            kTenantA, job, token)),
        "CANCELLED");
    EXPECT_EQ(status(job), "CANCELLED");
}

TEST_F(Transitions, finished_jobs_refuse_cancel_except_cancelled_ones) {
    for (const char* state : {"SUCCEEDED", "FAILED", "DEAD_LETTER"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.cancel_job('{}')", job_in(state))),
                  "INVALID_TRANSITION")
            << state;
    }
    EXPECT_EQ(sql.error("select jobforge.cancel_job(gen_random_uuid())"), "NOT_FOUND");
}

// Below the floor of a busy lane it would wait for the next look, seconds away under an old
// snapshot; and where all workers are busy, none has asked for a wake-up.
TEST_F(Transitions, a_job_moved_into_the_past_is_told_to_busy_workers_too) {
    sql.run("listen jobforge_wake");
    const auto told = [&](const std::string& job, const std::string& when) {
        sql.run(fmt::format("select jobforge.reschedule_job('{}', {}, true)", job, when));
        PGnotify* notice = PQnotifies(sql.connection().native());
        const std::string heard = notice == nullptr ? "nothing" : notice->relname;
        PQfreemem(notice);
        return heard;
    };
    for (const char* state : {"QUEUED", "FAILED", "DEAD_LETTER", "CANCELLED"}) {
        const auto job = job_in(state);
        EXPECT_EQ(told(job, "clock_timestamp() + interval '1 hour'"), "nothing") << state;
        EXPECT_EQ(told(job, "null"), "nothing") << state;
        EXPECT_EQ(told(job, "'2020-01-01'"), "jobforge_wake") << state;
        sql.run("delete from jobforge.jobs");
    }
    const auto failed = job_in("FAILED");
    EXPECT_EQ(told(failed, "'2020-01-01'"), "jobforge_wake");
}

TEST_F(Transitions, reschedule_brings_back_what_failed_and_refuses_the_rest) {
    for (const char* state : {"QUEUED", "FAILED", "DEAD_LETTER", "CANCELLED"}) {
        const auto job = job_in(state);
        EXPECT_EQ(
            sql.error(fmt::format("select jobforge.reschedule_job('{}', '2030-01-01', true)", job)),
            "ok")
            << state;
        EXPECT_EQ(status(job), "QUEUED");
        EXPECT_EQ(sql.one(fmt::format(
                      "select attempts || to_char(scheduled_at at time zone 'UTC', ' YYYY') "
                      "from jobforge.jobs where job_id = '{}'",
                      job)),
                  "0 2030");
    }
    for (const char* state : {"RUNNING", "SUCCEEDED"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.reschedule_job('{}')", job_in(state))),
                  "INVALID_TRANSITION")
            << state;
    }
    EXPECT_EQ(sql.error("select jobforge.reschedule_job(gen_random_uuid())"), "NOT_FOUND");
}

TEST_F(Transitions, a_used_up_budget_must_be_reset_or_raised) {
    const auto job = job_in("DEAD_LETTER");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.reschedule_job('{}')", job)),
              "VALIDATION_ERROR");
    EXPECT_EQ(status(job), "DEAD_LETTER");
    EXPECT_EQ(
        sql.error(fmt::format("select jobforge.reschedule_job('{}', p_max_attempts => 2)", job)),
        "ok");
    EXPECT_EQ(claim(), "2");
}

TEST_F(Transitions, retry_of_many_goes_by_filter) {
    const auto dead = job_in("DEAD_LETTER");
    const auto failed = job_in("FAILED");
    const auto cancelled = job_in("CANCELLED");
    EXPECT_EQ(sql.error("select jobforge.retry_jobs('SUCCEEDED')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.rows("select jobforge.retry_jobs('FAILED', p_type => 'b')").size(), 0U);
    EXPECT_EQ(sql.rows("select jobforge.retry_jobs('FAILED', p_error_code => 'Y')").size(), 0U);
    EXPECT_EQ(sql.one("select jobforge.retry_jobs('FAILED', p_error_code => 'X')"), failed);
    EXPECT_EQ(sql.one("select jobforge.retry_jobs()"), dead);
    EXPECT_EQ(status(cancelled), "CANCELLED");
}

TEST_F(Transitions, the_tables_refuse_illegal_changes_also_from_a_superuser) {
    const auto job = enqueue();
    const auto token = claim();
    EXPECT_EQ(sql.error("update jobforge.jobs set lease_token = 0"), "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("update jobforge.jobs set lease_owner = 'thief'"), "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("update jobforge.jobs set lease_token = lease_token + 1"),
              "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("update jobforge.jobs set claim_id = gen_random_uuid()"),
              "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("update jobforge.jobs set type = 'b'"), "INVALID_TRANSITION");
    EXPECT_EQ(sql.error("update jobforge.jobs set status = 'SUCCEEDED'"), "23514");
    EXPECT_EQ(sql.error("update jobforge.jobs set lease_owner = null"), "23514");
    EXPECT_EQ(sql.error("update jobforge.jobs set status = 'QUEUED'"), "23514");
    EXPECT_EQ(settle("complete_job", job, token), "ok");
    EXPECT_EQ(sql.error("update jobforge.finished_jobs set status = 'FAILED', last_error = '{}'"),
              "INVALID_TRANSITION");
    // A claim takes a larger token; how much larger is the timeline's (token_floor).
    const auto next = enqueue();
    EXPECT_EQ(settle("snooze_job", next, claim(), ", 0"), "ok");
    EXPECT_EQ(
        sql.error("update jobforge.jobs set status = 'RUNNING', lease_owner = 'x', attempts = 1, "
                  "lease_token = 1, lease_expires_at = now()"),
        "INVALID_TRANSITION");
    EXPECT_EQ(status(next), "QUEUED");
}

TEST_F(Transitions,
       an_expired_lease_goes_back_to_the_queue_and_after_the_last_attempt_to_the_dead_letter) {
    const auto job = enqueue("fast", 2);
    for (int attempt = 1; attempt <= 2; ++attempt) {
        ASSERT_EQ(claim("fast"), std::to_string(attempt));
        // Time passes by moving the lease, not by waiting for it.
        sql.run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 ms'");
        EXPECT_EQ(sql.one("select jobforge.reclaim_expired()"), "1");
    }
    EXPECT_EQ(status(job), "DEAD_LETTER");
    EXPECT_EQ(sql.one(fmt::format("select last_error ->> 'code' from jobforge.get_job('{}')", job)),
              "LEASE_EXPIRED");
    EXPECT_EQ(sql.one(fmt::format(
                  "select string_agg(outcome, ' ') from jobforge.list_attempts('{}')", job)),
              "CRASHED CRASHED");
    EXPECT_EQ(
        sql.one("select value from jobforge.metric_counters() where counter = 'dead_letters_left'"),
        "1");
}

}  // namespace
}  // namespace jobforge::test
