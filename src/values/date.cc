#include "values/date.h"

#include <algorithm>
#include <chrono>

namespace jobforge {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr sys_days kFirst{
    year_month_day{std::chrono::year{1}, std::chrono::January, std::chrono::day{1}}};
constexpr std::int32_t kLastDay =
    (sys_days{
         year_month_day{std::chrono::year{9999}, std::chrono::December, std::chrono::day{31}}} -
     kFirst)
        .count();

year_month_day civil(std::int32_t days) noexcept {
    return year_month_day{kFirst + std::chrono::days{days}};
}

// The number in `text`, or -1 if there is anything but digits.
int number_of(std::string_view text) noexcept {
    int value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return -1;
        }
        value = value * 10 + (c - '0');
    }
    return value;
}

void append_padded(std::string& text, int value, int digits) {
    const std::string plain = std::to_string(value);
    text.append(static_cast<std::size_t>(digits) - plain.size(), '0').append(plain);
}

}  // namespace

std::optional<Date> Date::make(int year, int month, int day) noexcept {
    // Before the calendar types, which keep the low bits of a number only: 257 is not January.
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) {
        return std::nullopt;
    }
    const year_month_day date{std::chrono::year{year},
                              std::chrono::month{static_cast<unsigned>(month)},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) {
        return std::nullopt;
    }
    Date result;
    result.days_ = static_cast<std::int32_t>((sys_days{date} - kFirst).count());
    return result;
}

std::optional<Date> Date::parse(std::string_view text) noexcept {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
        return std::nullopt;
    }
    return make(number_of(text.substr(0, 4)), number_of(text.substr(5, 2)),
                number_of(text.substr(8, 2)));
}

std::string Date::text() const {
    std::string text;
    text.reserve(10);
    append_padded(text, year(), 4);
    text += '-';
    append_padded(text, month(), 2);
    text += '-';
    append_padded(text, day(), 2);
    return text;
}

int Date::year() const noexcept {
    return int{civil(days_).year()};
}

int Date::month() const noexcept {
    return static_cast<int>(unsigned{civil(days_).month()});
}

int Date::day() const noexcept {
    return static_cast<int>(unsigned{civil(days_).day()});
}

std::optional<Date> Date::add_days(std::int64_t days) const noexcept {
    // Compared this way round nothing can overflow.
    if (days < -std::int64_t{days_} || days > std::int64_t{kLastDay} - days_) {
        return std::nullopt;
    }
    Date result;
    result.days_ = static_cast<std::int32_t>(days_ + days);
    return result;
}

}  // namespace jobforge
