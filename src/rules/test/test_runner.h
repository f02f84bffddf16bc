// Runs the examples and properties of a package.
//
// An example is one case. A property runs cases(N) over generated facts and variables
// (generator_values.h); cases whose premise is false do not count, generation goes on until N count
// and fails after 20 N tries. A failing case is simplified (shrink.h) before it is reported. The
// job's seed is mixed with the property's own, so one seed gives one run, everywhere.
//
// Fields are evaluated on demand: a test sees only errors of fields that it reads, and of the
// fields these need. Pure; takes time linear in the number of cases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/json.h>

#include "rules/check/package.h"
#include "rules/eval/evaluator.h"

namespace jobforge::rules {

struct TestOptions {
    std::uint64_t seed = 0;             // the job's
    std::uint64_t minimum_cases = 500;  // fewer in all is FAILED
};

// Why one case failed, in the words of the rules' author.
struct TestFailure {
    std::string message;   // one sentence
    Span span;             // the expectation, or the property's body
    std::string expected;  // empty where there is nothing to compare
    std::string found;
    Json facts = Json::array();       // [{"fact_key","fact_type","payload"}...], the smallest found
    Json variables = Json::object();  // forall variables that are not facts: {name: value}
    struct FieldSeen {
        std::string path;
        std::string value;  // as people write it, or "CODE: message"
        Span span;          // of its rule
    };
    std::vector<FieldSeen> fields;         // what the fields in question were worth
    std::optional<EvaluationError> error;  // if evaluation failed
    std::uint64_t simplified = 0;          // steps of shrinking that led here
};

struct TestResult {
    std::string name;
    bool is_property = false;
    Span span;
    std::uint64_t passed_cases = 0;
    std::uint64_t discarded_cases = 0;  // premise false
    std::optional<TestFailure> failure;
};

struct TestReport {
    std::uint64_t seed = 0;
    std::uint64_t minimum_cases = 0;
    std::vector<TestResult> results;  // examples, then properties, as declared

    [[nodiscard]] std::uint64_t passed_cases() const noexcept;
    [[nodiscard]] std::uint64_t failed_cases() const noexcept;  // at most one a test
    [[nodiscard]] std::uint64_t total_cases() const noexcept;
    // No failure, and at least minimum_cases.
    [[nodiscard]] bool passed() const noexcept;
    // For people: each failure with facts, values and the rule's line; then the sums.
    [[nodiscard]] std::string render(const CheckedPackage& package) const;
    // {"failed_cases","minimum_cases","passed_cases","seed","status":"PASSED"|"FAILED","tests":
    // [...],"total_cases"}; the seed is a string, it may be larger than JSON integers.
    [[nodiscard]] Json to_json(const CheckedPackage& package) const;
};

[[nodiscard]] TestReport run_tests(const CheckedPackage& package, const TestOptions& options = {});

// One test; run_tests calls these.
[[nodiscard]] TestResult run_example(const CheckedPackage& package, const Example& example);
[[nodiscard]] TestResult run_property(const CheckedPackage& package, const Property& property,
                                      std::uint64_t seed);

// What a test's fixtures give to the rules: its product and day, and its facts.
struct TestWorld {
    std::string sku;
    std::string name;
    Date issued_on;
    std::vector<Fact> facts;
};
[[nodiscard]] TestWorld test_world(const CheckedPackage& package, const Fixtures& fixtures);
// VALIDATION_ERROR if a fact occurs twice.
[[nodiscard]] Result<Inputs> test_inputs(const TestWorld& world);
[[nodiscard]] Json facts_json(const std::vector<Fact>& facts);
// The value of a field, or the error instead, for FieldSeen.
[[nodiscard]] TestFailure::FieldSeen see_field(const CheckedPackage& package, const Inputs& inputs,
                                               std::size_t field);
// Puts both sides of a comparison into failure.expected and .found.
void describe_comparison(const CheckedPackage& package, const Inputs& inputs,
                         const Expression& comparison, const std::vector<Value>& variables,
                         TestFailure& failure);

}  // namespace jobforge::rules
