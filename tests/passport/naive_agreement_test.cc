// 100,000 generated programs: the real evaluator and the naive one agree on every value, compliance
// entry, step and error code, and evaluation ends only as the language promises. The stranger's
// proof checker accepts the proofs. (What the formatter does to them: format_agreement_test.cc.)
//
// Four tests, so that ctest can run them side by side. A failure prints the seed and the program.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "naive_evaluator.h"
#include "program_generator.h"
#include "rules/eval/evaluator.h"
#include "verify/check_proof.h"

namespace jobforge::rules {
namespace {

constexpr std::uint64_t kProgramsPerTest = 25'000;
constexpr std::uint64_t kProofEvery = 4;

const std::set<std::string> kPromisedErrors{"VALIDATION_ERROR",
                                            "FACT_SHAPE",
                                            "DIVISION_BY_ZERO",
                                            "NUMBER_OVERFLOW",
                                            "BUDGET_EXCEEDED",
                                            "A0",
                                            "A1",
                                            "A2",
                                            "R0",
                                            "R1",
                                            "R2",
                                            "F1"};

class NaiveAgreement : public testing::TestWithParam<std::uint64_t> {
protected:
    void run(std::uint64_t seed);
    void compare(const CheckedPackage& package, const Inputs& inputs, std::uint64_t budget);
    void check_the_proof(const CheckedPackage& package, const Inputs& inputs);

    std::map<std::string, std::uint64_t> ends_;  // error code, or "" for values
};

Inputs inputs_of(const GeneratedProgram& program) {
    auto facts = FactSet::make(program.facts);
    EXPECT_TRUE(facts.ok());
    return {std::move(*facts), "SKU-1", "Test product", *Date::make(2027, 2, 18)};
}

void NaiveAgreement::compare(const CheckedPackage& package, const Inputs& inputs,
                             std::uint64_t budget) {
    const EvaluationOutcome real =
        evaluate(package, inputs, {.with_proof = false, .step_budget = budget});
    const naive::Answer naive = naive::evaluate(package, inputs, budget);
    const std::string code = real.ok() ? "" : real.error->code;
    ++ends_[code];
    ASSERT_EQ(code, naive.error) << (real.ok() ? "" : real.error->render(package));
    ASSERT_TRUE(code.empty() || kPromisedErrors.contains(code)) << code;
    if (!real.ok()) return;
    ASSERT_EQ(real.evaluation->steps, naive.steps);
    for (const auto& [path, index] : package.field_index) {
        ASSERT_EQ(real.evaluation->values[index].canonical(), naive.fields.at(path)) << path;
    }
    ASSERT_EQ(real.evaluation->compliance.size(), naive.compliance.size());
    for (std::size_t i = 0; i < naive.compliance.size(); ++i) {
        ASSERT_EQ(real.evaluation->compliance[i].id, naive.compliance[i].id);
        ASSERT_EQ(real.evaluation->compliance[i].status, naive.compliance[i].status);
        ASSERT_EQ(real.evaluation->compliance[i].evidence, naive.compliance[i].evidence);
    }
}

void NaiveAgreement::check_the_proof(const CheckedPackage& package, const Inputs& inputs) {
    const EvaluationOutcome outcome = evaluate(package, inputs);
    if (!outcome.ok()) return;
    std::vector<verify::Fact> facts;
    for (const Fact& fact : inputs.facts.all()) {
        facts.push_back({fact.fact_type, fact.fact_key, &fact.payload});
    }
    const auto proof = Json::parse(outcome.evaluation->proof.canonical());
    ASSERT_TRUE(proof.ok());
    const auto derived = verify::check_proof(
        *proof, {facts, inputs.product_name, inputs.product_sku, inputs.issued_on});
    ASSERT_TRUE(derived.ok()) << derived.error().message;
    ASSERT_EQ(derived->root_hash, outcome.evaluation->proof.root_hash);
    ASSERT_EQ(derived->fields, *Json::parse(outcome.evaluation->fields.canonical()));
}

void NaiveAgreement::run(std::uint64_t seed) {
    const GeneratedProgram program = ProgramGenerator(seed).make();
    // Most programs let something restricted flow somewhere; evaluation does not ask.
    const CheckOutcome checked =
        check_package(SourceText("generated", program.source), {}, {.flows = AccessFlows::ignored});
    ASSERT_TRUE(checked.ok()) << render(checked.diagnostics, checked.sources);
    const Inputs inputs = inputs_of(program);
    // Mostly the whole budget, now and then one that ends in the middle.
    const std::uint64_t budget =
        seed % 16 == 0 ? 1 + SplitMix64::mix(seed) % 60 : kDefaultStepBudget;
    ASSERT_NO_FATAL_FAILURE(compare(*checked.package, inputs, budget));
    if (seed % kProofEvery == 0) {
        ASSERT_NO_FATAL_FAILURE(check_the_proof(*checked.package, inputs));
    }
}

TEST_P(NaiveAgreement, generated_programs_end_alike_in_both_evaluators) {
    for (std::uint64_t i = 0; i < kProgramsPerTest; ++i) {
        const std::uint64_t seed = GetParam() * kProgramsPerTest + i;
        ASSERT_NO_FATAL_FAILURE(run(seed)) << "seed " << seed << "\n"
                                           << ProgramGenerator(seed).make().source;
    }
    // The generator is of no use if everything ends early, or some end never occurs.
    EXPECT_GT(ends_[""], kProgramsPerTest / 3);
    for (const std::string& code : kPromisedErrors) EXPECT_GT(ends_[code], 0U) << code;
}

INSTANTIATE_TEST_SUITE_P(quarter, NaiveAgreement, testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace jobforge::rules
