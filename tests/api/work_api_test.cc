// Workers in other languages: jobs taken, renewed and settled over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_world.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WorkApi : public ApiWorld {
protected:
    std::string enqueue(const std::string& key) {
        return ask("POST", "/v1/jobs", {.key = key, .body = R"({"type":"test.echo"})"})
            .member("job_id");
    }
    // The claimed jobs: the whole answer.
    Reply claim(const std::string& key, const std::string& worker = "py-1") {
        return ask("POST", "/v1/jobs/claim",
                   {.key = key,
                    .body = fmt::format(R"({{"worker_id":"{}","types":["test.echo"],"limit":5}})",
                                        worker)});
    }
    static std::string first(const Reply& reply, const char* member) {
        const Json body = reply.json();
        const Json::Array* items = body.find("items")->as_array();
        if (items->empty()) {
            return {};
        }
        const Json* value = items->front().find(member);
        const std::string* text = value->as_string();
        return text == nullptr ? value->dump() : *text;
    }
    Reply settle(const std::string& job, const char* verb, const std::string& token,
                 const std::string& more = {}, const std::string& worker = "py-1") {
        return post(fmt::format("/v1/jobs/{}/{}", job, verb),
                    fmt::format(R"({{"worker_id":"{}","lease_token":{}{}}})", worker, token, more));
    }
};

TEST_F(WorkApi, a_job_is_claimed_renewed_and_completed_with_its_result) {
    const std::string job = enqueue(admin_);
    const Reply claimed = claim(admin_);
    ASSERT_EQ(claimed.status, 200) << claimed.body;
    ASSERT_EQ(first(claimed, "job_id"), job);
    const std::string token = first(claimed, "lease_token");
    EXPECT_EQ(claim(admin_).body, R"({"items":[],"next_cursor":null})");

    const Reply renewed =
        post("/v1/jobs/heartbeat",
             fmt::format(R"({{"worker_id":"py-1","leases":[{{"job_id":"{}","lease_token":{}}}]}})",
                         job, token));
    EXPECT_EQ(renewed.body, R"({"lost":[]})");

    EXPECT_EQ(settle(job, "complete", token, R"(,"result":{"sent":true})").status, 204);
    EXPECT_EQ(get("/v1/jobs/" + job + "/result").member("result.sent"), "true");
    EXPECT_THAT(get("/v1/jobs/" + job + "/attempts").body, HasSubstr("SUCCEEDED"));
    // The same again is done already.
    EXPECT_EQ(settle(job, "complete", token).status, 204);
}

TEST_F(WorkApi, a_failure_is_tried_again_or_not_as_its_error_says) {
    const std::string job = enqueue(admin_);
    const std::string token = first(claim(admin_), "lease_token");
    const Reply failed =
        settle(job, "fail", token,
               R"(,"error":{"code":"SMTP","message":"busy"},"retry_after_seconds":60)");
    ASSERT_EQ(failed.status, 200) << failed.body;
    EXPECT_EQ(failed.member("status"), "QUEUED");
    ASSERT_EQ(post("/v1/jobs/" + job + "/retry").status, 200);
    const std::string next = first(claim(admin_), "lease_token");
    EXPECT_EQ(
        settle(job, "fail", next, R"(,"error":{"code":"SMTP","message":"no","retryable":false})")
            .member("status"),
        "FAILED");
    EXPECT_EQ(settle(job, "fail", next, R"(,"error":{"message":"no code"})").status, 422);
}

TEST_F(WorkApi, a_snoozed_job_keeps_its_attempts) {
    const std::string job = enqueue(admin_);
    const std::string token = first(claim(admin_), "lease_token");
    EXPECT_EQ(settle(job, "snooze", token, R"(,"seconds":3600)").status, 204);
    EXPECT_EQ(get("/v1/jobs/" + job).member("attempts"), "0");
    EXPECT_EQ(get("/v1/jobs/" + job).member("status"), "QUEUED");
}

TEST_F(WorkApi, a_settling_call_whose_answer_was_lost_may_be_repeated) {
    for (const auto& [verb, more] :
         {std::pair{"complete", ""}, std::pair{"snooze", R"(,"seconds":3600)"},
          std::pair{"fail", R"(,"error":{"code":"X","message":"m"})"}}) {
        const std::string job = enqueue(admin_);
        const std::string token = first(claim(admin_), "lease_token");
        const int status = settle(job, verb, token, more).status;
        EXPECT_LT(status, 300) << verb;
        EXPECT_EQ(settle(job, verb, token, more).status, status) << verb;
    }
}

