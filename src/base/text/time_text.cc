#include "base/text/time_text.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>

#include <jobforge/json.h>

namespace jobforge {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

struct CivilDate {
    std::int64_t year;
    std::int64_t month;
    std::int64_t day;
};

// The Gregorian date of a day counted from 1970-01-01 (Howard Hinnant, chrono-Compatible Low-Level
// Date Algorithms). std::chrono::year ends at 32767, 64 bits of microseconds at year 294247.
CivilDate civil_date(std::int64_t days) noexcept {
    const std::int64_t shifted = days + 719468;  // from 0000-03-01: a leap day ends its year
    const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const std::int64_t day_of_era = shifted - era * 146097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const std::int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const std::int64_t month = month_from_march + (month_from_march < 10 ? 3 : -9);
    return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
            day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

// Reads a text from left to right; the first thing that does not fit makes it invalid for good.
class Scanner final {
public:
    explicit Scanner(std::string_view text) noexcept : rest_(text) {}

    // Exactly `count` digits, as a number from `least` to `most`.
    int number(std::size_t count, int least, int most) noexcept {
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            value = value * 10 + digit();
        }
        valid_ = valid_ && value >= least && value <= most;
        return value;
    }

    void one_of(std::string_view characters) noexcept {
        if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) {
            valid_ = false;
            return;
        }
        rest_.remove_prefix(1);
    }

    [[nodiscard]] bool at(char c) const noexcept { return rest_.starts_with(c); }
    [[nodiscard]] bool at_digit() const noexcept {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }
    [[nodiscard]] bool valid() const noexcept { return valid_; }
    [[nodiscard]] bool done() const noexcept { return valid_ && rest_.empty(); }

    int digit() noexcept {
        if (!at_digit()) {
            valid_ = false;
            return 0;
        }
        const int value = rest_.front() - '0';
        rest_.remove_prefix(1);
        return value;
    }

    void invalidate() noexcept { valid_ = false; }

private:
    std::string_view rest_;
    bool valid_ = true;
};

// Microseconds from the start of 1970 to the start of the day.
std::int64_t read_date(Scanner& in) noexcept {
    const int year = in.number(4, 1, 9999);
    in.one_of("-");
    const int month = in.number(2, 1, 12);
    in.one_of("-");
    const int day = in.number(2, 1, 31);
    const std::chrono::year_month_day date(std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    if (!date.ok()) {
        in.invalidate();
        return 0;
    }
    return std::chrono::sys_days(date).time_since_epoch().count() * kDay;
}

std::int64_t read_time_of_day(Scanner& in) noexcept {
    const int hours = in.number(2, 0, 23);
    in.one_of(":");
    const int minutes = in.number(2, 0, 59);
    in.one_of(":");
    const int seconds = in.number(2, 0, 59);
    std::int64_t time = hours * kHour + minutes * kMinute + seconds * kSecond;
    if (in.at('.')) {
        in.one_of(".");
        std::int64_t weight = kSecond / 10;
        int digits = 0;
        do {
            time += in.digit() * weight;
            weight /= 10;
            ++digits;
        } while (in.at_digit() && digits < 9);
    }
    return time;
}

// How far local time is ahead of UTC.
std::int64_t read_offset(Scanner& in) noexcept {
    if (in.at('Z')) {
        in.one_of("Z");
        return 0;
    }
    const bool behind = in.at('-');
    in.one_of("+-");
    const int hours = in.number(2, 0, 23);
    int minutes = 0;
    if (in.at(':')) {
        in.one_of(":");
        minutes = in.number(2, 0, 59);
    }
    const std::int64_t offset = hours * kHour + minutes * kMinute;
    return behind ? -offset : offset;
}

}  // namespace

std::string format_time(std::int64_t unix_us) {
    const std::int64_t of_day = (unix_us % kDay + kDay) % kDay;
    const CivilDate date = civil_date(unix_us / kDay - (unix_us % kDay < 0 ? 1 : 0));
    const bool plain_year = date.year >= 0 && date.year <= 9999;
    return fmt::format(
        "{}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
        plain_year ? fmt::format("{:04}", date.year) : fmt::format("{:+}", date.year), date.month,
        date.day, of_day / kHour, of_day / kMinute % 60, of_day / kSecond % 60, of_day % kSecond);
}

namespace {

Result<std::int64_t> parse_moment(std::string_view text) {
    Scanner in(text);
    const std::int64_t date = read_date(in);
    in.one_of("T ");
    const std::int64_t time = read_time_of_day(in);
    const std::int64_t offset = read_offset(in);
    if (!in.done()) {
        return Error::of(ErrorCode::VALIDATION_ERROR, {});
    }
    return date + time - offset;
}

// The day of `text` that no calendar has, such as "February 2027 has 28 days".
std::optional<std::string> missing_day(std::string_view text) {
    constexpr std::array<std::string_view, 12> kMonths{
        "January", "February", "March",     "April",   "May",      "June",
        "July",    "August",   "September", "October", "November", "December"};
    Scanner in(text);
    const int year = in.number(4, 1, 9999);
    in.one_of("-");
    const int month = in.number(2, 1, 12);
    in.one_of("-");
    if (!in.at_digit()) {
        return std::nullopt;
    }
    const int day = in.number(2, 1, 99);
    const std::chrono::year_month_day_last last(
        std::chrono::year(year),
        std::chrono::month_day_last(std::chrono::month(static_cast<unsigned>(month))));
    if (!in.valid() || day <= static_cast<int>(static_cast<unsigned>(last.day()))) {
        return std::nullopt;
    }
    return fmt::format("{} {} has {} days", kMonths.at(static_cast<std::size_t>(month) - 1), year,
                       static_cast<unsigned>(last.day()));
}

std::string why_not_a_time(std::string_view text) {
    if (auto day = missing_day(text)) {
        return *std::move(day);
    }
    if (parse_moment(std::string(text) + "Z").ok()) {
        return "it has no offset; end it with Z, or with an offset like +02:00";
    }
    return "write YYYY-MM-DDTHH:MM:SSZ, with an optional fraction and an offset like +02:00 "
           "instead "
           "of Z";
}

}  // namespace

Result<std::int64_t> parse_time(std::string_view text) {
    auto moment = parse_moment(text);
    if (moment.ok()) {
        return moment;
    }
    return Error::of(ErrorCode::VALIDATION_ERROR,
                     fmt::format("{} is not a time: {}", json_quote(text.substr(0, 64)),
                                 why_not_a_time(text.substr(0, 64))));
}

}  // namespace jobforge
