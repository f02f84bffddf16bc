// /v1/jobs and what every route has in common: keys, permissions, idempotency, pages, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <fmt/format.h>

#include "api_world.h"
#include "services/access/access_admin.h"
#include "wire_proxy.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kEcho[] = R"({"type":"test.echo","payload":{"n":1.50}})";

class JobsApi : public ApiWorld {
protected:
    std::string enqueue(std::string body = kEcho) {
        const Reply reply = post("/v1/jobs", std::move(body));
        EXPECT_EQ(reply.status, 201) << reply.body;
        return reply.member("job_id");
    }
    std::chrono::steady_clock::time_point now_;
    std::string jobs() { return one("select count(*) from jobforge.all_jobs"); }
};

TEST_F(JobsApi, a_job_is_enqueued_found_listed_and_cancelled) {
    const Reply made = post("/v1/jobs", R"({"type":"test.echo","payload":{"n":1.50},"priority":0,
        "max_attempts":7,"scheduled_at":"2090-01-01T00:00:00Z","idempotency_key":"k",
        "trace_id":"t"})");
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string id = made.member("job_id");
    EXPECT_EQ(made.header("Location"), "/v1/jobs/" + id);
    EXPECT_EQ(made.member("deduplicated"), "false");

    const Reply job = get("/v1/jobs/" + id);
    ASSERT_EQ(job.status, 200) << job.body;
    EXPECT_EQ(job.member("payload.n"), "1.50");
    EXPECT_EQ(job.member("priority"), "0");
    EXPECT_EQ(job.member("max_attempts"), "7");
    EXPECT_EQ(job.member("status"), "QUEUED");
    EXPECT_EQ(job.member("created_by"), "key:" + key_id(admin_));

    EXPECT_THAT(get("/v1/jobs?status=QUEUED&type=test.echo").body, HasSubstr(id));
    EXPECT_EQ(get("/v1/jobs?status=RUNNING").body, R"({"items":[],"next_cursor":null})");
    EXPECT_EQ(get("/v1/jobs/" + id + "/attempts").body, R"({"items":[],"next_cursor":null})");
    EXPECT_THAT(get("/v1/jobs/" + id + "/explanation").member("reasons"), HasSubstr("2090"));
    EXPECT_EQ(get("/v1/jobs/" + id + "/result").member("status"), "QUEUED");

    const Reply cancelled = post("/v1/jobs/" + id + "/cancel", R"({"reason":"enough"})");
    ASSERT_EQ(cancelled.status, 200) << cancelled.body;
    EXPECT_EQ(get("/v1/jobs/" + id).member("status"), "CANCELLED");
    EXPECT_EQ(post("/v1/jobs/" + id + "/retry").member("status"), "QUEUED");
    EXPECT_EQ(
        post("/v1/jobs/" + id + "/reschedule", R"({"scheduled_at":"2091-01-01T00:00:00Z"})").status,
        200);
    EXPECT_THAT(get("/v1/jobs/" + id).member("scheduled_at"), StartsWith("2091-01-01"));
}

TEST_F(JobsApi, the_same_job_key_is_the_same_job_and_another_payload_a_conflict) {
    const std::string body = R"({"type":"test.echo","idempotency_key":"k"})";
    const std::string id = enqueue(body);
    const Reply again = post("/v1/jobs", body);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.member("job_id"), id);
    EXPECT_EQ(again.member("deduplicated"), "true");
    const Reply other =
        post("/v1/jobs", R"({"type":"test.echo","idempotency_key":"k","payload":{"x":1}})");
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.member("error.code"), "IDEMPOTENCY_CONFLICT");
}

TEST_F(JobsApi, a_job_that_says_nothing_gets_what_its_type_says) {
    const Reply job = get("/v1/jobs/" + enqueue(R"({"type":"test.echo"})"));
    EXPECT_EQ(job.member("payload"), "{}");
    EXPECT_EQ(job.member("priority"), one("select default_priority from jobforge.job_types where "
                                          "type = 'test.echo'"));
    EXPECT_EQ(job.member("max_attempts"),
              one("select max_attempts from jobforge.job_types where type = 'test.echo'"));
    EXPECT_EQ(job.member("scheduled_at"), job.member("created_at"));
    EXPECT_EQ(job.member("idempotency_key") + job.member("trace_id"), "");
}

