#include "connect/http/retry_after.h"

#include <gtest/gtest.h>

namespace jobforge::connect {
namespace {

using std::chrono::seconds;

// Sun, 06 Nov 1994 08:49:37 GMT, the moment of RFC 9110's examples.
constexpr std::chrono::sys_seconds kThen{seconds(784111777)};

TEST(RetryAfter, seconds_are_seconds_up_to_a_day) {
    EXPECT_EQ(retry_after("0", kThen), seconds(0));
    EXPECT_EQ(retry_after("120", kThen), seconds(120));
    EXPECT_EQ(retry_after("00007", kThen), seconds(7));
    EXPECT_EQ(retry_after("86400", kThen), seconds(86400));
    EXPECT_EQ(retry_after("86401", kThen), seconds(86400));
    EXPECT_EQ(retry_after("99999999999999999999999999", kThen), seconds(86400));
}

TEST(RetryAfter, the_three_forms_of_a_date_are_the_same_moment) {
    for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994"}) {
        EXPECT_EQ(retry_after(date, kThen - seconds(90)), seconds(90)) << date;
        EXPECT_EQ(retry_after(date, kThen), seconds(0)) << date;
        EXPECT_EQ(retry_after(date, kThen + seconds(1)), seconds(0)) << date << ": in the past";
        EXPECT_EQ(retry_after(date, kThen - std::chrono::days(30)), kLongestRetryAfter) << date;
    }
    EXPECT_EQ(retry_after("Thu Feb 29 00:00:05 2024",
                          std::chrono::sys_days(std::chrono::year(2024) / 2 / 29)),
              seconds(5));
}

TEST(RetryAfter, two_digits_of_a_year_mean_the_century_nearby) {
    const std::chrono::sys_seconds now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16);
    EXPECT_EQ(retry_after("Monday, 16-Nov-26 00:01:00 GMT", now), seconds(60));
    EXPECT_EQ(retry_after("Monday, 16-Nov-76 00:01:00 GMT", now), kLongestRetryAfter);  // 2076
    EXPECT_EQ(retry_after("Wednesday, 16-Nov-77 00:01:00 GMT", now), seconds(0));       // 1977
}

TEST(RetryAfter, a_leap_second_counts) {
    EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:49:60 GMT", kThen), seconds(23));
}

TEST(RetryAfter, anything_else_is_nothing) {
    for (const char* text : {"",
                             " ",
                             "-1",
                             "+5",
                             "1.5",
                             "1e3",
                             "5 ",
                             " 5",
                             "5s",
                             "0x10",
                             "soon",
                             "GMT",
                             "Sun, 06 Nov 1994 08:49:37",
                             "Sun, 06 Nov 1994 08:49:37 CET",
                             "Sun, 06 Nov 1994 08:49:37 GMT ",
                             "Sun, 6 Nov 1994 08:49:37 GMT",
                             "Sun, 31 Feb 1994 08:49:37 GMT",
                             "Sun, 00 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 24:00:00 GMT",
                             "Sun, 06 Nov 1994 08:60:37 GMT",
                             "Sun, 06 Nov 1994 08:49:61 GMT",
                             "Son, 06 Nov 1994 08:49:37 GMT",
                             "Sun, 06 nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 94 08:49:37 GMT",
                             "Sunday, 06-Nov-1994 08:49:37 GMT",
                             "Sun Nov 6 08:49:37 1994",
                             "Sun Nov  6 08:49:37 1994 GMT",
                             "Thu Feb 29 00:00:00 2023",
                             "1994-11-06T08:49:37Z"}) {
        EXPECT_EQ(retry_after(text, kThen), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace jobforge::connect
