// Signatures as receivers check them: with npm's standardwebhooks and with Python's hmac.
#include "connect/webhook/webhook_headers.h"

#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <jobforge/json.h>

#include "base/crypto/hash.h"
#include "child_process.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::connect {
namespace {

const std::string kFirst = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const std::string kSecond = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4";
constexpr char kId[] = "0190b6a4-5c3e-7000-8000-000000000001";

std::map<std::string, std::string> headers_of(const std::vector<std::string>& secrets,
                                              const WebhookMessage& message) {
    auto headers = webhook_headers(secrets, message);
    EXPECT_TRUE(headers.ok()) << headers.error().describe();
    return {headers->begin(), headers->end()};
}

struct Vector {
    const char* id;
    std::int64_t time;
    const char* body;
    const char* first;
    const char* second;
};

// Written by npm's standardwebhooks 1.1.1: new Webhook(secret).sign(id, new Date(time * 1000),
// body).
const Vector kVectors[] = {
    {kId, 1731729600, R"({"event_type":"PASSPORT_SIGNED","n":1})",
     "v1,HxXyrkN3VqKgBlKlAHFB8vmpDWJYuTsy/zq8+R7YpEs=",
     "v1,v7zwWX2XLF7UC1LnN5SPIDJmkIjyfSmYkPngXp3hsko="},
    {"0190b6a4-5c3e-7000-8000-000000000002", 1, "",
     "v1,3p49gQpOryAgNLED9oW+r5/hZQ7+bWNG6FpFhMxoY2c=",
     "v1,HXoQ19Emq+0+2dtMdzke+GfQvbKrBpxv9/JxbjGRpw0="},
    {"0190b6a4-5c3e-7000-8000-000000000003", 1731729600, "{\"a\":\"ü€😀\"}\n",
     "v1,7kIBjJS7lX75Sha9WR8gBgSFpXIJSBv7F+vH1Fp2y18=",
     "v1,iheOqh1AJfnwkY7tIR9CIYsSVQtPS3RP0KVnDSyN+OQ="},
};

TEST(WebhookHeaders, sign_as_the_standards_own_library_does) {
    for (const Vector& row : kVectors) {
        const WebhookMessage message{"PASSPORT_SIGNED", row.id, row.time, row.body};
        EXPECT_EQ(headers_of({kFirst}, message)["webhook-signature"], row.first);
        EXPECT_EQ(headers_of({kSecond}, message)["webhook-signature"], row.second);
        EXPECT_EQ(headers_of({kFirst, kSecond}, message)["webhook-signature"],
                  fmt::format("{} {}", row.first, row.second));
    }
}

TEST(WebhookHeaders, hold_everything_a_receiver_asks_for_and_nothing_else) {
    const WebhookMessage message{"PASSPORT_SIGNED", kId, 1731729600, "{}"};
    auto headers = headers_of({kFirst, kSecond}, message);
    EXPECT_EQ(headers.size(), 8U);
    EXPECT_EQ(headers["Content-Type"], "application/json");
    EXPECT_EQ(headers["X-BPC-Event-Type"], "PASSPORT_SIGNED");
    EXPECT_EQ(headers["X-BPC-Delivery-Id"], kId);
    EXPECT_EQ(headers["X-BPC-Timestamp"], "1731729600");
    EXPECT_EQ(headers["webhook-id"], kId);
    EXPECT_EQ(headers["webhook-timestamp"], "1731729600");
    // During a rotation X-BPC-Signature stays with the secret in force.
    EXPECT_EQ(headers["X-BPC-Signature"], headers_of({kFirst}, message)["X-BPC-Signature"]);
}

// One line of verify_webhook.py's input.
std::string received(const std::vector<std::string>& secrets,
                     const std::map<std::string, std::string>& headers, std::string_view body) {
    std::string json = R"({"secrets":[)";
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        json += (i == 0 ? "" : ",") + Json(secrets[i]).dump();
    }
    json += R"(],"headers":{)";
    for (const auto& [name, value] : headers) {
        json += fmt::format("{}{}:{}", name == headers.begin()->first ? "" : ",", Json(name).dump(),
                            Json(value).dump());
    }
    return json + fmt::format(R"(}},"body":"{}"}})", hex_encode(body)) + "\n";
}

