// Payload schemas: the database's check gives the answers of the shared table of cases, and nothing
// that does not fit its type's schema is enqueued.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <jobforge/json.h>

#include "sql_session.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

std::string quoted(const std::string& text) {
    return "$json$" + text + "$json$";
}

class PayloadSchemas : public testing::Test {
protected:
    std::string enqueue(const std::string& type, const std::string& payload) {
        return sql.error(
            fmt::format("select jobforge.enqueue_job('{}', {})", type, quoted(payload)));
    }
    std::string enqueue_two(const std::string& type, const std::string& payload,
                            const std::string& more = "") {
        return sql.error(
            fmt::format("select jobforge.enqueue_jobs(array['a', '{}'], array['{{\"free\": 1}}', "
                        "{}]::jsonb[]{})",
                        type, quoted(payload), more));
    }
    std::string set_schema(const std::string& schema) {
        return sql.error(
            fmt::format("select jobforge.set_job_type('a', "
                        "jsonb_build_object('payload_schema', {}::jsonb))",
                        quoted(schema)));
    }

    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(PayloadSchemas, the_database_answers_as_the_table_of_cases_says) {
    std::ifstream file(JOBFORGE_SOURCE_DIR "/tests/services/json_schema_cases.json");
    std::stringstream text;
    text << file.rdbuf();
    const auto cases = Json::parse(text.str());
    ASSERT_TRUE(cases.ok());
    ASSERT_GE(cases->as_array()->size(), 80U);
    for (const Json& one : *cases->as_array()) {
        const std::string name = *one.find("name")->as_string();
        const std::string* problem = one.find("problem")->as_string();
        EXPECT_EQ(sql.one(fmt::format("select jobforge.check_payload({}, {})",
                                      quoted(one.find("schema")->dump()),
                                      quoted(one.find("value")->dump()))),
                  problem == nullptr ? "NULL" : *problem)
            << name;
        EXPECT_EQ(sql.one(fmt::format("select jobforge.check_schema({})",
                                      quoted(one.find("schema")->dump()))),
                  "NULL")
            << name;
    }
}

TEST_F(PayloadSchemas, what_does_not_fit_is_not_enqueued_alone_or_among_others) {
    EXPECT_EQ(set_schema(R"({"type": "object", "required": ["to"], "properties": {"to":
        {"type": "string"}}})"),
              "ok");
    sql.run("select jobforge.set_job_type('b')");
    EXPECT_EQ(enqueue("a", R"({"to": 7})"), "JOB_PAYLOAD_INVALID");
    EXPECT_NE(sql.message().find("a: /to must be of type string"), std::string::npos)
        << sql.message();
    EXPECT_EQ(enqueue("a", "{}"), "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(enqueue("a", "[]"), "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(enqueue("b", R"({"to": 7})"), "ok");
    const auto batch = [&](const std::string& types, const std::string& payloads,
                           const std::string& more = "") {
        return sql.error(
            fmt::format("select jobforge.enqueue_jobs(array[{}], array[{}]::jsonb[]{})", types,
                        payloads, more));
    };
    EXPECT_EQ(batch("'b', 'a'", R"('{"to": 7}', '{"to": "x"}')"), "ok");
    EXPECT_EQ(batch("'b', 'a', 'a'", R"('{}', '{"to": "x"}', '{"to": 7}')"), "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(batch("'a', 'b'", R"('{}', '{}')", ", p_idempotency_keys => array['k', 'l']"),
              "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(batch("'a'", "null"), "JOB_PAYLOAD_INVALID");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "3");
    EXPECT_EQ(sql.one("select count(*) from jobforge.idempotency_keys"), "0");
    // A type without a schema takes anything again.
    EXPECT_EQ(set_schema("null"), "ok");
    EXPECT_EQ(sql.one("select payload_schema from jobforge.get_job_type('a')"), "NULL");
    EXPECT_EQ(enqueue("a", R"({"to": 7})"), "ok");
}

TEST_F(PayloadSchemas, a_schema_that_promises_what_nobody_checks_is_refused) {
    for (const auto& [schema, place] :
         {std::pair{R"({"oneOf": []})", "/oneOf is not a known member"},
          {R"({"type": "text"})", "/type must match"},
          {R"({"type": ["string", "text"]})", "/type/1 must be one of"},
          {R"({"type": []})", "/type must have at least 1 items"},
          {R"({"enum": []})", "/enum must have"},
          {R"({"minimum": "1"})", "/minimum must be of type number"},
          {R"({"minLength": -1})", "/minLength must be at least 0"},
          {R"({"maxItems": 1.5})", "/maxItems must be of type integer"},
          {R"({"pattern": "("})", "/pattern must be a pattern"},
          {R"({"format": "date"})", "/format must be one of"},
          {R"({"required": [1]})", "/required/0 must be of type string"},
          {R"({"items": []})", "/items must be of type object"},
          {R"({"properties": {"a/b": {"items": {"x": 1}}}})",
           "/properties/a~1b/items/x is not a known member"},
          {R"({"additionalProperties": {"type": 1}})", "/additionalProperties/type must be of"},
          {R"([])", "the schema must be of type object"}}) {
        EXPECT_EQ(set_schema(schema), "VALIDATION_ERROR") << schema;
        EXPECT_NE(sql.message().find(place), std::string::npos) << schema << sql.message();
    }
}

TEST_F(PayloadSchemas, the_connectors_take_what_they_understand) {
    const std::string event =
        R"("event_type": "order.paid", "event_id": "01890a5d-ac96-774b-bcce-b302099a8057")";
    for (const auto& [type, payload, fits] :
         {std::tuple{"connector.http.request", std::string(R"({"url": "https://example.com/"})"),
                     true},
          {"connector.http.request",
           R"({"url": "http://a/", "method": "POST", "headers": {"X-A": "b"}, "body": {"a": [1]},
               "timeout_ms": 300000, "accept_status": [404, "2xx"], "max_response_bytes": 10485760,
               "follow_redirects": 10, "allowlist": ["*.example.com"], "redact_headers": ["x-key"],
               "auth": {"type": "bearer", "secret_ref": "SHOP"}})",
           true},
          {"connector.http.request", "{}", false},
          {"connector.http.request", R"({"url": "ftp://a/"})", false},
          {"connector.http.request", R"({"url": "http://a/", "method": "TRACE"})", false},
          {"connector.http.request", R"({"url": "http://a/", "timeout_ms": 300001})", false},
          {"connector.http.request", R"({"url": "http://a/", "max_response_bytes": 10485761})",
           false},
          {"connector.http.request", R"({"url": "http://a/", "follow_redirects": 11})", false},
          {"connector.http.request", R"({"url": "http://a/", "headers": {"a": 1}})", false},
          {"connector.http.request", R"({"url": "http://a/", "accept_status": ["200"]})", false},
          {"connector.http.request", R"({"url": "http://a/", "auth": {"type": "bearer",
              "token": "s3cret"}})",
           false},
          {"connector.http.request", R"({"url": "http://a/", "secret": "x"})", false},
          {"connector.webhook.deliver",
           "{" + event + R"(, "target_url": "https://a/", "secret_ref": "S", "data": null})", true},
          {"connector.webhook.deliver", "{" + event + R"(, "target_url": "https://a/"})", false},
          {"connector.webhook.deliver",
           "{" + event + R"(, "target_url": "https://a/", "secret_ref": "../x"})", false},
          {"connector.webhook.deliver",
           "{" + event + R"(, "target_url": "https://a/", "secret_ref": "S",
               "signature_algo": "md5"})",
           false},
          {"connector.webhook.deliver",
           "{" + event + R"(, "target_url": "https://a/", "secret_ref": "S",
               "timeout_ms": 60001})",
           false},
          {"connector.report.generate",
           R"({"report_type": "job-analytics", "period": {"from": "2026-01-01", "to":
               "2026-02-01T00:00:00Z"}, "format": ["json", "html", "csv"], "options": {}})",
           true},
          {"connector.report.generate", R"({"report_type": "secrets"})", false},
          {"connector.report.generate", R"({"report_type": "usage-summary", "format": ["pdf"]})",
           false},
          {"connector.report.generate",
           R"({"report_type": "usage-summary", "period": {"from": "1.1.2026", "to":
               "2026-02-01"}})",
           false}}) {
        const std::string expected = fits ? "ok" : "JOB_PAYLOAD_INVALID";
        EXPECT_EQ(enqueue(type, payload), expected) << type << payload << sql.message();
        EXPECT_EQ(enqueue_two(type, payload), expected) << type << payload;
        EXPECT_EQ(enqueue_two(type, payload,
                              ", p_idempotency_keys => array[null, gen_random_uuid()::text]"),
                  expected)
            << type << payload;
    }
    // The value that does not fit may be a secret.
    enqueue("connector.http.request", R"({"url": "s3cret"})");
    EXPECT_EQ(sql.message().find("s3cret"), std::string::npos) << sql.message();
}

