#include "values/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace jobforge {
namespace {

bool matches(std::string_view text, std::string_view pattern) {
    return Pattern::compile(pattern).value().matches(text);
}

TEST(Pattern, is_found_anywhere_unless_it_is_anchored) {
    EXPECT_TRUE(matches("xx SKU-1 yy", "SKU-[0-9]"));
    EXPECT_FALSE(matches("xx SKU-1 yy", "^SKU-[0-9]$"));
    EXPECT_TRUE(matches("SKU-1", "^SKU-[0-9]$"));
    EXPECT_TRUE(matches("", ""));
    EXPECT_TRUE(matches("text", ""));
    EXPECT_FALSE(matches("", "."));
}

TEST(Pattern, anchors_are_the_ends_of_the_text_and_not_of_a_line) {
    EXPECT_FALSE(matches("SKU-1\n", "^SKU-1$"));
    EXPECT_FALSE(matches("x\nSKU-1", "^SKU-1$"));
    EXPECT_TRUE(matches("x\nSKU-1", "(?m)^SKU-1$"));
    EXPECT_FALSE(matches("\n", "."));
}

TEST(Pattern, classes_know_ascii_only) {
    EXPECT_TRUE(matches("7", R"(^\d$)"));
    EXPECT_FALSE(matches("\xD9\xA7", R"(^\d$)")) << "ARABIC-INDIC DIGIT SEVEN";
    EXPECT_FALSE(matches("\xC3\xA4", R"(^\w$)")) << "a with diaeresis";
    EXPECT_FALSE(matches("\xC2\xA0", R"(^\s$)")) << "no-break space";
    EXPECT_FALSE(matches("\xC3\xA4", "^[[:alpha:]]$"));
}

TEST(Pattern, a_dot_is_one_character_and_not_one_byte) {
    EXPECT_TRUE(matches("\xC3\xA4", "^.$"));
    EXPECT_TRUE(matches("\xF0\x9F\x94\x8B", "^.$")) << "U+1F50B, a battery";
    EXPECT_TRUE(matches("\xC3\xA4", "^[\xC3\xA0-\xC3\xBC]$"));
    EXPECT_TRUE(matches(std::string_view("a\0b", 3), std::string_view("^a.b$")));
}

TEST(Pattern, a_bad_pattern_is_refused_with_the_words_of_re2) {
    const std::pair<const char*, const char*> bad[] = {
        {"(", "missing ): ("},
        {"a)", "unexpected ): a)"},
        {"[z-a]", "invalid character class range: z-a"},
        {"*", "no argument for repetition operator: *"},
        {"a{1001}", "invalid repetition size: {1001}"},
        {"((a{100}){100}){100}", "invalid repetition size"},
        {"(?=a)", "invalid perl operator: (?="},
        {R"(\1)", R"(invalid escape sequence: \1)"},
        {"\\", "trailing \\"},
    };
    for (const auto& [pattern, reason] : bad) {
        const Result<Pattern> compiled = Pattern::compile(pattern);
        ASSERT_FALSE(compiled.ok()) << pattern;
        EXPECT_EQ(compiled.error().code, ErrorCode::VALIDATION_ERROR);
        EXPECT_NE(compiled.error().message.find(reason), std::string::npos)
            << compiled.error().message;
    }
}

TEST(Pattern, refuses_what_would_change_with_the_version_of_unicode) {
    for (const char* pattern : {R"(\pL)", R"(\p{Greek})", R"(\PN)", R"([\pL])", R"(a\\\pL)",
                                R"(\Q..\E\pL)", R"(\C)", R"(\Qa\\E\pN)"}) {
        const Result<Pattern> compiled = Pattern::compile(pattern);
        ASSERT_FALSE(compiled.ok()) << pattern;
        EXPECT_EQ(compiled.error().code, ErrorCode::VALIDATION_ERROR);
    }
    // A literal backslash before a letter is none of them.
    EXPECT_TRUE(matches(R"(\pL)", R"(^\\pL$)"));
    EXPECT_TRUE(matches(R"(\pL)", R"(^\Q\pL\E$)"));
    EXPECT_TRUE(matches(R"(\C)", R"(^\Q\C)"));
}

TEST(Pattern, refuses_long_patterns_and_broken_utf_8) {
    EXPECT_TRUE(Pattern::compile(std::string(1000, 'a')).ok());
    for (const std::string& pattern :
         {std::string(1001, 'a'), std::string("a\xFF"), std::string("\xED\xA0\x80")}) {
        const Result<Pattern> compiled = Pattern::compile(pattern);
        ASSERT_FALSE(compiled.ok());
        EXPECT_EQ(compiled.error().message.find('\xFF'), std::string::npos);
    }
}

TEST(Pattern, refuses_what_needs_too_much_memory) {
    // 1000 times 500 characters of up to four bytes each.
    const Result<Pattern> compiled = Pattern::compile("((([^a-z]{10}){10}){10}|[^0-9]{999}){1}" +
                                                      std::string("([^a-c]{1000}){1}[^x]{1000}"
                                                                  "[^y]{1000}[^z]{1000}[^w]{1000}"
                                                                  "[^b-y]{1000}[^B-Y]{1000}"));
    ASSERT_FALSE(compiled.ok());
    EXPECT_NE(compiled.error().message.find("pattern too large"), std::string::npos)
        << compiled.error().message;
}

// A backtracking matcher needs 2^n steps for these: it would not come to an end.
TEST(Pattern, hostile_patterns_take_linear_time) {
    const std::string text(200'000, 'a');
    EXPECT_FALSE(matches(text, "(a+)+$b"));
    EXPECT_FALSE(matches(text, "(a|a)*b"));
    EXPECT_FALSE(matches(text, "(.*)(.*)(.*)(.*)(.*)[^a]"));
}

TEST(Pattern, keeps_quiet_on_stderr_even_when_its_memory_runs_out) {
    std::string text;
    unsigned state = 1;
    for (int i = 0; i < 200'000; ++i) {
        state = state * 1'103'515'245U + 12'345U;
        text += (state >> 16U & 1U) != 0 ? 'a' : 'b';
    }
    testing::internal::CaptureStderr();
    static_cast<void>(Pattern::compile("(bad"));
    static_cast<void>(Pattern::compile("a{5000}"));
    // 2^15 states, more than the budget has room for: RE2 changes to another matcher.
    const bool found = matches(text, "[ab]*a[ab]{15}c");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_FALSE(found);
}

TEST(Pattern, copies_match_alike) {
    const Pattern pattern = Pattern::compile("^a+$").value();
    const Pattern copy = pattern;
    EXPECT_TRUE(copy.matches("aaa"));
    EXPECT_TRUE(pattern.matches("aaa"));
    EXPECT_FALSE(copy.matches("aab"));
}

}  // namespace
}  // namespace jobforge