TEST_F(JobsApi, the_fields_of_a_job_are_kept_alone_and_in_a_batch) {
    const std::string fields =
        R"("type":"test.echo","payload":{"a":[1,null]},"priority":3,"max_attempts":1,)"
        R"("scheduled_at":"2090-05-06T07:08:09.123456+02:00","trace_id":"trace 7")";
    const std::string alone = enqueue("{" + fields + R"(,"idempotency_key":"alone"})");
    const Reply batch =
        post("/v1/jobs/batch", R"({"jobs":[{"type":"test.echo"},{)" + fields +
                                   R"(,"idempotency_key":"batch"},{"type":"test.echo",)"
                                   R"("idempotency_key":"alone"}]})");
    EXPECT_EQ(batch.status, 409) << "the key's job has another payload: " << batch.body;
    const Reply made = post("/v1/jobs/batch", R"({"jobs":[{"type":"test.echo"},{)" + fields +
                                                  R"(,"idempotency_key":"batch"}]})");
    ASSERT_EQ(made.status, 201) << made.body;
    const Json body = made.json();
    const Json::Array& items = *body.find("items")->as_array();
    for (const auto& [id, key] : {std::pair(alone, "alone"),
                                  std::pair(*items.at(1).find("job_id")->as_string(), "batch")}) {
        const Reply job = get("/v1/jobs/" + id);
        EXPECT_EQ(job.member("payload"), R"({"a":[1,null]})");
        EXPECT_EQ(job.member("priority"), "3");
        EXPECT_EQ(job.member("max_attempts"), "1");
        EXPECT_EQ(job.member("scheduled_at"), "2090-05-06T05:08:09.123456+00:00");
        EXPECT_EQ(job.member("trace_id"), "trace 7");
        EXPECT_EQ(job.member("idempotency_key"), key);
        EXPECT_EQ(job.member("created_by"), "key:" + key_id(admin_));
    }
    EXPECT_EQ(get("/v1/jobs/" + *items.at(0).find("job_id")->as_string()).member("trace_id"), "");
}

TEST_F(JobsApi, a_field_outside_its_range_is_named_and_nothing_is_enqueued) {
    for (const auto& [field, wrong] : std::vector<std::pair<std::string, std::string>>{
             {"type", R"("type":7)"},
             {"priority", R"("priority":-1)"},
             {"priority", R"("priority":4)"},
             {"priority", R"("priority":1.5)"},
             {"priority", R"("priority":"1")"},
             {"max_attempts", R"("max_attempts":0)"},
             {"max_attempts", R"("max_attempts":1001)"},
             {"scheduled_at", R"("scheduled_at":"tomorrow")"},
             {"scheduled_at", R"("scheduled_at":"2090-01-01T00:00:00")"},
             {"scheduled_at", R"("scheduled_at":4102444800)"},
             {"idempotency_key", R"("idempotency_key":1)"},
             {"trace_id", R"("trace_id":{})"},
             {"tenant_id", R"("tenant_id":")" + other_tenant_.to_string() + R"(")"},
             {"run_at", R"("run_at":"2090-01-01T00:00:00Z")"}}) {
        const std::string job =
            field == "type" ? "{" + wrong + "}" : R"({"type":"test.echo",)" + wrong + "}";
        const Reply alone = post("/v1/jobs", job);
        EXPECT_EQ(alone.status, 422) << job << alone.body;
        EXPECT_EQ(alone.member("error.details.field"), field) << alone.body;
        const Reply batch = post("/v1/jobs/batch", R"({"jobs":[)" + job + "]}");
        EXPECT_EQ(batch.status, 422) << job << batch.body;
        EXPECT_THAT(batch.member("error.message"), StartsWith("jobs[0]: " + field));
    }
    EXPECT_EQ(jobs(), "0");
}

TEST_F(JobsApi, many_jobs_are_all_or_nothing) {
    const Reply made =
        post("/v1/jobs/batch",
             R"({"jobs":[{"type":"test.echo"},{"type":"test.echo","payload":{"i":2}}]})");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.json().find("items")->as_array()->size(), 2U);
    const Reply refused =
        post("/v1/jobs/batch", R"({"jobs":[{"type":"test.echo"},{"type":"nobody.knows"}]})");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.member("error.code"), "UNKNOWN_JOB_TYPE");
    EXPECT_EQ(post("/v1/jobs/batch", R"({"jobs":[{"type":"test.echo"},{"typ":"x"}]})")
                  .member("error.message"),
              "jobs[1]: type is missing");
    EXPECT_EQ(post("/v1/jobs/batch", R"({"jobs":[]})").status, 422);
    EXPECT_EQ(jobs(), "2");
}