TEST_F(WorkApi, a_claim_ends_at_16_mib_of_payload) {
    run(
        fmt::format("set app.tenant_id = '{}'; select jobforge.enqueue_job('test.echo', "
                    "jsonb_build_object('x', repeat('x', 1999990))) from generate_series(1, 12)",
                    tenant_.to_string()));
    const std::string body = R"({"worker_id":"py-1","types":["test.echo"],"limit":100})";
    const Reply first = post("/v1/jobs/claim", body);
    EXPECT_EQ(first.status, 200);
    EXPECT_LT(first.body.size(), 17'000'000u);
    EXPECT_EQ(first.json().find("items")->as_array()->size(), 8u);
    EXPECT_EQ(one("select count(*) from jobforge.jobs where status = 'QUEUED' and attempts = 0"),
              "4");
    EXPECT_EQ(post("/v1/jobs/claim", body).json().find("items")->as_array()->size(), 4u);
}

// A node that freezes between two statements of a request does not keep what it has locked.
TEST_F(WorkApi, a_request_that_stands_still_in_its_transaction_is_ended_by_the_server) {
    run("create table public.seen (limits text); grant insert on public.seen to public;"
        "create function public.see() returns trigger language plpgsql as $$ begin insert into "
        "public.seen values (current_setting('idle_in_transaction_session_timeout')); return new; "
        "end $$; create trigger see after update on jobforge.jobs for each row execute function "
        "public.see()");
    enqueue(admin_);
    ASSERT_NE(first(claim(admin_), "job_id"), "");
    enqueue(admin_);
    const Reply once = ask("POST", "/v1/jobs/claim",
                           {.key = admin_,
                            .body = R"({"worker_id":"py-1","types":["test.echo"]})",
                            .headers = {{"idempotency-key", "once"}}});
    ASSERT_NE(first(once, "job_id"), "") << once.body;
    EXPECT_EQ(one("select string_agg(limits, ' ') from public.seen"), "30s 30s");
}

// Stored by a version that let numbers of any length in.
TEST_F(WorkApi, a_job_that_cannot_be_sent_ends_and_the_others_are_claimed) {
    const std::string bad = enqueue(admin_);
    const std::string good = enqueue(admin_);
    run(
        fmt::format("update jobforge.jobs set payload = jsonb_build_object('a', (select "
                    "jsonb_agg('1e131071'::jsonb) from generate_series(1, 8300))) where job_id = "
                    "'{}'",
                    bad));
    const Reply claimed = claim(admin_);
    ASSERT_EQ(claimed.status, 200) << claimed.body;
    EXPECT_EQ(first(claimed, "job_id"), good);
    EXPECT_EQ(get("/v1/jobs/" + bad).member("status"), "FAILED");
    EXPECT_EQ(get("/v1/jobs/" + bad).member("last_error.code"), "JOB_PAYLOAD_INVALID");
}

TEST_F(WorkApi, the_attempts_of_a_job_come_in_pages) {
    const std::string job = enqueue(admin_);
    EXPECT_EQ(get("/v1/jobs/" + job + "/attempts").body, R"({"items":[],"next_cursor":null})");
    run(
        fmt::format("insert into jobforge.attempt_records select '{}', '{}', n, 1, 'test.echo', "
                    "'w', now(), now(), 'SNOOZED' from generate_series(1, 130) n",
                    tenant_.to_string(), job));
    const std::string path = "/v1/jobs/" + job + "/attempts";
    std::vector<std::size_t> sizes;
    std::string last;
    for (std::string cursor = "?limit=50"; !cursor.empty();) {
        const Reply page = get(path + cursor);
        ASSERT_EQ(page.status, 200) << page.body;
        const Json items = page.json();
        sizes.push_back(items.find("items")->as_array()->size());
        last = items.find("items")->as_array()->back().find("lease_token")->dump();
        const std::string next = page.member("next_cursor");
        cursor = next == "null" || next.empty() ? "" : "?limit=50&cursor=" + next;
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{50, 50, 30}));
    EXPECT_EQ(last, "130");
    EXPECT_EQ(get(path).json().find("items")->as_array()->size(), 50u) << "the usual page";
    EXPECT_EQ(get(path + "?limit=201").status, 422);
    EXPECT_EQ(get(path + "?cursor=nonsense").status, 422);
    EXPECT_EQ(get("/v1/jobs/0190aaaa-0000-7000-8000-000000000001/attempts").status, 404);
}

