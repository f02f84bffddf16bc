// Who gets which job, in which order, and never twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <libpq-fe.h>
#include <atomic>

#include <mutex>
#include <set>
#include <thread>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Claim : public testing::Test {
protected:
    void enqueue(int count, const std::string& type = "a", const char* tenant = kTenantA,
                 const std::string& more = "") {
        sql.use_tenant(tenant);
        sql.run(
            fmt::format("select from jobforge.enqueue_jobs(array_fill('{}'::text, array[{}]), "
                        "array_fill('{{}}'::jsonb, array[{}]){})",
                        type, count, count, more));
        sql.use_tenant(kTenantA);
    }
    std::vector<TextRow> claim(int limit, const std::string& types = "a",
                               const std::string& more = "") {
        return sql.rows(
            fmt::format("select job_id, type, priority, tenant_id, payload ->> 'n', attempts from "
                        "jobforge.claim_jobs('w', {}, '{{{}}}'{})",
                        limit, types, more));
    }

    // What a worker passes when it knows the one lane with work: the claim's short way.
    static std::string from_lane(const char* floor = "2000-01-01") {
        return fmt::format(
            ", null, 60, null, false, array['a'], array[2], array['{}'::uuid], "
            "array['{}'::timestamptz]",
            kTenantA, floor);
    }

    static constexpr char kAllSeen[] = ", p_seen => 'infinity'";

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Claim, goes_by_priority_then_due_time_then_age_across_types) {
    sql.run(R"(select from jobforge.enqueue_jobs(array['a','b','a','b','a','b'],
        array['{"n":5}','{"n":6}','{"n":3}','{"n":4}','{"n":1}','{"n":2}']::jsonb[],
        p_priorities => array[3,3,2,2,0,1],
        p_scheduled_at => array['2020-01-01','2020-01-02','2020-01-03','2020-01-04','2020-01-05','2020-01-06']::timestamptz[]))");
    for (const char* expected : {"1", "2"}) {
        EXPECT_EQ(claim(1, "a,b").at(0).at(4), expected);
    }
    std::string order;
    for (const auto& row : claim(10, "a,b")) {
        order += row[4];
    }
    EXPECT_EQ(order, "3456");
}

TEST_F(Claim, equal_due_times_keep_the_order_of_enqueueing) {
    sql.run(R"(select from jobforge.enqueue_jobs(array_fill('a'::text, array[100]),
        array(select jsonb_build_object('n', i) from generate_series(1, 100) i)))");
    std::string order;
    for (const auto& row : claim(100)) {
        order += row[4] + " ";
    }
    EXPECT_EQ(order,
              sql.one("select string_agg(i || ' ', '' order by i) from generate_series(1, 100) i"));
}

TEST_F(Claim, from_one_lane_goes_by_due_time_and_then_by_age) {
    sql.run(R"(select from jobforge.enqueue_jobs(array_fill('a'::text, array[4]),
        array['{"n":2}','{"n":3}','{"n":4}','{"n":1}']::jsonb[],
        p_scheduled_at => array['2020-01-03','2020-01-02','2020-01-02','2020-01-01']::timestamptz[]))");
    // Its row moves behind the others': neither their places on disk nor in the index are the
    // order.
    sql.run(
        "select jobforge.reschedule_job(job_id, '2020-01-02') from jobforge.jobs "
        "where payload = '{\"n\": 2}'");
    std::string order;
    for (const auto& row : claim(10, "a", from_lane())) {
        order += row[4];
    }
    EXPECT_EQ(order, "1234");
}

TEST_F(Claim, from_one_lane_of_a_type_it_was_not_asked_for_takes_nothing) {
    enqueue(1);
    EXPECT_TRUE(claim(10, "b", from_lane()).empty());
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where status = 'QUEUED'"), "1");
}

