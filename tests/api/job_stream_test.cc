// GET /v1/jobs/stream over HTTP: every change of a job is told, to its tenant only, whatever index
// it has to be found by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_http_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// A client of the stream, connected when made.
class Listening final {
public:
    Listening(int port, const std::string& key, const std::string& target = "/v1/jobs/stream",
              const std::string& last_id = "")
        : connection_(port) {
        connection_.send(
            request_text("GET", target,
                         fmt::format("Authorization: Bearer {}\r\n{}", key,
                                     last_id.empty() ? "" : "Last-Event-ID: " + last_id + "\r\n")));
    }
    // What comes after the last thing that was heard.
    [[nodiscard]] bool hears(const std::string& text) {
        const bool came = connection_.receive_until(text, from_);
        from_ = came ? heard().find(text, from_) + text.size() : from_;
        return came;
    }
    // An event about this job in this status.
    [[nodiscard]] bool hears_of(const std::string& job, const std::string& status) {
        return hears(fmt::format(R"("job_id":"{}","type":"test.echo","status":"{}")", job, status));
    }
    [[nodiscard]] const std::string& heard() const { return connection_.arrived(); }
    // The id of the last event that had one.
    [[nodiscard]] std::string last_id() {
        const std::size_t at = heard().rfind("\nid: ") + 5;
        return heard().substr(at, heard().find('\n', at) - at);
    }
    // Reads to the end; true if the server ended it in good order.
    [[nodiscard]] bool ends() {
        const HttpReply reply = connection_.receive();
        return connection_.closed() && reply.body.ends_with("0\r\n\r\n");
    }
    [[nodiscard]] HttpReply refusal() { return connection_.receive_one(); }

private:
    HttpConnection connection_;
    std::size_t from_ = 0;
};

class JobStream : public ApiHttpWorld {
protected:
    JobStream() {
        options().job_streams.look_every = 5ms;
        options().job_streams.check_key_every = 5ms;
    }
    Listening listening(const std::string& target = "/v1/jobs/stream") {
        return Listening(port(), admin_, target);
    }
    std::string enqueue() { return post("/v1/jobs", R"({"type":"test.echo"})").member("job_id"); }
    // A job that has waited for a year: no index by age finds it.
    std::string old_job() {
        const std::string id = fmt::format("01900000-0000-7000-8000-00000000000{}", ++old_jobs_);
        run(
            fmt::format("insert into jobforge.jobs (tenant_id, job_id, type, scheduled_at, "
                        "created_at, payload) values ('{}', '{}', 'test.echo', now() - interval "
                        "'1 year', now() - interval '1 year', '{{}}')",
                        tenant_.to_string(), id));
        return id;
    }
    std::string claim() {
        const Reply claimed =
            post("/v1/jobs/claim", R"({"worker_id":"w","types":["test.echo"],"limit":1})");
        return fmt::format(
            R"({{"worker_id":"w","lease_token":{})",
            claimed.json().find("items")->as_array()->at(0).find("lease_token")->dump());
    }
    void settle(const std::string& job, const char* verb, const std::string& lease,
                const std::string& more = "") {
        const Reply reply = post("/v1/jobs/" + job + "/" + verb, lease + more + "}");
        EXPECT_LT(reply.status, 300) << reply.body;
    }
    int old_jobs_ = 0;
};

TEST_F(JobStream, tells_a_jobs_life_as_it_happens) {
    Listening client = listening();
    ASSERT_TRUE(client.hears("event: open\nid: "));
    EXPECT_THAT(client.heard(), HasSubstr("Content-Type: text/event-stream\r\n"));
    const std::string job = enqueue();
    EXPECT_TRUE(client.hears_of(job, "QUEUED")) << client.heard();
    const std::string lease = claim();
    EXPECT_TRUE(client.hears_of(job, "RUNNING")) << client.heard();
    settle(job, "complete", lease);
    EXPECT_TRUE(client.hears_of(job, "SUCCEEDED")) << client.heard();
    EXPECT_THAT(client.heard(), Not(HasSubstr("\"payload\"")));
}

