// The pure pieces of the connectors: secrets by name, narrowing, headers, results.
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/connectors/call_secrets.h"
#include "services/connectors/connector_config.h"
#include "services/connectors/delivery_headers.h"
#include "services/connectors/http_result.h"
#include "services/secrets/secret_store.h"
#include "temp_dir.h"

namespace jobforge::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::string_literals;

const Uuid kTenant = Uuid::parse("01890a5d-ac96-774b-bcce-b302099a8057").value();
const Uuid kOther = Uuid::parse("01890a5d-ac96-774b-bcce-b302099a8058").value();

Json json(std::string_view text) {
    return Json::parse(text).value();
}

class Secrets : public ::testing::Test {
protected:
    void file(const std::string& path, const std::string& content) {
        const std::filesystem::path where = std::filesystem::path(directory_.path()) / path;
        std::filesystem::create_directories(where.parent_path());
        std::ofstream(where) << content;
    }
    std::string find(std::string_view name, const Uuid& tenant = kTenant) {
        const SecretStore store(
            [this](std::string_view variable) -> std::optional<std::string> {
                asked_.emplace_back(variable);
                const auto found = variables_.find(std::string(variable));
                return found == variables_.end() ? std::nullopt : std::optional(found->second);
            },
            directory_.path());
        const auto secret = store.find(name, tenant);
        if (secret.ok()) {
            return *secret;
        }
        EXPECT_EQ(secret.error().code, ErrorCode::SECRET_NOT_FOUND);
        EXPECT_FALSE(secret.error().retryable);
        EXPECT_THAT(secret.error().describe(), Not(HasSubstr(directory_.path())));
        return "not found: " + secret.error().message;
    }

    test::TempDir directory_;
    std::map<std::string, std::string> variables_;
    std::vector<std::string> asked_;
};

TEST_F(Secrets, come_from_the_environment_or_a_file_and_a_tenants_own_file_goes_first) {
    variables_["JOBFORGE_SECRET_API"] = "from the environment";
    file("API", "from the shared file\n");
    file("ONLY_FILE", "of all tenants\r\n");
    EXPECT_EQ(find("API"), "from the environment");
    EXPECT_EQ(find("ONLY_FILE"), "of all tenants") << "one line break is the editor's";
    file(kTenant.to_string() + "/API", "this tenant's");
    EXPECT_EQ(find("API"), "this tenant's");
    EXPECT_EQ(find("API", kOther), "from the environment") << "nobody else may name it";
}

TEST_F(Secrets, a_name_reaches_nothing_but_secrets) {
    variables_["PATH"] = "/usr/bin";
    variables_["JOBFORGE_MASTER_KEY_BASE64"] = "the master key";
    file("deeper/API", "below");
    for (const std::string& name :
         std::vector<std::string>{"", "../API", "deeper/API", "/etc/passwd", "A-B", "A B", "A=B",
                                  "A.B", "A\0B"s, "\xC3\x84", "*"}) {
        EXPECT_THAT(find(name), HasSubstr("a secret's name is")) << name;
    }
    EXPECT_THAT(find(std::string(65, 'A')), HasSubstr("a secret's name is"));
    EXPECT_TRUE(asked_.empty()) << "the environment is not even asked";
    EXPECT_EQ(find("PATH"), "not found: there is no secret PATH");
    EXPECT_EQ(find("MASTER_KEY_BASE64"), "not found: there is no secret MASTER_KEY_BASE64");
}

TEST_F(Secrets, a_value_that_could_not_be_hidden_or_would_break_a_header_is_none) {
    variables_["JOBFORGE_SECRET_SHORT"] = "abc";
    variables_["JOBFORGE_SECRET_LINES"] = "first line\r\nX-Injected: yes";
    EXPECT_EQ(find("SHORT"), "not found: the secret SHORT has fewer than 4 bytes");
    EXPECT_THAT(find("LINES"), HasSubstr("control character"));
    EXPECT_THAT(find("LINES"), Not(HasSubstr("Injected")));
    file("LARGE", std::string(70000, 'x'));
    EXPECT_EQ(find("LARGE"), "not found: a file of the secrets directory cannot be read");
}

