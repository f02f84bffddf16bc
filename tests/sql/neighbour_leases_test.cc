// Leases that one tenant lets expire, by its own worker over HTTP, cost the others nothing: not
// their claims, not the jobs of a worker that really died, not their streams.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;

class NeighbourLeases : public testing::Test {
protected:
    void enqueue(int count, int priority = 2) {
        sql.run(
            fmt::format("select from jobforge.enqueue_jobs(array_fill('a'::text, array[{0}]), "
                        "array_fill('{{}}'::jsonb, array[{0}]), array_fill({1}, array[{0}]))",
                        count, priority));
    }
    // Jobs of the current tenant that lost a worker so many times.
    void lost(int count, int priority = 2, int times = 1) {
        enqueue(count, priority);
        sql.run(
            fmt::format("update jobforge.jobs set interrupted = true, interruptions = {} where "
                        "status = 'QUEUED' and not interrupted",
                        times));
    }
    std::string claimed_of(std::string_view tenant, const std::string& worker, int limit) {
        return sql.one(
            fmt::format("select count(*) filter (where tenant_id = '{}') from "
                        "jobforge.claim_jobs('{}', {}, array['a'], p_slots => 8)",
                        tenant, worker, limit));
    }
    // Rows of jobs that a statement reads, by sequential scan or by index.
    long rows_read_by(const std::string& statement) {
        sql.run("begin");
        const auto read = [&] {
            return std::stol(
                sql.one("select pg_stat_get_xact_tuples_returned('jobforge.jobs'::regclass) + "
                        "coalesce(sum(pg_stat_get_xact_tuples_returned(i.indexrelid)), 0) from "
                        "pg_index i where i.indrelid = 'jobforge.jobs'::regclass"));
        };
        const long before = read();
        sql.run(statement);
        const long after = read();
        sql.run("rollback");
        return after - before;
    }

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(NeighbourLeases, a_tenant_holds_a_bounded_number_of_jobs_over_http) {
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"max_leased_jobs\": 5}}')", kTenantA));
    enqueue(20);
    const auto claim = [](const char* worker) {
        return fmt::format("select count(*) from jobforge.tenant_claim_jobs('{}', 3, array['a'])",
                           worker);
    };
    EXPECT_EQ(sql.one(claim("one")), "3");
    EXPECT_EQ(sql.one(claim("two")), "2");
    EXPECT_EQ(sql.error(claim("three")), "QUOTA_EXCEEDED");
    EXPECT_THAT(sql.message(), HasSubstr("5"));
    // The platform's workers and other tenants are not concerned.
    EXPECT_EQ(sql.one("select count(*) from jobforge.claim_jobs('w', 3, array['a'])"), "3");
    sql.use_tenant(kTenantB);
    enqueue(1);
    EXPECT_EQ(sql.one(claim("one")), "1");
    // A job that has ended, or whose lease was taken back, makes room.
    sql.use_tenant(kTenantA);
    sql.run(
        "update jobforge.jobs set lease_expires_at = clock_timestamp() where lease_owner like "
        "'%/two'; select jobforge.reclaim_expired()");
    EXPECT_EQ(sql.one(claim("three")), "2");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.set_tenant('{}', '{{\"max_leased_jobs\": "
                                    "null}}')",
                                    kTenantA)),
              "VALIDATION_ERROR");
}

TEST_F(NeighbourLeases, a_claim_does_not_read_the_interrupted_jobs_one_by_one) {
    lost(3000);
    lost(3000, 0, 2);
    // Also where none is due.
    sql.run("update jobforge.jobs set scheduled_at = '2099-01-01' where interruptions = 2");
    sql.use_tenant(kTenantB);
    enqueue(10);
    sql.run("vacuum analyze jobforge.jobs");  // dead entries of the index count as well
    const std::string claim =
        "select from jobforge.claim_jobs('w', 8, array['a', 'b'], p_slots => 8";
    EXPECT_LT(rows_read_by(claim + ")"), 300);
    // A tenant's own claim over HTTP does not meet the others'.
    EXPECT_LT(rows_read_by(claim + fmt::format(", p_tenants => array['{}']::uuid[])", kTenantB)),
              100);
    EXPECT_LT(rows_read_by("select from jobforge.find_lanes(array['a', 'b'])"), 100);
    EXPECT_LT(rows_read_by("select from jobforge.job_changes(pg_current_snapshot(), "
                           "clock_timestamp(), '{}', 100)"),
              100);
}

TEST_F(NeighbourLeases, interrupted_jobs_of_two_tenants_take_turns) {
    lost(100);
    sql.run("update jobforge.jobs set scheduled_at = '2001-01-01'");
    sql.use_tenant(kTenantB);
    lost(100);
    // Of the eight places that a worker with 32 slots has for them each tenant gets four; which one
    // has the place of the turn and the first of its priority is drawn.
    const int of_eight =
        std::stoi(sql.one(fmt::format("select count(*) filter (where tenant_id = '{}') from "
                                      "jobforge.claim_jobs('large', 8, array['a'], p_slots => 32)",
                                      kTenantB)));
    EXPECT_GE(of_eight, 3);
    EXPECT_LE(of_eight, 5);
    // For one place the tenants draw: none is always the second.
    int of_b = 0;
    for (int i = 0; i < 40; ++i) {
        of_b += std::stoi(claimed_of(kTenantB, fmt::format("w{}", i), 1));
    }
    EXPECT_GT(of_b, 2);
    EXPECT_LT(of_b, 38);
}

