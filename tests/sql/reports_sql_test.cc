// Reports: every number beside the arithmetic that gives it, nobody else's rows, no surprises at
// the edges of a period.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Finished {
    std::string type = "a";
    std::string status = "SUCCEEDED";
    std::string at = "2026-03-01T12:00:00Z";
    int run_ms = 100;
    int wait_ms = 0;
    int attempts = 1;
    std::string code = "TIMEOUT";
    std::string message = "no answer";
    const char* tenant = kTenantA;
};

class Reports : public testing::Test {
protected:
    // Tokyo: days must be those of UTC whatever the session's zone is.
    Reports() { sql.run("set timezone = 'Asia/Tokyo'"); }

    void finished(const Finished& job) {
        const bool failed = job.status == "FAILED" || job.status == "DEAD_LETTER";
        sql.run(fmt::format(
            "insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, "
            "attempts, max_attempts, lease_token, scheduled_at, created_at, started_at, "
            "completed_at, payload, last_error) select '{}', gen_random_uuid(), '{}', '{}', 2, {}, "
            "5, 1, s - interval '{} ms', s - interval '1 hour', s, '{}', '{{}}', {} "
            "from (select timestamptz '{}' - interval '{} ms') x(s)",
            job.tenant, job.type, job.status, job.attempts, job.wait_ms, job.at,
            failed ? fmt::format("jsonb_build_object('code', '{}', 'message', '{}')", job.code,
                                 job.message)
                   : "null",
            job.at, job.run_ms));
    }
    // Ten of type a on the first day, five of type b on the second, two that have not ended.
    void three_days() {
        for (int i = 1; i <= 10; ++i) {
            finished({.at = i == 1 ? "2026-03-01T00:00:00Z" : "2026-03-01T23:59:59.999999Z",
                      .run_ms = 100 * i,
                      .wait_ms = 10 * i});
        }
        finished({.type = "b", .at = "2026-03-02T01:00:00Z", .run_ms = 5000, .attempts = 2});
        finished({.type = "b", .at = "2026-03-02T01:00:00Z", .run_ms = 7000});
        finished({.type = "b", .status = "FAILED", .at = "2026-03-02T02:00:00Z", .run_ms = 3000});
        finished({.type = "b",
                  .status = "DEAD_LETTER",
                  .at = "2026-03-02T03:00:00Z",
                  .run_ms = 9000,
                  .attempts = 5,
                  .code = "HTTP",
                  .message = "503"});
        finished({.type = "b",
                  .status = "CANCELLED",
                  .at = "2026-03-02T04:00:00Z",
                  .run_ms = 60000,
                  .attempts = 0});
        sql.run(fmt::format(
            "insert into jobforge.jobs (tenant_id, job_id, type, scheduled_at, created_at, "
            "payload, payload_bytes) values ('{0}', gen_random_uuid(), 'a', now(), "
            "'2026-03-03T12:00:00Z', '{{}}', 2);"
            "insert into jobforge.jobs (tenant_id, job_id, type, status, attempts, lease_token, "
            "lease_owner, lease_expires_at, started_at, scheduled_at, created_at, payload, "
            "payload_bytes) values ('{0}', gen_random_uuid(), 'b', 'RUNNING', 1, 1, 'w', now(), "
            "now(), now(), '2026-03-03T13:00:00Z', '{{}}', 3)",
            kTenantA));
        // Not of the period: the last moment before it, and the first one after it.
        finished({.at = "2026-02-28T23:59:59.999999Z", .run_ms = 99999});
        finished({.at = "2026-03-04T00:00:00Z", .run_ms = 99999});
        // Not of the tenant.
        for (int i = 0; i < 3; ++i) {
            finished({.type = "theirs",
                      .status = "FAILED",
                      .run_ms = 1,
                      .code = "THEIR_CODE",
                      .tenant = kTenantB});
        }
    }
    static std::string call(std::string_view report, std::string_view more = "") {
        return fmt::format("jobforge.report_{}('2026-03-01Z', '2026-03-04Z'{})", report, more);
    }
    std::string section(std::string_view report, std::string_view name) {
        return sql.one(fmt::format("select {} ->> '{}'", call(report), name));
    }
    // Rows that a test needs without all that a foreign key would want beside them.
    void insert_alone(const std::string& insert) {
        sql.run("set session_replication_role = replica;" + insert +
                "; set session_replication_role = origin");
    }

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Reports, job_analytics_are_these_numbers) {
    three_days();
    // 10 + 5 + 2 jobs; 12 of the 14 that ended by themselves succeeded: 0.857142...
    EXPECT_EQ(section("job_analytics", "totals"),
              R"({"jobs" : 17, "queued" : 1, "running" : 1, "succeeded" : 12, "failed" : 1, )"
              R"("cancelled" : 1, "dead_letter" : 1, "success_rate" : 0.8571})");
    // 10 x 1, 2 + 1 + 1 + 5 + 0, 0 + 1: 20 of 17 jobs: 1.17647...; two needed more than one.
    EXPECT_EQ(section("job_analytics", "attempts"),
              R"({"total" : 20, "mean" : 1.176, "most" : 5, "retried_jobs" : 2})");
    // 100, 200 ... 1000, 3000, 5000, 7000, 9000: the 7th (0.5 x 14), the 14th (0.95 x 14 = 13.3).
    EXPECT_EQ(section("job_analytics", "duration_ms"),
              R"({"jobs" : 14, "p50" : 700, "p95" : 9000, "p99" : 9000})");
    // 0, 0, 0, 0, 10, 20, 30 ... 100.
    EXPECT_EQ(section("job_analytics", "wait_ms"),
              R"({"jobs" : 14, "p50" : 30, "p95" : 100, "p99" : 100})");
}

