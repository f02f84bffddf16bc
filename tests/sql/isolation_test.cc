// No tenant sees or touches another's row: every role, every table, every function, every trick.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline_world.h"
#include "price_world.h"

namespace jobforge::test {
namespace {

// B owns one row in each tenant table; A (and nobody) tries to see it.
class Isolation : public testing::Test {
protected:
    void SetUp() override {
        sql.use_tenant(kTenantB);
        PipelineWorld pipeline(sql);
        pipeline.delivery();
        pipeline.version_with_acceptance();
        PriceWorld(sql).everything();
        // The jobs of the pipeline aside: the tests below count two.
        sql.run(
            "select jobforge.extend_event_log(1); select jobforge.store_log_head(1, sha256('r'), "
            "'{}', 'c', 'k'); delete from jobforge.jobs");
        // The first enqueue under a quota writes tenant_usage.
        sql.run(fmt::format("select jobforge.set_tenant('{}', '{{\"max_waiting_jobs\": 100}}')",
                            kTenantB));
        job = sql.one(
            "select job_id from jobforge.enqueue_job('a', '{\"secret\": \"of b\"}', "
            "p_idempotency_key => 'k')");
        done = sql.one("select job_id from jobforge.enqueue_job('b', '{\"secret\": \"of b\"}')");
        sql.run(fmt::format(R"(
            select from jobforge.claim_jobs('w', 1, array['b']);
            select jobforge.fail_job('w', '{0}', '{1}', 1, '{{"code":"X","message":"secret of b","retryable":false}}');
            insert into jobforge.artifacts (tenant_id, sha256, content) values ('{0}', sha256('secret'), 'secret');
            insert into jobforge.job_artifacts values ('{0}', gen_random_uuid(), 'n', sha256('secret'));
            insert into jobforge.webhook_replaced_secrets select tenant_id, webhook_endpoint_id, now(), 'x',
                now() + interval '1 hour' from jobforge.webhook_endpoints where tenant_id = '{0}' limit 1;
            select jobforge.create_api_key('ofb{2}', sha256('x'), 'k', array['Admin']);
            select jobforge.add_access_policy('deny', '/**');
            select jobforge.store_api_response('ofb{2}', 'k', sha256('x'), 200, '{{}}', 'secret');
            select jobforge.note_access_denied('ofb{2}', 'GET /', 'role');
            insert into jobforge.rate_buckets values ('{0}', 'a', 1, now());
            insert into jobforge.connector_configs (tenant_id, connector) values ('{0}', 'c');
            insert into jobforge.counter_totals values ('{0}', 'a', 'enqueued', 1);
            insert into jobforge.schedules (tenant_id, schedule_id, name, type, every_seconds, next_run_at)
                values ('{0}', gen_random_uuid(), 's', 'a', 60, now());
            insert into jobforge.events (tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version, event_type,
                payload_canonical, payload_hash, event_hash, occurred_at)
                values ('{0}', gen_random_uuid(), 'System', gen_random_uuid(), 1, 'X', 'p', sha256('p'), sha256('e'), now());
        )",
                            kTenantB, done, "aaaaaaaaaaaaa"));
        tables = sql.rows(
            "select relname from pg_class where relnamespace = 'jobforge'::regnamespace and "
            "relrowsecurity order by 1");
        b_login = std::make_unique<Session>(database.tenant_login(kTenantB));
        for (const auto& table : tables) {
            ASSERT_NE(sql.one(fmt::format("select count(*) from jobforge.{} where tenant_id = '{}'",
                                          table[0], kTenantB)),
                      "0")
                << table[0];
        }
    }

