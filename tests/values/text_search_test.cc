#include "values/text_search.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "processor_time.h"

namespace jobforge {
namespace {

TEST(TextSearch, finds_what_is_there_and_nothing_else) {
    EXPECT_TRUE(contains_text("", ""));
    EXPECT_TRUE(contains_text("abc", ""));
    EXPECT_FALSE(contains_text("", "a"));
    EXPECT_FALSE(contains_text("abc", "abcd"));
    const std::string what = "abcabcabcabcabcabd";
    EXPECT_TRUE(contains_text("abcabcabc" + what, what));
    EXPECT_FALSE(contains_text("abcabcabcabcabcabcabcabcabc", what));
    EXPECT_TRUE(contains_text(std::string("a\0b", 3), std::string("\0b", 2)));
}

// Few letters, so that beginnings repeat inside: what a wrong table of borders gets wrong.
TEST(TextSearch, agrees_with_the_library_on_texts_that_repeat_themselves) {
    std::mt19937 random(7);
    const auto text = [&random](std::size_t length) {
        std::string made;
        for (std::size_t i = 0; i < length; ++i) made += static_cast<char>('a' + random() % 2);
        return made;
    };
    for (int round = 0; round < 20'000; ++round) {
        const std::string where = text(random() % 120);
        const std::string what =
            round % 2 == 0
                ? text(17 + random() % 12)
                : where.substr(where.size() / 3, 17 + random() % 12) + text(random() % 2);
        ASSERT_EQ(contains_text(where, what), where.find(what) != std::string::npos)
            << where << " " << what;
    }
}

TEST(TextSearch, takes_linear_time_for_the_worst_texts) {
    const auto search = [](std::size_t size) {
        return [where = std::string(2 * size, 'a'), what = std::string(size, 'a') + 'b'] {
            ASSERT_FALSE(contains_text(where, what));
        };
    };
    // Eight times the text: eight times the work, and not sixty-four times.
    EXPECT_LT(test::growth(search(1 << 15), search(1 << 18)), 24.0);
}

}  // namespace
}  // namespace jobforge
