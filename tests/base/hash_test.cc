#include "base/crypto/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/base64.h"

namespace jobforge {
namespace {

using namespace std::string_literals;

TEST(Sha256, matches_the_vectors_of_nist) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hex, is_two_lower_case_digits_a_byte) {
    EXPECT_EQ(hex_encode(""), "");
    EXPECT_EQ(hex_encode("\x00\x0f\xA5\xff"s), "000fa5ff");
    EXPECT_EQ(*hex_decode("000fA5Ff"), "\x00\x0f\xA5\xff"s);
}

TEST(Hex, refuses_odd_lengths_and_other_characters) {
    for (const char* text : {"0", "abc", "0g", "g0", " 00", "0x00", "-1", "@0", "`0"}) {
        EXPECT_FALSE(hex_decode(text).ok()) << text;
    }
}

TEST(Base64, matches_the_vectors_of_rfc_4648) {
    const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(base64_encode(bytes), text);
        EXPECT_EQ(*base64_decode(text), bytes);
    }
    EXPECT_EQ(base64_encode("\xfb\xff\xfe"), "+//+");
}

TEST(Base64, refuses_every_second_spelling) {
    for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "=Zg=",
                             "Zg==Zg==", "Zm 9v", "Zm9v\n", "-__-", "Zm9v====", "Zm9*"}) {
        const Result<std::string> bytes = base64_decode(text);
        ASSERT_FALSE(bytes.ok()) << text;
        EXPECT_EQ(bytes.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

RC_GTEST_PROP(EncodingProperty, bytes_survive_hex_and_base64, (const std::string& bytes)) {
    RC_ASSERT(*hex_decode(hex_encode(bytes)) == bytes);
    RC_ASSERT(*base64_decode(base64_encode(bytes)) == bytes);
}

// A text that decodes is the text that encoding gives: no two texts mean the same bytes.
RC_GTEST_PROP(EncodingProperty, a_base64_text_that_decodes_is_the_only_one, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::element('A', 'B', 'Z', 'g', '/', '+', '9', '='));
    const Result<std::string> bytes = base64_decode(text);
    if (bytes.ok()) {
        RC_ASSERT(base64_encode(*bytes) == text);
    }
}

}  // namespace
}  // namespace jobforge
