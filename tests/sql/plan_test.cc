// Every statement on the way of a job reads about as many rows as it works on, whatever the tables
// hold and whatever the statistics say: a join that flipped once cost 19.6 million rows for 1,000
// completions. Planner settings pin a method, not an order, so each is tried on tables that are
// empty, tiny when their plans were made, huge and never analysed, full of dead rows, and
// truncated; by the session that made its plans then, and by one that makes them now.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "plan_reader.h"

namespace jobforge::test {
namespace {

constexpr int kHuge = 50'000;
constexpr char kError[] = R"('{"code": "X", "message": "m"}'::jsonb)";
const std::string kTwoTenants =
    fmt::format("case when n % 20 = 1 then '{}' else '{}' end::uuid", kTenantB, kTenantA);

// Claimed jobs, as the arrays that settling functions take.
struct Held {
    std::string tenants, jobs, tokens, claims;
    [[nodiscard]] std::string lease() const {
        return fmt::format("'{}', '{}', '{}'", tenants, jobs, tokens);
    }
};

class Plans : public testing::Test {
protected:
    void SetUp() override {
        // Nobody analyses behind the test's back.
        for_each_table("alter table jobforge.{} set (autovacuum_enabled = off)");
    }
    void for_each_table(const std::string& statement) {
        for (const char* table : {"jobs", "finished_jobs", "attempt_records", "counter_deltas",
                                  "idempotency_keys", "artifacts", "turns"}) {
            sql.run(fmt::format(fmt::runtime(statement), table));
        }
    }
    // Waiting jobs, running ones of another worker (of both types and both tenants), finished ones
    // with attempts, counters, keys and artifacts: all of them beside the jobs that the statements
    // are about. `tenants`: an SQL expression of n.
    void fill(int count, const std::string& tenants = kTwoTenants) {
        sql.run(fmt::format(R"(
            insert into jobforge.jobs (tenant_id, job_id, type, scheduled_at, created_at, payload, status,
                lease_token, lease_owner, lease_expires_at, attempts, heartbeat_at, started_at)
            select {3}, jobforge.uuid_v7(now()), case when n % 10 = 1
                then 'b' else 'a' end, now() - interval '1 hour' + n * interval '1 ms',
                now() - interval '1 hour' + n * interval '1 ms', '{{}}',
                case when r then 'RUNNING' else 'QUEUED' end, r::int, case when r then 'other' end,
                case when r then now() + interval '1 hour' end, r::int, case when r then now() end,
                case when r then now() end from generate_series(1, {2}) n, lateral (select n % 25 = 1 as r) x;
            insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
                lease_token, scheduled_at, created_at, completed_at, lease_owner, payload)
            select '{0}', jobforge.uuid_v7(now()), 'a', 'SUCCEEDED', 2, 1, 5, 1, now(), now(), now(), 'w', '{{}}'
                from generate_series(1, {2} / 5);
            insert into jobforge.attempt_records select tenant_id, job_id, 1, 1, 'a', 'w', now(), now(), 'RETRY'
                from jobforge.finished_jobs on conflict do nothing;
            insert into jobforge.counter_deltas select '{1}', 'a', 'enqueued', 1
                from generate_series(1, {2} / 5);
            insert into jobforge.idempotency_keys
            select '{0}', case when n % 10 = 1 then 'b' else 'a' end, 'filled ' || n, gen_random_uuid(),
                sha256('{{}}'), now() from generate_series(1, {2} / 5) n on conflict do nothing;
            insert into jobforge.artifacts (tenant_id, sha256, content)
            select '{0}', sha256(c.content), c.content from generate_series(1, {2} / 5) n,
                lateral (select convert_to('{{"n": ' || n || '}}', 'UTF8') as content) c on conflict do nothing;
            insert into jobforge.turns select md5(n::text)::uuid, 'claims' from generate_series(1, {2} / 5) n
                on conflict do nothing;
        )",
                            kTenantA, kTenantB, count, tenants));
    }
    // `counted`: rows that the statement may count beside those it works on.
    std::vector<TextRow> measured(const std::string& what, const std::string& statement,
                                  int each = 0, int counted = 0) {
        const int most = each == 0 ? batch : each;
        std::vector<TextRow> rows;
        const auto reading = plans->read(statement, &rows);
        EXPECT_LE(reading.rows, 14 * most + 60 + counted) << what << "\n" << reading.where;
        // A look, the search for expired leases and a count of what runs begin where the dead rows
        // are (PROTOCOL.md).
        if (!dead_rows || (what.find("look") == std::string::npos && what != "find_lanes" &&
                           what != "reclaim_expired" && counted == 0)) {
            EXPECT_LE(reading.blocks, 20 * most + 150 + counted) << what << "\n" << reading.where;
        }
        EXPECT_TRUE(reading.seq_scans.empty()) << what << "\n" << reading.where;
        return rows;
    }
    void measured_call(const std::string& call, int each = 0) {
        (void)measured(call.substr(0, call.find('(')), "select * from jobforge." + call, each);
    }
    Held claim(const std::string& what, const std::string& more, int count = 0, int counted = 0) {
        count = count == 0 ? batch : count;
        const auto rows = measured(
            what,
            fmt::format("select array_agg(tenant_id), array_agg(job_id), "
                        "array_agg(lease_token), array_agg(claim_id), count(*) from "
                        "jobforge.claim_jobs('w', {}, array['a', 'b'], p_reclaim => false{})",
                        count, more),
            0, counted);
        EXPECT_EQ(rows.at(0).at(4), std::to_string(count)) << what;
        return {rows.at(0)[0], rows.at(0)[1], rows.at(0)[2], rows.at(0)[3]};
    }
    Held claim_one_lane() { return claim("claim, one lane", lane); }
    // The session's plans are forgotten, the statistics are not.
    void fresh_session() {
        plans.reset();
        sql = database.session();
        plans.emplace(sql);
    }

