// Syntax errors: all of them, each at its place; and hostile sources.
#include <gtest/gtest.h>

#include "rules_support.h"

namespace jobforge::rules {
namespace {

TEST(Parser, ReportsEverySyntaxErrorOfASource) {
    EXPECT_EQ(errors_of("field e: Int = let x = ; let y = * 3; x;\nfield b: Bool = 1 < 2 < 3;\n"),
              "rules:1:24: RULE_PARSE_ERROR: expected an expression, found `;`\n"
              "    1 | field e: Int = let x = ; let y = * 3; x;\n"
              "      |                        ^\n"
              "rules:1:34: RULE_PARSE_ERROR: expected an expression, found `*`\n"
              "    1 | field e: Int = let x = ; let y = * 3; x;\n"
              "      |                                  ^\n"
              "rules:2:23: RULE_PARSE_ERROR: comparisons do not chain\n"
              "    2 | field b: Bool = 1 < 2 < 3;\n"
              "      |                       ^\n"
              "      = write a < b && b < c instead of a < b < c\n");
}

std::string message_of(const std::string& text) {
    const std::string errors = errors_of(text);
    return errors.substr(0, errors.find('\n'));
}

TEST(Parser, AnswersUnfitTextWithOneError) {
    EXPECT_EQ(message_of("\xFF\xFE"
                         "f"),
              "rules:1:1: RULE_PARSE_ERROR: the source is UTF-16, not UTF-8");
    EXPECT_EQ(message_of("\xEF\xBB\xBF"
                         "field"),
              "rules:1:1: RULE_PARSE_ERROR: the source begins with a byte order mark");
    EXPECT_EQ(message_of(std::string("field\0a", 7)),
              "rules:1:6: RULE_PARSE_ERROR: the source holds the character U+0000");
    EXPECT_EQ(message_of("-- \xC3("),
              "rules:1:4: RULE_PARSE_ERROR: the source is not valid UTF-8 here");
    EXPECT_EQ(message_of("field a: Text = \"\\ud800\";"),
              "rules:1:18: RULE_PARSE_ERROR: a surrogate needs its other half");
}

TEST(Parser, StopsAtTwoHundredLevels) {
    EXPECT_NE(errors_of("field a: Int = " + std::string(100'000, '(')).find("deeper than 200"),
              std::string::npos);
}

TEST(Formatter, KeepsTheMeaningAndIsStableOverTheCorpus) {
    for (const char* name : {"sample.rules", "every_form.rules"}) {
        const std::string text =
            read_project_file(std::string("tests/fuzz/corpus/rules_fuzz/") + name);
        const std::string once = formatted(text);
        EXPECT_TRUE(same_meaning(text, once)) << once;
        EXPECT_EQ(formatted(once), once);
    }
}

}  // namespace
}  // namespace jobforge::rules