TEST_F(WorkApi, who_lost_his_lease_can_settle_nothing) {
    const std::string job = enqueue(admin_);
    const std::string token = first(claim(admin_), "lease_token");
    ASSERT_EQ(post("/v1/jobs/" + job + "/cancel").status, 200);
    const Reply late = settle(job, "complete", token);
    EXPECT_EQ(late.status, 409);
    EXPECT_EQ(late.member("error.code"), "LEASE_LOST");
    const Reply renewed =
        post("/v1/jobs/heartbeat",
             fmt::format(R"({{"worker_id":"py-1","leases":[{{"job_id":"{}","lease_token":{}}}]}})",
                         job, token));
    EXPECT_THAT(renewed.body, HasSubstr("CANCELLED"));
}

TEST_F(WorkApi, nobody_takes_or_settles_the_work_of_another_tenant_or_worker) {
    const std::string theirs = enqueue(other_admin_);
    EXPECT_EQ(claim(admin_).body, R"({"items":[],"next_cursor":null})");
    const std::string token = first(claim(other_admin_), "lease_token");
    ASSERT_NE(token, "");
    // The same worker id and the right token, with the wrong tenant's key.
    EXPECT_EQ(settle(theirs, "complete", token).member("error.code"), "LEASE_LOST");
    const std::string ours = enqueue(admin_);
    const std::string held = first(claim(admin_), "lease_token");
    EXPECT_EQ(settle(ours, "complete", held, "", "py-2").member("error.code"), "LEASE_LOST");
    EXPECT_EQ(settle(ours, "complete", held).status, 204);
    for (const char* worker : {"", "a/b", "a b"}) {
        EXPECT_EQ(claim(admin_, worker).status, 422) << worker;
    }
}

TEST_F(WorkApi, a_worker_over_http_is_listed_and_explained_to_its_own_tenant) {
    const std::string job = enqueue(admin_);
    const std::string theirs = enqueue(other_admin_);
    EXPECT_THAT(get("/v1/jobs/" + job + "/explanation").body, HasSubstr("No live worker"));
    ASSERT_EQ(first(claim(admin_), "job_id"), job);

    const Json workers = get("/v1/workers").json();
    ASSERT_EQ(workers.find("items")->as_array()->size(), 1U) << workers.dump();
    const Json& worker = workers.find("items")->as_array()->front();
    EXPECT_EQ(worker.find("worker_id")->dump(), R"("py-1")");
    EXPECT_EQ(worker.find("state")->dump(), R"("ACTIVE")");
    EXPECT_EQ(worker.find("types")->dump(), R"(["test.echo"])");
    EXPECT_EQ(worker.find("running")->dump(), "1");
    EXPECT_EQ(worker.find("slots")->dump(), "null");
    EXPECT_THAT(get("/v1/jobs/" + job + "/explanation").body, HasSubstr("Its worker is alive"));
    const std::string waiting = enqueue(admin_);
    EXPECT_THAT(get("/v1/jobs/" + waiting + "/explanation").body,
                AllOf(Not(HasSubstr("No live worker")), Not(HasSubstr("busy"))));

    // Another tenant neither sees it nor can be served by it.
    const Ask as_other{.key = other_admin_};
    EXPECT_EQ(ask("GET", "/v1/workers", as_other).body, R"({"items":[],"next_cursor":null})");
    EXPECT_THAT(ask("GET", "/v1/jobs/" + theirs + "/explanation", as_other).body,
                HasSubstr("No live worker"));
}

TEST_F(WorkApi, types_workers_and_stats_are_listed) {
    enqueue(admin_);
    EXPECT_THAT(get("/v1/job-types").body, HasSubstr("\"test.echo\""));
    EXPECT_EQ(get("/v1/job-types/test.echo").member("type"), "test.echo");
    EXPECT_EQ(get("/v1/job-types/nobody.knows").status, 404);
    EXPECT_THAT(get("/v1/stats").body, HasSubstr("\"queued\":1"));
    run(
        fmt::format("select jobforge.register_worker('in-house', 'host', 1, '1', '{{}}', 1), "
                    "jobforge.register_worker('{}/ours', 'host', 1, '1', '{{}}', 1), "
                    "jobforge.register_worker('{}/theirs', 'host', 1, '1', '{{}}', 1)",
                    tenant_.to_string(), other_tenant_.to_string()));
    const Reply workers = get("/v1/workers");
    EXPECT_THAT(workers.body, HasSubstr("\"in-house\""));
    EXPECT_THAT(workers.body, HasSubstr("\"ours\""));
    EXPECT_THAT(workers.body, Not(HasSubstr("theirs")));
}

}  // namespace
}  // namespace jobforge::test