TEST_F(Claim, from_one_lane_passes_over_rows_that_others_hold) {
    enqueue(3);
    Session other = database.session();
    other.run("begin; select from jobforge.jobs order by scheduled_at limit 1 for update");
    sql.run("set lock_timeout = '10s'");  // who waits for the row fails, and does not hang
    EXPECT_EQ(claim(10, "a", from_lane()).size(), 2U);
    other.run("rollback");
    EXPECT_EQ(claim(10, "a", from_lane()).size(), 1U);
}

TEST_F(Claim, leaves_the_future_alone) {
    sql.run(
        "select from jobforge.enqueue_job('a', p_scheduled_at => clock_timestamp() + interval '1 "
        "hour')");
    EXPECT_TRUE(claim(10).empty());
    EXPECT_EQ(sql.rows("select * from jobforge.find_lanes(array['a'])").size(), 1U);
}

TEST_F(Claim, takes_exactly_the_limit_also_on_stale_statistics) {
    // Statistics from an empty table are what made other claim queries take everything (41 of 41).
    sql.run("analyze jobforge.jobs");
    enqueue(41);
    EXPECT_EQ(claim(2).size(), 2U);
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where status = 'RUNNING'"), "2");
    EXPECT_EQ(claim(3, "a", from_lane()).size(), 3U);
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where status = 'RUNNING'"), "5");
}

TEST_F(Claim, only_takes_types_it_was_asked_for) {
    enqueue(1, "b");
    EXPECT_TRUE(claim(10, "a").empty());
    EXPECT_EQ(claim(10, "a,b").size(), 1U);
}

TEST_F(Claim, only_takes_tenants_it_was_asked_for) {
    enqueue(1, "a", kTenantB);
    EXPECT_TRUE(claim(10, "a", fmt::format(", array['{}']::uuid[]", kTenantA)).empty());
    EXPECT_EQ(claim(10, "a", fmt::format(", array['{}']::uuid[]", kTenantB)).size(), 1U);
}

TEST_F(Claim, a_tenant_with_a_long_queue_delays_another_by_less_than_a_batch) {
    enqueue(2000, "a", kTenantA,
            ", p_scheduled_at => array_fill('2020-01-01'::timestamptz, array[2000])");
    enqueue(1, "a", kTenantB);
    int from_b = 0;
    for (const auto& row : claim(10)) {
        from_b += row[3] == kTenantB ? 1 : 0;
    }
    EXPECT_EQ(from_b, 1);
    // And one by one: with two tenants, B's next job comes within a few turns.
    enqueue(1, "a", kTenantB);
    int turns = 0;
    while (claim(1).at(0)[3] != kTenantB) {
        ASSERT_LT(++turns, 60);  // fails once in 2^60 runs
    }
}

TEST_F(Claim, what_a_small_tenant_leaves_goes_to_the_others) {
    enqueue(50, "a", kTenantA);
    enqueue(1, "a", kTenantB);
    EXPECT_EQ(claim(40).size(), 40U);
}

TEST_F(Claim, the_workers_own_limits_per_type_hold) {
    enqueue(10, "a");
    enqueue(10, "b");
    int a = 0;
    int b = 0;
    for (const auto& row : claim(20, "a,b", ", p_type_limits => array[3, 20]")) {
        (row[1] == "a" ? a : b) += 1;
    }
    EXPECT_EQ(a, 3);
    EXPECT_EQ(b, 10);
}

TEST_F(Claim, lanes_from_a_floor_on_are_a_hint_about_where_to_look) {
    sql.run(
        "select from jobforge.enqueue_job('a', p_scheduled_at => '2020-01-01'); "
        "select from jobforge.enqueue_job('a', p_scheduled_at => '2021-01-01')");
    EXPECT_EQ(claim(10, "a", from_lane("2020-06-01") + kAllSeen).size(), 1U);
    EXPECT_EQ(claim(10, "a", from_lane("2019-01-01") + kAllSeen).size(), 1U);
}

