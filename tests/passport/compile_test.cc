// What compiling refuses, and what replaying finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "passport/replay.h"

namespace jobforge::passport {
namespace {

using ::testing::HasSubstr;

ErrorCode failure(const CompileInputs& inputs, const CompileLimits& limits = {}) {
    const auto compiled = compile_passport(inputs, limits);
    EXPECT_FALSE(compiled.ok());
    return compiled.ok() ? ErrorCode::INTERNAL_ERROR : compiled.error().code;
}

TEST(Compile, each_document_has_its_limit) {
    const GoldenCase golden("medium");
    const std::size_t payload = golden.expected("payload.json").size();
    const std::size_t proof = golden.expected("proof.json").size();
    const std::size_t receipt = golden.expected("unsigned_receipt.json").size();
    EXPECT_TRUE(compile_passport(golden.inputs, {payload, proof, receipt}).ok());
    EXPECT_EQ(failure(golden.inputs, {payload - 1, 0, 0}), ErrorCode::PAYLOAD_TOO_LARGE);
    EXPECT_EQ(failure(golden.inputs, {0, proof - 1, 0}), ErrorCode::PROOF_TOO_LARGE);
    EXPECT_EQ(failure(golden.inputs, {0, 0, receipt - 1}), ErrorCode::RECEIPT_TOO_LARGE);
    EXPECT_EQ(failure(golden.inputs, {0, 100, 0}), ErrorCode::PROOF_TOO_LARGE);
    EXPECT_TRUE(compile_passport(golden.inputs, CompileLimits::none()).ok());
}

TEST(Compile, ids_times_and_hashes_are_checked_before_any_work) {
    const GoldenCase golden("medium");
    CompileInputs inputs = golden.inputs;
    inputs.issue.tenant_id = "tenant";
    EXPECT_EQ(failure(inputs), ErrorCode::VALIDATION_ERROR);
    inputs = golden.inputs;
    inputs.issue.issued_at = "2027-02-18";
    EXPECT_EQ(failure(inputs), ErrorCode::VALIDATION_ERROR);
    inputs = golden.inputs;
    inputs.facts[0].source_sha256.clear();
    EXPECT_EQ(failure(inputs), ErrorCode::VALIDATION_ERROR);
    inputs = golden.inputs;
    inputs.facts.push_back(inputs.facts[0]);
    EXPECT_EQ(failure(inputs), ErrorCode::VALIDATION_ERROR);
}

TEST(Compile, what_rules_and_facts_end_in_is_told) {
    const GoldenCase golden("medium");
    CompileInputs inputs = golden.inputs;
    inputs.dsl_source = "field x: Int = \"text\";";
    EXPECT_EQ(failure(inputs), ErrorCode::RULE_TYPE_ERROR);
    inputs = golden.inputs;
    inputs.facts.clear();
    const auto missing = compile_passport(inputs);
    ASSERT_FALSE(missing.ok());
    EXPECT_THAT(missing.error().message, HasSubstr("E001"));
}

TEST(Compile, no_facts_and_no_fields_are_fine) {
    CompileInputs inputs = GoldenCase("minimal").inputs;
    inputs.dsl_source = "-- nothing yet\n";
    const auto compiled = compile_passport(inputs);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    EXPECT_THAT(compiled->payload, HasSubstr(R"("fields":{})"));
}

TEST(Compile, a_number_of_the_document_is_no_text_in_a_new_passport_only) {
    CompileInputs inputs = GoldenCase("minimal").inputs;
    inputs.dsl_source =
        "fact T { name: Text }\n"
        "field name: Opt(Text) = recordGet(getFact(\"T\", \"t\"), \"name\");\n";
    rules::Fact fact;
    fact.fact_type = "T";
    fact.fact_key = "t";
    fact.payload = Json::object({{"name", "7.5"}});
    fact.source_sha256 = sha256_hex("t");
    inputs.facts = {fact};
    EXPECT_TRUE(compile_passport(inputs).ok());
    inputs.facts[0].numbers = {"/name"};
    const auto refused = compile_passport(inputs);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::FACT_SHAPE);
    EXPECT_TRUE(compile_passport(inputs, CompileLimits::none()).ok()) << "what was issued stays";
}

class Replay : public ::testing::Test {
protected:
    const GoldenCase golden_{"medium"};
    StoredPassport stored_{golden_.inputs, golden_.expected("payload.json"),
                           golden_.expected("proof.json"), golden_.expected("receipt.json")};

