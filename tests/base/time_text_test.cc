#include "base/text/time_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace jobforge {
namespace {

struct Moment {
    std::int64_t unix_us;
    const char* text;
};

TEST(TimeText, writes_six_fraction_digits_in_utc_and_reads_them_back) {
    const Moment moments[] = {
        {0, "1970-01-01T00:00:00.000000Z"},
        {-1, "1969-12-31T23:59:59.999999Z"},
        {1'709'210'096'123'456, "2024-02-29T12:34:56.123456Z"},
        {951'782'400'000'000, "2000-02-29T00:00:00.000000Z"},
        {4'107'542'400'000'000, "2100-03-01T00:00:00.000000Z"},
        {-62'135'596'800'000'000, "0001-01-01T00:00:00.000000Z"},
        {253'402'300'799'999'999, "9999-12-31T23:59:59.999999Z"},
    };
    for (const Moment& moment : moments) {
        EXPECT_EQ(format_time(moment.unix_us), moment.text);
        EXPECT_EQ(*parse_time(moment.text), moment.unix_us) << moment.text;
    }
}

TEST(TimeText, reads_fewer_and_more_fraction_digits_offsets_and_the_form_of_postgres) {
    const Moment moments[] = {
        {1'000'000, "1970-01-01T00:00:01Z"},
        {1'500'000, "1970-01-01T00:00:01.5Z"},
        {1'000'001, "1970-01-01T00:00:01.000001999Z"},
        {-3'600'000'000, "1970-01-01T00:00:00+01:00"},
        {19'800'000'000, "1970-01-01T00:00:00.000-05:30"},
        {-7'200'000'000, "1970-01-01 00:00:00+02"},
        {0, "1970-01-01T00:00:00-00:00"},
        {-50'400'000'000, "1970-01-01T00:00:00+14:00"},
    };
    for (const Moment& moment : moments) {
        const Result<std::int64_t> unix_us = parse_time(moment.text);
        ASSERT_TRUE(unix_us.ok()) << moment.text;
        EXPECT_EQ(*unix_us, moment.unix_us) << moment.text;
    }
}

TEST(TimeText, refuses_what_is_no_moment) {
    for (const char* text : {"",
                             "2024",
                             "2024-02-29",
                             "2024-02-29T12:34:56",
                             "2024-02-29T12:34Z",
                             "2023-02-29T00:00:00Z",
                             "2100-02-29T00:00:00Z",
                             "2024-13-01T00:00:00Z",
                             "2024-00-01T00:00:00Z",
                             "2024-04-31T00:00:00Z",
                             "2024-01-00T00:00:00Z",
                             "2024-01-01T24:00:00Z",
                             "2024-01-01T00:60:00Z",
                             "2024-01-01T00:00:60Z",
                             "2024-01-01T00:00:00.Z",
                             "2024-01-01T00:00:00.1234567890Z",
                             "2024-01-01t00:00:00Z",
                             "2024-01-01T00:00:00z",
                             "2024-01-01T00:00:00Z ",
                             " 2024-01-01T00:00:00Z",
                             "2024-1-1T00:00:00Z",
                             "0000-01-01T00:00:00Z",
                             "+2024-01-01T00:00:00Z",
                             "2024-01-01T00:00:00+24:00",
                             "2024-01-01T00:00:00+1",
                             "2024-01-01T00:00:00+01:",
                             "2024-01-01T00:00:00+01:60",
                             "2024-01-01T00:00:00+0100",
                             "infinity"}) {
        const Result<std::int64_t> unix_us = parse_time(text);
        ASSERT_FALSE(unix_us.ok()) << text;
        EXPECT_EQ(unix_us.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

TEST(TimeText, says_why_a_text_is_not_a_time) {
    const auto reason = [](std::string_view text) { return parse_time(text).error().message; };
    EXPECT_EQ(reason("2027-02-30T00:00:00Z"),
              R"("2027-02-30T00:00:00Z" is not a time: February 2027 has 28 days)");
    EXPECT_EQ(reason("2024-02-30"), R"("2024-02-30" is not a time: February 2024 has 29 days)");
    EXPECT_EQ(reason("2027-04-31T00:00:00Z"),
              R"("2027-04-31T00:00:00Z" is not a time: April 2027 has 30 days)");
    EXPECT_EQ(reason("2027-02-03T00:00:00"),
              R"("2027-02-03T00:00:00" is not a time: it has no offset; end it with Z, or with an )"
              "offset like +02:00");
    EXPECT_EQ(reason("soon").substr(0, 38), R"("soon" is not a time: write YYYY-MM-DD)");
}

TEST(TimeText, writes_years_beyond_four_digits_with_a_sign) {
    EXPECT_EQ(format_time(253'402'300'800'000'000), "+10000-01-01T00:00:00.000000Z");
    EXPECT_EQ(format_time(std::numeric_limits<std::int64_t>::max()),
              "+294247-01-10T04:00:54.775807Z");
    EXPECT_EQ(format_time(std::numeric_limits<std::int64_t>::min()),
              "-290308-12-21T19:59:05.224192Z");
}

RC_GTEST_PROP(TimeTextProperty, every_moment_of_four_digit_years_survives, ()) {
    const auto unix_us =
        *rc::gen::inRange<std::int64_t>(-62'135'596'800'000'000, 253'402'300'800'000'000);
    RC_ASSERT(*parse_time(format_time(unix_us)) == unix_us);
}

}  // namespace
}  // namespace jobforge