TEST(ConnectorConfig, a_payload_narrows_what_is_configured_and_never_widens_it) {
    const auto config = ConnectorConfig::of(json(R"({"timeout_ms":5000})"));
    EXPECT_EQ(narrowed(json("{}"), "timeout_ms", config.timeout_ms, 30000), 5000);
    EXPECT_EQ(narrowed(json(R"({"timeout_ms":100})"), "timeout_ms", config.timeout_ms, 30000), 100);
    EXPECT_EQ(narrowed(json(R"({"timeout_ms":60000})"), "timeout_ms", config.timeout_ms, 30000),
              5000);
    EXPECT_EQ(narrowed(json(R"({"timeout_ms":60000})"), "timeout_ms", std::nullopt, 30000), 60000);
    EXPECT_EQ(narrowed(json("{}"), "timeout_ms", std::nullopt, 30000), 30000);
    EXPECT_EQ(narrowed(json(R"({"timeout_ms":7e1})"), "timeout_ms", std::nullopt, 30000), 70);
}

TEST(ConnectorConfig, says_what_it_says) {
    const auto config = ConnectorConfig::of(json(
        R"({"allowlist":["a.example"],"timeout_ms":1,"max_response_bytes":2,"follow_redirects":3,
        "headers":{"X-A":"b"},"redact_headers":["x-c"],"requests_per_minute":60,"enabled":false})"));
    EXPECT_FALSE(config.enabled);
    EXPECT_EQ(config.allowlist, std::vector{"a.example"s});
    EXPECT_EQ(config.max_response_bytes, 2);
    EXPECT_EQ(config.follow_redirects, 3);
    EXPECT_EQ(config.headers, (connect::HttpHeaders{{"X-A", "b"}}));
    EXPECT_EQ(config.redact_headers, std::vector{"x-c"s});
    EXPECT_EQ(config.requests_per_minute, 60);
    const auto none = ConnectorConfig::of(json("{}"));
    EXPECT_TRUE(none.enabled);
    EXPECT_FALSE(none.timeout_ms || none.requests_per_minute);
    EXPECT_TRUE(none.allowlist.empty());
}