TEST_F(PayloadSchemas, a_connectors_configuration_is_checked_and_comes_back) {
    const auto set = [&](const std::string& connector, const std::string& config,
                         const std::string& more = "") {
        return sql.error(fmt::format("select jobforge.set_connector_config('connector.{}', {}{})",
                                     connector, quoted(config), more));
    };
    const auto get = [&] {
        return sql.one("select jobforge.get_connector_config('connector.http.request')");
    };
    EXPECT_EQ(get(), "{}");
    EXPECT_EQ(set("http.request",
                  R"({"allowlist": ["*.example.com"], "timeout_ms": 1000, "headers": {"X-From":
                      "us"}, "requests_per_minute": 60, "max_response_bytes": 1000,
                      "follow_redirects": 1, "redact_headers": ["x-key"]})"),
              "ok");
    EXPECT_EQ(set("http.request", R"({"timeout_ms": 2000})"), "ok");
    EXPECT_EQ(get(), R"({"timeout_ms": 2000})");
    EXPECT_EQ(set("http.request", R"({"timeout_ms": 3000})", ", false"), "ok");
    EXPECT_EQ(get(), R"({"enabled": false, "timeout_ms": 3000})");
    EXPECT_EQ(set("webhook.deliver", R"({"timeout_ms": 1000})"), "ok");
    EXPECT_EQ(set("report.generate", R"({"max_rows": 1000, "max_period_days": 31})"), "ok");
    EXPECT_EQ(sql.one("select string_agg(connector, ' ') from jobforge.list_connector_configs()"),
              "connector.http.request connector.report.generate connector.webhook.deliver");
    for (const auto& [connector, bad] :
         {std::pair{"http.request", R"({"timeout_ms": 300001})"},
          {"http.request", R"({"allowlist": []})"},
          {"http.request", R"({"allowlist": ["https://example.com"]})"},
          {"http.request", R"({"requests_per_minute": 0})"},
          {"http.request", R"({"password": "x"})"},
          {"http.request", R"({"headers": {"AUTHORIZATION": "Bearer x"}})"},
          {"http.request", R"({"headers": {"cookie": "x"}})"},
          {"http.request", R"([])"},
          {"webhook.deliver", R"({"timeout_ms": 60001})"},
          {"webhook.deliver", R"({"follow_redirects": 1})"},
          {"report.generate", R"({"timeout_ms": 1})"},
          {"telnet", "{}"}}) {
        EXPECT_EQ(set(connector, bad), "VALIDATION_ERROR") << connector << bad;
    }
    EXPECT_EQ(set("http.request", "{}", ", null"), "VALIDATION_ERROR");
    sql.use_tenant(kTenantB);
    EXPECT_EQ(get(), "{}");
}

}  // namespace
}  // namespace jobforge::test