TEST_F(Reports, job_analytics_by_day_and_type_are_these_numbers) {
    three_days();
    EXPECT_EQ(sql.one(fmt::format(
                  "select string_agg(concat_ws(' ', d ->> 'day', d ->> 'jobs', d ->> 'queued', "
                  "d ->> 'running', d ->> 'succeeded', d ->> 'failed', d ->> 'cancelled', "
                  "d ->> 'dead_letter'), ', ') from json_array_elements({} -> 'by_day') d",
                  call("job_analytics"))),
              "2026-03-01 10 0 0 10 0 0 0, 2026-03-02 5 0 0 2 1 1 1, 2026-03-03 2 1 1 0 0 0 0");
    // a: the 5th and the 10th of ten; b: the 2nd and the 4th of 3000, 5000, 7000, 9000.
    EXPECT_EQ(sql.one(fmt::format(
                  "select string_agg(concat_ws(' ', t ->> 'type', t ->> 'jobs', t ->> 'attempts', "
                  "t ->> 'success_rate', t ->> 'duration_p50_ms', t ->> 'duration_p95_ms', "
                  "t ->> 'duration_p99_ms', t ->> 'wait_p50_ms', t ->> 'wait_p99_ms'), ', ') "
                  "from json_array_elements({} -> 'by_type') t",
                  call("job_analytics"))),
              "a 11 10 1 500 1000 1000 50 100, b 6 10 0.5 5000 9000 9000 0 0");
    EXPECT_EQ(sql.one(fmt::format("select string_agg(concat_ws(' ', t ->> 'type', t ->> 'jobs', "
                                  "t ->> 'p95_ms'), ', ') "
                                  "from json_array_elements({} -> 'slowest_types') t",
                                  call("job_analytics"))),
              "b 4 9000, a 10 1000");
}

TEST_F(Reports, errors_are_counted_by_code_and_dead_letters_listed_newest_first) {
    for (const char* hour : {"01", "05", "03"}) {
        finished({.status = "DEAD_LETTER",
                  .at = fmt::format("2026-03-02T{}:00:00Z", hour),
                  .attempts = 5,
                  .message = fmt::format("at {}", hour)});
    }
    finished({.type = "b", .status = "FAILED", .message = "older"});
    finished({.type = "b", .status = "FAILED", .code = "RARE", .message = "rare"});
    const std::string errors =
        "select string_agg(concat_ws(' ', e ->> 'code', e ->> 'jobs', e ->> 'types', "
        "e ->> 'last_at', e ->> 'message'), ', ') from json_array_elements({} -> 'top_errors') e";
    EXPECT_EQ(sql.one(fmt::format(fmt::runtime(errors), call("job_analytics"))),
              "TIMEOUT 4 2 2026-03-02T05:00:00.000000Z at 05, "
              "RARE 1 1 2026-03-01T12:00:00.000000Z rare");
    EXPECT_EQ(sql.one(fmt::format(fmt::runtime(errors), call("job_analytics", ", 1"))),
              "TIMEOUT 4 2 2026-03-02T05:00:00.000000Z at 05");
    EXPECT_EQ(sql.one(fmt::format("select string_agg(d ->> 'message', ', ') "
                                  "from json_array_elements({} -> 'dead_letters') d",
                                  call("job_analytics", ", 2"))),
              "at 05, at 03");
}

