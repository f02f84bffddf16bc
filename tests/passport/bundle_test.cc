// Verification of bundles whose issuer lies: each bundle here is signed with the right key, so that
// only the check under test stands between the lie and the reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "passport/bundle.h"
#include "passport/bundle_verify.h"

namespace jobforge::passport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string content_hash(const Json& value) {
    return sha256_hex(canonical(value).value());
}

class LyingBundle : public ::testing::Test {
protected:
    Json document_ = Json::parse(GoldenCase("medium").expected("bundle.json")).value();

    [[nodiscard]] Json member(const std::string& name) const { return *document_.find(name); }
    void set_in(const std::string& name, const std::string& inner, Json value) {
        Json changed = member(name);
        document_.set(name, changed.set(inner, std::move(value)));
    }
    // Signs what the receipt says now.
    void sign() {
        Json unsigned_document = member("receipt");
        Json::Object members = *unsigned_document.as_object();
        std::erase_if(members, [](const auto& entry) { return entry.first == "signature"; });
        const Receipt receipt = read_receipt(members, Signed::no).value();
        document_.set("receipt", sign_receipt(receipt, golden_key()).document());
    }
    [[nodiscard]] BundleReport report() const {
        return verify_bundle(canonical(document_).value(), golden_key().public_key());
    }
    // The checks that fail, in order.
    [[nodiscard]] std::vector<std::string> failures() const {
        std::vector<std::string> names;
        for (const BundleCheck& check : report().checks) {
            if (!check.passed) names.emplace_back(check.name);
        }
        EXPECT_EQ(names.empty(), report().ok());
        return names;
    }
    [[nodiscard]] std::string first_detail() const { return report().first_failure()->detail; }
};

TEST_F(LyingBundle, an_honest_one_signed_again_is_the_same_and_valid) {
    const Json before = document_;
    sign();
    EXPECT_EQ(before, document_);
    EXPECT_THAT(failures(), ElementsAre());
}

TEST_F(LyingBundle, another_key_is_refused) {
    const auto other = Ed25519PrivateKey::from_seed(std::string(32, 'k')).value();
    const auto report = verify_bundle(canonical(document_).value(), other.public_key());
    EXPECT_EQ(report.first_failure()->name, "signature");
    EXPECT_THAT(report.first_failure()->detail, HasSubstr("golden-key"));
    EXPECT_FALSE(report.ok());
}

// What takes long is only done for what a trusted key has signed: a stranger's bundle of two
// megabytes cost half a minute of a processor before.
TEST_F(LyingBundle, a_stranger_has_nothing_run) {
    const auto other = Ed25519PrivateKey::from_seed(std::string(32, 'k')).value();
    const auto report = verify_bundle(canonical(document_).value(), other.public_key());
    EXPECT_THAT(report.not_made, ElementsAre("proof", "recompile"));
    std::vector<std::string_view> made;
    for (const BundleCheck& check : report.checks) made.push_back(check.name);
    EXPECT_THAT(made, ElementsAre("canonical", "members", "signature", "snapshot", "facts", "rules",
                                  "product", "payload"));
}

TEST_F(LyingBundle, a_stranger_who_borrows_a_signature_has_nothing_run) {
    // Rules or facts that were not signed, behind a receipt that was.
    const Json honest = document_;
    set_in("rules", "dsl_source", "field x: Int = 1;");
    EXPECT_THAT(failures(), ElementsAre("rules"));
    EXPECT_THAT(report().not_made, ElementsAre("recompile"));
    document_ = honest;
    document_.set("facts", Json::array());
    EXPECT_THAT(failures(), ElementsAre("facts"));
    EXPECT_THAT(report().not_made, ElementsAre("proof", "recompile"));
}

// A proof that was not signed is not computed: it fails by its hash alone, however long it is.
TEST_F(LyingBundle, a_proof_that_was_not_signed_is_not_computed) {
    set_in("proof", "nodes", Json::array());
    set_in("proof", "root_hash", std::string(64, '0'));
    EXPECT_THAT(failures(), ElementsAre("proof", "recompile"));
    EXPECT_THAT(first_detail(), HasSubstr("root hash"));
}

TEST_F(LyingBundle, a_receipt_changed_after_signing_is_refused) {
    set_in("receipt", "compiler_build_id", "another");
    EXPECT_THAT(failures(), ElementsAre("signature"));
}

