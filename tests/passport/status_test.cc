// The statuses of compliance entries are a closed set: when rules are checked, when they are
// evaluated, and when a proof is. Passports from before it was closed stay what they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "passport/bundle.h"
#include "passport/bundle_verify.h"
#include "passport/replay.h"
#include "rules_fixture.h"
#include "rules_support.h"
#include "verify/check_proof.h"

namespace jobforge::passport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CompileInputs with_rules(const std::string& source) {
    CompileInputs inputs = GoldenCase("minimal").inputs;
    inputs.dsl_source = source;
    return inputs;
}

// A status that is computed: nothing sees it before it is there.
const std::string kComputed =
    "field a: Bool = emitCompliance(\"X\", \"IN\" + product.sku, \"why\");\n";

TEST(Statuses, a_written_one_is_checked_with_the_rules) {
    for (const char* status : {"PASS", "FAIL", "WARN", "PENDING", "NOT_APPLICABLE"}) {
        EXPECT_EQ(rules::errors_of(std::string("field a: Bool = emitCompliance(\"X\", \"") +
                                   status + "\", \"e\");"),
                  "");
    }
    EXPECT_THAT(
        rules::errors_of("field a: Bool = emitCompliance(\"X\", let s = 1; \"INFO\", \"e\");"),
        HasSubstr("there is no status INFO"));
}

TEST(Statuses, a_computed_one_ends_the_evaluation) {
    const auto package = rules::package_of(kComputed);
    const auto outcome = rules::evaluate(*package, rules::inputs_of());
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error->code, "VALIDATION_ERROR");
    EXPECT_THAT(outcome.error->message, HasSubstr("\"INSKU-1\""));
    EXPECT_THAT(outcome.error->hint, HasSubstr("PASS, FAIL, WARN, PENDING, NOT_APPLICABLE"));
}

TEST(Statuses, no_new_passport_has_another) {
    for (const std::string& source :
         {kComputed, std::string("field a: Bool = emitCompliance(\"X\", \"INFO\", \"e\");")}) {
        EXPECT_FALSE(compile_passport(with_rules(source)).ok()) << source;
    }
    // Rules that were published before the set was closed are taken, and found out when they emit.
    CompileInputs published = with_rules("field a: Bool = emitCompliance(\"X\", \"INFO\", \"e\");");
    published.checked = rules::check_package(rules::SourceText("rules", published.dsl_source), {},
                                             {.statuses = rules::StatusWords::any})
                            .package;
    ASSERT_TRUE(published.checked);
    const auto compiled = compile_passport(published);
    ASSERT_FALSE(compiled.ok());
    EXPECT_EQ(compiled.error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_THAT(compiled.error().message, HasSubstr("INFO"));
}

class OldPassport : public ::testing::TestWithParam<std::string> {
protected:
    CompileInputs inputs_ = with_rules(GetParam());
    // As a program compiled it that knew no closed set.
    Compiled compiled_ = compile_passport(inputs_, CompileLimits::none()).value();
    Receipt receipt_ = sign_receipt(compiled_.receipt, golden_key());
};

TEST_P(OldPassport, verifies_with_a_remark) {
    const std::string bundle = write_bundle(inputs_, compiled_, receipt_).value();
    const auto report = verify_bundle(bundle, golden_key().public_key());
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.first_failure()->detail);
    ASSERT_EQ(report.remarks.size(), 1U);
    EXPECT_THAT(report.remarks[0], HasSubstr("the status IN"));
    EXPECT_THAT(
        verify_bundle(GoldenCase("minimal").expected("bundle.json"), golden_key().public_key())
            .remarks,
        IsEmpty());
}

TEST_P(OldPassport, is_replayed_byte_for_byte) {
    const StoredPassport stored{inputs_, compiled_.payload, compiled_.proof,
                                canonical(receipt_.document()).value()};
    const auto status = replay_passport(stored, golden_key().public_key());
    EXPECT_TRUE(status.ok()) << status.error().message;
}

TEST_P(OldPassport, its_proof_holds_only_for_who_asks_for_old_ones) {
    const Json proof = Json::parse(compiled_.proof).value();
    verify::ProofInputs inputs{{}, inputs_.product.name, inputs_.product.sku, {}};
    const auto strict = verify::check_proof(proof, inputs);
    ASSERT_FALSE(strict.ok());
    EXPECT_THAT(strict.error().message, HasSubstr("its status is not one of PASS"));
    inputs.any_status = true;
    const auto lenient = verify::check_proof(proof, inputs);
    ASSERT_TRUE(lenient.ok()) << lenient.error().message;
    EXPECT_EQ(lenient->foreign_statuses.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    statuses, OldPassport,
    ::testing::Values(kComputed,
                      std::string("field a: Bool = emitCompliance(\"X\", \"INFO\", \"e\");\n")));

}  // namespace
}  // namespace jobforge::passport