TEST_F(Reports, tenant_usage_is_these_numbers) {
    three_days();
    finished({.type = "connector.http.request", .run_ms = 500});
    finished({.type = "connector.http.request", .status = "FAILED", .run_ms = 0});
    insert_alone(fmt::format(
        "insert into jobforge.artifacts (tenant_id, sha256, content) select t, sha256(c), c from "
        "(values ('{0}'::uuid, 'eleven byte'::bytea), ('{1}', 'theirs')) x(t, c);"
        "insert into jobforge.document_versions (tenant_id, document_version_id, document_id, "
        "version, media_type, content, content_sha256, size_bytes) select '{0}', "
        "gen_random_uuid(), gen_random_uuid(), 1, 'text/csv', c, sha256(c), length(c) from "
        "(values ('a,b'::bytea), ('12345')) x(c);"
        "insert into jobforge.webhook_endpoints (tenant_id, webhook_endpoint_id, url, "
        "secret_ciphertext) values ('{0}', '00000000-0000-4000-8000-000000000009', "
        "'https://example.com/hook', 'x'), ('{1}', gen_random_uuid(), 'https://theirs', 'x');"
        "insert into jobforge.webhook_deliveries (tenant_id, webhook_delivery_id, "
        "webhook_endpoint_id, webhook_subscription_id, event_id, status, attempts, delivered_at, "
        "created_at) select t, gen_random_uuid(), '00000000-0000-4000-8000-000000000009', "
        "gen_random_uuid(), gen_random_uuid(), s, n, case s when 'DELIVERED' then now() end, c "
        "from (values ('{0}'::uuid, 'DELIVERED', 1, '2026-03-01Z'::timestamptz), "
        "('{0}', 'DELIVERED', 2, '2026-03-02Z'), ('{0}', 'FAILED', 3, '2026-03-02Z'), "
        "('{0}', 'PENDING', 0, '2026-03-04Z'), ('{1}', 'FAILED', 9, '2026-03-02Z')) x(t, s, n, c)",
        kTenantA, kTenantB));
    // 17 + 2 jobs, 12 + 1 and 2 + 1 of them; 100 + ... + 1000 = 5500, 24000, and 500 ms.
    EXPECT_EQ(section("tenant_usage", "totals"),
              R"({"jobs" : 19, "succeeded" : 13, "failed" : 3, "attempts" : 22, )"
              R"("run_ms" : 30000, "job_types" : 3, "connector_jobs" : 2})");
    EXPECT_EQ(section("tenant_usage", "storage"),
              R"({"waiting_jobs" : 2, "waiting_payload_bytes" : 5, "documents" : 0, )"
              R"("document_bytes" : 8, "artifacts" : 1, "artifact_bytes" : 11})");
    EXPECT_EQ(section("tenant_usage", "webhooks"),
              R"({"endpoints_active" : 1, "endpoints_disabled" : 0, "deliveries" : 3, )"
              R"("delivered" : 2, "failed" : 1, "pending" : 0, "attempts" : 6})");
    EXPECT_EQ(section("tenant_usage", "connectors"),
              R"([{"type" : "connector.http.request", "jobs" : 2, "succeeded" : 1, "failed" : 1, )"
              R"("attempts" : 2, "last_at" : "2026-03-01T12:00:00.000000Z"}])");
    EXPECT_EQ(section("tenant_usage", "webhook_endpoints"),
              R"([{"url" : "https://example.com/hook", "status" : "ACTIVE", "deliveries" : 3, )"
              R"("delivered" : 2, "failed" : 1, "pending" : 0}])");
}