    void with_nothing_to_do();
    void enqueue_and_claim();
    void claim_limited();
    void keys_and_artifacts();
    void settle();
    void crash_and_cancel();
    void by_reference();
    void over_http();
    void whole_way() {
        enqueue_and_claim();
        claim_limited();
        keys_and_artifacts();
        settle();
        crash_and_cancel();
        by_reference();
        over_http();
    }

    EngineDatabase database;
    Session sql = database.session();
    std::optional<PlanReader> plans{std::in_place, sql};
    std::string lane;
    std::string lanes;
    int batch = 20;
    int keys = 0;
    bool dead_rows = false;
};

// Every statement makes its plan while there is no row for it: a worker's sessions do so when they
// come to a new database, or when the last job has ended. (Here the join of the completions
// flipped: to begin with a table of no rows is cheapest.)
void Plans::with_nothing_to_do() {
    const std::string one = fmt::format("'{}', gen_random_uuid(), 1", kTenantA);
    const std::string many =
        fmt::format("array['{}']::uuid[], array[gen_random_uuid()], array[1::bigint]", kTenantA);
    const std::string error = kError;
    for (const auto& [function, more] : {std::pair<std::string, std::string>{"complete_job", ""},
                                         {"fail_job", ", " + error},
                                         {"snooze_job", ", 0"},
                                         {"cancel_running_job", ""},
                                         {"complete_jobs", ""},
                                         {"fail_jobs", ", array[" + error + "]"},
                                         {"snooze_jobs", ", array[0::float8]"},
                                         {"release_jobs", ""},
                                         {"cancel_running_jobs", ""},
                                         {"heartbeat_jobs", ""},
                                         {"lease_state", ""}}) {
        const bool batch_form = function.ends_with("jobs");
        const bool skips = batch_form && function != "heartbeat_jobs";
        for (const char* skip : {"", ", p_skip_locked => true"}) {
            (void)sql.error(fmt::format("select * from jobforge.{}('w', {}{}{})", function,
                                        batch_form ? many : one, more, skips ? skip : ""));
        }
    }
    const std::string no_lanes = fmt::format(
        ", p_lane_types => array['a'], p_lane_priorities => array[2], p_lane_tenants => "
        "array['{}'::uuid], p_lane_floors => array[now()]",
        kTenantA);
    const std::string look = ", p_tenants => array['" + std::string(kTenantA) + "'::uuid]";
    for (const std::string& more : {std::string(), look, no_lanes}) {
        sql.run("select from jobforge.claim_jobs('w', 5, array['a', 'b']" + more + ")");
    }
    sql.run(
        "select from jobforge.find_lanes(array['a', 'b']); "
        "select from jobforge.reclaim_expired(null); "
        "select from jobforge.read_claimed(gen_random_uuid(), array['(0,1)'::tid]); "
        "select from jobforge.read_payload(gen_random_uuid(), gen_random_uuid(), "
        "gen_random_uuid())");
    for (const char* call : {"get_job", "cancel_job", "reschedule_job", "explain_job"}) {
        (void)sql.error(fmt::format("select jobforge.{}(gen_random_uuid())", call));
    }
}

