// What stands inside a JSON argument is refused with our own code as well: a constraint of a table,
// a cast or an overflow behind it must not answer with a SQLSTATE of Postgres.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "argument_world.h"

namespace jobforge::test {
namespace {

// A call with X for its JSON, an object that is fine, and the members that are tried.
struct JsonCall {
    std::string call;
    std::string good;
    std::vector<std::string> members;
};

const std::vector<std::string> kBad = {"null",
                                       "true",
                                       "-5",
                                       "0.5",
                                       "1e30",
                                       R"("x")",
                                       R"("")",
                                       "[]",
                                       "[null]",
                                       R"([[1]])",
                                       R"({"a": 1})",
                                       R"({"from": "x"})",
                                       R"({"from": 5})",
                                       R"({"top_n": "x"})",
                                       R"({"top_n": 1e30})",
                                       R"("294276-12-31")",
                                       R"("infinity")",
                                       "\"" + std::string(100'000, 'x') + "\""};

const std::vector<JsonCall> kCalls = {
    {"set_job_type('a', X)",
     "{}",
     {"description", "backoff", "backoff_base_seconds", "backoff_jitter", "max_attempts",
      "lease_seconds", "timeout_seconds", "default_priority", "concurrency_limit",
      "tenant_concurrency_limit", "rate_limit_per_minute", "tenant_rate_limit_per_minute",
      "retention_days", "failure_retention_days", "enabled", "payload_schema"}},
    {"set_tenant('TENANT', X)",
     "{}",
     {"name", "status", "max_waiting_jobs", "max_waiting_bytes", "concurrency_limit"}},
    {"fail_job('w', 'TENANT', 'JOB', 1, X)",
     R"({"code": "X", "message": "m"})",
     {"code", "message", "retryable", "details"}},
    {"cancel_running_job('w', 'TENANT', 'JOB', 1, X)",
     R"({"code": "X", "message": "m"})",
     {"code", "message", "retryable", "details"}},
    {"governor_configure('host', 'h', X)",
     "{}",
     {"rate_per_minute", "burst", "failure_threshold", "open_seconds", "probe_seconds"}},
    {"set_webhook_endpoint('<endpoint>', X)", "{}", {"description", "disable_after"}},
    {"set_connector_config('connector.http.request', X)",
     "{}",
     {"allowlist", "headers", "requests_per_minute", "timeout_ms", "max_response_bytes",
      "follow_redirects", "redact_headers"}},
    {"generate_report(X)",
     R"({"report_type": "job-analytics"})",
     {"report_type", "period", "options"}},
    {"reject_document('<uploaded>', X)",
     R"({"code": "X", "message": "m"})",
     {"code", "message", "pointer"}},
    {"upload_rules('battery', 'new rules', '', jsonb_build_array(X))",
     R"({"path": "a.b", "type": "Text", "access": "PUBLIC"})",
     {"path", "type", "access"}},
    {"save_source(X)",
     R"({"name": "new", "base_url": "https://example.com/"})",
     {"name", "source_id", "adapter", "enabled", "base_url", "rate_limit_per_minute",
      "reputation_weight", "tier", "config", "burst", "failure_threshold", "open_seconds",
      "probe_seconds"}},
    {"set_source_rules('<source>', X)",
     "{}",
     {"exclude_keywords", "require_keywords", "allowed_path", "rate_limit_override"}},
    {"add_intake(X)",
     R"({"denomination": "1 cent", "year": 1909})",
     {"intake_id", "denomination", "year", "mintmark", "series", "title", "grade", "cleaned",
      "scratches", "rim_damage", "details_damaged", "harsh_cleaning", "keywords_include",
      "keywords_exclude"}},
    {"store_price_points('<intake>', '<source>', jsonb_build_array(X))",
     R"({"dedupe_key": "ext_1", "price_type": "sold", "match_strength": 0.5, "price_cents": 1,
         "currency": "USD", "title": "t"})",
     {"dedupe_key", "external_id", "url", "title", "price_cents", "currency", "price_type",
      "observed_at", "match_strength", "raw"}},
    {"store_valuation('<intake>', X)",
     R"({"currency": "USD", "comparables": 1, "outliers": 0, "p10": 1, "p20": 1, "p40": 1, "p50": 1,
         "p60": 1, "p80": 1, "p90": 1, "mean_cents": 1, "confidence": 3, "explanation": {}})",
     {"currency", "comparables", "outliers", "p10", "p20", "p40", "p50", "p60", "p80", "p90",
      "mean_cents", "confidence", "explanation"}},
};

std::string replaced(std::string text, const std::string& name, const std::string& value) {
    for (auto at = text.find(name); at != std::string::npos;
         at = text.find(name, at + value.size())) {
        text.replace(at, name.size(), value);
    }
    return text;
}

TEST(JsonArguments, what_makes_no_sense_inside_is_refused_with_our_own_code) {
    EngineDatabase database;
    Session sql = database.session();
    const auto job = sql.one("select job_id from jobforge.enqueue_job('a')");
    sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
    auto objects = argument_world(sql);
    objects["TENANT"] = kTenantA;
    objects["JOB"] = job;
    for (const auto& [call, good, members] : kCalls) {
        std::string named = call;
        for (const auto& [name, value] : objects) {
            named = replaced(named, name, value);
        }
        const auto answer = [&](const std::string& json) {
            sql.run("begin");
            const auto code = sql.error(
                fmt::format("select * from jobforge.{}", replaced(named, "X)", json + ")")));
            sql.run("rollback");
            return code;
        };
        EXPECT_EQ(answer(fmt::format("'{}'::jsonb", good)), "ok") << call << "\n" << sql.message();
        for (const auto& member : members) {
            for (const auto& bad : kBad) {
                const auto code = answer(
                    fmt::format("('{}'::jsonb || '{{\"{}\": {}}}'::jsonb)", good, member, bad));
                // A code of Postgres has five characters; ours have a name.
                EXPECT_NE(code.size(), 5U)
                    << call << " " << member << " = " << bad.substr(0, 100) << "\n"
                    << sql.message().substr(0, 500);
            }
        }
    }
}

}  // namespace
}  // namespace jobforge::test
