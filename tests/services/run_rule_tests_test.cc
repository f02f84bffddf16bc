// RUN_RULE_TESTS: a package is VALIDATED when its tests pass with at least 500 cases.
#include <fmt/format.h>

#include "handler_world.h"
#include "services/passport/rule_packages.h"

namespace jobforge::services {
namespace {

constexpr char kNobody[] = "00000000-0000-4000-8000-000000000000";

std::string property(int cases, std::string_view claim = "field(\"battery.mass\") == b.mass_g") {
    return fmt::format(
        "property mass_is_told: cases({}) seed(7) =>\n"
        "  forall b: Battery(\"battery:SKU-1\") . {}; ;\n",
        cases, claim);
}

class RunRuleTests : public test::HandlerWorld {
protected:
    std::string payload(const std::string& id, const std::string& seed = "0") {
        return fmt::format(R"({{"rule_package_version_id":"{}","seed":{}}})", id, seed);
    }
    std::string request(const std::string& id, std::int64_t seed = 0) {
        return test::must(request_rule_tests(*calls_, *Uuid::parse(id), seed, "")).to_string();
    }
    std::string status(const std::string& id) {
        return one(
            fmt::format("select status from jobforge.rule_package_versions where "
                        "rule_package_version_id = '{}'",
                        id));
    }
    std::string run_of(const std::string& job, const std::string& expression) {
        return one(fmt::format("select {} from jobforge.rule_tests_runs where run_id = '{}'",
                               expression, job));
    }
    static constexpr char kCounts[] =
        "format('%s %s %s %s %s', status, seed, total_cases, passed_count, failed_count)";
};

TEST_F(RunRuleTests, five_hundred_passing_cases_validate_the_package) {
    const std::string id = rules(test::kRules, property(500));
    const std::string job = request(id, 42);
    EXPECT_EQ(
        jobs_with_key(fmt::format("tests-{}-42", id)),
        fmt::format(R"(RUN_RULE_TESTS 2 5 {{"seed": 42, "rule_package_version_id": "{}"}})", id));
    EXPECT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(status(id), "VALIDATED");
    EXPECT_EQ(run_of(job, kCounts), "PASSED 42 500 500 0");
    EXPECT_EQ(run_of(job, "first_failure"), "");
}

TEST_F(RunRuleTests, fewer_cases_leave_a_draft_although_none_fails) {
    const std::string id = rules(test::kRules, property(499));
    const std::string job = request(id);
    EXPECT_EQ(end_of(job), "SUCCEEDED") << "a run that FAILED is a result, not an error";
    EXPECT_EQ(status(id), "DRAFT");
    EXPECT_EQ(run_of(job, kCounts), "FAILED 0 499 499 0");
    const auto published = publish_rules(*calls_, *Uuid::parse(id), "");
    ASSERT_FALSE(published.ok());
    EXPECT_EQ(published.error().code, ErrorCode::RULE_TESTS_FAILED);
    EXPECT_EQ(status(id), "DRAFT");
}

TEST_F(RunRuleTests, a_failing_case_leaves_a_draft_with_the_details_of_the_failure) {
    const std::string id = rules(test::kRules, property(500, "field(\"battery.mass\") <= 100"));
    const std::string job = request(id);
    EXPECT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(status(id), "DRAFT");
    EXPECT_EQ(run_of(job, "status || ' ' || failed_count"), "FAILED 1");
    EXPECT_EQ(run_of(job, "first_failure ->> 'test_name'"), "mass_is_told");
    EXPECT_EQ(run_of(job, "first_failure ->> 'expected'"), "<= 100");
    EXPECT_EQ(run_of(job, "first_failure ->> 'found'"), "101");
    EXPECT_EQ(run_of(job, "first_failure -> 'facts' -> 0 -> 'payload' ->> 'mass_g'"), "101");
    EXPECT_EQ(run_of(job, "first_failure ->> 'line'"), "2");
}

// What an earlier release stored: a public field that shows a restricted one.
class OlderRules : public RunRuleTests {
protected:
    static constexpr char kLeak[] =
        "field battery.shown: Int access(public) = field(\"battery.mass\");\n";
    std::string leak() { return std::string(test::kRules) + kLeak; }
    std::string uploaded_before() {
        return one(fmt::format(
            "select u.rule_package_version_id from jobforge.upload_rules('small', $s${}$s$, "
            "$s${}$s$, '[{{\"path\":\"battery.mass\",\"type\":\"Int\",\"access\":\"restricted\"}},"
            "{{\"path\":\"battery.shown\",\"type\":\"Int\",\"access\":\"public\"}}]') u",
            leak(), property(500)));
    }
};

TEST_F(OlderRules, that_let_a_value_flow_to_those_who_may_not_see_it_are_not_uploaded_today) {
    const auto refused = upload_rules(
        *calls_, {.package = "small", .dsl_source = leak(), .tests_source = property(500)});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::RULE_TYPE_ERROR);
    EXPECT_EQ(one("select count(*) from jobforge.rule_package_versions"), "0");
}

TEST_F(OlderRules, are_tested_but_not_published) {
    const std::string id = uploaded_before();
    EXPECT_EQ(end_of(request(id)), "SUCCEEDED");
    EXPECT_EQ(status(id), "VALIDATED");
    const auto published = publish_rules(*calls_, *Uuid::parse(id), "");
    ASSERT_FALSE(published.ok());
    EXPECT_EQ(published.error().code, ErrorCode::RULE_TYPE_ERROR);
    EXPECT_NE(published.error().message.find("battery.shown is public"), std::string::npos)
        << published.error().message;
    EXPECT_EQ(status(id), "VALIDATED");
}

TEST_F(OlderRules, that_are_published_stay_so_and_make_passports) {
    const std::string id = uploaded_before();
    EXPECT_EQ(end_of(request(id)), "SUCCEEDED");
    run(fmt::format("select jobforge.publish_rules('{}')", id));
    EXPECT_TRUE(publish_rules(*calls_, *Uuid::parse(id), "").ok()) << "it is published already";
    EXPECT_EQ(end_of(request(id, 1)), "SUCCEEDED");
    hold("SIGN_PASSPORT");
    const char* version = "0190b6a4-5c3e-7000-8000-000000000001";
    EXPECT_EQ(ends("COMPILE_PASSPORT", compile_payload(version, sealed_snapshot(), id, passport())),
              "SUCCEEDED");
}

TEST_F(RunRuleTests, each_run_is_kept_once_with_one_event) {
    const std::string id = rules(test::kRules, property(500));
    const std::string job = request(id, 1);
    EXPECT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(events_of(id), "RULES_UPLOADED TESTS_RUN");
    EXPECT_EQ(
        event_payload(id, "TESTS_RUN"),
        fmt::format(R"({{"passed":500,"run_id":"{}","status":"PASSED","total_cases":500}})", job));
    EXPECT_EQ(request(id, 1), job) << "the same seed is the same run";
    const std::string other = request(id, 2);
    EXPECT_EQ(end_of(other), "SUCCEEDED");
    EXPECT_EQ(one("select count(*) from jobforge.rule_tests_runs"), "2");
    EXPECT_EQ(events_of(id), "RULES_UPLOADED TESTS_RUN TESTS_RUN");
    EXPECT_EQ(status(id), "VALIDATED");
}

TEST_F(RunRuleTests, a_published_package_can_be_tested_again_and_stays_published) {
    const std::string id = published_rules();
    EXPECT_EQ(end_of(request(id, 9)), "SUCCEEDED");
    EXPECT_EQ(status(id), "PUBLISHED");
}

TEST_F(RunRuleTests, payloads_that_do_not_fit_and_unknown_ids_fail_at_once) {
    const std::string id = rules(test::kRules, property(500));
    const std::string before = stored();
    for (const std::string& garbage :
         {std::string("{}"), payload("x"), payload(id, "null"), payload(id, "\"1\""),
          payload(id, "1.5"), payload(id, "9223372036854775808"),
          fmt::format(R"({{"rule_package_version_id":"{}"}})", id)}) {
        EXPECT_EQ(ends("RUN_RULE_TESTS", garbage), "FAILED JOB_PAYLOAD_INVALID") << garbage;
    }
    EXPECT_EQ(ends("RUN_RULE_TESTS", payload(kNobody)), "FAILED NOT_FOUND");
    EXPECT_EQ(stored(), before);
    EXPECT_EQ(status(id), "DRAFT");
}

}  // namespace
}  // namespace jobforge::services
