// Receipts are read strictly: 17 members, one spelling each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "passport/default_ids.h"
#include "passport/text_forms.h"

namespace jobforge::passport {
namespace {

using ::testing::HasSubstr;

Json signed_receipt() {
    return Json::parse(GoldenCase("minimal").expected("receipt.json")).value();
}

TEST(Receipt, has_seventeen_members_and_survives_reading) {
    const Json document = signed_receipt();
    EXPECT_EQ(document.as_object()->size(), 17U);
    const auto receipt = read_receipt(document, Signed::yes);
    ASSERT_TRUE(receipt.ok()) << receipt.error().message;
    EXPECT_EQ(receipt->document(), document);
    EXPECT_FALSE(read_receipt(document, Signed::no).ok());
    EXPECT_TRUE(verify_signature(*receipt, golden_key().public_key()).ok());
}

TEST(Receipt, every_member_is_needed_and_every_other_refused) {
    const Json document = signed_receipt();
    for (const auto& [name, value] : *document.as_object()) {
        Json::Object without = *document.as_object();
        std::erase_if(without, [&key = name](const auto& entry) { return entry.first == key; });
        EXPECT_FALSE(read_receipt(without, Signed::yes).ok()) << name;
        without.emplace_back("other", value);
        EXPECT_FALSE(read_receipt(without, Signed::yes).ok()) << name;
        for (const Json& wrong : {Json(), Json(7), Json(""), Json(Json::array())}) {
            Json copy = document;
            const auto read = read_receipt(copy.set(name, wrong), Signed::yes);
            ASSERT_FALSE(read.ok()) << name;
            EXPECT_THAT(read.error().message, HasSubstr(name));
        }
    }
}

TEST(Receipt, other_spellings_of_the_same_are_refused) {
    const std::vector<std::pair<std::string, std::string>> spellings{
        {"tenant_id", "A16D4052-3E8F-40B1-8273-9E0F1A2B3C4D"},
        {"payload_hash", std::string(64, 'A')},
        {"payload_hash", std::string(63, 'a')},
        {"issued_at", "2027-02-18T09:30:00.123456+00:00"},
        {"issued_at", "2027-02-18T09:30:00.1234560Z"},
        {"issued_at", "2027-02-18T09:30:00Z"},
        {"issued_at", "2027-02-30T09:30:00.123456Z"},
        {"signature_alg", "ed25519"},
        {"receipt_version", "BPC-RECEIPT-2"},
        {"signature", "AAAA"},
    };
    for (const auto& [name, text] : spellings) {
        Json copy = signed_receipt();
        const auto read = read_receipt(copy.set(name, text), Signed::yes);
        ASSERT_FALSE(read.ok()) << name << ' ' << text;
        EXPECT_THAT(read.error().message, HasSubstr(name));
    }
}

TEST(Receipt, a_changed_receipt_is_not_signed_any_more) {
    Receipt receipt = read_receipt(signed_receipt(), Signed::yes).value();
    receipt.signing_key_id = "other";
    const auto verified = verify_signature(receipt, golden_key().public_key());
    ASSERT_FALSE(verified.ok());
    EXPECT_EQ(verified.error().code, ErrorCode::SIGNATURE_INVALID);
}

TEST(DefaultIds, follow_from_the_content_and_leave_given_ones) {
    GoldenCase golden("medium");
    golden.inputs.issue.tenant_id.clear();
    golden.inputs.issue.snapshot_id.clear();
    golden.inputs.issue.passport_version_id.clear();
    const std::string given = golden.inputs.issue.passport_id;
    ASSERT_TRUE(fill_default_ids(golden.inputs).ok());
    EXPECT_EQ(golden.inputs.issue.passport_id, given);
    // sha256("jobforge/tenant_id/offline"), version 8.
    EXPECT_EQ(golden.inputs.issue.tenant_id, content_uuid("tenant_id", "offline"));
    EXPECT_EQ(golden.inputs.issue.tenant_id.at(14), '8');
    EXPECT_TRUE(is_uuid_text(golden.inputs.issue.passport_version_id));
    const std::string before = golden.inputs.issue.snapshot_id;
    golden.inputs.issue.snapshot_id.clear();
    golden.inputs.facts.pop_back();
    ASSERT_TRUE(fill_default_ids(golden.inputs).ok());
    EXPECT_NE(golden.inputs.issue.snapshot_id, before);
}

}  // namespace
}  // namespace jobforge::passport