// A worker's floor hides what becomes due below it until its next look, seconds away while an old
// snapshot makes looks expensive. A job that was due before it was made does not wait for that.
TEST_F(Claim, a_back_dated_job_below_the_floor_is_in_the_next_claim) {
    enqueue(5);
    const std::string seen = sql.one("select clock_timestamp()");
    sql.run(R"(select jobforge.enqueue_job('a', '{"n":1}', p_scheduled_at => '2020-01-01'))");
    enqueue(5);
    const auto lane = from_lane(seen.c_str());
    const auto got = claim(3, "a", lane + fmt::format(", p_seen => '{}'", seen));
    ASSERT_EQ(got.size(), 3U);
    EXPECT_EQ(got[0][4], "1") << "first, because it was due first";
    EXPECT_EQ(claim(100, "a", lane).size(), 3U) << "and then those of the lane, each once";
    EXPECT_EQ(claim(100).size(), 5U);
}

TEST_F(Claim, a_back_dated_job_may_be_in_a_lane_the_caller_did_not_name) {
    enqueue(3);
    enqueue(1, "a", kTenantB, ", p_scheduled_at => array['2020-01-01'::timestamptz]");
    enqueue(1, "a", kTenantA, ", array[1], array['2020-01-01'::timestamptz]");
    enqueue(1, "b", kTenantA, ", p_scheduled_at => array['2020-01-01'::timestamptz]");
    const auto got = claim(2, "a,b", from_lane("2020-06-01"));
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[0][2], "1") << "priority first, as ever";
    EXPECT_EQ(claim(10, "a,b", from_lane("2020-06-01")).size(), 4U);
}

TEST_F(Claim, a_back_dated_job_obeys_what_the_claim_and_the_limits_say) {
    const auto lane = from_lane("2020-06-01");
    enqueue(2, "a", kTenantA,
            ", p_scheduled_at => array_fill('2020-01-01'::timestamptz, array[2])");
    EXPECT_TRUE(claim(10, "b", lane).empty()) << "a type that was not asked for";
    const std::string other_tenant = fmt::format(
        ", array['{0}'::uuid], 60, null, false, array['a'], array[2], array['{0}'::uuid], "
        "array['2020-06-01'::timestamptz]",
        kTenantB);
    EXPECT_TRUE(claim(10, "a", other_tenant).empty()) << "a tenant that was not asked for";
    EXPECT_TRUE(claim(10, "a", lane + kAllSeen).empty()) << "a look has shown it";
    sql.run("select jobforge.set_job_type('a', '{\"concurrency_limit\": 1}')");
    EXPECT_EQ(claim(10, "a", lane).size(), 1U);
    EXPECT_TRUE(claim(10, "a", lane).empty()) << "one runs";
    sql.run("select jobforge.set_job_type('a', '{\"concurrency_limit\": null}')");
    Session other = database.session();
    other.run("begin; select from jobforge.jobs where status = 'QUEUED' for update");
    EXPECT_TRUE(claim(10, "a", lane).empty()) << "another worker has it";
    other.run("rollback");
    EXPECT_EQ(claim(10, "a", lane).size(), 1U);
}

// A claim sees back-dated jobs before it locks them: meanwhile another job may lie in their place,
// or the same one may have been moved.
TEST_F(Claim, what_lies_where_a_back_dated_job_was_seen_is_compared_once_more) {
    const auto claimed = [&] {
        return sql.one(fmt::format(
            "select count(*) from jobforge.jobs j cross join lateral jobforge.claim_lane(("
            "'w', gen_random_uuid(), 0, 60, array[j.ctid], array['a'], array[2]::smallint[], "
            "array['{0}']::uuid[], null, null, null)::jobforge.claim_order, 'a', 2::smallint, "
            "'{0}', now() - interval '1 minute', now(), 1) c where c.row_ids is not null",
            kTenantA));
    };
    const std::string past = "array['2020-01-01'::timestamptz]";
    enqueue(1, "b", kTenantA, ", p_scheduled_at => " + past);
    enqueue(1, "a", kTenantB, ", p_scheduled_at => " + past);
    enqueue(1, "a", kTenantA, ", array[1], " + past);
    enqueue(1, "a", kTenantA, ", p_scheduled_at => array[now() + interval '1 hour']");
    enqueue(1, "a", kTenantA, ", p_scheduled_at => " + past);
    sql.run(
        "update jobforge.jobs set interrupted = true where type = 'a' and priority = 2 and "
        "scheduled_at = '2020-01-01'");
    EXPECT_EQ(claimed(), "0") << "type, tenant, priority, due time, interruption";
    sql.run("update jobforge.jobs set interrupted = false");
    EXPECT_EQ(claimed(), "1");
}

