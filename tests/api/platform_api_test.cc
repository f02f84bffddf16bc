// Platform keys over HTTP: tenants, job types, the doctor; who may not; what the trail tells.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_world.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;

constexpr char kPlatform[] = "00000000-0000-0000-0000-000000000000";

class PlatformApi : public ApiWorld {
protected:
    Reply as_platform(std::string_view method, const std::string& target, std::string body = {},
                      std::vector<http::Header> headers = {}) {
        return ask(method, target,
                   {.key = key_, .body = std::move(body), .headers = std::move(headers)});
    }
    // "TENANT_CREATED, TENANT_CHANGED": what the platform's trail has of the key.
    std::string trail(const std::string& type = "%") {
        return one(fmt::format(
            "select coalesce(string_agg(event_type, ', ' order by event_seq), '') from "
            "jobforge.events where tenant_id = '{}' and actor_id = 'platform:{}' and event_type "
            "like '{}'",
            kPlatform, key_id(key_), type));
    }
    // A key of the same id whose secret is another one.
    [[nodiscard]] std::string with_wrong_secret() const {
        return key_.substr(0, key_.size() - 4) + (key_.ends_with("aaaa") ? "bbbb" : "aaaa");
    }

    std::string key_ = make_platform_key();
};

TEST_F(PlatformApi, a_tenant_is_made_changed_and_deleted_and_the_trail_tells_it) {
    const Reply made = as_platform("POST", "/v1/tenants", R"({"name":"initech"})");
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string path = "/v1/tenants/" + made.member("tenant_id");
    EXPECT_EQ(made.header("location"), path);
    EXPECT_EQ(as_platform("POST", "/v1/tenants", R"({"name":"initech"})").status, 422);
    const Reply changed =
        as_platform("PATCH", path, R"({"status":"SUSPENDED","max_waiting_jobs":7})");
    EXPECT_EQ(changed.member("status"), "SUSPENDED") << changed.body;
    EXPECT_EQ(as_platform("GET", path).member("max_waiting_jobs"), "7");
    EXPECT_EQ(as_platform("PATCH", path, R"({"weigth":2})").status, 422);
    EXPECT_EQ(as_platform("DELETE", path).status, 200);
    EXPECT_EQ(as_platform("GET", path).status, 404);
    EXPECT_EQ(trail("TENANT%"), "TENANT_CREATED, TENANT_CHANGED, TENANT_DELETED");
    // A refused change and a look that found nothing left no event.
    EXPECT_EQ(trail("%READ"), "PLATFORM_READ");
}

TEST_F(PlatformApi, a_tenant_with_data_goes_only_suspended_and_by_its_name) {
    const std::string path = "/v1/tenants/" + tenant_.to_string();
    EXPECT_EQ(as_platform("DELETE", path).member("error.code"), "INVALID_TRANSITION");
    const Reply made = as_platform("POST", "/v1/tenants", R"({"name":"initech"})");
    const std::string own = "/v1/tenants/" + made.member("tenant_id");
    run("select set_config('app.tenant_id', '" + made.member("tenant_id") +
        "', false); select jobforge.enqueue_job('test.echo')");
    EXPECT_EQ(as_platform("DELETE", own).status, 422);
    EXPECT_EQ(as_platform("DELETE", own + "?confirm_name=initech").status, 409);
    (void)as_platform("PATCH", own, R"({"status":"SUSPENDED"})");
    const Reply gone = as_platform("DELETE", own + "?confirm_name=initech");
    EXPECT_EQ(gone.status, 200);
    EXPECT_EQ(gone.member("deleted"), "jobs: 1");
}

TEST_F(PlatformApi, tenants_come_in_pages) {
    std::string seen;
    std::string cursor;
    do {
        const Reply page = as_platform("GET", "/v1/tenants?limit=1" + cursor);
        ASSERT_EQ(page.status, 200) << page.body;
        const Json answer = page.json();
        ASSERT_EQ(answer.find("items")->as_array()->size(), 1U);
        seen += *answer.find("items")->as_array()->front().find("name")->as_string() + " ";
        cursor = page.member("next_cursor").empty() ? "" : "&cursor=" + page.member("next_cursor");
    } while (!cursor.empty());
    EXPECT_EQ(seen.size(), std::string("acme globex ").size());
    EXPECT_EQ(trail(), "PLATFORM_READ") << "twice within a minute is told once";
}

