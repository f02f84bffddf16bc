#include "connect/http/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace jobforge::connect {

namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

// Reads a date from left to right; after a mismatch everything fails.
class DateReader final {
public:
    explicit DateReader(std::string_view text) noexcept : rest_(text) {}

    void expect(std::string_view text) noexcept {
        ok_ = ok_ && rest_.starts_with(text);
        rest_.remove_prefix(ok_ ? text.size() : 0);
    }
    // The index of the word that comes next, cut to `letters`.
    template <std::size_t Size>
    unsigned word(const std::array<std::string_view, Size>& words,
                  std::size_t letters = std::string_view::npos) noexcept {
        for (unsigned i = 0; i < Size; ++i) {
            const std::string_view wanted = words[i].substr(0, letters);
            if (ok_ && rest_.starts_with(wanted)) {
                rest_.remove_prefix(wanted.size());
                return i;
            }
        }
        ok_ = false;
        return 0;
    }
    // Exactly so many digits; with `blank`, the first may be a blank instead (asctime's day).
    int number(std::size_t digits, bool blank = false) noexcept {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            const bool skip = blank && i == 0 && rest_.starts_with(' ');
            ok_ = ok_ && !rest_.empty() && (skip || is_digit(rest_.front()));
            if (!ok_) {
                return 0;
            }
            value = value * 10 + (skip ? 0 : rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return value;
    }
    std::chrono::seconds time_of_day() noexcept {
        const int hour = number(2);
        expect(":");
        const int minute = number(2);
        expect(":");
        const int second = number(2);
        ok_ = ok_ && hour < 24 && minute < 60 && second <= 60;  // 60: a leap second
        return std::chrono::hours(hour) + std::chrono::minutes(minute) +
               std::chrono::seconds(second);
    }
    [[nodiscard]] bool complete() const noexcept { return ok_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool ok_ = true;
};

std::optional<sys_seconds> moment(const DateReader& reader, int year, unsigned month, int day,
                                  std::chrono::seconds time) noexcept {
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month + 1),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!reader.complete() || !date.ok()) {
        return std::nullopt;
    }
    return sys_days(date) + time;
}

// Sun, 06 Nov 1994 08:49:37 GMT
std::optional<sys_seconds> imf_fixdate(std::string_view text) noexcept {
    DateReader reader(text);
    (void)reader.word(kDays, 3);
    reader.expect(", ");
    const int day = reader.number(2);
    reader.expect(" ");
    const unsigned month = reader.word(kMonths);
    reader.expect(" ");
    const int year = reader.number(4);
    reader.expect(" ");
    const auto time = reader.time_of_day();
    reader.expect(" GMT");
    return moment(reader, year, month, day, time);
}

// Sunday, 06-Nov-94 08:49:37 GMT: a year more than 50 years ahead means the past century.
std::optional<sys_seconds> rfc850_date(std::string_view text, sys_seconds now) noexcept {
    DateReader reader(text);
    (void)reader.word(kDays);
    reader.expect(", ");
    const int day = reader.number(2);
    reader.expect("-");
    const unsigned month = reader.word(kMonths);
    reader.expect("-");
    int year = reader.number(2);
    reader.expect(" ");
    const auto time = reader.time_of_day();
    reader.expect(" GMT");
    const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
    const int this_year = static_cast<int>(today.year());
    year += this_year - this_year % 100;
    if (year > this_year + 50) {
        year -= 100;
    }
    return moment(reader, year, month, day, time);
}

// Sun Nov  6 08:49:37 1994
std::optional<sys_seconds> asctime_date(std::string_view text) noexcept {
    DateReader reader(text);
    (void)reader.word(kDays, 3);
    reader.expect(" ");
    const unsigned month = reader.word(kMonths);
    reader.expect(" ");
    const int day = reader.number(2, true);
    reader.expect(" ");
    const auto time = reader.time_of_day();
    reader.expect(" ");
    const int year = reader.number(4);
    return moment(reader, year, month, day, time);
}

std::optional<std::chrono::seconds> whole_seconds(std::string_view text) noexcept {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    if (fault == std::errc::result_out_of_range && stop == end) {
        return kLongestRetryAfter;
    }
    if (fault != std::errc{} || stop != end) {
        return std::nullopt;
    }
    return std::chrono::seconds(std::min<std::int64_t>(value, kLongestRetryAfter.count()));
}

}  // namespace

std::optional<std::chrono::seconds> retry_after(std::string_view header, sys_seconds now) noexcept {
    if (header.empty()) {
        return std::nullopt;
    }
    if (is_digit(header.front())) {
        return whole_seconds(header);
    }
    auto when = imf_fixdate(header);
    if (!when) {
        when = rfc850_date(header, now);
    }
    if (!when) {
        when = asctime_date(header);
    }
    if (!when) {
        return std::nullopt;
    }
    return std::clamp(*when - now, std::chrono::seconds(0), kLongestRetryAfter);
}

}  // namespace jobforge::connect
