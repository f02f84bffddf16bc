// Quotas, concurrency and rate limits are exact; counters count; what is old is pruned.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Limits : public testing::Test {
protected:
    std::size_t claim(int limit, const std::string& worker = "w") {
        return sql
            .rows(
                fmt::format("select from jobforge.claim_jobs('{}', {}, array['a'])", worker, limit))
            .size();
    }
    void enqueue(int count) {
        sql.run(
            fmt::format("select from jobforge.enqueue_jobs(array_fill('a'::text, array[{0}]), "
                        "array_fill('{{}}'::jsonb, array[{0}]))",
                        count));
    }
    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Limits, a_type_never_runs_more_than_its_limit_however_many_workers_claim) {
    sql.run("select jobforge.set_job_type('a', '{\"concurrency_limit\": 7}')");
    enqueue(200);
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 8; ++worker) {
        workers.emplace_back([&, worker] {
            Session mine = database.session();
            for (int turn = 0; turn < 20; ++turn) {
                mine.run(
                    fmt::format("select from jobforge.claim_jobs('w{}', 3, array['a'])", worker));
            }
        });
    }
    workers.clear();
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where status = 'RUNNING'"), "7");
    sql.run(
        "select jobforge.complete_job(lease_owner, tenant_id, job_id, lease_token) from "
        "jobforge.jobs "
        "where status = 'RUNNING' limit 2");
    EXPECT_EQ(claim(10), 2U);
}

TEST_F(Limits, limits_per_tenant_hold) {
    enqueue(5);
    sql.use_tenant(kTenantB);
    enqueue(5);
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"concurrency_limit\": 1}}')", kTenantB));
    EXPECT_EQ(claim(10), 6U);
    sql.run("select jobforge.set_job_type('a', '{\"tenant_concurrency_limit\": 5}')");
    sql.use_tenant(kTenantA);
    enqueue(5);
    EXPECT_EQ(claim(10), 0U);
}

// An operator who leaves the transaction open that changes a limit: the old one holds until it
// ends.
TEST_F(Limits, go_on_while_an_open_transaction_changes_them) {
    const auto change = [](Session& session, int most) {
        session.run(
            fmt::format("select jobforge.set_job_type('a', '{{\"concurrency_limit\": {0}}}'), "
                        "jobforge.set_tenant('{1}', '{{\"concurrency_limit\": {0}}}')",
                        most, kTenantA));
    };
    change(sql, 2);
    enqueue(9);
    Session open = database.session();
    open.run("begin");
    change(open, 5);
    sql.run("set lock_timeout = '10s'");  // a wait fails and does not hang
    EXPECT_EQ(claim(1), 1U);
    EXPECT_EQ(claim(9), 1U);
    EXPECT_EQ(claim(9), 0U);
    open.run("commit");
    EXPECT_EQ(claim(9), 3U);
}

// Two claims that made a turn at once would wait for each other.
TEST_F(Limits, have_their_turns_before_the_first_claim) {
    const std::string turns = fmt::format(
        "select count(*) from jobforge.turns where what = 'claims of a' or (what = 'claims' and "
        "tenant_id = '{}')",
        kTenantA);
    EXPECT_EQ(sql.one(turns), "2");
    sql.run("delete from jobforge.turns where what like 'claims%'");  // as before this release
    sql.run(
        fmt::format("select jobforge.set_job_type('a', '{{\"concurrency_limit\": 2}}'), "
                    "jobforge.set_tenant('{}', '{{\"concurrency_limit\": 2}}')",
                    kTenantA));
    EXPECT_EQ(sql.one(turns), "2");
}

TEST_F(Limits, a_rate_limit_lets_a_second_of_tokens_through_and_then_its_rate) {
    sql.run("select jobforge.set_job_type('a', '{\"rate_limit_per_minute\": 120}')");
    enqueue(50);
    EXPECT_EQ(claim(50), 2U);
    EXPECT_EQ(claim(50), 0U);
    sql.run("update jobforge.rate_buckets set refilled_at = refilled_at - interval '500 ms'");
    EXPECT_EQ(claim(50), 1U);
    sql.run("update jobforge.rate_buckets set refilled_at = refilled_at - interval '1 hour'");
    EXPECT_EQ(claim(50), 2U);
}

