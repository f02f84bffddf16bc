// The stream of job changes reads as the engine, which spans tenants: only the function's own
// conditions keep one tenant's jobs from another.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class JobChangesSql : public testing::Test {
protected:
    struct Jobs {
        std::string waiting, planned, running, interrupted, finished;

        [[nodiscard]] std::string array() const {
            return fmt::format("array['{}','{}','{}','{}','{}']::uuid[]", waiting, planned, running,
                               interrupted, finished);
        }
    };

    // A job in each state that the function looks for in a place of its own. Nothing else of these
    // types may wait: a claim takes whatever is due, of any tenant.
    Jobs make_jobs(const char* tenant) {
        sql.use_tenant(tenant);
        const auto begun = [&](const char* type) {
            const std::string job =
                sql.one(fmt::format("select job_id from jobforge.enqueue_job('{}')", type));
            EXPECT_EQ(sql.one(fmt::format(
                          "select job_id from jobforge.claim_jobs('w', 1, array['{}'])", type)),
                      job);
            return job;
        };
        const auto waiting = [&](const char* when) {
            return sql.one(fmt::format(
                "select job_id from jobforge.enqueue_job('fast', p_scheduled_at => {})", when));
        };
        Jobs jobs;
        jobs.running = begun("a");
        jobs.finished = begun("b");
        sql.run(
            fmt::format("select jobforge.complete_job('w', '{}', '{}', 1)", tenant, jobs.finished));
        jobs.waiting = waiting("now()");
        jobs.planned = waiting("now() + interval '1 day'");
        jobs.interrupted = waiting("now()");
        sql.run(fmt::format("update jobforge.jobs set interrupted = true where job_id = '{}'",
                            jobs.interrupted));
        return jobs;
    }
    // Since a snapshot in which nothing is visible. `at` decides which rows are looked at by time.
    static std::string changes(const std::string& at, const std::string& running) {
        return fmt::format(
            "select count(*), count(distinct job_id) filter (where job ->> 'tenant_id' = "
            "current_setting('app.tenant_id')) from jobforge.job_changes('3:3:', {}, {}, 1000)",
            at, running);
    }

    EngineDatabase database;
    Session sql = database.session();
};

constexpr char kAllTimes[] = "'2000-01-01'";
constexpr char kLaterThanAll[] = "now() + interval '1 hour'";

TEST_F(JobChangesSql, a_tenant_is_told_of_all_its_jobs_and_of_no_other_however_it_asks) {
    const Jobs a = make_jobs(kTenantA);
    const Jobs b = make_jobs(kTenantB);
    Session gateway = database.login_as("jobforge_gateway");
    for (const auto& [tenant, mine, others] :
         {std::tuple(kTenantA, a, b), std::tuple(kTenantB, b, a)}) {
        gateway.use_tenant(tenant);
        for (const std::string& named : {mine.array(), others.array()}) {
            EXPECT_EQ(gateway.rows(changes(kAllTimes, named)), (std::vector<TextRow>{{"5", "5"}}))
                << tenant;
        }
        // By time only what is planned for later; the rest by state, or because it was named.
        EXPECT_EQ(gateway.rows(changes(kLaterThanAll, others.array())),
                  (std::vector<TextRow>{{"3", "3"}}))
            << tenant;
        EXPECT_EQ(gateway.rows(changes(kLaterThanAll, mine.array())),
                  (std::vector<TextRow>{{"4", "4"}}))
            << tenant;
    }
}

TEST_F(JobChangesSql, without_a_tenant_or_the_gateways_role_it_tells_nothing) {
    const Jobs b = make_jobs(kTenantB);
    const std::string asked = changes(kAllTimes, b.array());
    Session gateway = database.login_as("jobforge_gateway");
    EXPECT_EQ(gateway.error(asked), "FORBIDDEN");
    gateway.use_tenant("");
    EXPECT_EQ(gateway.error(asked), "FORBIDDEN");
    gateway.use_tenant("cccccccc-0000-4000-8000-000000000003");
    EXPECT_EQ(gateway.rows(asked), (std::vector<TextRow>{{"0", "0"}}));
    for (const char* role : {"jobforge_worker", "jobforge_tenant", "jobforge_observer"}) {
        Session who = database.login_as(role);
        who.use_tenant(kTenantB);
        EXPECT_EQ(who.error(asked), "42501") << role;
    }
    Session login = database.tenant_login(kTenantB);
    EXPECT_EQ(login.error(asked), "42501") << "a tenant's own login reads all_jobs instead";
}

TEST_F(JobChangesSql, what_was_there_at_the_look_before_is_not_told_again) {
    const Jobs a = make_jobs(kTenantA);
    const std::string before = sql.one("select pg_current_snapshot()");
    sql.use_tenant(kTenantA);
    const auto since = [&] {
        return sql.rows(
            fmt::format("select job_id, status from jobforge.job_changes('{}', now(), {}, 1000)",
                        before, a.array()));
    };
    EXPECT_TRUE(since().empty());
    sql.run(fmt::format("select jobforge.cancel_job('{}')", a.waiting));
    EXPECT_EQ(since(), (std::vector<TextRow>{{a.waiting, "CANCELLED"}}));
}

}  // namespace
}  // namespace jobforge::test
