// Webhooks after their first day, and the limits of connectors, over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_world.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;

class WebhookChangesApi : public ApiWorld {
protected:
    std::string endpoint() {
        return post("/v1/webhook-endpoints", R"({"url":"https://example.com/hook"})")
            .member("webhook_endpoint_id");
    }
    Reply subscribe(const std::string& id, const std::string& events) {
        return ask("PUT", "/v1/webhook-endpoints/" + id + "/subscriptions",
                   {.key = admin_, .body = fmt::format(R"({{"event_types":{}}})", events)});
    }
    std::string events_of(const std::string& id) {
        return one(
            fmt::format("select string_agg(event_type, ' ' order by event_type) from "
                        "jobforge.webhook_subscriptions where webhook_endpoint_id = '{}'",
                        id));
    }
    Reply remove(const std::string& path) { return ask("DELETE", path, {.key = admin_}); }
    // So many deliveries that failed.
    void fail(const std::string& id, int count) {
        (void)subscribe(id, R"(["DOCUMENT_UPLOADED"])");
        for (int i = 0; i < count; ++i) {
            const Reply made = post(fmt::format("/v1/documents?kind=BOM&name=b{}.json", i),
                                    fmt::format(R"({{"components":[],"n":{}}})", i));
            EXPECT_EQ(made.status, 201) << made.body;
        }
        run("update jobforge.webhook_deliveries set status = 'FAILED'");
    }
};

TEST_F(WebhookChangesApi, the_events_of_an_endpoint_are_replaced_and_ended_one_by_one) {
    const std::string id = endpoint();
    EXPECT_EQ(subscribe(id, R"(["PASSPORT_SIGNED","passport.version.active"])").status, 200);
    EXPECT_EQ(events_of(id), "PASSPORT_ACTIVATED PASSPORT_SIGNED");
    const Reply set = subscribe(id, R"(["PASSPORT_ACTIVATED","RULES_PUBLISHED"])");
    EXPECT_EQ(events_of(id), "PASSPORT_ACTIVATED RULES_PUBLISHED");
    EXPECT_EQ(set.json().find("items")->as_array()->size(), 2U);
    EXPECT_EQ(subscribe(id, R"(["NO_EVENT"])").status, 422);
    EXPECT_EQ(subscribe(id, "[]").status, 422);
    EXPECT_EQ(events_of(id), "PASSPORT_ACTIVATED RULES_PUBLISHED");
    const Json items = get("/v1/webhook-subscriptions?webhook_endpoint_id=" + id).json();
    const Json& first = items.find("items")->as_array()->front();
    const std::string path =
        "/v1/webhook-subscriptions/" + *first.find("webhook_subscription_id")->as_string();
    EXPECT_EQ(remove(path).status, 204);
    EXPECT_EQ(remove(path).status, 404);
    EXPECT_EQ(events_of(id), "RULES_PUBLISHED");
}

TEST_F(WebhookChangesApi, an_endpoint_goes_with_its_subscriptions_unless_it_has_deliveries) {
    const std::string unused = endpoint();
    (void)subscribe(unused, R"(["*"])");
    (void)post("/v1/webhook-endpoints/" + unused + "/rotate-secret");
    EXPECT_EQ(remove("/v1/webhook-endpoints/" + unused).status, 204);
    EXPECT_EQ(remove("/v1/webhook-endpoints/" + unused).status, 404);
    EXPECT_EQ(one("select count(*) from jobforge.webhook_endpoints"), "0");
    const std::string used = endpoint();
    fail(used, 1);
    EXPECT_EQ(remove("/v1/webhook-endpoints/" + used).member("error.code"), "INVALID_TRANSITION");
    EXPECT_EQ(events_of(used), "DOCUMENT_UPLOADED");
}

TEST_F(WebhookChangesApi, an_endpoint_takes_another_description_and_limit) {
    const std::string path = "/v1/webhook-endpoints/" + endpoint();
    const auto patch = [&](const std::string& body) {
        return ask("PATCH", path, {.key = admin_, .body = body}).status;
    };
    EXPECT_EQ(patch(R"({"description":"orders","disable_after":3})"), 204);
    EXPECT_EQ(patch(R"({"disable_after":null})"), 204);
    EXPECT_EQ(patch(R"({"url":"https://example.com/other"})"), 422);
    const std::string listed = get("/v1/webhook-endpoints").body;
    EXPECT_THAT(listed, HasSubstr(R"("description":"orders")"));
    EXPECT_THAT(listed, HasSubstr(R"("disable_after":null)"));
}

TEST_F(WebhookChangesApi, failed_deliveries_are_sent_again_in_batches_that_end) {
    const std::string id = endpoint();
    fail(id, 3);
    const Reply first = post("/v1/webhook-deliveries/redeliver", R"({"limit":2})");
    ASSERT_EQ(first.status, 202) << first.body;
    EXPECT_EQ(first.member("redelivered"), "2");
    EXPECT_EQ(first.member("more"), "true");
    // What fails anew meanwhile is not of this run.
    run("update jobforge.webhook_deliveries set status = 'FAILED', updated_at = clock_timestamp() "
        "where status = 'PENDING'");
    const Reply second =
        post("/v1/webhook-deliveries/redeliver",
             fmt::format(R"({{"limit":2,"failed_until":"{}"}})", first.member("failed_until")));
    EXPECT_EQ(second.member("redelivered"), "1") << second.body;
    EXPECT_EQ(second.member("more"), "false");
    EXPECT_EQ(post("/v1/webhook-deliveries/redeliver", R"({"failed_since":"2099-01-01T00:00:00Z"})")
                  .member("redelivered"),
              "0");
    (void)post("/v1/webhook-endpoints/" + id + "/disable");
    EXPECT_EQ(post("/v1/webhook-deliveries/redeliver",
                   fmt::format(R"({{"webhook_endpoint_id":"{}"}})", id))
                  .status,
              409);
    EXPECT_EQ(post("/v1/webhook-deliveries/redeliver", R"({"limit":1001})").status, 422);
}

TEST_F(WebhookChangesApi, the_limits_of_a_connector_are_set_whole_and_removed) {
    const std::string path = "/v1/connector-configs/connector.http.request";
    const auto put = [&](const std::string& body) {
        return ask("PUT", path, {.key = admin_, .body = body});
    };
    EXPECT_EQ(get(path).status, 404);
    EXPECT_EQ(put(R"({"config":{"timeout_ms":5000,"follow_redirects":1}})").status, 200);
    const Reply set = put(R"({"config":{"timeout_ms":6000},"enabled":false})");
    EXPECT_EQ(set.member("config"), R"({"timeout_ms":6000})") << set.body;
    EXPECT_EQ(get(path).member("enabled"), "false");
    EXPECT_EQ(get("/v1/connector-configs").json().find("items")->as_array()->size(), 1U);
    for (const char* bad :
         {"{}", R"({"config":[]})", R"({"config":{"timeout_ms":0}})",
          R"({"config":{"headers":{"Authorization":"x"}}})", R"({"config":{},"more":1})"}) {
        EXPECT_EQ(put(bad).status, 422) << bad;
    }
    EXPECT_EQ(ask("PUT", "/v1/connector-configs/connector.fax",
                  {.key = admin_, .body = R"({"config":{}})"})
                  .status,
              422);
    EXPECT_EQ(remove(path).status, 204);
    EXPECT_EQ(remove(path).status, 404);
}

}  // namespace
}  // namespace jobforge::test