TEST_F(Limits, a_quota_of_waiting_jobs_and_bytes_is_exact) {
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": 3}}')", kTenantA));
    enqueue(2);
    EXPECT_EQ(
        sql.error("select jobforge.enqueue_jobs(array['a', 'a'], array['{}', '{}']::jsonb[])"),
        "QUOTA_EXCEEDED");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "QUOTA_EXCEEDED");
    EXPECT_EQ(claim(1), 1U);  // a running job does not wait
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "QUOTA_EXCEEDED");
    sql.run(
        "select jobforge.cancel_job(job_id) from jobforge.jobs where status = 'QUEUED' limit 1");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": null, "
                    "\"max_waiting_bytes\": 3000}}')",
                    kTenantA));
    EXPECT_EQ(
        sql.error("select jobforge.enqueue_job('a', jsonb_build_object('x', repeat('x', 4000)))"),
        "QUOTA_EXCEEDED");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "ok");
    const std::string exact = fmt::format(
        "select (w.jobs, w.bytes) = (select count(*), sum(payload_bytes) from jobforge.jobs where "
        "status = 'QUEUED') from jobforge.tenant_waiting('{}') w",
        kTenantA);
    EXPECT_EQ(sql.one(exact), "t");
    sql.run("select jobforge.fold_counters()");
    EXPECT_EQ(sql.one(exact), "t");
}

TEST_F(Limits, counters_survive_folding_and_count_every_end) {
    enqueue(3);
    sql.run(
        "select from jobforge.claim_jobs('w', 1, array['a']); "
        "select jobforge.complete_job('w', tenant_id, job_id, lease_token) from jobforge.jobs "
        "where status = 'RUNNING'; "
        "select jobforge.cancel_job(job_id) from jobforge.jobs limit 1");
    const std::string expected = "3|1|1|0|1";
    const std::string query =
        "select enqueued || '|' || succeeded || '|' || cancelled || '|' || failed || '|' || queued "
        "from jobforge.job_stats()";
    EXPECT_EQ(sql.one(query), expected);
    EXPECT_NE(sql.one("select jobforge.fold_counters()"), "0");
    EXPECT_EQ(sql.one("select count(*) from jobforge.counter_deltas"), "0");
    EXPECT_EQ(sql.one(query), expected);
}

TEST_F(Limits, large_payloads_and_results_live_as_artifacts_and_are_pruned_with_their_last_user) {
    sql.run(
        "select from jobforge.enqueue_job('a', jsonb_build_object('x', repeat('x', 1048576)), "
        "p_idempotency_key => 'k')");
    sql.run("select from jobforge.enqueue_job('a', jsonb_build_object('x', repeat('x', 1048576)))");
    EXPECT_EQ(sql.one("select count(*) from jobforge.artifacts"), "1");
    EXPECT_EQ(
        sql.one("select min(length(payload ->> 'x')) from jobforge.claim_jobs('w', 9, array['a'])"),
        "1048576");
    sql.run(
        "select jobforge.complete_job('w', tenant_id, job_id, lease_token, jsonb_build_object('y', "
        "repeat('y', 300000))) "
        "from jobforge.jobs");
    EXPECT_EQ(sql.one("select count(*) from jobforge.artifacts"), "2");
    EXPECT_EQ(sql.one("select length(result ->> 'y') from jobforge.get_job((select "
                      "min(job_id::text)::uuid from jobforge.finished_jobs))"),
              "300000");
    EXPECT_EQ(sql.one("select jobforge.prune_finished()"), "0");
    sql.run("select jobforge.set_job_type('a', '{\"retention_days\": 0}')");
    EXPECT_EQ(sql.one("select jobforge.prune_finished(1)"), "1");
    EXPECT_EQ(sql.one("select count(*) from jobforge.artifacts"), "2");
    EXPECT_EQ(sql.one("select jobforge.prune_finished()"), "1");
    EXPECT_EQ(sql.one("select (select count(*) from jobforge.artifacts) + (select count(*) from "
                      "jobforge.idempotency_keys)"),
              "0");
}

