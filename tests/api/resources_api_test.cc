// The other resources: what is made is found again, secrets are shown once, documents are kept by
// their hash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_world.h"
#include "base/crypto/hash.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ResourcesApi : public ApiWorld {
protected:
    Reply post_once(std::string_view target, std::string body, std::string idempotency_key) {
        return ask("POST", target,
                   {.key = admin_,
                    .body = std::move(body),
                    .headers = {{"idempotency-key", std::move(idempotency_key)}}});
    }
};

TEST_F(ResourcesApi, a_document_comes_back_byte_for_byte_and_once) {
    const std::string bytes = "sku,mass_g\r\nSKU-1,7500\r\n";
    const Reply made = ask("POST", "/v1/documents?kind=BOM&name=bom.csv",
                           {.key = admin_, .body = bytes, .media_type = "text/csv; charset=utf-8"});
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string path = made.header("Location");
    EXPECT_EQ(get(path).member("media_type"), "text/csv");
    const Reply content = get(path + "/content");
    EXPECT_EQ(content.body, bytes);
    EXPECT_EQ(content.response.content_type, "text/csv");
    const std::string tag = '"' + sha256_hex(bytes) + '"';
    EXPECT_EQ(content.header("ETag"), tag);
    for (const std::string& known : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
        const Reply same =
            ask("GET", path + "/content", {.key = admin_, .headers = {{"if-none-match", known}}});
        EXPECT_EQ(same.status, 304) << known;
        EXPECT_EQ(same.body, "");
    }
    EXPECT_EQ(
        ask("GET", path + "/content", {.key = admin_, .headers = {{"if-none-match", "\"other\""}}})
            .status,
        200);
    EXPECT_EQ(ask("POST", "/v1/documents?name=x", {.key = admin_, .body = "{}"})
                  .member("error.details.field"),
              "kind");
}

TEST_F(ResourcesApi, a_snapshot_goes_its_way_and_is_refused_beside_it) {
    const Reply made = post("/v1/snapshots", R"({"label":"spring"})");
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string path = made.header("Location");
    EXPECT_EQ(get(path).member("status"), "BUILDING");
    EXPECT_EQ(get(path + "/items").body, R"({"items":[],"next_cursor":null})");
    const Reply sealed = post(path + "/seal");
    EXPECT_EQ(sealed.status, 409);
    EXPECT_EQ(sealed.member("error.code"), "SNAPSHOT_NOT_READY");
    EXPECT_THAT(get("/v1/snapshots?status=BUILDING").body, HasSubstr("spring"));
}

TEST_F(ResourcesApi, rules_are_checked_before_they_are_stored) {
    const Reply wrong = post("/v1/rule-packages", R"({"package":"p","dsl_source":"field x"})");
    EXPECT_EQ(wrong.status, 422);
    EXPECT_EQ(wrong.member("error.code"), "RULE_PARSE_ERROR");
    const Json rules =
        Json::object({{"package", "p"},
                      {"dsl_source",
                       "fact Battery { sku: Text, mass_g: Int }\n"
                       "field battery.mass: Int = requireSome(getFact(\"Battery\", "
                       "\"battery:SKU-1\"), \"E001\", \"no battery\").mass_g;\n"},
                      {"tests_source",
                       "property mass_is_told: cases(500) seed(7) =>\n"
                       "  forall b: Battery(\"battery:SKU-1\") . field(\"battery.mass\") == "
                       "b.mass_g; ;\n"}});
    const Reply made = post("/v1/rule-packages", rules.dump());
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string path = made.header("Location");
    EXPECT_EQ(get(path).member("status"), "DRAFT");
    EXPECT_EQ(post(path + "/tests:run", R"({"seed":7})").status, 202);
    const Reply early = post(path + "/publish");
    EXPECT_EQ(early.status, 409) << early.body;
    EXPECT_EQ(post(path + "/retire").status, 204);
    EXPECT_EQ(get(path).member("status"), "RETIRED");
}

TEST_F(ResourcesApi, a_webhook_secret_is_shown_once_and_not_kept_for_a_repeated_call) {
    const char* body = R"({"url":"https://example.com/hook"})";
    const Reply made = post_once("/v1/webhook-endpoints", body, "hook");
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string secret = made.member("secret");
    EXPECT_THAT(secret, StartsWith("whsec_"));
    const Reply again = post_once("/v1/webhook-endpoints", body, "hook");
    EXPECT_EQ(again.member("webhook_endpoint_id"), made.member("webhook_endpoint_id"));
    EXPECT_EQ(again.member("secret"), "");
    EXPECT_EQ(one("select count(*) from jobforge.api_requests r where "
                  "convert_from(r.body, 'UTF8') like '%whsec_%'"),
              "0");
    EXPECT_THAT(get("/v1/webhook-endpoints").body, Not(HasSubstr("whsec_")));
    const std::string path = "/v1/webhook-endpoints/" + made.member("webhook_endpoint_id");
    EXPECT_NE(post(path + "/rotate-secret", R"({"overlap_seconds":60})").member("secret"), secret);
    EXPECT_EQ(post("/v1/webhook-subscriptions",
                   fmt::format(R"({{"webhook_endpoint_id":"{}","event_types":["*"]}})",
                               made.member("webhook_endpoint_id")))
                  .status,
              201);
    EXPECT_EQ(post(path + "/disable").status, 204);
    EXPECT_THAT(get("/v1/webhook-endpoints").body, HasSubstr("DISABLED"));
}