TEST_F(Reports, usage_summary_is_these_numbers) {
    insert_alone(fmt::format(
        "insert into jobforge.events (tenant_id, event_id, aggregate_type, aggregate_id, "
        "aggregate_version, event_type, actor_id, payload_canonical, payload_hash, event_hash, "
        "occurred_at) select t, gen_random_uuid(), 'Thing', gen_random_uuid(), 1, e, a, '{{}}', "
        "sha256('{{}}'), sha256('x'), o from (values "
        "('{0}'::uuid, 'SIGNED', 'ann', '2026-03-01T00:00:00Z'::timestamptz), "
        "('{0}', 'SIGNED', 'bob', '2026-03-01T23:59:59Z'), ('{0}', 'SIGNED', 'ann', "
        "'2026-03-03T10:00:00Z'), ('{0}', 'REVOKED', null, '2026-03-03T11:00:00Z'), "
        "('{0}', 'REVOKED', 'ann', '2026-03-04T00:00:00Z'), "
        "('{1}', 'THEIRS', 'eve', '2026-03-01T01:00:00Z')) x(t, e, a, o)",
        kTenantA, kTenantB));
    // Counted: used in the period, and used since. Not: before, never, made later, another's.
    insert_alone(fmt::format(
        "insert into jobforge.api_keys (tenant_id, key_id, first_key_id, name, secret_mac, roles, "
        "created_at, last_used_at) select t, repeat(k, 16), repeat(k, 16), 'n', sha256('x'), "
        "'{{Admin}}', c, u from (values ('{0}'::uuid, 'a', '2026-01-01Z'::timestamptz, "
        "'2026-03-02Z'::timestamptz), ('{0}', 'b', '2026-01-01Z', '2026-06-01Z'), ('{0}', 'c', "
        "'2026-01-01Z', '2026-02-28Z'), ('{0}', 'd', '2026-01-01Z', null), ('{0}', 'e', "
        "'2026-05-01Z', '2026-06-01Z'), ('{1}', 'f', '2026-01-01Z', '2026-03-02Z')) x(t, k, c, u)",
        kTenantA, kTenantB));
    EXPECT_EQ(section("usage_summary", "totals"),
              R"({"events" : 4, "event_types" : 2, "aggregates" : 4, "active_actors" : 2, )"
              R"("active_keys" : 2})");
    EXPECT_EQ(section("usage_summary", "by_day"),
              R"([{"day" : "2026-03-01", "events" : 2}, {"day" : "2026-03-02", "events" : 0}, )"
              R"({"day" : "2026-03-03", "events" : 2}])");
    EXPECT_EQ(section("usage_summary", "by_type_and_day"),
              R"([{"day" : "2026-03-01", "event_type" : "SIGNED", "events" : 2}, )"
              R"({"day" : "2026-03-03", "event_type" : "REVOKED", "events" : 1}, )"
              R"({"day" : "2026-03-03", "event_type" : "SIGNED", "events" : 1}])");
    EXPECT_EQ(section("usage_summary", "actors"),
              R"([{"actor" : "ann", "events" : 2, "last_at" : "2026-03-03T10:00:00.000000Z"}, )"
              R"({"actor" : "bob", "events" : 1, "last_at" : "2026-03-01T23:59:59.000000Z"}])");
}

TEST_F(Reports, nobody_sees_another_tenants_rows) {
    three_days();
    Session theirs = database.tenant_login(kTenantB);
    for (const char* report : {"job_analytics", "tenant_usage", "usage_summary"}) {
        EXPECT_THAT(sql.one("select " + call(report)), Not(HasSubstr("heir"))) << report;
        Session nobody = database.login_as("jobforge_worker");
        EXPECT_EQ(nobody.error("select " + call(report)), "FORBIDDEN") << report;
    }
    EXPECT_EQ(theirs.one("select " + call("job_analytics") + " -> 'totals' ->> 'jobs'"), "3");
    // Not even by saying so.
    theirs.run(fmt::format("set app.tenant_id = '{}'", kTenantA));
    EXPECT_EQ(theirs.one("select " + call("job_analytics") + " -> 'totals' ->> 'jobs'"), "3");
    EXPECT_EQ(theirs.one("select jobforge.generate_report('{\"report_type\": \"job-analytics\", "
                         "\"period\": {\"from\": \"2026-03-01\", \"to\": \"2026-03-04\"}}') "
                         "-> 'metadata' ->> 'rows'"),
              "3");
    // And no file gets into another tenant's job.
    sql.use_tenant(kTenantB);
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.keep_job_artifact(j.job_id, 'n', 'x', 'text/plain') from "
                  "jobforge.jobs j where j.tenant_id = '{}' and j.status = 'RUNNING'",
                  kTenantA)),
              "NOT_FOUND");
}