TEST_F(JobsApi, pages_lead_through_all_jobs_once) {
    std::vector<std::string> made;
    for (int job = 0; job < 5; ++job) {
        made.push_back(enqueue());
    }
    std::vector<std::string> seen;
    std::string cursor;
    for (int pages = 0; pages < 3; ++pages) {
        const Reply page =
            get("/v1/jobs?limit=2" + (cursor.empty() ? std::string() : "&cursor=" + cursor));
        const Json body = page.json();
        for (const Json& item : *body.find("items")->as_array()) {
            seen.push_back(*item.find("job_id")->as_string());
        }
        cursor = page.member("next_cursor");
    }
    EXPECT_EQ(cursor, "");
    std::reverse(seen.begin(), seen.end());
    EXPECT_EQ(seen, made);
    EXPECT_EQ(get("/v1/jobs?cursor=nonsense").status, 422);
    EXPECT_EQ(get("/v1/jobs?statsu=QUEUED").status, 422);
}

TEST_F(JobsApi, dead_jobs_are_retried_by_filter) {
    const std::string id = enqueue();
    ASSERT_EQ(post("/v1/jobs/" + id + "/cancel").status, 200);
    const Reply retried = post("/v1/jobs/retry", R"({"status":"CANCELLED"})");
    ASSERT_EQ(retried.status, 200) << retried.body;
    EXPECT_EQ(retried.body, R"({"retried":1,"job_ids":[")" + id + R"("]})");
}

TEST_F(JobsApi, without_a_right_key_there_is_401_and_nothing_else) {
    const auto refused = [this](const std::string& key) {
        const Reply reply = ask("POST", "/v1/jobs", {.key = key, .body = kEcho});
        EXPECT_EQ(reply.header("WWW-Authenticate"), "Bearer") << key;
        return fmt::format("{} {}", reply.status, reply.member("error.code"));
    };
    EXPECT_EQ(refused(""), "401 UNAUTHORIZED");
    EXPECT_EQ(refused("nonsense"), "401 UNAUTHORIZED");
    std::string wrong = admin_;
    wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
    EXPECT_EQ(refused(wrong), "401 UNAUTHORIZED");
    EXPECT_EQ(jobs(), "0");
}

TEST_F(JobsApi, a_revoked_key_ends_at_once_although_it_is_cached) {
    enqueue();
    auto as_tenant = calls(tenant_);
    ASSERT_TRUE(services::revoke_api_key(as_tenant, key_id(admin_), "test", "test").ok());
    const Reply reply = post("/v1/jobs", kEcho);
    EXPECT_EQ(reply.status, 401);
    EXPECT_EQ(reply.member("error.code"), "API_KEY_REVOKED");
    EXPECT_EQ(jobs(), "1");
}

TEST_F(JobsApi, a_role_without_the_permission_gets_403_and_an_audit_event) {
    const std::string auditor = make_key(tenant_, {"Auditor"});
    EXPECT_EQ(ask("GET", "/v1/jobs", {.key = auditor}).status, 200);
    const Reply refused = ask("POST", "/v1/jobs", {.key = auditor, .body = kEcho});
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.member("error.details.permission"), "jobs:enqueue");
    EXPECT_EQ(events_of_key(auditor), "POST /v1/jobs role");
    EXPECT_EQ(jobs(), "0");
}

TEST_F(JobsApi, a_policy_holds_from_the_next_request_on) {
    EXPECT_EQ(get("/v1/jobs").status, 200);
    auto as_tenant = calls(tenant_);
    services::NewPolicy policy;
    policy.effect = "deny";
    policy.path_pattern = "/v1/jobs/**";
    policy.actor_id = "test";
    const auto added = services::add_access_policy(as_tenant, policy);
    ASSERT_TRUE(added.ok()) << added.error().describe();
    const Reply refused = get("/v1/jobs");
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.member("error.details.reason"), "policy");
    const auto id = Uuid::parse(*added->find("policy_id")->as_string());
    ASSERT_TRUE(services::remove_access_policy(as_tenant, *id, "test").ok());
    EXPECT_EQ(get("/v1/jobs").status, 200);
}

TEST_F(JobsApi, ids_of_another_tenant_do_not_exist_and_the_try_is_kept) {
    const Reply made = ask("POST", "/v1/jobs", {.key = other_admin_, .body = kEcho});
    const std::string id = made.member("job_id");
    const Reply probe = get("/v1/jobs/" + id);
    const Reply nobody = get("/v1/jobs/00000000-0000-4000-8000-000000000000");
    EXPECT_EQ(probe.status, 404);
    EXPECT_EQ(nobody.status, 404);
    EXPECT_EQ(probe.body.size(), nobody.body.size());
    EXPECT_EQ(events_of_key(admin_), "GET /v1/jobs/{job_id} NOT_FOUND");
    EXPECT_EQ(get("/v1/jobs/no-id").status, 404);
}

