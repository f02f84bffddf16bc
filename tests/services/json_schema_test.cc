// The subset of JSON Schema that payloads are checked with. json_schema_cases.json is the table
// that the database's own check (jobforge.check_payload) must answer in the same words.
#include "services/connectors/json_schema.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_paths.h"
#include "values/number_order.h"

namespace jobforge {
namespace {

using ::testing::HasSubstr;

Json json_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    auto parsed = Json::parse(text.str());
    EXPECT_TRUE(parsed.ok()) << path << (parsed.ok() ? "" : parsed.error().describe());
    return parsed.ok() ? *std::move(parsed) : Json();
}

JsonSchema schema_of(const Json& json) {
    auto schema = JsonSchema::parse(json);
    EXPECT_TRUE(schema.ok()) << (schema.ok() ? "" : schema.error().describe());
    return schema.ok() ? *std::move(schema) : JsonSchema::parse(Json::object()).value();
}

// Between the $schema$ quotes of the file that is their home.
JsonSchema payload_schema(const std::string& type) {
    std::ifstream file(std::filesystem::path(JOBFORGE_SOURCE_DIR) / "sql" / "functions" / "jobs" /
                       "payload_schemas.sql");
    std::stringstream text;
    text << file.rdbuf();
    const std::string sql = text.str();
    constexpr std::string_view kQuote = "$schema$";
    for (auto start = sql.find(kQuote); start != std::string::npos;) {
        const auto end = sql.find(kQuote, start + kQuote.size());
        const auto json = Json::parse(
            std::string_view(sql).substr(start + kQuote.size(), end - start - kQuote.size()));
        if (json.ok() && *json->find("title") == Json(type)) {
            return schema_of(*json);
        }
        start = end == std::string::npos ? end : sql.find(kQuote, end + kQuote.size());
    }
    ADD_FAILURE() << "no schema of " << type;
    return schema_of(Json::object());
}

std::string problem_of(const JsonSchema& schema, std::string_view payload) {
    const auto problem = schema.check(Json::parse(payload).value());
    return problem ? problem->text() : "fits";
}

std::string fault_of(std::string_view schema) {
    const auto parsed = JsonSchema::parse(Json::parse(schema).value());
    return parsed.ok() ? "a schema" : parsed.error().message;
}

TEST(JsonSchema, every_case_of_the_shared_table_has_its_answer) {
    const Json cases = json_file(std::filesystem::path(JOBFORGE_SOURCE_DIR) / "tests" / "services" /
                                 "json_schema_cases.json");
    ASSERT_TRUE(cases.is_array());
    ASSERT_GT(cases.as_array()->size(), 70U);
    for (const Json& given : *cases.as_array()) {
        SCOPED_TRACE(given.find("name")->dump());
        const auto problem = schema_of(*given.find("schema")).check(*given.find("value"));
        EXPECT_EQ(problem ? Json(problem->text()) : Json(), *given.find("problem"));
    }
}

TEST(JsonSchema, what_is_no_schema_or_promises_what_nobody_checks_is_refused_with_its_place) {
    EXPECT_EQ(fault_of("[]"), "schema (its root): a schema is an object");
    EXPECT_EQ(fault_of(R"({"oneOf":[]})"), "schema /oneOf: not a keyword that is checked here");
    EXPECT_EQ(fault_of(R"({"properties":{"a":{"maxlength":1}}})"),
              "schema /properties/a/maxlength: not a keyword that is checked here");
    EXPECT_EQ(fault_of(R"({"format":"email"})"), "schema /format: must be \"uuid\" or \"uri\"");
    for (const char* schema :
         {R"({"type":"text"})", R"({"type":[]})", R"({"type":7})", R"({"type":["string","x"]})",
          R"({"enum":[]})", R"({"enum":"a"})", R"({"minimum":"1"})", R"({"minLength":-1})",
          R"({"maxItems":1.5})", R"({"pattern":"("})", R"({"pattern":1})", R"({"format":1})",
          R"({"items":[]})", R"({"required":"a"})", R"({"required":[1]})", R"({"properties":[]})",
          R"({"additionalProperties":1})", R"({"additionalProperties":{"x":1}})"}) {
        EXPECT_THAT(fault_of(schema), HasSubstr("schema /")) << schema;
    }
}

TEST(JsonSchema, a_payload_that_does_not_fit_is_an_error_with_the_place_and_without_the_value) {
    const auto schema = payload_schema("connector.http.request");
    const Status checked =
        schema.check_payload(Json::parse(R"({"url":"ftp://user:hunter2@a/"})").value());
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().code, ErrorCode::JOB_PAYLOAD_INVALID);
    EXPECT_EQ(checked.error().details, R"({"at":"/url"})");
    EXPECT_EQ(checked.error().message, "/url must be an http or https URL");
    EXPECT_FALSE(checked.error().retryable);
}

TEST(JsonSchema, numbers_are_compared_by_value_whatever_their_form) {
    EXPECT_TRUE(compare_numbers("1.0", "1") == 0);
    EXPECT_TRUE(compare_numbers("-0.0e5", "0") == 0);
    EXPECT_TRUE(compare_numbers("1e400", "9e399") > 0);
    EXPECT_TRUE(compare_numbers("-1e400", "-9e399") < 0);
    EXPECT_TRUE(compare_numbers("1e-400", "0") > 0);
    EXPECT_TRUE(compare_numbers("-1", "1") < 0);
    EXPECT_TRUE(compare_numbers("0.10", "1e-1") == 0);
    EXPECT_TRUE(compare_numbers("12", "101") < 0);
    EXPECT_TRUE(compare_numbers("1e99999999999999999999", "2") > 0);
    EXPECT_TRUE(compare_numbers("1e-99999999999999999999", "2") < 0);
    EXPECT_TRUE(is_whole_number("100"));
    EXPECT_TRUE(is_whole_number("10e-1"));
    EXPECT_TRUE(is_whole_number("0.0"));
    EXPECT_FALSE(is_whole_number("1e-1"));
    EXPECT_FALSE(is_whole_number("0.5"));
    EXPECT_EQ(whole_number("-7.0"), -7);
    EXPECT_EQ(whole_number("12e2"), 1200);
    EXPECT_EQ(whole_number("0.0"), 0);
    EXPECT_EQ(whole_number("999999999999999999"), 999999999999999999);
    EXPECT_EQ(whole_number("1e18"), std::nullopt);
    EXPECT_EQ(whole_number("1.5"), std::nullopt);
}

TEST(PayloadSchemas, http_request) {
    const auto schema = payload_schema("connector.http.request");
    EXPECT_EQ(problem_of(schema, R"({"url":"https://example.com"})"), "fits");
    EXPECT_EQ(problem_of(schema, R"({"url":"https://example.com","method":"PATCH",
        "headers":{"Accept":"*/*"},"body":{"a":[1]},"timeout_ms":300000,"accept_status":[404,"3xx"],
        "max_response_bytes":10485760,"follow_redirects":10,
        "allowlist":["example.com","*.example.com","127.0.0.1","[::1]"],
        "redact_headers":["x-key"],"auth":{"type":"header","secret_ref":"A_b1","header":"X-Key"}})"),
              "/allowlist/3 must match ^([*][.])?[0-9a-z:]([0-9a-z.:-]*[0-9a-z:])?$");
    EXPECT_EQ(
        problem_of(schema, R"({"url":"http://a","allowlist":["::1","a-b.c","*.x","1.2.3.4"]})"),
        "fits");
    EXPECT_EQ(problem_of(schema, R"({})"), "/url is required");
    EXPECT_EQ(problem_of(schema, R"({"url":"http://a","timeout_ms":300001})"),
              "/timeout_ms must be at most 300000");
    EXPECT_EQ(problem_of(schema, R"({"url":"http://a","timeout_ms":0})"),
              "/timeout_ms must be at least 1");
    EXPECT_EQ(
        problem_of(schema, R"({"url":"http://a","method":"TRACE"})"),
        R"(/method must be one of "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")");
    EXPECT_EQ(problem_of(schema, R"({"url":"http://a","max_response_bytes":10485761})"),
              "/max_response_bytes must be at most 10485760");
    EXPECT_EQ(problem_of(schema, R"({"url":"http://a","follow_redirects":11})"),
              "/follow_redirects must be at most 10");
    EXPECT_EQ(problem_of(schema, R"({"url":"http://a","headers":{"X":1}})"),
              "/headers/X must be of type string");
    EXPECT_EQ(problem_of(schema, R"({"url":"http://a","password":"x"})"),
              "/password is not a known member");
    for (const char* ref : {"", "A-B", "../A", "A B", "A=B", "É"}) {
        EXPECT_EQ(problem_of(schema, Json::object({{"url", "http://a"},
                                                   {"auth", Json::object({{"type", "bearer"},
                                                                          {"secret_ref", ref}})}})
                                         .dump()),
                  "/auth/secret_ref must match ^[A-Za-z0-9_]{1,64}$");
    }
}

TEST(PayloadSchemas, webhook_deliver) {
    const auto schema = payload_schema("connector.webhook.deliver");
    const std::string id = "01890a5d-ac96-774b-bcce-b302099a8057";
    const auto with = [&id](const std::string& more) {
        return R"({"target_url":"https://a/","event_type":"order.paid","event_id":")" + id +
               R"(","secret_ref":"K")" + more + "}";
    };
    EXPECT_EQ(problem_of(schema, with("")), "fits");
    EXPECT_EQ(
        problem_of(schema, with(R"(,"data":[1.5],"signature_algo":"sha512","timeout_ms":60000)")),
        "fits");
    EXPECT_EQ(problem_of(schema, with(R"(,"timeout_ms":60001)")),
              "/timeout_ms must be at most 60000");
    EXPECT_EQ(problem_of(schema, with(R"(,"signature_algo":"md5")")),
              R"(/signature_algo must be one of "sha256", "sha512")");
    EXPECT_EQ(problem_of(schema, R"({"target_url":"https://a/","event_type":"x y","event_id":"1",
        "secret_ref":"K"})"),
              "/event_type must match ^[A-Za-z0-9_.:-]{1,128}$");
}

TEST(PayloadSchemas, report_generate) {
    const auto schema = payload_schema("connector.report.generate");
    EXPECT_EQ(problem_of(schema, R"({"report_type":"job-analytics","format":["json","csv"],
        "period":{"from":"2026-01-01","to":"2026-02-01T00:00:00.5Z"},"options":{}})"),
              "fits");
    EXPECT_EQ(problem_of(schema, R"({"report_type":"job-analytics",
        "period":{"from":"yesterday","to":"2026-02-01"}})")
                  .substr(0, 23),
              "/period/from must match");
    EXPECT_EQ(problem_of(schema, R"({"report_type":"x"})"),
              R"(/report_type must be one of "usage-summary", "job-analytics", "tenant-usage")");
}

}  // namespace
}  // namespace jobforge