TEST_F(ResourcesApi, keys_are_made_used_rotated_and_revoked) {
    const Reply made = post("/v1/api-keys", R"({"name":"ci","roles":["Operator"]})");
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string key = made.member("key");
    EXPECT_EQ(ask("GET", "/v1/jobs", {.key = key}).status, 200);
    EXPECT_EQ(ask("GET", "/v1/api-keys", {.key = key}).status, 403);
    const std::string path = "/v1/api-keys/" + made.member("key_id");
    const Reply rotated = post(path + "/rotate", R"({"overlap_seconds":0})");
    ASSERT_EQ(rotated.status, 201) << rotated.body;
    EXPECT_EQ(ask("GET", "/v1/jobs", {.key = key}).status, 401);
    EXPECT_EQ(ask("GET", "/v1/jobs", {.key = rotated.member("key")}).status, 200);
    const std::string next = "/v1/api-keys/" + rotated.member("key_id");
    EXPECT_EQ(post(next + "/revoke", R"({"reason":"test"})").member("status"), "REVOKED");
    EXPECT_EQ(ask("GET", "/v1/jobs", {.key = rotated.member("key")}).member("error.code"),
              "API_KEY_REVOKED");
    EXPECT_EQ(get("/v1/api-keys?limit=1").json().find("items")->as_array()->size(), 1U);
    EXPECT_NE(get("/v1/api-keys?limit=1").member("next_cursor"), "");
}

TEST_F(ResourcesApi, policies_narrow_what_a_role_gives) {
    const Reply added =
        post("/v1/access-policies",
             R"({"effect":"deny","method":"POST","path_pattern":"/v1/jobs/**","priority":5})");
    ASSERT_EQ(added.status, 201) << added.body;
    EXPECT_EQ(post("/v1/jobs", R"({"type":"test.echo"})").status, 403);
    EXPECT_EQ(get("/v1/jobs").status, 200);
    EXPECT_EQ(
        ask("DELETE", "/v1/access-policies/" + added.member("policy_id"), {.key = admin_}).status,
        204);
    EXPECT_EQ(post("/v1/jobs", R"({"type":"test.echo"})").status, 201);
}

TEST_F(ResourcesApi, sources_and_intakes_have_their_life) {
    ASSERT_EQ(post("/v1/sources", R"({"name":"market","adapter":"manual"})").status, 201);
    EXPECT_EQ(get("/v1/sources/market").member("enabled"), "true");
    EXPECT_EQ(post("/v1/sources/market/disable").status, 204);
    EXPECT_EQ(get("/v1/sources/market").member("enabled"), "false");
    EXPECT_EQ(post("/v1/sources/market/enable").status, 204);
    EXPECT_EQ(post("/v1/sources/market/pause", R"({"reason":"tea"})").status, 204);
    EXPECT_EQ(get("/v1/sources/market").member("pause_reason"), "tea");
    EXPECT_EQ(post("/v1/sources/market/resume").status, 204);
    EXPECT_EQ(ask("PUT", "/v1/sources/market/rules",
                  {.key = admin_, .body = R"({"exclude_keywords":["replica"]})"})
                  .status,
              204);
    const Reply intake = post("/v1/intakes", R"({"denomination":"1 cent","year":1909})");
    ASSERT_EQ(intake.status, 201) << intake.body;
    const std::string path = intake.header("Location");
    EXPECT_EQ(get(path).member("year"), "1909");
    const Reply started = post(path + "/collections", R"({"stagger_seconds":0})");
    EXPECT_EQ(started.status, 202) << started.body;
    EXPECT_THAT(get(path + "/collections").body, HasSubstr("\"market\""));
    EXPECT_EQ(get(path + "/price-points").body, R"({"items":[],"next_cursor":null})");
    EXPECT_EQ(get(path + "/valuation").status, 404);
}

TEST_F(ResourcesApi, the_audit_log_is_read_in_pages_with_what_happened) {
    post("/v1/documents?kind=BOM&name=a.json", R"({"components":[]})");
    post("/v1/documents?kind=BOM&name=b.json", R"({"components":[{"sku":"x"}]})");
    const Reply page = get("/v1/audit/events?event_type=DOCUMENT_UPLOADED&limit=1");
    ASSERT_EQ(page.status, 200) << page.body;
    EXPECT_THAT(page.body, HasSubstr("key:" + key_id(admin_)));
    const Reply rest =
        get("/v1/audit/events?event_type=DOCUMENT_UPLOADED&cursor=" + page.member("next_cursor"));
    EXPECT_EQ(rest.json().find("items")->as_array()->size(), 1U);
    EXPECT_EQ(rest.member("next_cursor"), "");
    EXPECT_EQ(get("/v1/audit/heads").body, R"({"items":[],"next_cursor":null})");
}

}  // namespace
}  // namespace jobforge::test