TEST_F(JobsApi, an_idempotency_key_answers_the_same_bytes_again) {
    const Ask once{.key = admin_, .body = kEcho, .headers = {{"idempotency-key", "one"}}};
    const Reply first = ask("POST", "/v1/jobs", once);
    ASSERT_EQ(first.status, 201) << first.body;
    const Reply again = ask("POST", "/v1/jobs", once);
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("Location"), first.header("Location"));
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(first.header("Idempotency-Replayed"), "");
    EXPECT_EQ(jobs(), "1");
    // Bound to method, path and body.
    const Reply other = ask("POST", "/v1/jobs",
                            {.key = admin_,
                             .body = R"({"type":"test.echo"})",
                             .headers = {{"idempotency-key", "one"}}});
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.member("error.code"), "IDEMPOTENCY_CONFLICT");
    // Refusals are not kept: the client may try again with the same key.
    const Reply bad = ask("POST", "/v1/jobs",
                          {.key = admin_,
                           .body = R"({"type":"nobody.knows"})",
                           .headers = {{"idempotency-key", "two"}}});
    EXPECT_EQ(bad.status, 422);
    EXPECT_EQ(ask("POST", "/v1/jobs",
                  {.key = admin_, .body = kEcho, .headers = {{"idempotency-key", "two"}}})
                  .status,
              201);
}

TEST_F(JobsApi, a_change_whose_answer_was_lost_is_not_done_again) {
    WireProxy proxy(database_.url());
    options().database_url = proxy.url(options().database_url);
    proxy.cut_at("enqueue_job", WireProxy::Lost::answer);
    const Reply unknown = post("/v1/jobs", kEcho);
    EXPECT_EQ(proxy.cuts(), 1);
    EXPECT_EQ(unknown.status, 503) << unknown.body;
    EXPECT_EQ(jobs(), "1");
}

TEST_F(JobsApi, an_idempotency_key_belongs_to_one_path) {
    const auto add = [&] {
        return ask("POST", "/v1/jobs", {.key = admin_, .body = kEcho}).member("job_id");
    };
    const std::string one = add();
    const std::string two = add();
    const Ask with_key{.key = admin_, .headers = {{"idempotency-key", "stop"}}};
    const Reply first = ask("POST", "/v1/jobs/" + one + "/cancel", with_key);
    ASSERT_EQ(first.status, 200) << first.body;
    // Method and body are those of the first: its answer would say that this job was cancelled.
    const Reply other = ask("POST", "/v1/jobs/" + two + "/cancel", with_key);
    EXPECT_EQ(other.status, 409) << other.body;
    EXPECT_EQ(other.member("error.code"), "IDEMPOTENCY_CONFLICT");
    EXPECT_EQ(ask("GET", "/v1/jobs/" + two, {.key = admin_}).member("status"), "QUEUED");
}

TEST_F(JobsApi, a_header_that_must_stand_alone_is_refused_when_it_is_given_twice) {
    const Reply two_keys =
        ask("POST", "/v1/jobs",
            {.key = admin_,
             .body = kEcho,
             .headers = {{"idempotency-key", "one"}, {"idempotency-key", "one"}}});
    EXPECT_EQ(two_keys.status, 422);
    EXPECT_EQ(two_keys.member("error.message"), "Idempotency-Key is given twice");
    for (const std::string& second : {admin_, other_admin_}) {
        const Reply two_askers =
            ask("POST", "/v1/jobs",
                {.key = admin_, .body = kEcho, .headers = {{"authorization", "Bearer " + second}}});
        EXPECT_EQ(two_askers.status, 401);
        EXPECT_EQ(two_askers.member("error.code"), "UNAUTHORIZED");
    }
    EXPECT_EQ(jobs(), "0");
}