TEST_F(LyingBundle, a_snapshot_with_another_hash_is_refused) {
    set_in("receipt", "snapshot_hash", std::string(64, 'a'));
    sign();
    EXPECT_THAT(failures(), ElementsAre("snapshot"));
}

TEST_F(LyingBundle, a_snapshot_with_another_id_is_refused) {
    set_in("snapshot", "snapshot_id", "905c3f41-2d7e-4fa0-9162-8d9e0f1a2b3d");
    set_in("receipt", "snapshot_hash", content_hash(member("snapshot")));
    sign();
    EXPECT_THAT(failures(), ElementsAre("snapshot"));
    EXPECT_THAT(first_detail(), HasSubstr("id"));
}

TEST_F(LyingBundle, a_snapshot_and_facts_in_another_order_are_refused) {
    for (const std::string name : {"facts", "snapshot"}) {
        Json::Array items = name == "facts" ? *member("facts").as_array()
                                            : *member("snapshot").find("facts")->as_array();
        std::swap(items[0], items[1]);
        if (name == "facts") {
            document_.set("facts", items);
        } else {
            set_in("snapshot", "facts", items);
        }
    }
    set_in("receipt", "snapshot_hash", content_hash(member("snapshot")));
    sign();
    EXPECT_THAT(failures(), ElementsAre("snapshot"));
    EXPECT_THAT(first_detail(), HasSubstr("not sorted"));
}

TEST_F(LyingBundle, facts_that_the_snapshot_does_not_list_are_refused) {
    Json::Array facts = *member("facts").as_array();
    facts[0].set("source_sha256", std::string(64, 'b'));
    document_.set("facts", facts);
    EXPECT_THAT(failures(), ElementsAre("facts"));
    facts.push_back(facts[0]);
    facts.back().set("fact_key", "z");
    document_.set("facts", facts);
    EXPECT_THAT(first_detail(), HasSubstr("3 facts, but the snapshot lists 2"));
}

TEST_F(LyingBundle, rules_with_another_hash_are_refused) {
    set_in("rules", "tests_source", "-- other tests\n");
    EXPECT_THAT(failures(), ElementsAre("rules"));
    EXPECT_THAT(first_detail(), HasSubstr("tests_sha256"));
}

TEST_F(LyingBundle, a_rule_source_that_differs_in_a_comment_is_refused) {
    set_in("rules", "dsl_source", *member("rules").find("dsl_source")->as_string() + "-- more\n");
    EXPECT_THAT(failures(), ElementsAre("rules"));
    EXPECT_THAT(first_detail(), HasSubstr("dsl_sha256"));
}

TEST_F(LyingBundle, another_name_of_the_product_is_refused) {
    set_in("product", "name", "Pack 51");
    EXPECT_THAT(failures(), ElementsAre("product"));
    EXPECT_THAT(first_detail(), HasSubstr("is not the payload's"));
}

TEST_F(LyingBundle, another_product_is_refused) {
    set_in("product", "battery_product_id", "0b6f1a52-7c38-4f0e-9d55-3a1c8be2d702");
    EXPECT_THAT(failures(), ElementsAre("product"));
    set_in("payload", "product", member("product"));
    set_in("receipt", "payload_hash", content_hash(member("payload")));
    sign();
    EXPECT_THAT(failures(), ElementsAre("product"));
    EXPECT_THAT(first_detail(), HasSubstr("battery_product_id"));
}

TEST_F(LyingBundle, a_payload_with_another_hash_is_refused) {
    set_in("receipt", "payload_hash", std::string(64, 'c'));
    sign();
    EXPECT_THAT(failures(), ElementsAre("payload", "recompile"));
}

TEST_F(LyingBundle, fields_that_the_proof_does_not_derive_are_refused) {
    Json payload = member("payload");
    Json fields = *payload.find("fields");
    fields.set("battery", Json::object({{"capacity", 1}, {"mass", nullptr}}));
    document_.set("payload", payload.set("fields", fields));
    set_in("receipt", "payload_hash", content_hash(member("payload")));
    sign();
    EXPECT_THAT(failures(), ElementsAre("proof", "recompile"));
    EXPECT_THAT(first_detail(), HasSubstr("other fields"));
}

TEST_F(LyingBundle, compliance_that_the_proof_does_not_derive_is_refused) {
    set_in("payload", "compliance", Json::array());
    set_in("receipt", "payload_hash", content_hash(member("payload")));
    sign();
    EXPECT_THAT(failures(), ElementsAre("proof", "recompile"));
    EXPECT_THAT(first_detail(), HasSubstr("compliance"));
}