void Plans::enqueue_and_claim() {
    sql.run("select jobforge.fold_counters()");
    measured_call("enqueue_job('a')", 1);
    for (const auto& [type, count] : {std::pair{"a", 20 * batch}, std::pair{"b", 5 * batch}}) {
        measured_call(fmt::format("enqueue_jobs(array_fill('{0}'::text, array[{1}]), "
                                  "array_fill('{{}}'::jsonb, array[{1}]))",
                                  type, count),
                      count);
    }
    const auto quota = [&](const char* most) {
        sql.run(fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": {}}}')",
                            kTenantA, most));
    };
    quota("10000000");
    measured_call("enqueue_job('a')", 1);
    quota("null");
    measured_call(fmt::format("tenant_waiting('{}')", kTenantA));
    const auto floor = [&](const char* type) {
        return sql.one(
            fmt::format("select min(scheduled_at) from jobforge.jobs where status = "
                        "'QUEUED' and type = '{}' and tenant_id = '{}'",
                        type, kTenantA));
    };
    lane = fmt::format(
        ", p_lane_types => array['a'], p_lane_priorities => array[2], p_lane_tenants => "
        "array['{}'::uuid], p_lane_floors => array['{}'::timestamptz]",
        kTenantA, floor("a"));
    lanes = fmt::format(
        ", p_lane_types => array['a', 'b'], p_lane_priorities => array[2, 2], p_lane_tenants => "
        "array['{0}', '{0}']::uuid[], p_lane_floors => array['{1}', '{2}']::timestamptz[]",
        kTenantA, floor("a"), floor("b"));
    measured_call("find_lanes(array['a', 'b'])");
    claim("claim, a look", "");
    claim("claim, a look for tenants", fmt::format(", p_tenants => array['{}'::uuid]", kTenantA));
    claim("claim, own limits", ", p_type_limits => array[100, 100]" + lanes);
    const std::string seen = sql.one("select clock_timestamp()");
    sql.run(
        "select jobforge.enqueue_job('a', p_scheduled_at => '2020-01-01') from generate_series(1, "
        "3)");
    claim("claim, back-dated", lanes + fmt::format(", p_seen => '{}'", seen));
    // It reads what it folds, which is what was counted since it last ran, and its turn.
    const int deltas = std::stoi(sql.one("select count(*) from jobforge.counter_deltas"));
    EXPECT_LE(plans->read("select jobforge.fold_counters()").rows, deltas + 1);
}

// Limits count what runs: all of a type, or all. What waits, which is much more, they do not read.
void Plans::claim_limited() {
    for (const char* limit : {"tenant_concurrency_limit", "concurrency_limit",
                              "rate_limit_per_minute", "tenant_rate_limit_per_minute"}) {
        const int running = std::stoi(
            sql.one("select count(*) from jobforge.jobs where status = 'RUNNING' and type = 'b'"));
        sql.run(fmt::format("select jobforge.set_job_type('b', '{{\"{}\": 6000000}}')", limit));
        claim(fmt::format("claim, {} of a type", limit), lanes, 0, 2 * running);
        sql.run(fmt::format("select jobforge.set_job_type('b', '{{\"{}\": null}}')", limit));
    }
    const int running =
        std::stoi(sql.one("select count(*) from jobforge.jobs where status = 'RUNNING'"));
    const auto limit = [&](const char* most) {
        sql.run(fmt::format("select jobforge.set_tenant('{}', '{{\"concurrency_limit\": {}}}')",
                            kTenantA, most));
    };
    limit("1000000");
    claim("claim, concurrency_limit of a tenant", lanes, 0, 4 * running);
    limit("null");
}