TEST_F(Claim, ten_workers_and_many_jobs_without_a_duplicate) {
    enqueue(1000);
    std::mutex mutex;
    std::multiset<std::string> taken;
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 10; ++worker) {
        workers.emplace_back([&, worker] {
            Session mine = database.session();
            for (;;) {
                const auto rows = mine.rows(fmt::format(
                    "select job_id from jobforge.claim_jobs('w{}', 7, array['a'])", worker));
                const std::lock_guard lock(mutex);
                for (const auto& row : rows) {
                    taken.insert(row[0]);
                }
                if (taken.size() >= 1000) {
                    return;
                }
            }
        });
    }
    workers.clear();
    EXPECT_EQ(taken.size(), 1000U);
    EXPECT_EQ(std::set<std::string>(taken.begin(), taken.end()).size(), 1000U);
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where attempts = 1 and lease_token = 1"),
              "1000");
}

TEST_F(Claim, an_interrupted_job_comes_beside_other_work_to_a_worker_that_runs_something) {
    enqueue(1, "fast");
    ASSERT_EQ(claim(1, "fast").size(), 1U);
    sql.run("update jobforge.jobs set lease_expires_at = clock_timestamp() - interval '1 ms'");
    enqueue(5, "a");
    ASSERT_EQ(sql.rows("select from jobforge.claim_jobs('busy', 1, array['a'])").size(), 1U);
    const auto got = sql.rows(
        "select type, interrupted, interruptions, attempts from jobforge.claim_jobs('busy', 9, "
        "array['a', 'fast'])");
    ASSERT_EQ(got.size(), 5U);
    EXPECT_EQ(got[0], (TextRow{"fast", "t", "1", "2"}));  // it kept its place in the queue
    EXPECT_EQ(got[1], (TextRow{"a", "f", "0", "1"}));
}

TEST_F(Claim, a_large_answer_comes_by_reference_and_is_read_after_the_commit) {
    enqueue(2, "a", kTenantA, ", p_priorities => array[2, 1]");
    const std::string by_reference = ", p_by_reference => true";
    ASSERT_EQ(claim(2, "a", by_reference).size(), 2U);  // small: the jobs themselves
    sql.run(
        "select from jobforge.enqueue_jobs(array['a', 'a', 'a'], array(select "
        "jsonb_build_object('n', n, 'x', repeat(md5(n::text), 1000)) from generate_series(1, 3) "
        "n))");
    const auto answer = sql.rows(
        "select claim_id, row_ids, job_id, payload from jobforge.claim_jobs('w', 3, array['a'], "
        "p_by_reference => true)");
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_EQ(answer[0][2] + answer[0][3], "NULLNULL");
    const std::string read = fmt::format(
        "select payload ->> 'n', length(payload ->> 'x'), lease_token, claim_id from "
        "jobforge.read_claimed('{}', '{}')",
        answer[0][0], answer[0][1]);
    const auto jobs = sql.rows(read);
    ASSERT_EQ(jobs.size(), 3U);
    for (std::size_t at = 0; at < jobs.size(); ++at) {
        EXPECT_EQ(jobs[at], (TextRow{std::to_string(at + 1), "32000", "1", answer[0][0]}));
    }
    // Large payloads can be left to whoever runs the job.
    const auto left_out =
        fmt::format("select job_id, payload is null from jobforge.read_claimed('{}', '{}', {})",
                    answer[0][0], answer[0][1], 20000);
    ASSERT_EQ(sql.rows(left_out).size(), 3U);
    for (const auto& row : sql.rows(left_out)) {
        EXPECT_EQ(row[1], "t");
        EXPECT_EQ(sql.one(fmt::format("select length(jobforge.read_payload('{}', '{}', '{}') ->> "
                                      "'x')",
                                      kTenantA, row[0], answer[0][0])),
                  "32000");
        EXPECT_EQ(sql.one(fmt::format("select jobforge.read_payload('{}', '{}', gen_random_uuid()) "
                                      "is null",
                                      kTenantA, row[0])),
                  "t");
    }
    // What was cancelled meanwhile is left out; rows that moved are found by their claim.
    sql.run("select jobforge.cancel_job(job_id) from jobforge.jobs where payload ->> 'n' = '2'");
    sql.run("vacuum full jobforge.jobs");
    EXPECT_EQ(sql.rows(read).size(), 2U);
    EXPECT_TRUE(sql.rows(fmt::format("select from jobforge.read_claimed(gen_random_uuid(), '{}')",
                                     answer[0][1]))
                    .empty());
}

