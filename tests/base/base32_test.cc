#include "base/text/base32.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/crypto/hash.h"

namespace jobforge {
namespace {

TEST(Base32, matches_the_vectors_of_rfc_4648_without_their_padding) {
    const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                           {"f", "MY"},
                                                           {"fo", "MZXQ"},
                                                           {"foo", "MZXW6"},
                                                           {"foob", "MZXW6YQ"},
                                                           {"fooba", "MZXW6YTB"},
                                                           {"foobar", "MZXW6YTBOI"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(base32_encode(bytes), text);
        const Result<std::string> decoded = base32_decode(text);
        ASSERT_TRUE(decoded.ok()) << text;
        EXPECT_EQ(*decoded, bytes);
    }
}

TEST(Base32, has_52_characters_for_a_sha_256) {
    // SHA-256 of "abc", encoded with Python's base64.b32encode.
    const std::string bytes =
        *hex_decode("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string text = base32_encode(bytes);
    EXPECT_EQ(text, "XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ");
    EXPECT_EQ(text.size(), 52U);
    EXPECT_EQ(*base32_decode(text), bytes);
}

TEST(Base32, refuses_every_second_spelling) {
    for (const char* text :
         {"M",   "MY======", "my",        "MZ",         "MZXR", "MZXW7", "MZXW6YR",
          "MZX", "MZXW6Y",   "MZXW6YTBO", "MY ",        " MY",  "M1",    "M0",
          "M8",  "M9",       "MZ=Q",      "MZXW6YTB\n", "M@",   "M[",    "\xC3\xA4"}) {
        const Result<std::string> bytes = base32_decode(text);
        ASSERT_FALSE(bytes.ok()) << text;
        EXPECT_EQ(bytes.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

RC_GTEST_PROP(Base32Property, bytes_survive, (const std::string& bytes)) {
    RC_ASSERT(*base32_decode(base32_encode(bytes)) == bytes);
}

// A text that decodes is the text that encoding gives: no two texts mean the same bytes.
RC_GTEST_PROP(Base32Property, a_text_that_decodes_is_the_only_one, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::element('A', 'B', 'Q', 'E', 'I', 'Y', '4', '7'));
    const Result<std::string> bytes = base32_decode(text);
    if (bytes.ok()) {
        RC_ASSERT(base32_encode(*bytes) == text);
    }
}

}  // namespace
}  // namespace jobforge