TEST_F(JobStream, finds_jobs_of_any_age_at_every_turn) {
    const std::string job = old_job();
    Listening client = listening();
    ASSERT_TRUE(client.hears("event: open"));
    std::string lease = claim();
    ASSERT_TRUE(client.hears_of(job, "RUNNING")) << client.heard();
    run(fmt::format(
        "select jobforge.release_jobs('{0}/w', array['{0}']::uuid[], array['{1}']::uuid[], "
        "array[1]::bigint[])",
        tenant_.to_string(), job));
    ASSERT_TRUE(client.hears_of(job, "QUEUED")) << client.heard();
    lease = claim();
    settle(job, "fail", lease, R"(,"error":{"code":"X","message":"again later"})");
    ASSERT_TRUE(client.hears("again later")) << client.heard();
    EXPECT_EQ(post("/v1/jobs/" + job + "/reschedule", R"({"scheduled_at":"2020-01-01T00:00:00Z"})")
                  .status,
              200);
    lease = claim();
    settle(job, "fail", lease, R"(,"error":{"code":"X","message":"no","retryable":false})");
    ASSERT_TRUE(client.hears_of(job, "FAILED")) << client.heard();
    EXPECT_LT(post("/v1/jobs/" + job + "/retry").status, 300);
    ASSERT_TRUE(client.hears_of(job, "QUEUED")) << client.heard();
    lease = claim();
    settle(job, "complete", lease);
    ASSERT_TRUE(client.hears_of(job, "SUCCEEDED")) << client.heard();
}

TEST_F(JobStream, a_renewed_lease_is_no_change) {
    Listening client = listening();
    ASSERT_TRUE(client.hears("event: open"));
    const std::string job = enqueue();
    (void)claim();
    ASSERT_TRUE(client.hears_of(job, "RUNNING")) << client.heard();
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(
            post("/v1/jobs/heartbeat",
                 fmt::format(R"({{"worker_id":"w","leases":[{{"job_id":"{}","lease_token":1}}]}})",
                             job))
                .body,
            R"({"lost":[]})");
        // Told after the renewal, so the look that found it has passed.
        ASSERT_TRUE(client.hears_of(enqueue(), "QUEUED"));
    }
    const std::string running =
        R"("job_id":")" + job + R"(","type":"test.echo","status":"RUNNING")";
    EXPECT_EQ(client.heard().find(running), client.heard().rfind(running)) << client.heard();
}

TEST_F(JobStream, who_comes_back_hears_what_he_missed_and_nothing_from_before) {
    const std::string before = enqueue();
    std::string last_id;
    {
        Listening client = listening();
        ASSERT_TRUE(client.hears("event: open"));
        ASSERT_TRUE(client.hears_of(enqueue(), "QUEUED"));
        ASSERT_TRUE(client.hears("\n\n\r\n"));
        last_id = client.last_id();
    }
    const std::string missed = enqueue();
    const std::string gone = old_job();
    post("/v1/jobs/" + gone + "/cancel");
    Listening again(port(), admin_, "/v1/jobs/stream", last_id);
    EXPECT_TRUE(again.hears_of(missed, "QUEUED")) << again.heard();
    EXPECT_TRUE(again.hears_of(gone, "CANCELLED")) << again.heard();
    EXPECT_THAT(again.heard(), Not(HasSubstr(before)));
    EXPECT_THAT(again.heard(), Not(HasSubstr("event: open")));
}

