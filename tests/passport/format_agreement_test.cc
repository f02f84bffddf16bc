// 100,000 generated programs, the same as in naive_agreement_test.cc: laying a program out keeps
// its meaning, and laying it out again changes nothing.
//
// Four tests, so that ctest can run them side by side. A failure prints the seed and the program.
#include <gtest/gtest.h>

#include "program_generator.h"
#include "rules/format/format.h"
#include "rules/syntax/parser.h"

namespace jobforge::rules {
namespace {

constexpr std::uint64_t kProgramsPerTest = 25'000;

void check_the_formatter(const std::string& source, std::uint64_t& changed) {
    const SourceText text("generated", source);
    Diagnostics diagnostics;
    const auto before = parse(text, 0, diagnostics);
    const auto formatted = format(text, diagnostics);
    ASSERT_TRUE(before && formatted && diagnostics.empty());
    const auto after = parse(SourceText("generated", *formatted), 0, diagnostics);
    ASSERT_TRUE(after && diagnostics.empty()) << *formatted;
    ASSERT_TRUE(same_syntax(before->module, after->module)) << *formatted;
    ASSERT_EQ(format(SourceText("generated", *formatted), diagnostics), formatted);
    changed += *formatted == source ? 0U : 1U;
}

class FormatAgreement : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FormatAgreement, generated_programs_keep_their_meaning_and_are_laid_out_once) {
    std::uint64_t changed = 0;
    for (std::uint64_t i = 0; i < kProgramsPerTest; ++i) {
        const std::uint64_t seed = GetParam() * kProgramsPerTest + i;
        const std::string source = ProgramGenerator(seed).make().source;
        ASSERT_NO_FATAL_FAILURE(check_the_formatter(source, changed)) << "seed " << seed << "\n"
                                                                      << source;
    }
    // The formatter has work to do: the generator does not lay out as it does.
    EXPECT_GT(changed, kProgramsPerTest / 2);
}

INSTANTIATE_TEST_SUITE_P(quarter, FormatAgreement, testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace jobforge::rules