    // Everything a session can try against B's rows. `label` names who it is in failures.
    void expect_blind(Session& who, const std::string& label) {
        for (const auto& table : tables) {
            const auto visible = fmt::format(
                "select count(*) from jobforge.{} where tenant_id = '{}'", table[0], kTenantB);
            const auto code = who.error(visible);
            if (code == "ok") {
                EXPECT_EQ(who.one(visible), "0") << label << " reads " << table[0];
            } else {
                EXPECT_EQ(code, "42501") << label << " reads " << table[0];
            }
            for (const char* change :
                 {"delete from jobforge.{} where tenant_id = '{}'",
                  "update jobforge.{} set tenant_id = tenant_id where tenant_id = '{}'"}) {
                EXPECT_EQ(who.error(fmt::format(fmt::runtime(change), table[0], kTenantB)), "42501")
                    << label << " changes " << table[0];
            }
            EXPECT_EQ(who.error(fmt::format("truncate jobforge.{}", table[0])), "42501")
                << label << " truncates " << table[0];
            EXPECT_EQ(who.error(fmt::format("insert into jobforge.{} (tenant_id) values ('{}')",
                                            table[0], kTenantB)),
                      "42501")
                << label;
        }
        for (const char* view : {"all_jobs", "job_attempts", "job_results"}) {
            const auto visible = fmt::format(
                "select count(*) from jobforge.{} where tenant_id = '{}'", view, kTenantB);
            const auto code = who.error(visible);
            if (code == "ok") {
                EXPECT_EQ(who.one(visible), "0") << label << " reads " << view;
            } else {
                EXPECT_EQ(code, "42501") << label << " reads " << view;
            }
        }
    }

    // Every tenant function with B's ids: not found (or no rows), and nothing changes.
    void expect_functions_blind(Session& who, const std::string& label) {
        const auto one_of = [&](const std::string& call) {
            const auto code = who.error(call);
            EXPECT_TRUE(code == "NOT_FOUND" || code == "FORBIDDEN" || code == "42501")
                << label << ": " << call << " gave " << code;
        };
        for (const auto& id : {job, done}) {
            one_of(fmt::format("select jobforge.get_job('{}')", id));
            one_of(fmt::format("select jobforge.cancel_job('{}')", id));
            one_of(
                fmt::format("select jobforge.reschedule_job('{}', p_reset_attempts => true)", id));
            one_of(fmt::format("select jobforge.explain_job('{}')", id));
        }
        for (const char* call :
             {"enqueue_job('a', p_tenant_id => '{}')", "list_jobs(p_tenant_id => '{}')",
              "job_stats('{}')", "retry_jobs(p_tenant_id => '{}')",
              "cancel_jobs(array[]::uuid[], p_tenant_id => '{}')",
              "enqueue_jobs(array['a'], array['{{}}']::jsonb[], p_tenant_id => '{}')",
              "list_attempts(gen_random_uuid(), '{}')"}) {
            const auto code = who.error(
                fmt::format(fmt::runtime(std::string("select jobforge.") + call), kTenantB));
            EXPECT_TRUE(code == "FORBIDDEN" || code == "42501")
                << label << ": " << call << " gave " << code;
        }
        for (const char* call :
             {"select * from jobforge.list_jobs() where tenant_id = '{}'",
              "select * from jobforge.cancel_jobs(array['{}']::uuid[]) where status = 'CANCELLED'",
              "select * from jobforge.list_attempts('{}')"}) {
            const auto statement = fmt::format(fmt::runtime(call), job);
            if (who.error(statement) == "ok") {
                EXPECT_TRUE(who.rows(statement).empty()) << label << ": " << call;
            }
        }
        EXPECT_EQ(sql.one(fmt::format("select string_agg(status, ' ' order by status) from "
                                      "jobforge.all_jobs where tenant_id = '{}'",
                                      kTenantB)),
                  "FAILED QUEUED")
            << label;
    }