TEST_F(JobStream, a_transaction_that_ends_late_is_not_missed) {
    pg::Connection slow = database_.connect();
    const auto on_slow = [&](const std::string& sql) {
        const auto done = slow.script("slow", sql);
        EXPECT_TRUE(done.ok()) << done.error().describe();
    };
    on_slow("begin; set local app.tenant_id = '" + tenant_.to_string() +
            "'; select jobforge.enqueue_job('test.echo', p_trace_id => 'late')");
    Listening client = listening();
    ASSERT_TRUE(client.hears("event: open"));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(client.hears_of(enqueue(), "QUEUED"));
    }
    EXPECT_THAT(client.heard(), Not(HasSubstr("\"late\"")));
    on_slow("commit");
    EXPECT_TRUE(client.hears("\"trace_id\":\"late\"")) << client.heard();
}

TEST_F(JobStream, filters_leave_out_what_was_not_asked_for) {
    const std::string one_job = enqueue();
    Listening finished = listening("/v1/jobs/stream?status=CANCELLED&type=test.echo");
    Listening single = listening("/v1/jobs/stream?job_id=" + one_job);
    Listening other_type = listening("/v1/jobs/stream?type=test.sleep");
    for (Listening* client : {&finished, &single, &other_type}) {
        ASSERT_TRUE(client->hears("event: open"));
    }
    const std::string another = enqueue();
    post("/v1/jobs/" + another + "/cancel");
    post("/v1/jobs/" + one_job + "/cancel");
    const Reply document = post("/v1/jobs", R"({"type":"test.sleep"})");
    EXPECT_TRUE(finished.hears_of(another, "CANCELLED"));
    EXPECT_THAT(finished.heard(), Not(HasSubstr("QUEUED")));
    EXPECT_TRUE(single.hears_of(one_job, "CANCELLED"));
    EXPECT_THAT(single.heard(), Not(HasSubstr(another)));
    EXPECT_TRUE(other_type.hears(document.member("job_id")));
    EXPECT_THAT(other_type.heard(), Not(HasSubstr("test.echo")));
}

TEST_F(JobStream, tells_a_tenant_of_its_own_jobs_only) {
    Listening mine = listening();
    Listening theirs(port(), other_admin_);
    ASSERT_TRUE(mine.hears("event: open"));
    ASSERT_TRUE(theirs.hears("event: open"));
    const std::string job = enqueue();
    const std::string their_job =
        ask("POST", "/v1/jobs", {.key = other_admin_, .body = R"({"type":"test.echo"})"})
            .member("job_id");
    EXPECT_TRUE(mine.hears_of(job, "QUEUED"));
    EXPECT_TRUE(theirs.hears_of(their_job, "QUEUED"));
    EXPECT_TRUE(mine.hears_of(enqueue(), "QUEUED"));
    EXPECT_THAT(mine.heard(), Not(HasSubstr(their_job)));
    EXPECT_THAT(theirs.heard(), Not(HasSubstr(job)));
}

TEST_F(JobStream, ends_soon_after_its_key_and_when_rights_change) {
    const std::string key = make_key(tenant_, {"Operator"});
    Listening revoked(port(), key);
    Listening narrowed = listening();
    ASSERT_TRUE(revoked.hears("event: open"));
    ASSERT_TRUE(narrowed.hears("event: open"));
    ASSERT_EQ(post("/v1/api-keys/" + key_id(key) + "/revoke").status, 200);
    EXPECT_TRUE(revoked.ends());
    ASSERT_TRUE(narrowed.hears_of(enqueue(), "QUEUED")) << "others go on";
    ASSERT_EQ(
        post("/v1/access-policies", R"({"effect":"deny","path_pattern":"/v1/jobs/stream"})").status,
        201);
    EXPECT_TRUE(narrowed.ends());
    EXPECT_EQ(listening().refusal().status, 403);
    EXPECT_EQ(Listening(port(), key).refusal().status, 401);
}