TEST_F(LyingBundle, a_proof_of_another_root_is_refused) {
    set_in("receipt", "proof_root_hash", std::string(64, 'd'));
    sign();
    EXPECT_THAT(failures(), ElementsAre("proof", "recompile"));
    EXPECT_THAT(first_detail(), HasSubstr("root hash"));
}

// Who may see a field is in no proof: only recompiling knows it.
TEST_F(LyingBundle, access_that_the_rules_do_not_give_is_refused_by_recompiling) {
    Json payload = member("payload");
    Json access = *payload.find("access");
    access.set("carbon.checked", "public");
    document_.set("payload", payload.set("access", access));
    set_in("receipt", "payload_hash", content_hash(member("payload")));
    sign();
    EXPECT_THAT(failures(), ElementsAre("recompile"));
    EXPECT_THAT(first_detail(), HasSubstr("the payload differs"));
}

// A right derivation of a right value, but not the rules' own.
TEST_F(LyingBundle, a_proof_that_the_rules_do_not_give_is_refused_by_recompiling) {
    const GoldenCase golden("medium");
    CompileInputs other = golden.inputs;
    const std::string from = "a footprint is never negative";
    other.dsl_source.replace(other.dsl_source.find(from), from.size(),
                             "a footprint is not negative!!");
    const auto compiled = compile_passport(other).value();
    document_.set("proof", Json::parse(compiled.proof).value());
    set_in("receipt", "proof_root_hash", compiled.receipt.proof_root_hash);
    sign();
    EXPECT_THAT(failures(), ElementsAre("recompile"));
    EXPECT_THAT(first_detail(), HasSubstr("the proof differs"));
}

TEST_F(LyingBundle, unknown_and_reserved_members_are_refused) {
    for (const std::string name : {"audit", "inclusion", "head"}) {
        Json copy = document_;
        const auto report = verify_bundle(canonical(copy.set(name, Json::array())).value(),
                                          golden_key().public_key());
        EXPECT_EQ(report.first_failure()->name, "members");
        EXPECT_THAT(report.first_failure()->detail, HasSubstr("not supported by this version"));
    }
    document_.set("comment", "hello");
    EXPECT_THAT(failures(), ElementsAre("members"));
}

TEST_F(LyingBundle, every_part_has_exactly_its_members) {
    const Json honest = document_;
    for (const std::string name : {"payload", "product", "receipt", "rules", "snapshot"}) {
        document_ = honest;
        set_in(name, "zz", 1);
        EXPECT_THAT(failures(), ElementsAre("members")) << name;
    }
    for (const std::string name : {"facts", "payload", "product", "receipt", "rules", "snapshot"}) {
        document_ = honest;
        document_.set(name, 1);
        EXPECT_THAT(failures(), ElementsAre("members")) << name;
    }
}

TEST_F(LyingBundle, a_source_hash_that_is_none_is_refused) {
    for (const std::string& source : {std::string(), std::string(64, 'A'), std::string(63, 'a')}) {
        for (const bool in_snapshot : {false, true}) {
            const Json honest = document_;
            Json::Array facts =
                *(in_snapshot ? *member("snapshot").find("facts") : member("facts")).as_array();
            facts[0].set("source_sha256", source);
            if (in_snapshot) {
                set_in("snapshot", "facts", facts);
            } else {
                document_.set("facts", facts);
            }
            EXPECT_THAT(failures(), ElementsAre("members")) << source;
            document_ = honest;
        }
    }
}

TEST_F(LyingBundle, bytes_that_are_not_canonical_are_refused) {
    const std::string bytes = canonical(document_).value();
    for (const std::string& other : {document_.pretty(), bytes + "\n", " " + bytes, std::string(),
                                     bytes.substr(1), "\xEF\xBB\xBF" + bytes}) {
        const auto report = verify_bundle(other, golden_key().public_key());
        EXPECT_EQ(report.first_failure()->name, "canonical");
        EXPECT_FALSE(report.ok());
    }
}

TEST_F(LyingBundle, the_quick_verdict_is_the_same) {
    set_in("receipt", "payload_hash", std::string(64, 'c'));
    const auto quick = verify_bundle(canonical(document_).value(), golden_key().public_key(),
                                     VerifyEffort::first_fault);
    EXPECT_FALSE(quick.ok());
    EXPECT_EQ(quick.checks.size(), 3U);
    EXPECT_EQ(quick.checks.back().name, "signature");
}

}  // namespace
}  // namespace jobforge::passport
