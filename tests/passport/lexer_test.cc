// From text to tokens.
#include "rules/syntax/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobforge::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kKinds[] = {"end", "word", "int", "dec", "text", "symbol", "fault"};

// "word:field int:12 ..."; without the end.
std::vector<std::string> tokens_of(const std::string& text) {
    const SourceText source("s", text);
    Diagnostics diagnostics;
    const auto lexed = lex(source, 0, diagnostics);
    if (!lexed) return {"unfit"};
    std::vector<std::string> found;
    for (const Token& token : lexed->tokens) {
        if (token.kind == TokenKind::end) continue;
        found.push_back(std::string(kKinds[static_cast<std::size_t>(token.kind)]) + ":" +
                        text.substr(token.begin, token.end - token.begin));
    }
    return found;
}

std::string refusal_of(const std::string& text) {
    const std::vector<SourceText> sources{SourceText("s", text)};
    Diagnostics diagnostics;
    return lex(sources[0], 0, diagnostics) ? "taken" : render(diagnostics, sources);
}

TEST(Lexer, knows_words_numbers_texts_and_symbols) {
    EXPECT_THAT(tokens_of("field a_1: Dec(2) = 1.50 + 12;"),
                ElementsAre("word:field", "word:a_1", "symbol::", "word:Dec", "symbol:(", "int:2",
                            "symbol:)", "symbol:=", "dec:1.50", "symbol:+", "int:12", "symbol:;"));
    EXPECT_THAT(tokens_of(R"("a\"b" "")"), ElementsAre(R"(text:"a\"b")", R"(text:"")"));
}

TEST(Lexer, takes_the_longest_symbol) {
    EXPECT_THAT(tokens_of("<=>= ==!=&&||->=>"),
                ElementsAre("symbol:<=", "symbol:>=", "symbol:==", "symbol:!=", "symbol:&&",
                            "symbol:||", "symbol:->", "symbol:=>"));
    EXPECT_THAT(tokens_of("<!-a"), ElementsAre("symbol:<", "symbol:!", "symbol:-", "word:a"));
}

TEST(Lexer, a_point_belongs_to_a_number_only_between_digits) {
    EXPECT_THAT(tokens_of("1.5.b"), ElementsAre("dec:1.5", "symbol:.", "word:b"));
    EXPECT_THAT(tokens_of("a.b"), ElementsAre("word:a", "symbol:.", "word:b"));
}

TEST(Lexer, a_comment_runs_to_the_end_of_its_line_but_not_inside_a_text) {
    const SourceText source("s", "a -- why  \r\nb \"--\"\n-- end");
    Diagnostics diagnostics;
    const auto lexed = lex(source, 0, diagnostics);
    ASSERT_TRUE(lexed);
    ASSERT_EQ(lexed->comments.size(), 2U);
    EXPECT_EQ(source.text().substr(lexed->comments[0].begin,
                                   lexed->comments[0].end - lexed->comments[0].begin),
              "-- why");
    EXPECT_EQ(lexed->tokens.size(), 4U);  // a, b, "--" and the end
}

// Editors show a new line behind a CR: a comment that went on there would hide what looks like
// code.
TEST(Lexer, a_carriage_return_alone_ends_a_line_too) {
    EXPECT_THAT(tokens_of("a -- why\rb"), ElementsAre("word:a", "word:b"));
    EXPECT_THAT(tokens_of("\"open\rb"), ElementsAre("fault:\"open", "word:b"));
    const SourceText source("s", "one\rtwo\r\nthree\n\rfive");
    EXPECT_EQ(source.line(1), "one");
    EXPECT_EQ(source.line(2), "two");
    EXPECT_EQ(source.line(3), "three");
    EXPECT_EQ(source.line(4), "");
    EXPECT_EQ(source.line(5), "five");
    EXPECT_EQ(source.position(source.text().find("five")).line, 5U);
}

TEST(Lexer, what_it_cannot_read_is_a_fault_and_the_rest_goes_on) {
    EXPECT_THAT(tokens_of("a ? b"), ElementsAre("word:a", "fault:?", "word:b"));
    EXPECT_THAT(tokens_of("\"open\nb"), ElementsAre("fault:\"open", "word:b"));
    EXPECT_THAT(tokens_of("a & b"), ElementsAre("word:a", "fault:&", "word:b"));
    EXPECT_THAT(explain_fault("&").message + " " + explain_fault("&").advice, HasSubstr("&&"));
}

TEST(Lexer, refuses_a_text_that_people_would_read_otherwise) {
    EXPECT_THAT(refusal_of("\xEF\xBB\xBF"
                           "field"),
                HasSubstr("byte order mark"));
    EXPECT_THAT(refusal_of(std::string("f\0i\0", 4)), HasSubstr("UTF-16"));
    EXPECT_THAT(refusal_of("a \xFF b"), HasSubstr("UTF-8"));
    EXPECT_THAT(refusal_of("a \xE2\x80\xAE b"), HasSubstr("direction"));
    EXPECT_EQ(refusal_of("-- \xC3\xA4\xE2\x82\xAC"), "taken");
}

TEST(Lexer, keywords_are_no_names) {
    for (const char* word :
         {"let",   "if",   "then",   "else",    "assert",   "true",     "false",
          "none",  "fact", "field",  "example", "property", "forall",   "implies",
          "cases", "seed", "expect", "access",  "product",  "issued_on"}) {
        EXPECT_TRUE(is_keyword(word)) << word;
    }
    for (const char* word : {"Let", "map", "getFact", "product_", ""}) {
        EXPECT_FALSE(is_keyword(word)) << word;
    }
}

}  // namespace
}  // namespace jobforge::rules