TEST_F(Claim, bad_arguments_are_refused) {
    EXPECT_EQ(sql.error("select jobforge.claim_jobs('', 1, array['a'])"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.claim_jobs('w', 0, array['a'])"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.claim_jobs('w', 1, array[]::text[])"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.claim_jobs('w', 1, array['a'], p_lease_seconds => 0)"),
              "VALIDATION_ERROR");
    EXPECT_EQ(
        sql.error("select jobforge.claim_jobs('w', 1, array['a'], p_type_limits => array[1, 2])"),
        "VALIDATION_ERROR");
}

// The index scan must carry the floor, and the update must go by ctid: on a table full of dead rows
// any other plan is ten times slower (FACTS, the plan trap).
TEST_F(Claim, the_plan_is_an_index_scan_and_a_tid_scan_whatever_the_statistics_say) {
    enqueue(2000);
    sql.run(
        "load 'auto_explain'; set auto_explain.log_min_duration = 0; set "
        "auto_explain.log_nested_statements = on; "
        "set client_min_messages = log");
    std::string plans;
    PQsetNoticeReceiver(
        sql.connection().native(),
        [](void* to, const PGresult* notice) {
            static_cast<std::string*>(to)->append(PQresultErrorMessage(notice));
        },
        &plans);
    for (const std::string& way : {std::string(), from_lane()}) {
        plans.clear();
        ASSERT_EQ(claim(100, "a", way).size(), 100U);
        EXPECT_NE(plans.find("Index Scan using jobs_ready"), std::string::npos);
        EXPECT_NE(plans.find("Tid Scan on jobs"), std::string::npos);
        const auto update = plans.find("Update on jobs");
        ASSERT_NE(update, std::string::npos);
        EXPECT_EQ(plans.substr(update, 1500).find("Seq Scan"), std::string::npos);
    }
    plans.clear();
    sql.run(
        "select from jobforge.complete_jobs('w', (select array_agg(tenant_id) from jobforge.jobs "
        "where status = 'RUNNING'), "
        "(select array_agg(job_id) from jobforge.jobs where status = 'RUNNING'), "
        "(select array_agg(lease_token) from jobforge.jobs where status = 'RUNNING'))");
    const auto removal = plans.find("Delete on jobs");
    ASSERT_NE(removal, std::string::npos);
    EXPECT_NE(plans.find("Index Scan using jobs_pkey"), std::string::npos);
    EXPECT_EQ(plans.substr(removal, 1500).find("Seq Scan"), std::string::npos);
}

}  // namespace
}  // namespace jobforge::test