std::string verdicts(const std::string& lines) {
    const test::TempDir home;
    const std::string file = home.path() + "/received.jsonl";
    std::ofstream(file) << lines;
    const auto finished =
        test::run({"python3", JOBFORGE_SOURCE_DIR "/tests/connect/verify_webhook.py", file});
    EXPECT_EQ(finished.exit_code, 0) << finished.error_output;
    return finished.output;
}

TEST(WebhookHeaders, pass_a_receiver_that_knows_nothing_of_us) {
    std::string lines;
    std::string expected;
    for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 1000U, 100'000U}) {
        std::string body;
        for (std::size_t i = 0; i < size; ++i) {
            body += static_cast<char>(i * 7 + size);  // every byte value, NUL too
        }
        const std::vector<std::string> secrets =
            size % 2 == 0 ? std::vector{kFirst} : std::vector{kFirst, kSecond};
        const WebhookMessage message{"DOCUMENT_UPLOADED", kId, 1731729600, body};
        lines += received(secrets, headers_of(secrets, message), body);
        expected += "ok\n";
    }
    EXPECT_EQ(verdicts(lines), expected);
}

TEST(WebhookHeaders, fail_a_receiver_when_anything_was_changed) {
    const WebhookMessage message{"DOCUMENT_UPLOADED", kId, 1731729600, "{}"};
    const auto headers = headers_of({kFirst}, message);
    auto later = headers;
    later["webhook-timestamp"] = later["X-BPC-Timestamp"] = "1731729601";
    auto other = headers;
    other["webhook-id"] = other["X-BPC-Delivery-Id"] = "0190b6a4-5c3e-7000-8000-000000000009";
    auto old_only = headers;
    old_only["X-BPC-Signature"] = headers_of({kSecond}, message)["X-BPC-Signature"];
    EXPECT_EQ(
        verdicts(received({kFirst}, headers, "{ }") + received({kFirst}, later, "{}") +
                 received({kFirst}, other, "{}") + received({kSecond}, headers, "{}") +
                 received({kFirst, kSecond}, headers, "{}") + received({kFirst}, old_only, "{}")),
        "standard signature of secret 0\nstandard signature of secret 0\n"
        "standard signature of secret 0\nstandard signature of secret 0\n"
        "standard signature of secret 1\nX-BPC-Signature\n");
}

TEST(WebhookHeaders, refuse_secrets_that_are_none_and_never_show_them) {
    const WebhookMessage message{"DOCUMENT_UPLOADED", kId, 1731729600, "{}"};
    EXPECT_FALSE(webhook_headers({}, message).ok());
    for (const std::string secret :
         {"", "whsec_", "hidden", "whsec_hidden", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
          "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
          "whsec_c2hvcnQ=", "Whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}) {
        const std::string secrets[] = {kFirst, secret};
        const auto headers = webhook_headers(secrets, message);
        ASSERT_FALSE(headers.ok()) << secret;
        EXPECT_EQ(headers.error().code, ErrorCode::VALIDATION_ERROR);
        EXPECT_EQ(headers.error().to_json().find("hidden"), std::string::npos);
        EXPECT_EQ(headers.error().to_json().find("MDEy"), std::string::npos);
    }
}

TEST(WebhookHeaders, refuse_ids_and_types_that_would_break_a_header_or_the_signed_text) {
    const std::string secrets[] = {kFirst};
    for (const char* text : {"", "a.b", "a b", "a\r\nX: y", "a:b", "ü"}) {
        EXPECT_FALSE(webhook_headers(secrets, {text, kId, 1, "{}"}).ok()) << text;
        EXPECT_FALSE(webhook_headers(secrets, {"TYPE", text, 1, "{}"}).ok()) << text;
    }
}

TEST(WebhookHeaders, a_secret_is_made_of_random_bytes) {
    EXPECT_EQ(webhook_secret_of("0123456789abcdef0123456789abcdef").value(), kFirst);
    EXPECT_FALSE(webhook_secret_of(std::string(23, 'x')).ok());
    EXPECT_TRUE(webhook_secret_of(std::string(24, 'x')).ok());
    EXPECT_TRUE(webhook_secret_of(std::string(64, 'x')).ok());
    EXPECT_FALSE(webhook_secret_of(std::string(65, 'x')).ok());
}

}  // namespace
}  // namespace jobforge::connect