TEST_F(Reports, a_period_without_rows_is_zeros_and_no_rates) {
    EXPECT_EQ(section("job_analytics", "totals"),
              R"({"jobs" : 0, "queued" : 0, "running" : 0, "succeeded" : 0, "failed" : 0, )"
              R"("cancelled" : 0, "dead_letter" : 0, "success_rate" : null})");
    EXPECT_EQ(section("job_analytics", "duration_ms"),
              R"({"jobs" : 0, "p50" : null, "p95" : null, "p99" : null})");
    for (const char* name : {"by_type", "slowest_types", "top_errors", "dead_letters"}) {
        EXPECT_EQ(section("job_analytics", name), "[]") << name;
    }
    EXPECT_EQ(section("tenant_usage", "connectors"), "[]");
    EXPECT_EQ(section("usage_summary", "by_type"), "[]");
    EXPECT_EQ(sql.one("select json_array_length(" + call("usage_summary") + " -> 'by_day')"), "3");
}

TEST_F(Reports, what_is_no_period_is_refused) {
    const auto of = [&](const std::string& period, const std::string& more = "") {
        return sql.error(fmt::format("select jobforge.report_job_analytics({}{})", period, more));
    };
    EXPECT_EQ(of("'2026-03-01Z', '2026-03-01Z'"), "VALIDATION_ERROR");
    EXPECT_EQ(of("'2026-03-02Z', '2026-03-01Z'"), "VALIDATION_ERROR");
    EXPECT_EQ(of("null, '2026-03-01Z'"), "VALIDATION_ERROR");
    EXPECT_EQ(of("'-infinity', '2026-03-01Z'"), "VALIDATION_ERROR");
    EXPECT_EQ(of("'2025-03-01Z', '2026-03-02Z'"), "ok");
    EXPECT_EQ(of("'2025-03-01Z', '2026-03-02T00:00:00.000001Z'"), "VALIDATION_ERROR");
    EXPECT_THAT(sql.message(), HasSubstr("at most 366 days"));
    EXPECT_EQ(of("'2025-03-01Z', '2026-03-03Z'", ", 10, 400"), "ok");
    EXPECT_EQ(of("'2026-03-01Z', '2026-03-02Z'", ", 0"), "VALIDATION_ERROR");
}

TEST_F(Reports, more_rows_than_a_report_may_read_are_refused_not_cut_off) {
    three_days();
    EXPECT_EQ(sql.error("select " + call("job_analytics", ", 10, 366, 17")), "ok");
    EXPECT_EQ(sql.error("select " + call("job_analytics", ", 10, 366, 16")), "PAYLOAD_LIMIT");
    EXPECT_EQ(sql.error("select " + call("tenant_usage", ", 10, 366, 16")), "PAYLOAD_LIMIT");
    sql.run(
        "select jobforge.set_connector_config('connector.report.generate', '{\"max_rows\": 5}')");
    const std::string generate =
        R"(select jobforge.generate_report('{"report_type": "tenant-usage", "period": )"
        R"({"from": "2026-03-01", "to": "2026-03-04"}}'))";
    EXPECT_EQ(sql.error(generate), "PAYLOAD_LIMIT");
}

