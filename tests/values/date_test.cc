#include "values/date.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

namespace jobforge {
namespace {

// The calendar by counting on a wall: a day, a month, a year further. No formula is shared with the
// program.
struct WallCalendar {
    int year = 1;
    int month = 1;
    int day = 1;

    [[nodiscard]] int days_in_month() const {
        if (month == 2) {
            const bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
            return leap ? 29 : 28;
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }

    void turn() {
        if (++day <= days_in_month()) {
            return;
        }
        day = 1;
        if (++month > 12) {
            month = 1;
            ++year;
        }
    }

    [[nodiscard]] std::string text() const {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%04d-%02d-%02d", year, month, day);
        return buffer;
    }
};

TEST(Date, agrees_with_counting_for_every_day_of_9999_years) {
    WallCalendar wall;
    const Date first;
    Date previous;
    std::int64_t days = 0;
    for (; wall.year <= 9999; wall.turn(), ++days) {
        const std::string text = wall.text();
        const std::optional<Date> date = Date::make(wall.year, wall.month, wall.day);
        // One assertion for all: 3.6 million days, and the messages of each cost seconds.
        ASSERT_TRUE(
            date.has_value() && first.add_days(days) == date && date->add_days(-days) == first &&
            date->year() == wall.year && date->month() == wall.month && date->day() == wall.day &&
            date->text() == text && Date::parse(text) == date && (days == 0 || previous < *date))
            << text;
        if (wall.day == wall.days_in_month()) {
            ASSERT_EQ(Date::make(wall.year, wall.month, wall.day + 1), std::nullopt) << wall.text();
        }
        previous = *date;
    }
    EXPECT_EQ(days, 3'652'059);  // of the proleptic Gregorian calendar, as in Python's date.max
}

TEST(Date, starts_at_the_first_day) {
    EXPECT_EQ(Date().text(), "0001-01-01");
}

TEST(Date, refuses_days_that_do_not_exist) {
    constexpr int kLarge = std::numeric_limits<int>::max();
    constexpr int kSmall = std::numeric_limits<int>::min();
    const int days[][3] = {{0, 1, 1},         {10000, 1, 1},     {-1, 1, 1},        {2027, 0, 1},
                           {2027, 13, 1},     {2027, 1, 0},      {2027, 1, 32},     {2027, 2, 29},
                           {2100, 2, 29},     {2027, 257, 1},    {2027, 1, 257},    {65537, 1, 1},
                           {kLarge, 1, 1},    {2027, kLarge, 1}, {2027, 1, kLarge}, {kSmall, 1, 1},
                           {2027, kSmall, 1}, {2027, 1, kSmall}, {2027, -1, 1},     {2027, 1, -1}};
    for (const auto& [year, month, day] : days) {
        EXPECT_EQ(Date::make(year, month, day), std::nullopt) << year << '-' << month << '-' << day;
    }
    EXPECT_TRUE(Date::make(2000, 2, 29).has_value());
    EXPECT_TRUE(Date::make(2024, 2, 29).has_value());
}

TEST(Date, reads_one_form_only) {
    for (const char* text : {"",
                             "2027-02-1",
                             "2027-2-18",
                             "27-02-18",
                             "2027-02-18 ",
                             " 2027-02-18",
                             "2027/02/18",
                             "2027-02-30",
                             "2027-00-10",
                             "+027-02-18",
                             "-027-02-18",
                             "2027-+2-18",
                             "2027-02--8",
                             "2027-02- 8",
                             "0000-01-01",
                             "20270218",
                             "2027-02-18T00",
                             "2027-02-1x",
                             "10000-01-01",
                             "2027_02-18",
                             "2027-02_18",
                             "2o27-02-18"}) {
        EXPECT_EQ(Date::parse(text), std::nullopt) << text;
    }
    EXPECT_EQ(Date::parse(std::string_view("2027-02-1\0", 10)), std::nullopt);
}

TEST(Date, adding_days_stays_inside_the_calendar) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    const Date last = *Date::make(9999, 12, 31);
    EXPECT_EQ(Date().add_days(3'652'058), last);
    EXPECT_EQ(Date().add_days(3'652'059), std::nullopt);
    EXPECT_EQ(Date().add_days(-1), std::nullopt);
    EXPECT_EQ(last.add_days(1), std::nullopt);
    EXPECT_EQ(last.add_days(0), last);
    for (const Date date : {Date(), last, *Date::make(2027, 2, 18)}) {
        EXPECT_EQ(date.add_days(kMost), std::nullopt);
        EXPECT_EQ(date.add_days(kLeast), std::nullopt);
    }
    EXPECT_EQ(Date::make(2027, 2, 18)->add_days(365)->text(), "2028-02-18");
}

}  // namespace
}  // namespace jobforge
