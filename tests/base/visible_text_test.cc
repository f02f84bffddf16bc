#include "base/text/visible_text.h"

#include <gtest/gtest.h>

namespace jobforge {
namespace {

TEST(VisibleText, escapes_what_controls_a_terminal) {
    EXPECT_EQ(visible_text("\x1B[31mred\x07\x7F"), "\\u001b[31mred\\u0007\\u007f");
    EXPECT_EQ(visible_text(std::string("a\0b", 3)), "a\\u0000b");
    // CSI in eight bits, and the mark that turns the direction of writing.
    EXPECT_EQ(visible_text("\xC2\x9B"
                           "2J"),
              "\\u009b2J");
    EXPECT_EQ(visible_text("a\xE2\x80\xAE"
                           "b"),
              "a\\u202eb");
}

TEST(VisibleText, keeps_everything_that_people_read) {
    EXPECT_EQ(visible_text("Größe 5 µm, 電池, 🔋 \\ \""), "Größe 5 µm, 電池, 🔋 \\ \"");
    EXPECT_EQ(visible_text("\xC2\xA0"), "\xC2\xA0");
}

TEST(VisibleText, line_feeds_stay_only_where_lines_are_shown) {
    EXPECT_EQ(visible_text("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(visible_lines("a\nb\rc"), "a\nb\\rc");
}

TEST(VisibleText, bytes_that_are_no_text_are_replaced) {
    EXPECT_EQ(visible_text("a\xFF"
                           "b"),
              "a\xEF\xBF\xBD"
              "b");
}

}  // namespace
}  // namespace jobforge
