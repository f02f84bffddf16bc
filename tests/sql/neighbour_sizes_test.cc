// What one tenant stores or asks for does not have to fit into the memory of the others' service,
// and a row that cannot be sent stops nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "documented_sql.h"
#include "sql_session.h"

namespace jobforge::test {
namespace {

// As text 1 GB, in a row of 83 KB: what a version without a bound on numbers let in.
constexpr char kUnreadable[] =
    "jsonb_build_object('code', 'X', 'message', 'm', 'a', (select jsonb_agg('1e131071'::jsonb) "
    "from generate_series(1, 8300)))";

class NeighbourSizes : public testing::Test {
protected:
    std::string enqueue(const std::string& more = "") {
        return sql.one(fmt::format("select job_id from jobforge.enqueue_job('a', '{{}}'{})", more));
    }
    // Due in this order, of `count` million bytes of payload together.
    void enqueue_millions(int count) {
        for (int i = 0; i < count; ++i) {
            sql.run(
                "select from jobforge.enqueue_job('a', jsonb_build_object('x', repeat('x', "
                "999991)))");
        }
    }
    void spoil(const std::string& job) {
        sql.run(fmt::format("update jobforge.jobs set payload = {} where job_id = '{}'",
                            kUnreadable, job));
    }
    std::string status_of(const std::string& job) {
        return sql.one(fmt::format("select status from jobforge.get_job('{}')", job));
    }
    // "number of jobs, bytes of payload"
    std::string claim(int limit) {
        return sql.one(fmt::format(
            "select count(*) || ' ' || coalesce(sum(octet_length(payload::text)), 0) from "
            "jobforge.tenant_claim_jobs('w', {}, array['a'])",
            limit));
    }

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(NeighbourSizes, a_claim_over_http_ends_at_16_mib_and_leaves_the_rest_queued) {
    sql.run("select jobforge.set_job_type('a', '{\"rate_limit_per_minute\": 6000}')");
    enqueue_millions(40);
    EXPECT_EQ(claim(100), "16 16000000");
    EXPECT_EQ(sql.one("select count(*) || ' ' || sum(attempts) || ' ' || sum(lease_token) from "
                      "jobforge.jobs where status = 'QUEUED'"),
              "24 0 0")
        << "they were not claimed";
    EXPECT_EQ(sql.one(fmt::format("select jobs from jobforge.tenant_waiting('{}')", kTenantA)),
              "24");
    EXPECT_EQ(sql.one("select count(distinct claim_id) || ' ' || count(*) from jobforge.jobs where "
                      "status = 'RUNNING'"),
              "1 16");
    EXPECT_EQ(sql.one("select round(tokens) between 83 and 99 from jobforge.rate_buckets where "
                      "tenant_id = '00000000-0000-0000-0000-000000000000'"),
              "t")
        << "only what was claimed took tokens";
    EXPECT_EQ(claim(3), "3 3000000");
}

TEST_F(NeighbourSizes, a_claim_over_http_takes_its_first_job_however_large) {
    sql.run(
        "select from jobforge.enqueue_job('a', jsonb_build_object('x', repeat('x', 16777000))); "
        "select from jobforge.enqueue_job('a', jsonb_build_object('x', repeat('x', 16777000)))");
    EXPECT_EQ(claim(100), "1 16777009");
    EXPECT_EQ(claim(100), "1 16777009");
}

TEST_F(NeighbourSizes, small_jobs_are_claimed_over_http_as_many_as_were_asked_for) {
    for (int i = 0; i < 30; ++i) {
        enqueue();
    }
    EXPECT_EQ(claim(20), "20 40");
    EXPECT_EQ(claim(20), "10 20");
    EXPECT_EQ(claim(20), "0 0");
}

// The check of 600 KB took a minute of the server's time.
TEST_F(NeighbourSizes, a_payload_of_many_short_numbers_is_checked_in_time) {
    sql.run("set statement_timeout = '20s'");
    const std::string many = "'{\"a\": [' || repeat('1,', 299999) || '1]}'";
    EXPECT_EQ(sql.error("select jobforge.enqueue_job('a', (" + many + ")::jsonb)"), "ok")
        << sql.message();
    EXPECT_EQ(sql.error("select count(*) from jobforge.list_jobs()"), "ok") << sql.message();
}

TEST_F(NeighbourSizes, attempts_come_in_pages) {
    const std::string job = enqueue();
    sql.run(
        fmt::format("insert into jobforge.attempt_records select '{}', '{}', n, 1, 'a', 'w', "
                    "now(), now(), 'SNOOZED' from generate_series(1, 30) n",
                    kTenantA, job));
    const auto page = [&](const std::string& more) {
        return sql.one(
            fmt::format("select string_agg(lease_token::text, ' ') from "
                        "jobforge.list_attempts('{}'{})",
                        job, more));
    };
    EXPECT_EQ(page(", p_limit => 3"), "1 2 3");
    EXPECT_EQ(page(", p_limit => 3, p_after => 28"), "29 30");
    EXPECT_EQ(page("").size(), std::string("1 2 3 4 5 6 7 8 9").size() + 21 * 3) << "all";
}

// An interrupted job of the lane made its unreadable neighbour come up twice.
TEST_F(NeighbourSizes, an_unreadable_job_is_ended_once_beside_interrupted_ones) {
    const std::string bad = enqueue();
    const std::string good = enqueue();
    const std::string bad_interrupted = enqueue();
    enqueue();
    spoil(bad);
    spoil(bad_interrupted);
    sql.run(fmt::format(
        "update jobforge.jobs set interrupted = true, interruptions = 1 where job_id not in "
        "('{}', '{}')",
        bad, good));
    EXPECT_EQ(sql.error("select jobforge.end_unreadable_jobs(array['a'])"), "ok") << sql.message();
    EXPECT_EQ(status_of(bad), "FAILED");
    EXPECT_EQ(status_of(bad_interrupted), "FAILED");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "2");
}

// An upgrade ended such jobs and kept their payloads; with one back in the queue every claim
// failed.
TEST_F(NeighbourSizes, an_ended_job_that_cannot_be_sent_does_not_come_back) {
    const std::string bad = enqueue();
    const std::string gone = enqueue();
    const std::string good = enqueue();
    sql.run("select jobforge.cancel_jobs(array_agg(job_id)) from jobforge.jobs");
    sql.run(
        fmt::format("alter table jobforge.finished_jobs disable trigger user; "
                    "update jobforge.finished_jobs set payload = {} where job_id = '{}'; "
                    "update jobforge.finished_jobs set payload_ref = "
                    "sha256('x') where job_id = '{}'; alter table "
                    "jobforge.finished_jobs enable trigger user",
                    kUnreadable, bad, gone));
    EXPECT_EQ(sql.error(fmt::format("select jobforge.reschedule_job('{}')", bad)),
              "JOB_PAYLOAD_INVALID");
    EXPECT_NE(sql.message().find("a number of more than 400 digits"), std::string::npos)
        << sql.message();
    EXPECT_EQ(sql.error(fmt::format("select jobforge.reschedule_job('{}')", gone)),
              "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(sql.one("select string_agg(r::text, ' ') from jobforge.retry_jobs('CANCELLED', "
                      "p_limit => 1) r"),
              good)
        << "what cannot come back does not count to the limit";
    EXPECT_EQ(status_of(bad) + " " + status_of(gone), "CANCELLED CANCELLED");
    EXPECT_EQ(claim(10), "1 2");
}

TEST_F(NeighbourSizes, an_unreadable_configuration_of_an_older_version_stops_no_list) {
    sql.run(
        "select jobforge.save_source('{\"name\": \"s\", \"adapter\": \"manual\"}'); "
        "select jobforge.set_connector_config('connector.http.request', '{}')");
    sql.run(
        fmt::format("update jobforge.sources set config = {0}; "
                    "update jobforge.connector_configs set config = {0}",
                    kUnreadable));
    for (const char* call : {"select config from jobforge.list_sources()",
                             "select config from jobforge.get_source('s')",
                             "select config from jobforge.list_connector_configs()"}) {
        EXPECT_EQ(sql.error(call), "ok") << call << ": " << sql.message();
        EXPECT_NE(sql.one(call).find("a number of more than 400 digits"), std::string::npos);
    }
    // Without its limits the connector must not run.
    EXPECT_EQ(sql.error("select jobforge.get_connector_config('connector.http.request')"),
              "VALIDATION_ERROR");
}

TEST_F(NeighbourSizes, a_worker_in_sql_goes_on_as_documented_after_a_job_that_cannot_be_sent) {
    spoil(enqueue());
    const std::string good = enqueue();
    Session worker = database.login_as("jobforge_worker");
    const std::string claim =
        "select job_id, payload from jobforge.claim_jobs('py-1', 10, array['a'])";
    EXPECT_EQ(worker.error(claim), "54000");
    std::string documented = documented_sql("unreadable-claim");
    replace_all(documented, "send_email", "a");
    EXPECT_EQ(worker.one(documented), "1");
    EXPECT_EQ(worker.one(claim), good);
}

TEST_F(NeighbourSizes, a_tenants_worker_ends_unreadable_jobs_of_its_own_tenant_only) {
    const std::string mine = enqueue();
    spoil(mine);
    sql.use_tenant(kTenantB);
    const std::string foreign = enqueue();
    spoil(foreign);
    sql.use_tenant(kTenantA);
    EXPECT_EQ(sql.one("select jobforge.tenant_end_unreadable_jobs('w', array['a'])"), "1");
    EXPECT_EQ(status_of(mine), "FAILED");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "1");
    EXPECT_EQ(sql.error("select jobforge.tenant_end_unreadable_jobs('w', array['SIGN_PASSPORT'])"),
              "FORBIDDEN");
}

TEST_F(NeighbourSizes, an_unreadable_error_of_an_old_job_stops_no_stream_and_no_list) {
    const std::string job = enqueue();
    const std::string source =
        sql.one("select jobforge.save_source('{\"name\": \"s\", \"adapter\": \"manual\"}')");
    const std::string intake =
        sql.one("select jobforge.add_intake('{\"denomination\": \"1 cent\", \"year\": 1909}')");
    sql.run(fmt::format("update jobforge.jobs set last_error = {} where job_id = '{}'", kUnreadable,
                        job));
    sql.run(
        fmt::format("insert into jobforge.collections (tenant_id, intake_id, source_id, job_id, "
                    "round) values ('{}', '{}', '{}', '{}', 1)",
                    kTenantA, intake, source, job));
    for (const std::string& call :
         {std::string("select job from jobforge.job_changes('1:1:', now(), '{}', 10)"),
          fmt::format("select last_error from jobforge.list_collections('{}')", intake)}) {
        EXPECT_EQ(sql.error(call), "ok") << call << ": " << sql.message();
        EXPECT_NE(sql.one(call).find("a number of more than 400 digits"), std::string::npos);
    }
}

// What a tenant configures is read by workers and lists as payloads are.
TEST_F(NeighbourSizes, what_a_tenant_configures_has_a_bound_as_text) {
    const std::string long_words =
        "(select jsonb_agg(repeat('x', 100000) || i) from generate_series(1, 10) i)";
    for (const std::string& call :
         {fmt::format("save_source(jsonb_build_object('name', 's', 'adapter', 'manual', 'config', "
                      "{}))",
                      kUnreadable),
          std::string("save_source(jsonb_build_object('name', 's', 'adapter', 'manual', 'config', "
                      "jsonb_build_object('a', repeat('x', 300000))))"),
          fmt::format("set_source_rules('known', jsonb_build_object('exclude_keywords', {}))",
                      long_words),
          fmt::format("add_intake(jsonb_build_object('denomination', '1 cent', 'keywords_include', "
                      "{}))",
                      long_words),
          std::string(
              "set_connector_config('connector.http.request', jsonb_build_object('headers', "
              "(select jsonb_object_agg('h' || i, repeat('x', 8000)) from "
              "generate_series(1, 100) i)))")}) {
        sql.run("select jobforge.save_source('{\"name\": \"known\", \"adapter\": \"manual\"}')");
        EXPECT_EQ(sql.error("select jobforge." + call), "JOB_PAYLOAD_INVALID") << call;
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.sources"), "1");
}

TEST_F(NeighbourSizes, who_did_it_is_a_name_of_at_most_500_characters) {
    const std::string actor = "repeat('x', 10000)";
    EXPECT_EQ(sql.error("select jobforge.append_event('System', gen_random_uuid(), "
                        "'POLICY_CHANGED', '{}', " +
                        actor + ")"),
              "ok");
    EXPECT_EQ(sql.one("select max(length(actor_id)) from jobforge.events"), "500");
    // Every column that says who. Jobs are asked at enqueue.
    EXPECT_EQ(
        sql.one("select string_agg(c.relname, ' ' order by c.relname) from pg_class c join "
                "pg_attribute a on a.attrelid = c.oid where c.relnamespace = "
                "'jobforge'::regnamespace and c.relkind = 'r' and a.atttypid = 'text'::regtype and "
                "(a.attname = 'actor_id' or a.attname like '%\\_by') and not exists (select from "
                "pg_constraint k where k.conrelid = c.oid and k.conname = c.relname || '_' || "
                "a.attname || '_length')"),
        "finished_jobs jobs migrations");
}

}  // namespace
}  // namespace jobforge::test