// 1,000 interrupted jobs of the best priority, and a worker with one place for jobs that were
// interrupted more than once.
TEST_F(NeighbourLeases, an_interrupted_job_of_a_lower_priority_has_turns_too) {
    lost(1000, 0, 2);
    sql.use_tenant(kTenantB);
    lost(1, 3, 2);
    int claims = 0;
    while (claimed_of(kTenantB, "w", 1) == "0" && claims < 60) {
        sql.run(
            "select jobforge.complete_job('w', tenant_id, job_id, lease_token) from jobforge.jobs "
            "where lease_owner = 'w'");
        ++claims;
    }
    EXPECT_LE(claims, 20);
}

// A lane is a tenant's: one that has many types has no more turns.
TEST_F(NeighbourLeases, a_tenant_with_many_types_has_one_turn_as_well) {
    sql.run(
        "insert into jobforge.job_types (type) select 'x' || i from generate_series(1, 8) i; "
        "select from jobforge.enqueue_jobs((select array_agg('x' || i) from generate_series(1, 8) "
        "i), array_fill('{}'::jsonb, array[8])); "
        "update jobforge.jobs set interrupted = true, interruptions = 1");
    sql.use_tenant(kTenantB);
    lost(8);
    const int of_b = std::stoi(
        sql.one(fmt::format("select count(*) filter (where tenant_id = '{}') from "
                            "jobforge.claim_jobs('w', 8, array['a', "
                            "'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7', 'x8'], p_slots => 32)",
                            kTenantB)));
    EXPECT_GE(of_b, 3);
    EXPECT_LE(of_b, 5);
}

// A lease of a day, which a worker over HTTP may ask for, says nothing of sessions of our workers.
TEST_F(NeighbourLeases, a_long_lease_over_http_delays_the_end_of_no_frozen_session) {
    enqueue(2);
    sql.run("select from jobforge.tenant_claim_jobs('w', 1, array['a'], 86400)");
    EXPECT_EQ(sql.one("select jobforge.longest_lease() < interval '1 day'"), "t");
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'], p_lease_seconds => 86400)");
    EXPECT_EQ(sql.one("select jobforge.longest_lease() = interval '1 day'"), "t");
}

// --- what else a tenant could go around

TEST_F(NeighbourLeases, a_tenant_with_an_open_transaction_can_be_suspended) {
    Session open = database.tenant_login(kTenantA);
    open.run(
        "begin; select jobforge.create_api_key('aaaaaaaaaaaaaaaa', sha256('x'), 'n', "
        "array['Operator'])");
    sql.run("set lock_timeout = '500ms'");
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantA)),
              "ok")
        << sql.message();
    open.run("rollback");
}

TEST_F(NeighbourLeases, ended_jobs_come_back_within_the_quota_and_the_best_priority) {
    enqueue(6, 0);
    sql.run(
        "select jobforge.cancel_jobs(array_agg(job_id)) from jobforge.jobs where status = "
        "'QUEUED'");
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": 4, "
                    "\"min_priority\": 1}}')",
                    kTenantA));
    EXPECT_EQ(sql.error("select jobforge.retry_jobs('CANCELLED')"), "QUOTA_EXCEEDED");
    EXPECT_EQ(sql.one("select count(*) from jobforge.retry_jobs('CANCELLED', p_limit => 3)"), "3");
    EXPECT_EQ(sql.error("select jobforge.retry_jobs('CANCELLED', p_limit => 2)"), "QUOTA_EXCEEDED");
    const std::string again =
        "select jobforge.reschedule_job(job_id) from (select job_id from jobforge.finished_jobs "
        "limit 1) f";
    EXPECT_EQ(sql.error(again), "ok") << sql.message();
    EXPECT_EQ(sql.error(again), "QUOTA_EXCEEDED");
    EXPECT_EQ(sql.one("select count(*) || ' ' || min(priority) from jobforge.jobs"), "4 1");
}

TEST_F(NeighbourLeases, schedules_enqueue_what_their_tenant_may_enqueue) {
    const auto schedule = [&](std::string_view tenant, std::string_view type) {
        sql.run(
            fmt::format("insert into jobforge.schedules (tenant_id, schedule_id, name, type, "
                        "every_seconds, next_run_at, priority) values ('{}', gen_random_uuid(), "
                        "'{}', '{}', 60, clock_timestamp() - interval '1 s', 0)",
                        tenant, type, type));
    };
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}'), "
                    "jobforge.set_tenant('{}', '{{\"min_priority\": 2}}')",
                    kTenantA, kTenantB));
    schedule(kTenantA, "a");
    schedule(kTenantB, "a");
    schedule(kTenantB, "SIGN_PASSPORT");
    EXPECT_EQ(sql.one("select jobforge.run_schedules()"), "1");
    EXPECT_EQ(sql.one("select tenant_id || ' ' || type || ' ' || priority from jobforge.jobs"),
              fmt::format("{} a 2", kTenantB));
    // Those that were passed over name no job, least of all one of another tenant.
    EXPECT_EQ(sql.one("select count(last_job_id) from jobforge.schedules"), "1");
    EXPECT_EQ(sql.one("select bool_and(next_run_at > clock_timestamp()) from jobforge.schedules"),
              "t");
}

}  // namespace
}  // namespace jobforge::test