TEST_F(PlatformApi, types_are_registered_changed_and_switched_off) {
    const Reply made =
        as_platform("POST", "/v1/types", R"({"type":"send_invoice","policy":{"max_attempts":3}})");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(as_platform("POST", "/v1/types", R"({"type":"send_invoice"})").status, 422);
    EXPECT_EQ(as_platform("PATCH", "/v1/types/send_invoice", R"({"enabled":false})").status, 200);
    EXPECT_EQ(as_platform("PATCH", "/v1/types/nothing", R"({"enabled":false})").status, 404);
    EXPECT_EQ(as_platform("GET", "/v1/types/send_invoice").member("enabled"), "false");
    EXPECT_THAT(as_platform("GET", "/v1/types").body, HasSubstr("send_invoice"));
    EXPECT_NE(post("/v1/jobs", R"({"type":"send_invoice"})").status, 201);
    EXPECT_EQ(trail("TYPE%"), "TYPE_CHANGED, TYPE_CHANGED");
}

TEST_F(PlatformApi, the_doctor_says_what_the_apis_login_sees) {
    const Reply answer = as_platform("GET", "/v1/doctor");
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(R"("check":"connection")"));
    EXPECT_EQ(trail(), "PLATFORM_READ");
}

TEST_F(PlatformApi, a_platform_key_does_not_act_for_a_tenant) {
    const Reply refused = as_platform("GET", "/v1/jobs");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.member("error.message"), HasSubstr("use a key of the tenant"));
    EXPECT_EQ(as_platform("POST", "/v1/api-keys", R"({"name":"x","roles":["Admin"]})").status, 403);
    EXPECT_EQ(trail(), "ACCESS_DENIED, ACCESS_DENIED");
}

TEST_F(PlatformApi, a_tenants_key_administers_nothing_whatever_its_role) {
    const Reply refused = get("/v1/tenants");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.member("error.message"), HasSubstr("platform key"));
    EXPECT_EQ(events_of_key(admin_), "GET /v1/tenants role");
}

TEST_F(PlatformApi, an_unknown_wrong_revoked_or_foreign_key_is_401) {
    const std::string unknown = "jfp_test_" + std::string(16, 'a') + "_" + std::string(52, 'a');
    for (const std::string& bad :
         {unknown, with_wrong_secret(), "jf" + key_.substr(3), "jfp_live" + key_.substr(8)}) {
        const Reply refused = ask("GET", "/v1/tenants", {.key = bad});
        EXPECT_EQ(refused.status, 401) << bad;
        EXPECT_EQ(refused.member("error.code"), "UNAUTHORIZED");
        EXPECT_EQ(ask("GET", "/v1/jobs", {.key = bad}).status, 401) << bad;
    }
    EXPECT_EQ(ask("GET", "/v1/tenants", {.key = "jfp" + admin_.substr(2)}).status, 401);
    EXPECT_EQ(as_platform("GET", "/v1/tenants").status, 200);
    run("select jobforge.revoke_platform_key('" + key_id(key_) + "')");
    EXPECT_EQ(as_platform("GET", "/v1/tenants").member("error.code"), "API_KEY_REVOKED");
    EXPECT_EQ(ask("GET", "/v1/tenants", {.key = with_wrong_secret()}).member("error.code"),
              "UNAUTHORIZED");
}

TEST_F(PlatformApi, log_ins_that_fail_take_from_the_rate_of_their_address) {
    options().rate_limit = {.enabled = true, .requests_per_second = 1, .burst = 2};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(ask("GET", "/v1/tenants", {.key = with_wrong_secret()}).status, 401);
    }
    EXPECT_EQ(ask("GET", "/v1/tenants", {.key = with_wrong_secret()}).status, 429);
    EXPECT_EQ(as_platform("GET", "/v1/tenants").status, 200) << "the good one is still heard";
}

TEST_F(PlatformApi, a_repeated_request_makes_one_tenant) {
    const std::vector<http::Header> once{{"idempotency-key", "k"}};
    const Reply first = as_platform("POST", "/v1/tenants", R"({"name":"initech"})", once);
    ASSERT_EQ(first.status, 201) << first.body;
    const Reply again = as_platform("POST", "/v1/tenants", R"({"name":"initech"})", once);
    EXPECT_EQ(again.status, 201) << again.body;
    EXPECT_EQ(again.header("idempotency-replayed"), "true");
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(as_platform("POST", "/v1/tenants", R"({"name":"umbrella"})", once).status, 409);
}

}  // namespace
}  // namespace jobforge::test