TEST(ConnectorConfig, a_configured_header_cannot_be_replaced_in_whatever_case) {
    EXPECT_EQ(joined_headers({{"X-Team", "ours"}},
                             json(R"({"headers":{"x-team":"theirs","Accept":"*/*"}})")),
              (connect::HttpHeaders{{"X-Team", "ours"}, {"Accept", "*/*"}}));
}

std::string auth(std::string_view payload) {
    const auto header = auth_header(json(payload), "s3cret");
    return header.ok() ? header->first + ": " + header->second : header.error().message;
}

TEST(Auth, bearer_basic_and_header) {
    EXPECT_EQ(auth(R"({"type":"bearer"})"), "Authorization: Bearer s3cret");
    EXPECT_EQ(auth(R"({"type":"basic","username":"ann"})"),
              "Authorization: Basic YW5uOnMzY3JldA==");
    EXPECT_EQ(auth(R"({"type":"basic"})"), "Authorization: Basic czNjcmV0");
    EXPECT_EQ(auth(R"({"type":"header","header":"X-Api-Key"})"), "X-Api-Key: s3cret");
    EXPECT_EQ(auth(R"({"type":"header"})"), "/auth/header is required");
    EXPECT_EQ(auth(R"({"type":"bearer","header":"X"})"), "/auth/header belongs to type header");
    EXPECT_EQ(auth(R"({"type":"bearer","username":"x"})"), "/auth/username belongs to type basic");
}

TEST(Auth, its_header_replaces_any_of_that_name) {
    connect::HttpHeaders headers{
        {"authorization", "Bearer mine"}, {"Accept", "x"}, {"AUTHORIZATION", "y"}};
    replace_header(headers, {"Authorization", "Bearer s3cret"});
    EXPECT_EQ(headers, (connect::HttpHeaders{{"Accept", "x"}, {"Authorization", "Bearer s3cret"}}));
}

TEST(Auth, whatever_form_of_the_secret_a_peer_echoes_is_blanked) {
    const Redactor redactor = redactor_of("s3cret", "Basic YW5uOnMzY3JldA==");
    EXPECT_EQ(redactor.apply("s3cret czNjcmV0 Basic YW5uOnMzY3JldA=="),
              "[redacted] [redacted] Basic [redacted]");
}

connect::HttpResponse response(std::string body) {
    return {200,
            {{"content-type", "text/plain"},
             {"set-cookie", "a=b"},
             {"via", "1"},
             {"via", "2"},
             {"x-key", "k"}},
            std::move(body),
            false,
            std::chrono::microseconds(1500)};
}

TEST(HttpResult, text_is_text_and_bytes_are_base64) {
    const std::vector<std::string> also{"X-Key"};
    EXPECT_EQ(http_result(response("gr\xC3\xBC\xC3\x9F"), also, {}, 2).dump(),
              "{\"status\":200,\"headers\":{\"content-type\":\"text/"
              "plain\",\"set-cookie\":\"[redacted]\","
              "\"via\":\"1, "
              "2\",\"x-key\":\"[redacted]\"},\"body\":\"gr\xC3\xBC\xC3\x9F\",\"body_encoding\":"
              "\"utf8\",\"truncated\":false,\"duration_ms\":2,\"attempts\":2}");
    for (const auto& [bytes, text] : {std::pair{"\xFF\x00\x01"s, "/wAB"}, {"a\0b"s, "YQBi"}}) {
        const Json result = http_result(response(bytes), {}, {}, 1);
        EXPECT_EQ(*result.find("body"), Json(text));
        EXPECT_EQ(*result.find("body_encoding"), Json("base64"));
    }
}

TEST(HttpResult, a_secret_that_the_peer_echoes_is_not_kept_in_body_or_headers) {
    auto echoed = response("you sent: Bearer s3cret-value \xFF");
    echoed.headers.emplace_back("x-echo", "s3cret-value");
    const Json result = http_result(echoed, {}, redactor_of("s3cret-value"), 1);
    EXPECT_THAT(result.dump(), Not(HasSubstr("s3cret")));
    EXPECT_EQ(*result.find("body"), Json("eW91IHNlbnQ6IEJlYXJlciBbcmVkYWN0ZWRdIP8="))
        << "blanked before it became base64";
}

TEST(HttpResult, a_preview_has_at_most_500_bytes_and_whole_characters) {
    EXPECT_EQ(response_preview("ok", {}), "ok");
    EXPECT_EQ(response_preview(std::string(600, 'x'), {}), std::string(500, 'x'));
    const std::string odd = "x" + [] {
        std::string text;
        for (int i = 0; i < 300; ++i) {
            text += "\xC3\xBC";
        }
        return text;
    }();
    EXPECT_EQ(response_preview(odd, {}), odd.substr(0, 499)) << "no half of a character";
    EXPECT_EQ(response_preview("a\xFF\0b"s, {}),
              "a\xEF\xBF\xBD\xEF\xBF\xBD"
              "b");
    EXPECT_EQ(response_preview("\xC3", {}), "\xEF\xBF\xBD") << "the end of it all is not a cut";
    const std::string secret(20, 's');
    EXPECT_THAT(response_preview(std::string(490, '.') + secret + "behind", redactor_of(secret)),
                Not(HasSubstr("s")));
}

// Computed with Python's hmac, hashlib and base64.
TEST(DeliveryHeaders, body_and_signatures_are_those_that_anybody_computes) {
    EventDelivery delivery{
        "order.paid", kTenant.to_string(), json(R"({"amount":19.99,"n":1})"), 1764000000, 3, false};
    const std::string body = delivery_body(delivery);
    EXPECT_EQ(body,
              R"({"data":{"amount":19.99,"n":1},"event_id":"01890a5d-ac96-774b-bcce-b302099a8057",)"
              R"("event_type":"order.paid","timestamp":1764000000})");
    const std::string secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    EXPECT_EQ(delivery_headers(delivery, body, secret),
              (connect::HttpHeaders{
                  {"Content-Type", "application/json"},
                  {"X-JobForge-Event", "order.paid"},
                  {"X-JobForge-Event-ID", kTenant.to_string()},
                  {"X-JobForge-Timestamp", "1764000000"},
                  {"X-JobForge-Delivery-Attempt", "3"},
                  {"X-JobForge-Signature",
                   "sha256=31547a4e12d58cf6ce113b4bb2d205311e45c69a2ffa3fcbff81ffb1ca0dcd85"},
                  {"webhook-id", kTenant.to_string()},
                  {"webhook-timestamp", "1764000000"},
                  {"webhook-signature", "v1,AAQ1AsOODonWpXvqohuQgPO4dIBrsTDxZzYrpKIBmKw="}}));
    delivery.sha512 = true;
    EXPECT_EQ(delivery_headers(delivery, body, secret)[5].second,
              "sha512=d27035f28fff7f1ddc2468b1fad9dfea383e5bcab334b325d1e0058674fbf2bd"
              "0a461e1bdcd2b7b63fdcc8dc39d962e8e950f2e207a04c3f4f0bf472ed79d8be");
    EXPECT_EQ(delivery_headers(delivery, body, "plain secret")[8].second,
              "v1,zxFWip2VkL75RfrjrGocqdkC9ytanNYn20lTMhHpebQ=")
        << "a secret of another form is the key itself";
}

}  // namespace
}  // namespace jobforge::services