TEST_F(Reports, times_of_a_payload_are_utc_and_must_exist) {
    const auto period = [&](const std::string& from, const std::string& to) {
        return fmt::format(
            R"(select jobforge.generate_report('{{"report_type": "job-analytics", "period": )"
            R"({{"from": "{}", "to": "{}"}}}}') -> 'metadata' ->> 'period')",
            from, to);
    };
    EXPECT_EQ(sql.one(period("2026-03-01", "2026-03-01T12:30:00.5Z")),
              R"({"from" : "2026-03-01T00:00:00.000000Z", "to" : "2026-03-01T12:30:00.500000Z"})");
    EXPECT_EQ(sql.error(period("2026-02-30", "2026-03-01")), "JOB_PAYLOAD_INVALID");
    EXPECT_THAT(sql.message(), HasSubstr("period.from"));
    EXPECT_EQ(sql.error(period("2026-02-01", "2026-13-01")), "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(sql.error("select jobforge.generate_report('{\"report_type\": \"other\"}')"),
              "JOB_PAYLOAD_INVALID");
    // Without a period: 29 whole days and today so far, by the database's clock.
    EXPECT_EQ(sql.one("select json_array_length(jobforge.generate_report('{\"report_type\": "
                      "\"job-analytics\"}') -> 'data' -> 'by_day')"),
              "30");
}

TEST_F(Reports, one_day_of_a_month_is_found_by_its_time_not_by_reading_the_month) {
    sql.run(fmt::format(
        "insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, "
        "max_attempts, lease_token, scheduled_at, created_at, started_at, completed_at, payload) "
        "select '{0}', gen_random_uuid(), 'a', 'SUCCEEDED', 2, 1, 5, 1, t, t, t, t, '{{}}' from "
        "(select timestamptz '2026-03-01Z' + i * interval '2 minutes' from "
        "generate_series(1, 21600) i) x(t); analyze jobforge.finished_jobs; "
        "set role jobforge_definer; set app.tenant_id = '{0}'",
        kTenantA));
    std::string plan;
    for (const TextRow& row : sql.rows(fmt::format(
             "explain select * from jobforge.report_jobs('{}', '2026-03-15Z', '2026-03-16Z')",
             kTenantA))) {
        plan += row[0] + "\n";
    }
    EXPECT_THAT(plan, HasSubstr("Bitmap Index Scan on finished_jobs_by_age"));
    EXPECT_THAT(plan, Not(HasSubstr("Function Scan")));
}

TEST_F(Reports, files_of_a_job_go_when_it_goes_unless_another_job_has_them_too) {
    const auto run_and_keep = [&](const std::string& content) {
        const std::string job = sql.one("select job_id from jobforge.enqueue_job('a', '{}')");
        sql.run(fmt::format(
            "update jobforge.jobs set status = 'RUNNING', attempts = 1, lease_token = 1, "
            "lease_owner = 'w', lease_expires_at = now(), started_at = now() where job_id = '{}'",
            job));
        const std::string ref = sql.one(
            fmt::format("select jobforge.keep_job_artifact('{}', 'report.html', '{}', 'text/html')",
                        job, content));
        sql.run(fmt::format("select jobforge.complete_job('w', '{}', '{}', 1)", kTenantA, job));
        return std::pair(job, ref);
    };
    const auto [first, shared] = run_and_keep("same");
    const auto [second, same] = run_and_keep("same");
    EXPECT_EQ(shared, same);
    EXPECT_EQ(sql.one(fmt::format("select convert_from(content, 'UTF8') || ' ' || media_type from "
                                  "jobforge.get_artifact('{}')",
                                  shared)),
              "same text/html");
    EXPECT_EQ(database.tenant_login(kTenantB).error(
                  fmt::format("select * from jobforge.get_artifact('{}')", shared)),
              "NOT_FOUND");
    const auto prune = [&](const std::string& job) {
        insert_alone(
            fmt::format("update jobforge.finished_jobs set completed_at = now() - "
                        "interval '400 days' where job_id = '{}'",
                        job));
        const std::string pruned = sql.one("select jobforge.prune_finished()");
        return pruned + " " + sql.one("select count(*) from jobforge.artifacts");
    };
    EXPECT_EQ(prune(first), "1 1");
    EXPECT_EQ(prune(second), "1 0");
    EXPECT_EQ(sql.error("select * from jobforge.get_artifact('nothing')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.keep_job_artifact('{}', 'x', 'y', 'text/plain')", first)),
              "NOT_FOUND");
}

}  // namespace
}  // namespace jobforge::test
