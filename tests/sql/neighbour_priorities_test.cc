// Priorities order a tenant's own work, and between tenants they decide most places, never all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class NeighbourPriorities : public testing::Test {
protected:
    std::string job_of(std::string_view type, const std::string& more = "") {
        return sql.one(
            fmt::format("select job_id from jobforge.enqueue_job('{}', '{{}}'{})", type, more));
    }
    std::string status_of(const std::string& job) {
        return sql.one(fmt::format("select status from jobforge.get_job('{}')", job));
    }

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(NeighbourPriorities, the_best_priority_of_one_tenant_leaves_a_tenth_to_the_others) {
    sql.run(
        "select from jobforge.enqueue_jobs(array_fill('a'::text, array[2000]), "
        "array_fill('{}'::jsonb, array[2000]), array_fill(0, array[2000]))");
    sql.use_tenant(kTenantB);
    sql.run(
        "select from jobforge.enqueue_jobs(array_fill('a'::text, array[100]), "
        "array_fill('{}'::jsonb, array[100]))");
    const auto of_b = [&](int limit) {
        return sql.one(
            fmt::format("select count(*) filter (where tenant_id = '{}') from "
                        "jobforge.claim_jobs('w', {}, array['a'])",
                        kTenantB, limit));
    };
    EXPECT_EQ(of_b(100), "10");
    int ones = 0;
    for (int i = 0; i < 20; ++i) {
        ones += of_b(1) == "1" ? 1 : 0;
    }
    EXPECT_EQ(ones, 2);  // of ten claims for one job, one
    sql.run("select jobforge.set_tenant_defaults('{\"reserved_percent\": 25}')");
    EXPECT_EQ(of_b(100), "25");
    for (const char* bad : {"0", "51", "null"}) {
        EXPECT_EQ(sql.error(fmt::format(
                      "select jobforge.set_tenant_defaults('{{\"reserved_percent\": {}}}')", bad)),
                  "VALIDATION_ERROR")
            << bad;
    }
    // What the others do not need goes to the best priority.
    sql.run(fmt::format("delete from jobforge.jobs where tenant_id = '{}'", kTenantB));
    EXPECT_EQ(sql.one("select count(*) from jobforge.claim_jobs('w', 100, array['a'])"), "100");
}

// Tenants at 0 and 1 with endless work, one job of a third tenant at 2: each lower priority has
// turns.
TEST_F(NeighbourPriorities, each_of_several_lower_priorities_has_its_turn) {
    const std::string third = sql.one("select jobforge.create_tenant('third')");
    const auto flood = [&](std::string_view tenant, int priority) {
        sql.use_tenant(tenant);
        sql.run(
            fmt::format("select from jobforge.enqueue_jobs(array_fill('a'::text, array[1000]), "
                        "array_fill('{{}}'::jsonb, array[1000]), array_fill({}, array[1000]))",
                        priority));
    };
    flood(kTenantA, 0);
    flood(kTenantB, 1);
    for (const int limit : {1, 10}) {
        sql.use_tenant(third);
        const std::string job = job_of("a");
        int claims = 0;
        while (status_of(job) == "QUEUED" && claims < 40) {
            sql.run(fmt::format("select from jobforge.claim_jobs('w', {}, array['a'])", limit));
            ++claims;
        }
        EXPECT_LE(claims, limit == 1 ? 20 : 3) << limit;
    }
}

// A job that lost its worker, at a priority between, must not switch the others' share off.
TEST_F(NeighbourPriorities, an_interrupted_job_leaves_the_reserved_tenth_as_it_is) {
    sql.run(
        "select from jobforge.enqueue_jobs(array_fill('a'::text, array[2000]), "
        "array_fill('{}'::jsonb, array[2000]), array_fill(0, array[2000]))");
    job_of("b", ", p_priority => 1");
    sql.run(
        "select from jobforge.claim_jobs('lost', 1, array['b']); update jobforge.jobs set "
        "lease_expires_at = clock_timestamp() where type = 'b'");
    sql.run("select jobforge.reclaim_expired()");
    sql.use_tenant(kTenantB);
    sql.run(
        "select from jobforge.enqueue_jobs(array_fill('a'::text, array[100]), "
        "array_fill('{}'::jsonb, array[100]))");
    int of_b = 0;
    for (int i = 0; i < 40; ++i) {
        of_b += sql.one(fmt::format("select count(*) filter (where tenant_id = '{}') from "
                                    "jobforge.claim_jobs('w', 1, array['a', 'b'], p_slots => 64)",
                                    kTenantB)) == "1"
                    ? 1
                    : 0;
    }
    EXPECT_EQ(of_b, 4);
    EXPECT_EQ(sql.one("select status from jobforge.jobs where type = 'b'"), "RUNNING")
        << "and it has its own turns";
}

TEST_F(NeighbourPriorities, a_tenants_best_priority_is_bounded_by_min_priority) {
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"min_priority\": 2}}'); "
                    "select jobforge.set_job_type('b', '{{\"default_priority\": 0}}')",
                    kTenantA));
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a', p_priority => 1)"), "FORBIDDEN");
    EXPECT_EQ(sql.error("select jobforge.enqueue_jobs(array['a', 'a'], array['{}', '{}']::jsonb[], "
                        "array[2, 0])"),
              "FORBIDDEN");
    sql.run(
        "select from jobforge.enqueue_job('b'); select from jobforge.enqueue_job('a', p_priority "
        "=> 3); "
        "select from jobforge.enqueue_jobs(array['b'], array['{}']::jsonb[])");
    EXPECT_EQ(
        sql.one("select string_agg(priority::text, ' ' order by priority) from jobforge.jobs"),
        "2 2 3");
}

}  // namespace
}  // namespace jobforge::test