TEST_F(JobStream, too_many_streams_of_a_key_or_in_all_are_refused) {
    options().job_streams.streams_per_key = 2;
    options().job_streams.streams = 3;
    Listening first = listening();
    auto second = std::make_unique<Listening>(port(), admin_);
    ASSERT_TRUE(first.hears("event: open"));
    ASSERT_TRUE(second->hears("event: open"));
    const HttpReply refused = listening().refusal();
    EXPECT_EQ(refused.status, 429);
    EXPECT_NE(header_of(refused, "Retry-After"), "");
    Listening third(port(), other_admin_);
    ASSERT_TRUE(third.hears("event: open"));
    EXPECT_EQ(Listening(port(), make_key(tenant_, {"Operator"})).refusal().status, 503);
    second.reset();  // its place is free as soon as the server notices
    EXPECT_TRUE(wait_until([&] { return Listening(port(), admin_).refusal().status == 200; }));
}

TEST_F(JobStream, streams_of_many_keys_of_a_tenant_leave_places_for_others) {
    options().job_streams.streams_per_tenant = 3;
    options().job_streams.streams = 5;
    std::vector<std::unique_ptr<Listening>> mine;
    for (int i = 0; i < 3; ++i) {
        mine.push_back(std::make_unique<Listening>(port(), make_key(tenant_, {"Operator"})));
        ASSERT_TRUE(mine.back()->hears("event: open"));
    }
    const HttpReply refused = Listening(port(), make_key(tenant_, {"Operator"})).refusal();
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(error_code_of(refused), "RATE_LIMITED");
    Listening theirs(port(), other_admin_);
    EXPECT_TRUE(theirs.hears("event: open"));
    mine.pop_back();  // its place is free as soon as the server notices
    EXPECT_TRUE(wait_until([&] { return Listening(port(), admin_).refusal().status == 200; }));
}

TEST_F(JobStream, streams_that_come_at_once_catch_up_in_turns_and_miss_nothing) {
    options().job_streams.caught_up_per_look = 1;
    std::string here;
    {
        Listening first = listening();
        ASSERT_TRUE(first.hears("event: open"));
        ASSERT_TRUE(first.hears("\n\n"));
        here = first.last_id();
    }
    const std::string missed = enqueue();
    std::vector<std::unique_ptr<Listening>> all;
    for (int i = 0; i < 6; ++i) {
        all.push_back(std::make_unique<Listening>(port(), admin_, "/v1/jobs/stream", here));
    }
    for (auto& client : all) {
        EXPECT_TRUE(client->hears_of(missed, "QUEUED")) << client->heard();
    }
    const std::string next = enqueue();
    for (auto& client : all) {
        EXPECT_TRUE(client->hears_of(next, "QUEUED")) << client->heard();
    }
}

TEST_F(JobStream, says_reset_when_it_cannot_tell_everything) {
    options().job_streams.most_changes = 2;
    Listening old(port(), admin_, "/v1/jobs/stream", "3:3:@1000");
    EXPECT_TRUE(old.hears("event: reset\nid: ")) << old.heard();
    Listening client = listening();
    ASSERT_TRUE(client.hears("event: open"));
    post("/v1/jobs/batch",
         R"({"jobs":[{"type":"test.echo"},{"type":"test.echo"},{"type":"test.echo"}]})");
    EXPECT_TRUE(client.hears("event: reset")) << client.heard();
    EXPECT_TRUE(client.hears_of(enqueue(), "QUEUED")) << "and goes on";
}

TEST_F(JobStream, refuses_what_it_does_not_understand) {
    EXPECT_EQ(Listening(port(), admin_, "/v1/jobs/stream", "yesterday").refusal().status, 422);
    EXPECT_EQ(listening("/v1/jobs/stream?status=DONE").refusal().status, 422);
    EXPECT_EQ(listening("/v1/jobs/stream?job_id=x").refusal().status, 422);
    EXPECT_EQ(listening("/v1/jobs/stream?since=1").refusal().status, 422);
    EXPECT_EQ(ask_http("/v1/jobs/stream").status, 401);
}

TEST_F(JobStream, drain_ends_it_in_good_order) {
    Listening client = listening();
    ASSERT_TRUE(client.hears("event: open"));
    EXPECT_TRUE(server().drain(20s));
    EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace jobforge::test
