#include "rules/test/test_runner.h"

#include <cstdlib>
#include <set>

#include "rules/test/generator_values.h"
#include "rules/test/shrink.h"
#include "rules_fixture.h"

namespace jobforge::rules {
namespace {

const std::string kRules =
    "fact T { a: Int, b: Opt(Text), c: List(Dec(2)) }\n"
    "field twice: Int = requireSome(getFact(\"T\", \"k\"), \"E1\", \"no T\").a * 2;\n"
    "field status: Bool = emitCompliance(\"X\", \"PASS\", \"ok\");\n";

TestReport report_of(const std::string& tests, const TestOptions& options = {}) {
    return run_tests(*package_of(kRules + tests), options);
}

TEST(SplitMix64, gives_the_published_numbers) {
    SplitMix64 random(1234567);  // vectors of Vigna's splitmix64.c
    EXPECT_EQ(random.next(), 6457827717110365317ULL);
    EXPECT_EQ(random.next(), 3203168211198807973ULL);
    EXPECT_EQ(random.next(), 9817491932198370423ULL);
}

TEST(TestRunner, counts_examples_and_cases_and_passes_with_500) {
    const TestReport report = report_of(
        "example e: { fact t(\"T\", \"k\") = {\"a\": 4, \"c\": []}; } => expect(twice, == 8); ;\n"
        "property p: cases(499) seed(1) => forall t: T(\"k\") . field(\"twice\") == t.a + t.a; ;");
    EXPECT_TRUE(report.passed());
    EXPECT_EQ(report.total_cases(), 500U);
    EXPECT_EQ(report.failed_cases(), 0U);
}

TEST(TestRunner, fewer_than_500_cases_are_no_pass_even_if_nothing_fails) {
    const std::string test =
        "property p: cases(499) seed(1) => forall t: T(\"k\") . field(\"twice\") == t.a + t.a; ;";
    EXPECT_FALSE(report_of(test).passed());
    EXPECT_TRUE(report_of(test, {.seed = 0, .minimum_cases = 499}).passed());
}

TEST(TestRunner, a_failing_property_is_reported_with_the_smallest_facts) {
    const TestReport report = report_of(
        "property p: cases(500) seed(1) => forall t: T(\"k\") . field(\"twice\") <= 100; ;");
    ASSERT_EQ(report.failed_cases(), 1U);
    const TestFailure& failure = *report.results[0].failure;
    EXPECT_EQ(failure.facts.dump(),
              R"([{"fact_key":"k","fact_type":"T","payload":{"a":51,"b":null,"c":[]}}])");
    EXPECT_EQ(failure.expected, "<= 100");
    EXPECT_EQ(failure.found, "102");
    EXPECT_GT(failure.simplified, 0U);
}

TEST(TestRunner, a_premise_that_is_false_does_not_count_and_is_not_looked_behind) {
    const TestReport report = report_of(
        "property p: cases(100) seed(1) => forall t: T(\"k\"), n: Int .\n"
        "  implies(n > 0, 1.0 / toDec(0, n) >= 0.0 && field(\"twice\") == t.a * 2); ;");
    EXPECT_EQ(report.failed_cases(), 0U);
    EXPECT_EQ(report.results[0].passed_cases, 100U);
    EXPECT_GT(report.results[0].discarded_cases, 0U);
}

TEST(TestRunner, a_premise_that_never_holds_fails_after_twenty_tries_a_case) {
    const TestReport report = report_of(
        "property p: cases(10) seed(1) => forall n: Int .\n"
        "  implies(n > 2000000000000, field(\"status\")); ;");
    ASSERT_EQ(report.failed_cases(), 1U);
    EXPECT_NE(report.results[0].failure->message.find("200 tries"), std::string::npos);
}

TEST(TestRunner, an_error_in_a_field_fails_the_property_with_its_rule) {
    const auto package = package_of(
        kRules + "property p: cases(10) seed(1) => forall n: Int . field(\"twice\") == n; ;");
    const TestReport report = run_tests(*package);
    ASSERT_EQ(report.failed_cases(), 1U);
    EXPECT_EQ(report.results[0].failure->error->code, "E1");
    const std::string text = report.render(*package);
    EXPECT_NE(text.find("rules:2"), std::string::npos) << text;
    EXPECT_NE(text.find("no T"), std::string::npos) << text;
}

TEST(TestRunner, examples_expect_errors_and_compliance_too) {
    EXPECT_EQ(report_of("example e: { } => expectError(twice, \"E1\"); ;").failed_cases(), 0U);
    EXPECT_EQ(report_of("example e: { } => expectError(twice, \"E2\"); ;").failed_cases(), 1U);
    const std::string world = "{ fact t(\"T\", \"k\") = {\"a\": 1, \"c\": []}; }";
    EXPECT_EQ(report_of("example e: " + world + " => expectCompliance(\"X\", \"PASS\"); ;")
                  .failed_cases(),
              0U);
    const TestReport wrong =
        report_of("example e: " + world + " => expectCompliance(\"X\", \"FAIL\"); ;");
    ASSERT_EQ(wrong.failed_cases(), 1U);
    EXPECT_EQ(wrong.results[0].failure->found, "PASS (ok)");
}

TEST(TestRunner, one_seed_gives_one_run_and_another_seed_another) {
    const std::string test =
        "property p: cases(50) seed(3) => forall t: T(\"k\") . implies(t.a > 0, "
        "field(\"status\")); ;";
    const auto discarded = [&](std::uint64_t seed) {
        return report_of(test, {.seed = seed}).results[0].discarded_cases;
    };
    EXPECT_EQ(discarded(1), discarded(1));
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 8; ++seed) seen.insert(discarded(seed));
    EXPECT_GT(seen.size(), 1U);
}

TEST(ValueGenerator, stays_in_its_ranges_and_reaches_the_edges) {
    SplitMix64 random(1);
    ValueGenerator generator(random);
    std::set<std::int64_t> seen;
    bool empty_text = false;
    bool none = false;
    for (int i = 0; i < 5000; ++i) {
        const std::int64_t number = generator.make(Type::integer()).integer();
        EXPECT_LE(std::abs(number), 1'000'000'000'000);
        seen.insert(number);
        empty_text = empty_text || generator.make(Type::text()).text().empty();
        none = none || generator.make(Type::optional(Type::integer())).is_none();
    }
    for (const std::int64_t edge : {0LL, 1LL, -1LL, 1'000'000'000'000LL, -1'000'000'000'000LL}) {
        EXPECT_TRUE(seen.contains(edge)) << edge;
    }
    EXPECT_TRUE(empty_text && none);
}

TEST(Shrink, every_chain_of_simpler_values_ends) {
    const auto type = parse_type("Record(a: Int, b: Opt(Text), c: List(Dec(2)), d: Date)");
    SplitMix64 random(7);
    for (int i = 0; i < 50; ++i) {
        Value value = ValueGenerator(random).make(*type);
        int steps = 0;
        for (auto next = simpler(value, *type); !next.empty(); next = simpler(value, *type)) {
            value = next[random.below(next.size())];
            ASSERT_LT(++steps, 10000);
        }
        EXPECT_EQ(value.canonical(), R"({"a":0,"b":null,"c":[],"d":"2000-01-01"})");
    }
}

}  // namespace
}  // namespace jobforge::rules
