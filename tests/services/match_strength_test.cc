#include <gtest/gtest.h>

#include "prices/denominations.h"
#include "prices/keyword_rules.h"
#include "prices/match_strength.h"
#include "prices/words.h"

namespace jobforge::services {
namespace {

// Four tokens: year, mintmark, denomination, "lincoln" (the series' "wheat" is a fifth).
Intake lincoln() {
    Intake intake;
    intake.year = 1909;
    intake.mintmark = "S";
    intake.denomination = "cent";
    intake.series = "Lincoln VDB";  // VDB has three letters and does not count
    return intake;
}

std::string strength(const Intake& intake, std::string_view title) {
    return strength_text(match_strength(intake, title));
}

TEST(MatchStrength, IsTheShareOfTheIntakesTokensInTheTitle) {
    EXPECT_EQ(strength(lincoln(), "1909-S Lincoln Cent VDB"), "1.00000");
    EXPECT_EQ(strength(lincoln(), "1909 Lincoln Cent"), "0.75000");       // 3 of 4
    EXPECT_EQ(strength(lincoln(), "Lincoln head from 1909"), "0.50000");  // 2 of 4
    EXPECT_EQ(strength(lincoln(), "Morgan dollar 1921"), "0.00000");
    Intake thirds = lincoln();
    thirds.mintmark.clear();
    EXPECT_EQ(strength(thirds, "1909 coin"), "0.33333");     // 1 of 3
    EXPECT_EQ(strength(thirds, "1909 Lincoln"), "0.66667");  // 2 of 3, half up
    EXPECT_EQ(strength(thirds, ""), "0.00000");
}

TEST(MatchStrength, NothingToMatchOnIsOneHalf) {
    EXPECT_EQ(strength(Intake{}, "anything"), "0.50000");
    Intake blank;
    blank.mintmark = " - ";
    blank.denomination = "?";
    blank.series = "the old one";  // no word longer than three letters
    blank.title = "Title and grade do not count";
    blank.grade = "MS65";
    EXPECT_EQ(strength(blank, "Title and grade do not count MS65"), "0.50000");
}

TEST(MatchStrength, TokensAreWholeWordsInAnyCase) {
    EXPECT_EQ(strength(lincoln(), "1909S LINCOLN PENNY"), "1.00000");  // year and mintmark as one
    EXPECT_EQ(strength(lincoln(), "19090 Lincolns recent mints"), "0.00000");
    EXPECT_EQ(strength(lincoln(), "(1909) [s] \"lincoln\", cent!"), "1.00000");
    EXPECT_EQ(strength(lincoln(), "1909D lincoln cent"), "0.50000");  // "1909d" is not 1909
    Intake greek;
    greek.series = "ΔΡΑΧΜΗ Γεώργιος";
    EXPECT_EQ(strength(greek, "1 δραχμη ΓΕΏΡΓΙΟΣ"), "0.50000");  // final sigma is another letter
    Intake cyrillic;
    cyrillic.series = "ПОЛТИНА монета";
    EXPECT_EQ(strength(cyrillic, "Монета, полтина."), "1.00000");
}

TEST(MatchStrength, ADenominationHasManyNames) {
    for (const char* denomination : {"cent", "Penny", "1 cent", "ONE CENT", "1¢", "1c"}) {
        for (const char* title : {"old penny", "Cent", "two pennies", "1 Cent", "one cent", "1¢",
                                  "1C", "a roll of cents"}) {
            EXPECT_TRUE(names_denomination(words_of(title), denomination))
                << denomination << " in " << title;
        }
        // A longer name of another denomination is not this one.
        for (const char* title : {"5 cents", "five cent piece", "half cent", "2 Cents", "50 cent",
                                  "centennial", "percent", "nickel", ""}) {
            EXPECT_FALSE(names_denomination(words_of(title), denomination))
                << denomination << " in " << title;
        }
    }
    EXPECT_TRUE(names_denomination(words_of("Walking Liberty half"), "half dollar"));
    EXPECT_FALSE(names_denomination(words_of("1964 Kennedy half dollar"), "dollar"));
    EXPECT_FALSE(names_denomination(words_of("quarter dollar"), "dollar"));
    EXPECT_TRUE(names_denomination(words_of("dollar, not a half dollar"), "dollar"));
    EXPECT_TRUE(names_denomination(words_of("25 Cents 1932"), "Quarter"));
    EXPECT_TRUE(names_denomination(words_of("$20 double eagle"), "twenty dollars"));
    EXPECT_FALSE(names_denomination(words_of("double eagle"), "eagle"));
    // Not in the table: the words themselves.
    EXPECT_TRUE(names_denomination(words_of("Fünf MARK 1876"), "fünf mark"));
    EXPECT_FALSE(names_denomination(words_of("Markstück"), "mark"));
}

TEST(KeywordRules, ExcludeAnyRequireAllIncludeOne) {
    KeywordRules rules;
    EXPECT_EQ(why_left_out(rules, "anything"), std::nullopt);
    rules.exclude = {"replica", "proof set"};
    rules.require_all = {"cent", "1909"};
    rules.include_any = {"VDB", "S mint"};
    const auto why = [&rules](std::string_view title) {
        return why_left_out(rules, title).value_or("stays");
    };
    EXPECT_EQ(why("1909 VDB cent"), "stays");
    EXPECT_EQ(why("1909 cent, S-Mint"), "stays");
    EXPECT_EQ(why("1909 cent"), "none of the intake's keywords");
    EXPECT_EQ(why("1909 VDB penny"), "required keyword missing: cent");
    EXPECT_EQ(why("VDB cent"), "required keyword missing: 1909");
    EXPECT_EQ(why("1909 VDB cent REPLICA"), "excluded keyword: replica");
    EXPECT_EQ(why("1909 VDB cent Proof-Set"), "excluded keyword: proof set");
    EXPECT_EQ(why("1909 VDB cent, proof, no set"), "stays");  // not side by side
}

TEST(KeywordRules, KeywordsAreWholeWordsOfAnyScript) {
    const auto excluded = [](const char* keyword, const char* title) {
        KeywordRules rules;
        rules.exclude = {keyword};
        return why_left_out(rules, title).has_value();
    };
    EXPECT_FALSE(excluded("cent", "recent cents centre"));
    EXPECT_TRUE(excluded("cent", "one-CENT"));
    EXPECT_TRUE(excluded("FÄLSCHUNG", "alte Fälschung"));
    EXPECT_FALSE(excluded("schung", "alte Fälschung"));  // ä is a letter, not a boundary
    EXPECT_TRUE(excluded("копия", "Рубль (КОПИЯ)"));
    EXPECT_FALSE(excluded("коп", "Рубль (КОПИЯ)"));
    EXPECT_TRUE(excluded("硬貨", "古い 硬貨"));
    EXPECT_FALSE(excluded("cafe", "cafe\u0301"));  // the accent belongs to the word
    EXPECT_TRUE(excluded("a.b", "A B"));
    EXPECT_FALSE(excluded("", "anything"));
    EXPECT_FALSE(excluded("***", "*** anything ***"));
    EXPECT_FALSE(excluded("\xff", "\xff"));
}

TEST(KeywordRules, WordsOfHugeTitlesTakeLinearTime) {
    const std::string title(4'000'000, 'a');
    EXPECT_EQ(words_of(title).size(), 1U);
    std::string many;
    for (int i = 0; i < 500'000; ++i) {
        many += "a ";
    }
    KeywordRules rules;
    rules.exclude = {"a a a b"};
    EXPECT_EQ(why_left_out(rules, many), std::nullopt);
}

}  // namespace
}  // namespace jobforge::services