TEST_F(JobsApi, two_first_requests_with_one_key_at_once_make_one_job) {
    std::vector<Reply> replies(4);
    std::vector<std::thread> threads;
    (void)service();
    for (Reply& reply : replies) {
        threads.emplace_back([&] {
            reply = ask("POST", "/v1/jobs",
                        {.key = admin_, .body = kEcho, .headers = {{"idempotency-key", "race"}}});
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const Reply& reply : replies) {
        EXPECT_EQ(reply.status, 201) << reply.body;
        EXPECT_EQ(reply.body, replies.front().body);
    }
    EXPECT_EQ(jobs(), "1");
}

TEST_F(JobsApi, a_key_that_asks_too_often_is_told_when_to_come_back) {
    now_ = std::chrono::steady_clock::now();
    options().rate_limit = {.enabled = true, .requests_per_second = 1, .burst = 2};
    options().clock = [this] { return now_; };
    EXPECT_EQ(get("/v1/jobs").header("RateLimit-Remaining"), "1");
    EXPECT_EQ(get("/v1/jobs").status, 200);
    const Reply refused = get("/v1/jobs");
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.member("error.code"), "RATE_LIMITED");
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(refused.header("RateLimit-Limit"), "2");
    EXPECT_EQ(ask("GET", "/v1/jobs", {.key = other_admin_}).status, 200);
    now_ += std::chrono::seconds(1);
    EXPECT_EQ(get("/v1/jobs").status, 200);
}

TEST_F(JobsApi, mistakes_are_told_with_their_place) {
    EXPECT_EQ(post("/v1/jobs", "{").member("error.details.line"), "1");
    for (const char* not_an_object : {"[]", "null", "1", R"("{}")"}) {
        const Reply refused = post("/v1/jobs", not_an_object);
        EXPECT_EQ(refused.status, 422);
        EXPECT_EQ(refused.member("error.message"), "the body must be a JSON object");
    }
    EXPECT_EQ(post("/v1/jobs", "{}").member("error.details.field"), "type");
    EXPECT_EQ(post("/v1/jobs", R"({"type":"test.echo","prio":1})").member("error.details.field"),
              "prio");
    EXPECT_EQ(
        ask("POST", "/v1/jobs", {.key = admin_, .body = kEcho, .media_type = "text/plain"}).status,
        415);
    EXPECT_EQ(ask("PUT", "/v1/jobs", {.key = admin_, .body = kEcho}).header("Allow"),
              "GET, HEAD, POST");
    EXPECT_EQ(get("/v1/nothing").status, 404);
    EXPECT_EQ(get("/v1/jobs/00000000-0000-4000-8000-000000000000").member("error.correlation_id"),
              "test-request");
}

TEST_F(JobsApi, a_number_that_is_enormous_when_it_is_written_out_is_refused_with_its_place) {
    const Reply refused =
        post("/v1/jobs", R"({"type":"test.echo","payload":{"a":[1,{"b":1e131071}]}})");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.member("error.message"),
              "the body has a number of more than 400 digits at /payload/a/1/b");
    EXPECT_EQ(post("/v1/jobs/batch", R"({"jobs":[{"type":"test.echo","payload":{"a":1e-131071}}]})")
                  .status,
              422);
    EXPECT_EQ(jobs(), "0");
    (void)enqueue(R"({"type":"test.echo","payload":{"a":1e399}})");
}

TEST_F(JobsApi, a_lost_connection_is_not_the_clients_business_when_he_only_reads) {
    EXPECT_EQ(get("/v1/jobs").status, 200);
    run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = "
        "'jobforge api' and datname = current_database()");
    EXPECT_EQ(get("/v1/jobs").status, 200);
}

TEST_F(JobsApi, health_and_metrics_need_no_key) {
    EXPECT_EQ(ask("GET", "/v1/health/live", {}).status, 200);
    const Reply ready = ask("GET", "/v1/health/ready", {});
    EXPECT_EQ(ready.body, R"({"status":"ok","checks":{"database":true,"migrations":true}})");
    run("insert into jobforge.migrations values "
        "('9999_future.sql', repeat('0', 64), now(), 'test', 0)");
    EXPECT_EQ(ask("GET", "/v1/health/ready", {}).status, 200) << "the next release is rolled out";
    run("delete from jobforge.migrations where name >= '0002'");
    const Reply not_ready = ask("GET", "/v1/health/ready", {});
    EXPECT_EQ(not_ready.status, 503);
    EXPECT_EQ(not_ready.member("checks.database"), "true");
    EXPECT_EQ(not_ready.member("checks.migrations"), "false");
    service().observe({"GET", "/v1/jobs", 200, 0.002, 10});
    const Reply metrics = ask("GET", "/v1/metrics", {});
    EXPECT_THAT(
        metrics.body,
        HasSubstr(R"(bpc_http_requests_total{method="GET",path="/v1/jobs",status="200"} 1)"));
    EXPECT_THAT(metrics.body, HasSubstr("bpc_db_pool_in_use 0"));
}

}  // namespace
}  // namespace jobforge::test
