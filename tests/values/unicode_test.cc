// The expected texts are Python's: '...'.lower(), unicodedata.category, ' '.join(s.split()).
#include <gtest/gtest.h>

#include "values/unicode.h"

namespace jobforge::unicode {
namespace {

TEST(Unicode, LowersLettersOfEveryScriptAndLeavesTheRest) {
    struct Case {
        const char* text;
        const char* lower;
    };
    for (const auto& [text, expected] : {Case{"ABCXYZ 019 [@`{", "abcxyz 019 [@`{"},
                                         {"ÀÉÎÕÜÞ×ß", "àéîõüþ×ß"},
                                         {"ĀĂŁŸŽ", "āăłÿž"},
                                         {"ΑΒΓΔΩ", "αβγδω"},
                                         {"МОНЕТА", "монета"},
                                         {"ԱԲԳ", "աբգ"},
                                         {"ᲐᲑ", "აბ"},
                                         {"ẞ", "ß"},
                                         {"Å", "å"},  // ANGSTROM SIGN
                                         {"𐐀𐐁", "𐐨𐐩"},
                                         {"日本 硬貨", "日本 硬貨"},
                                         {"", ""}}) {
        EXPECT_EQ(lower_case(text), expected) << text;
    }
}

TEST(Unicode, TheTablesAgreeWithPythonAsAWhole) {
    // python3 -c "import unicodedata as u; C=[c for c in range(0x110000)]; L=lambda c: c if
    //   0xD800<=c<0xE000 else ord(chr(c).lower()[0]); print(sum(L(c)!=c for c in C),
    //   sum(c*L(c)%1000003 for c in C)%1000003, sum(u.category(chr(c))[0] in 'LMN' for c in C),
    //   sum(c*c%1000003 for c in C if u.category(chr(c))[0] in 'LMN')%1000003)"
    std::uint64_t lowered = 0, lower_sum = 0, words = 0, word_sum = 0;
    constexpr std::uint64_t kModulus = 1000003;
    for (char32_t c = 0; c < 0x110000; ++c) {
        const std::uint64_t wide = c;
        lowered += lower(c) != c ? 1U : 0U;
        lower_sum = (lower_sum + wide * lower(c)) % kModulus;
        words += is_word(c) ? 1U : 0U;
        word_sum = (word_sum + (is_word(c) ? wide * wide : 0)) % kModulus;
    }
    EXPECT_EQ(lowered, 1433U);
    EXPECT_EQ(lower_sum, 156524U);
    EXPECT_EQ(words, 135955U);
    EXPECT_EQ(word_sum, 726167U);
}

TEST(Unicode, BytesThatAreNoTextBecomeReplacementCharactersAndNothingIsReadBeyondTheEnd) {
    EXPECT_EQ(lower_case("A\xff"
                         "B"),
              "a\uFFFD"
              "b");
    EXPECT_EQ(lower_case("\xe2\x82"), "\uFFFD\uFFFD");
    EXPECT_EQ(lower_case("\xc0\x80"), "\uFFFD\uFFFD");
}

TEST(Unicode, BlanksOfAllKindsAreTrimmedAndCollapsed) {
    EXPECT_EQ(trimmed(" \t\r\n x  y \u00a0\u3000"), "x  y");
    EXPECT_EQ(trimmed(" \u2003 "), "");
    EXPECT_EQ(collapsed("  1909-S \u00a0 VDB\t\nCent\u3000 "), "1909-S VDB Cent");
    EXPECT_EQ(collapsed("\u200b x"), "\u200b x");  // ZERO WIDTH SPACE is none
}

}  // namespace
}  // namespace jobforge::unicode
