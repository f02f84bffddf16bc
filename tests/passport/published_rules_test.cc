// Rules that were published before flows between access tiers were checked: authors are refused
// today, but what was issued compiles, replays and verifies for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden_case.h"
#include "passport/bundle_verify.h"
#include "passport/replay.h"
#include "rules/check/package.h"

namespace jobforge::passport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// In medium, an entry says whether a footprint that is not public is below a limit.
constexpr const char* kOlder = "medium";

bool accepted(const GoldenCase& golden, const rules::CheckOptions& options) {
    return rules::check_package(rules::SourceText("rules", golden.inputs.dsl_source), {}, options)
        .ok();
}

std::vector<std::string> remarks_on(const std::string& name) {
    const auto report =
        verify_bundle(GoldenCase(name).expected("bundle.json"), golden_key().public_key());
    EXPECT_TRUE(report.ok()) << name;
    return report.remarks;
}

TEST(PublishedRules, are_refused_where_authors_ask_and_accepted_where_they_were_used) {
    EXPECT_FALSE(accepted(GoldenCase(kOlder), {}));
    for (const std::string& name : kGoldenCases) {
        EXPECT_TRUE(accepted(GoldenCase(name), rules::kPublished)) << name;
        EXPECT_EQ(accepted(GoldenCase(name), {}), name != kOlder) << name;
    }
}

TEST(PublishedRules, compile_and_replay_to_the_same_bytes) {
    const GoldenCase golden(kOlder);
    const auto compiled = compile_passport(golden.inputs);
    ASSERT_TRUE(compiled.ok()) << compiled.error().describe();
    EXPECT_EQ(compiled->payload, golden.expected("payload.json"));
    const StoredPassport stored{golden.inputs, golden.expected("payload.json"),
                                golden.expected("proof.json"), golden.expected("receipt.json")};
    const auto replayed = replay_passport(stored, golden_key().public_key());
    EXPECT_TRUE(replayed.ok()) << replayed.error().describe();
}

TEST(PublishedRules, verify_with_a_remark) {
    EXPECT_THAT(remarks_on(kOlder), ElementsAre(HasSubstr("may not see")));
    EXPECT_THAT(remarks_on("tiers"), IsEmpty());
    EXPECT_THAT(remarks_on("minimal"), IsEmpty());
}

}  // namespace
}  // namespace jobforge::passport
