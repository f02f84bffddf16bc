#include "base/text/duration_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace jobforge {
namespace {

TEST(DurationText, reads_a_whole_number_and_a_unit) {
    EXPECT_EQ(*parse_duration_ms("0s"), 0);
    EXPECT_EQ(*parse_duration_ms("500ms"), 500);
    EXPECT_EQ(*parse_duration_ms("30s"), 30'000);
    EXPECT_EQ(*parse_duration_ms("5m"), 300'000);
    EXPECT_EQ(*parse_duration_ms("2h"), 7'200'000);
    EXPECT_EQ(*parse_duration_ms("1d"), 86'400'000);
    EXPECT_EQ(*parse_duration_ms("9223372036854775807ms"), 9223372036854775807);
}

TEST(DurationText, refuses_everything_else) {
    for (const char* text :
         {"", "s", "5", "-5s", "+5s", " 5s", "5 s", "5s ", "1.5s", "5S", "5min", "5w", "1h30m",
          "0x5s", "9223372036854775808ms", "9223372036854775807s", "106751991168d"}) {
        const Result<std::int64_t> duration_ms = parse_duration_ms(text);
        ASSERT_FALSE(duration_ms.ok()) << text;
        EXPECT_EQ(duration_ms.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

TEST(DurationText, shows_the_two_largest_units) {
    EXPECT_EQ(format_duration_ms(0), "0 ms");
    EXPECT_EQ(format_duration_ms(999), "999 ms");
    EXPECT_EQ(format_duration_ms(1'000), "1 s");
    EXPECT_EQ(format_duration_ms(1'500), "1.5 s");
    EXPECT_EQ(format_duration_ms(59'999), "59.9 s");
    EXPECT_EQ(format_duration_ms(180'000), "3 min");
    EXPECT_EQ(format_duration_ms(185'900), "3 min 5 s");
    EXPECT_EQ(format_duration_ms(7'500'000), "2 h 5 min");
    EXPECT_EQ(format_duration_ms(86'399'999), "23 h 59 min");
    EXPECT_EQ(format_duration_ms(349'200'000), "4 d 1 h");
    EXPECT_EQ(format_duration_ms(-1'500), "-1.5 s");
    EXPECT_EQ(format_duration_ms(std::numeric_limits<std::int64_t>::min()), "-106751991167 d 7 h");
}

}  // namespace
}  // namespace jobforge