    [[nodiscard]] Error failure() const {
        const auto status = replay_passport(stored_, golden_key().public_key());
        EXPECT_FALSE(status.ok());
        return status.ok() ? Error{} : status.error();
    }
};

TEST_F(Replay, a_stored_passport_gives_its_own_bytes_again) {
    stored_.inputs.issue = {};  // everything comes from the receipt
    const auto status = replay_passport(stored_, golden_key().public_key());
    EXPECT_TRUE(status.ok()) << status.error().message;
}

TEST_F(Replay, a_key_with_another_id_than_the_receipt_names_is_refused) {
    const TrustedKey named(golden_key().public_key(), "golden-key");
    EXPECT_TRUE(replay_passport(stored_, named).ok());
    const auto status = replay_passport(stored_, {golden_key().public_key(), "another-key"});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::SIGNATURE_INVALID);
    EXPECT_THAT(status.error().message, HasSubstr("golden-key"));
}

TEST_F(Replay, the_first_document_and_byte_that_differ_are_named) {
    stored_.payload[100] = '#';
    Error error = failure();
    EXPECT_EQ(error.code, ErrorCode::REPLAY_MISMATCH);
    EXPECT_EQ(error.details, R"({"document":"payload","offset":100})");
    stored_.payload = golden_.expected("payload.json");
    stored_.proof += "x";
    error = failure();
    EXPECT_EQ(error.code, ErrorCode::REPLAY_MISMATCH);
    EXPECT_THAT(error.details, HasSubstr("\"proof\""));
    EXPECT_THAT(error.details, HasSubstr(std::to_string(stored_.proof.size() - 1)));
}

TEST_F(Replay, changed_facts_are_called_that) {
    stored_.inputs.facts[0].payload.set("more", 1);
    const Error error = failure();
    EXPECT_EQ(error.code, ErrorCode::REPLAY_MISMATCH);
    EXPECT_THAT(error.details, HasSubstr("snapshot"));
}

TEST_F(Replay, changed_rules_are_a_mismatch) {
    stored_.inputs.tests_source += " ";
    const Error error = failure();
    EXPECT_EQ(error.code, ErrorCode::REPLAY_MISMATCH);
    EXPECT_THAT(error.details, HasSubstr("receipt"));
    stored_.inputs.dsl_source = "field";
    EXPECT_EQ(failure().code, ErrorCode::REPLAY_MISMATCH);
}

TEST_F(Replay, what_nobody_trusted_signed_is_not_compiled) {
    // Would be REPLAY_MISMATCH if it were: there are no such rules.
    stored_.inputs.dsl_source = "field";
    const auto other = Ed25519PrivateKey::from_seed(std::string(32, 'x')).value();
    const auto status = replay_passport(stored_, other.public_key());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::SIGNATURE_INVALID);
}

TEST_F(Replay, another_signature_is_invalid) {
    Receipt receipt = read_receipt(Json::parse(stored_.receipt).value(), Signed::yes).value();
    receipt = sign_receipt(receipt, Ed25519PrivateKey::from_seed(std::string(32, 'x')).value());
    stored_.receipt = canonical(receipt.document()).value();
    EXPECT_EQ(failure().code, ErrorCode::SIGNATURE_INVALID);
}

TEST_F(Replay, a_receipt_that_cannot_be_read_is_said_so) {
    stored_.receipt = "{}";
    EXPECT_EQ(failure().code, ErrorCode::VALIDATION_ERROR);
}

}  // namespace
}  // namespace jobforge::passport