void Plans::keys_and_artifacts() {
    for (const char* again : {"", ", the same"}) {
        measured(fmt::format("enqueue_job with a key{}", again),
                 fmt::format("select jobforge.enqueue_job('a', p_idempotency_key => 'k{}')", keys),
                 1);
        measured(fmt::format("enqueue_jobs with keys{}", again),
                 fmt::format("select jobforge.enqueue_jobs(array_fill('a'::text, array[{0}]), "
                             "array_fill('{{}}'::jsonb, array[{0}]), p_idempotency_keys => "
                             "array(select 'k{1} ' || n from generate_series(1, {0}) n))",
                             batch, keys));
        measured(fmt::format("enqueue_follow_up{}", again),
                 fmt::format("select jobforge.enqueue_follow_up('{}', 'a', '{{}}', 2, 'f{}')",
                             kTenantA, keys),
                 1);
    }
    const auto large = fmt::format("jsonb_build_object('x{}', repeat('x', 300000))", keys++);
    measured("enqueue_job with an artifact",
             fmt::format("select jobforge.enqueue_job('b', {}, p_priority => 1)", large), 1);
    const auto held = measured(
        "claim with an artifact",
        fmt::format("select job_id, lease_token, length(payload::text) from jobforge.claim_jobs("
                    "'w', 1, array['b'], p_reclaim => false, p_lane_types => array['b'], "
                    "p_lane_priorities => array[1], p_lane_tenants => array['{}'::uuid], "
                    "p_lane_floors => array[now() - interval '1 minute'])",
                    kTenantA),
        1);
    ASSERT_EQ(held.size(), 1U);
    EXPECT_GT(std::stoi(held[0][2]), 300'000);
    measured("complete_job with an artifact",
             fmt::format("select jobforge.complete_job('w', '{}', '{}', {}, {} || '{{\"y\": 1}}')",
                         kTenantA, held[0][0], held[0][1], large),
             1);
    measured("get_job with artifacts",
             fmt::format("select * from jobforge.get_job('{}')", held[0][0]), 1);
}

void Plans::settle() {
    auto held = claim_one_lane();
    measured_call("heartbeat_jobs('w', " + held.lease() + ")");
    measured_call("complete_jobs('w', " + held.lease() + ")");
    measured_call("complete_jobs('w', " + held.lease() + ")");  // settled before
    held = claim_one_lane();
    measured_call(fmt::format("complete_jobs('w', {}, p_claim_ids => '{}', p_skip_locked => true)",
                              held.lease(), held.claims));
    for (const auto& [function, more] :
         {std::pair{"fail_jobs", fmt::format(", array_fill({}, array[{}])", kError, batch)},
          std::pair{"snooze_jobs", fmt::format(", array_fill(0::float8, array[{}])", batch)},
          std::pair{"release_jobs", std::string()},
          std::pair{"cancel_running_jobs", std::string()}}) {
        for (const char* skip : {"false", "true"}) {
            measured_call(fmt::format("{}('w', {}{}, p_skip_locked => {})", function,
                                      claim_one_lane().lease(), more, skip));
        }
    }
    const auto one = [&](const std::string& function, const std::string& more) {
        const auto lease = claim("claim of one", lane, 1);
        measured_call(
            fmt::format("{}('w', '{}', '{}', {}{})", function, kTenantA, lease.jobs.substr(1, 36),
                        lease.tokens.substr(1, lease.tokens.size() - 2), more),
            1);
    };
    one("complete_job", "");
    one("fail_job", fmt::format(", {}", kError));
    one("snooze_job", ", 0");
    one("cancel_running_job", "");
    one("lease_state", "");
}

void Plans::crash_and_cancel() {
    const auto held = claim_one_lane();
    sql.run(
        fmt::format("update jobforge.jobs set lease_expires_at = now() - interval '1 s' where "
                    "tenant_id = '{}' and job_id = any('{}')",
                    kTenantA, held.jobs));
    measured_call(fmt::format("reclaim_expired(array['a', 'b'], {})", batch));
    for (const char* what : {"claim beside the quarantine", "claim of twice interrupted jobs"}) {
        claim(what, ", p_slots => 64" + lanes);
        sql.run(
            "update jobforge.jobs set lease_expires_at = now() - interval '1 s' where interrupted "
            "and status = 'RUNNING' and lease_owner = 'w'");
        measured_call(fmt::format("reclaim_expired(array['a', 'b'], {})", batch));
    }
    const auto job = held.jobs.substr(1, 36);
    measured_call(fmt::format("cancel_job('{}')", job), 1);
    sql.run("select jobforge.fold_counters()");  // the quota is asked again
    measured_call(fmt::format("reschedule_job('{}', p_reset_attempts => true)", job), 1);
    measured_call(fmt::format("get_job('{}')", job), 1);
}

void Plans::by_reference() {
    sql.run(fmt::format(
        "select from jobforge.enqueue_jobs(array_fill('a'::text, array[{0}]), array_fill("
        "jsonb_build_object('x', repeat('x', 40000)), array[{0}]), array_fill(0, array[{0}]))",
        batch));
    auto answer = measured(
        "claim by reference",
        fmt::format("select claim_id, row_ids from jobforge.claim_jobs('w', {}, array['a'], "
                    "p_reclaim => false, p_by_reference => true, p_lane_types => array['a'], "
                    "p_lane_priorities => array[0], p_lane_tenants => array['{}'::uuid], "
                    "p_lane_floors => array[now() - interval '1 minute'])",
                    batch, kTenantA));
    ASSERT_EQ(answer.size(), 1U);
    const std::string claim_id = answer[0][0];
    const auto read = fmt::format("select job_id from jobforge.read_claimed('{}', '{}')",
                                  answer[0][0], answer[0][1]);
    answer = measured("read_claimed", read);
    ASSERT_EQ(answer.size(), batch);
    measured_call(fmt::format("read_payload('{}', '{}', '{}')", kTenantA, answer[0][0], claim_id),
                  1);
    measured_call(fmt::format("cancel_job('{}')", answer[0][0]), 1);
    // A row is not where it was: the claim's jobs are looked for among all that run.
    EXPECT_EQ(measured("read_claimed, one gone", read, batch + kHuge / 100).size(), batch - 1);
}

// A worker over HTTP claims without lanes: each of its claims looks, also at what is in quarantine.
void Plans::over_http() {
    const int interrupted =
        std::stoi(sql.one("select count(*) from jobforge.jobs where interrupted"));
    const auto held = measured("claim over HTTP, a look",
                               "select job_id, lease_token, claim_id from "
                               "jobforge.tenant_claim_jobs('h', 3, array['a'])",
                               3, 10 * interrupted);
    ASSERT_EQ(held.size(), 3U);
    measured_call(
        fmt::format(
            "tenant_heartbeat_jobs('h', array['{}', '{}']::uuid[], array[{}, {}]::bigint[])",
            held[0][0], held[1][0], held[0][1], held[1][1]),
        2);
    const auto settle = [&](const char* function, std::size_t row, const std::string& more) {
        measured_call(fmt::format("{}('h', '{}', {}, '{}', {})", function, held[row][0],
                                  held[row][1], held[row][2], more),
                      1);
    };
    settle("tenant_complete_job", 0, "'{}'");
    settle("tenant_fail_job", 1, fmt::format("{}, 0", kError));
    settle("tenant_snooze_job", 2, "0");
}

TEST_F(Plans, made_on_empty_tables_that_grew) {
    with_nothing_to_do();
    whole_way();
    fill(kHuge);
    whole_way();
}

TEST_F(Plans, made_on_tiny_analysed_tables_that_grew) {
    fill(160);
    for_each_table("vacuum analyze jobforge.{}");
    batch = 1;  // the tables are still tiny when the last plan is made
    whole_way();
    fill(kHuge);
    batch = 20;
    whole_way();
    fresh_session();
    whole_way();
}

// A tenant's rows are then expected to be few, and the index that begins with the tenant to be the
// cheapest way to them.
TEST_F(Plans, made_on_analysed_tables_of_many_tenants_before_one_of_them_grew) {
    fill(5'000, "md5(n::text)::uuid");
    for_each_table("vacuum analyze jobforge.{}");
    sql.run("truncate jobforge.jobs");  // the statistics stay
    fill(kHuge);
    whole_way();
}

// What a first trial of 160 jobs leaves behind.
TEST_F(Plans, made_on_tables_that_were_emptied_and_analysed) {
    fill(160);
    for_each_table("delete from jobforge.{}");
    for_each_table("vacuum analyze jobforge.{}");
    with_nothing_to_do();
    fill(kHuge);
    whole_way();
    fresh_session();
    whole_way();
}

TEST_F(Plans, on_huge_tables_never_analysed) {
    fill(kHuge);
    whole_way();
}

TEST_F(Plans, on_dead_rows_that_an_old_snapshot_keeps) {
    dead_rows = true;
    Session old = database.session();
    old.run("begin isolation level repeatable read; select count(*) from jobforge.job_types");
    fill(kHuge);
    // The first half of the queue has been claimed and has ended; half of the rest is gone as well.
    sql.run(R"(
        update jobforge.jobs set status = 'RUNNING', lease_token = 1, lease_owner = 'w',
            lease_expires_at = now(), attempts = 1
        where status = 'QUEUED' and scheduled_at < (select min(j.scheduled_at)
            + (max(j.scheduled_at) - min(j.scheduled_at)) / 2 from jobforge.jobs j);
        delete from jobforge.jobs where lease_owner = 'w')");
    for_each_table("delete from jobforge.{} where random() < 0.5");
    whole_way();
}

TEST_F(Plans, on_tables_truncated_and_filled_again) {
    fill(kHuge);
    for_each_table("analyze jobforge.{0}; truncate jobforge.{0} cascade");
    with_nothing_to_do();
    fill(kHuge);
    whole_way();
    fresh_session();
    whole_way();
}

}  // namespace
}  // namespace jobforge::test
