// A bundle may not name another key than the one that signed it, as far as the caller knows the
// ids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "passport/bundle_verify.h"

namespace jobforge::passport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The golden bundle, signed again with the golden key under this id.
std::string bundle_naming(const std::string& key_id) {
    Json document = Json::parse(GoldenCase("medium").expected("bundle.json")).value();
    Receipt receipt = read_receipt(*document.find("receipt"), Signed::yes).value();
    receipt.signature.clear();
    receipt.signing_key_id = key_id;
    document.set("receipt", sign_receipt(receipt, golden_key()).document());
    return canonical(document).value();
}

BundleCheck signature_check(const std::string& bundle, const TrustedKey& trusted) {
    const BundleReport report = verify_bundle(bundle, trusted);
    for (const BundleCheck& check : report.checks) {
        if (check.name == "signature") {
            EXPECT_EQ(report.ok(), check.passed) << "no other check fails";
            return check;
        }
    }
    ADD_FAILURE() << "the signature was not checked";
    return {};
}

TEST(TrustedKey, a_receipt_that_names_its_key_by_its_id_is_accepted) {
    const auto check =
        signature_check(bundle_naming("key-1"), {golden_key().public_key(), "key-1"});
    EXPECT_TRUE(check.passed);
    EXPECT_THAT(check.detail, AllOf(HasSubstr("\"key-1\""), Not(HasSubstr("not checked"))));
}

TEST(TrustedKey, the_id_of_another_key_is_refused) {
    const auto check =
        signature_check(bundle_naming("key-2"), {golden_key().public_key(), "key-1"});
    EXPECT_FALSE(check.passed);
    EXPECT_THAT(check.detail, AllOf(HasSubstr("\"key-1\""), HasSubstr("\"key-2\"")));
}

TEST(TrustedKey, without_an_id_the_check_says_which_was_claimed_and_not_checked) {
    const auto check = signature_check(bundle_naming("key-2"), golden_key().public_key());
    EXPECT_TRUE(check.passed);
    EXPECT_THAT(check.detail, AllOf(HasSubstr("\"key-2\""), HasSubstr("not checked")));
}

}  // namespace
}  // namespace jobforge::passport