    EngineDatabase database;
    Session sql = database.session();
    std::string job;
    std::string done;
    std::vector<TextRow> tables;
    std::unique_ptr<Session> b_login;
};

TEST_F(Isolation, every_role_without_a_tenant_with_an_empty_one_and_with_another_sees_nothing) {
    for (const char* role : {"jobforge_owner", "jobforge_worker", "jobforge_gateway",
                             "jobforge_tenant", "jobforge_observer"}) {
        Session who = database.login_as(role);
        expect_functions_blind(who, std::string(role) + " without tenant");
        if (std::string_view(role) != "jobforge_owner") {
            expect_blind(who, std::string(role) + " without tenant");
        }
        who.use_tenant("");
        expect_functions_blind(who, std::string(role) + " with ''");
        who.use_tenant(kTenantA);
        expect_functions_blind(who, std::string(role) + " as A");
        if (std::string_view(role) != "jobforge_owner") {
            expect_blind(who, std::string(role) + " as A");
        }
    }
}

TEST_F(Isolation, the_owner_is_bound_by_forced_row_security_and_sees_no_tenants_row) {
    Session owner = database.login_as("jobforge_owner");
    for (const auto& table : tables) {
        EXPECT_EQ(owner.one(fmt::format("select count(*) from jobforge.{}", table[0])), "0")
            << table[0];
    }
}

TEST_F(Isolation, a_tenant_login_cannot_widen_itself) {
    Session a = database.tenant_login(kTenantA);
    expect_blind(a, "login of A");
    expect_functions_blind(a, "login of A");
    a.use_tenant(kTenantB);
    expect_blind(a, "login of A saying B");
    expect_functions_blind(a, "login of A saying B");
    EXPECT_EQ(a.one("select jobforge.current_tenant()"), kTenantA);
    for (const char* trick :
         {"set role jobforge_engine", "set role jobforge_definer", "set role jobforge_gateway",
          "set role jobforge_owner", "set session authorization postgres",
          "alter table jobforge.jobs disable row level security",
          "create policy p on jobforge.jobs using (true)",
          "grant jobforge_gateway to current_user"}) {
        EXPECT_EQ(a.error(trick), "42501") << trick;
    }
    EXPECT_EQ(a.error("set row_security = off; select * from jobforge.jobs"), "42501");
    // Objects of its own with our names change nothing: the functions' search_path is pinned.
    a.error("set row_security = on");
    a.run("create temp table jobs (like pg_class); set search_path = pg_temp, jobforge");
    EXPECT_EQ(a.error("select jobforge.list_jobs()"), "ok");
}

TEST_F(Isolation, a_tenant_login_sees_and_works_with_its_own_rows) {
    Session& b = *b_login;
    EXPECT_EQ(b.one("select count(*) from jobforge.list_jobs()"), "2");
    EXPECT_EQ(b.one(fmt::format("select payload ->> 'secret' from jobforge.get_job('{}')", job)),
              "of b");
    EXPECT_EQ(b.error("select jobforge.enqueue_job('a')"), "ok");
    EXPECT_EQ(b.error("select jobforge.claim_jobs('w', 1, array['a'])"), "42501");
    EXPECT_EQ(b.error("select jobforge.complete_job('w', gen_random_uuid(), gen_random_uuid(), 1)"),
              "42501");
    EXPECT_EQ(b.error("select jobforge.create_tenant('mine')"), "42501");
}

TEST_F(Isolation, a_key_or_id_collision_reveals_nothing) {
    sql.use_tenant(kTenantA);
    EXPECT_EQ(
        sql.one(
            "select deduplicated from jobforge.enqueue_job('a', '{}', p_idempotency_key => 'k')"),
        "f");
}

TEST_F(Isolation, a_gateway_sees_the_tenant_it_names_and_forgets_it_with_the_transaction) {
    Session gateway = database.login_as("jobforge_gateway");
    gateway.run(fmt::format("begin; select set_config('app.tenant_id', '{}', true)", kTenantB));
    EXPECT_EQ(gateway.one("select count(*) from jobforge.all_jobs"), "2");
    gateway.run("commit");
    EXPECT_EQ(gateway.one("select count(*) from jobforge.all_jobs"), "0");
    EXPECT_EQ(gateway.error("select jobforge.list_jobs()"), "FORBIDDEN");
}

TEST_F(Isolation, a_suspended_or_unknown_tenant_enqueues_nothing) {
    sql.run(
        fmt::format("select jobforge.set_tenant('{}', '{{\"status\": \"SUSPENDED\"}}')", kTenantB));
    sql.use_tenant(kTenantB);
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "FORBIDDEN");
    sql.use_tenant("cccccccc-0000-4000-8000-000000000003");
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a')"), "FORBIDDEN");
}

}  // namespace
}  // namespace jobforge::test