TEST_F(Limits, backoff_never_overflows) {
    EXPECT_EQ(
        sql.one("select string_agg(jobforge.backoff_seconds(b, n)::text, ' ' order by b, n) from "
                "unnest(array['bpc', 'jobforge', 'source']) b, unnest(array[1, 2, 5, 10, 31, "
                "2147483647]) n"),
        "2 4 32 1024 1024 1024 1 2 16 512 3600 3600 300 600 4800 86400 86400 86400");
}

TEST_F(Limits, jitter_adds_up_to_a_tenth) {
    sql.run("select jobforge.set_job_type('a', '{\"backoff\": \"bpc\", \"backoff_jitter\": 0.1}')");
    enqueue(50);
    ASSERT_EQ(claim(50), 50U);
    sql.run(
        "select jobforge.fail_job('w', tenant_id, job_id, lease_token, "
        "'{\"code\":\"X\",\"message\":\"m\"}') from jobforge.jobs");
    EXPECT_EQ(sql.one("select bool_and(d between 1.99 and 2.21) and max(d) > 2.05 from (select "
                      "extract(epoch from j.scheduled_at - a.ended_at) d "
                      "from jobforge.jobs j join jobforge.attempt_records a using (job_id)) x"),
              "t");
}

TEST_F(Limits, schedules_enqueue_what_is_due_once_and_skip_what_an_outage_missed) {
    sql.run(
        fmt::format("insert into jobforge.schedules (tenant_id, schedule_id, name, type, "
                    "every_seconds, next_run_at) "
                    "values ('{}', gen_random_uuid(), 'tick', 'a', 60, clock_timestamp() - "
                    "interval '5 minutes 10 s')",
                    kTenantA));
    EXPECT_EQ(sql.one("select jobforge.run_schedules()"), "1");
    EXPECT_EQ(sql.one("select jobforge.run_schedules()"), "0");
    EXPECT_EQ(sql.one("select next_run_at > clock_timestamp() and next_run_at < clock_timestamp() "
                      "+ interval '60 s' from jobforge.schedules"),
              "t");
    EXPECT_EQ(sql.one("select created_by from jobforge.jobs"), "schedule:tick");
}

TEST_F(Limits, a_schedule_of_a_disabled_type_does_not_remember_the_job_of_another) {
    sql.run("select jobforge.set_job_type('b', '{\"enabled\": false}')");
    for (const auto& [tenant, type, seconds] :
         {std::tuple{kTenantA, "a", 2}, std::tuple{kTenantB, "b", 1}}) {
        sql.run(
            fmt::format("insert into jobforge.schedules (tenant_id, schedule_id, name, type, "
                        "every_seconds, next_run_at) values ('{}', gen_random_uuid(), 'tick', "
                        "'{}', 60, clock_timestamp() - interval '{} s')",
                        tenant, type, seconds));
    }
    EXPECT_EQ(sql.one("select jobforge.run_schedules()"), "1");
    EXPECT_EQ(sql.one("select string_agg(type, ' ') from jobforge.schedules where last_job_id is "
                      "not null"),
              "a");
}

TEST_F(Limits, a_policy_with_a_typing_error_or_out_of_range_is_refused_whole) {
    EXPECT_EQ(sql.error("select jobforge.set_job_type('a', '{\"max_atempts\": 3}')"),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.set_job_type('a', '{\"max_attempts\": 0}')"),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.set_job_type('a', '{\"max_attempts\": \"many\"}')"),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.set_job_type('no good name')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.one("select max_attempts from jobforge.job_types where type = 'a'"), "5");
}

}  // namespace
}  // namespace jobforge::test
