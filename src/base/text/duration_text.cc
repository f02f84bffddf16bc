#include "base/text/duration_text.h"

#include <array>
#include <charconv>
#include <limits>

#include <jobforge/json.h>

namespace jobforge {
namespace {

struct DurationUnit {
    std::string_view suffix;
    std::int64_t milliseconds;
};

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

constexpr std::array<DurationUnit, 5> kUnits = {
    {{"ms", 1}, {"s", kSecond}, {"m", kMinute}, {"h", kHour}, {"d", kDay}}};

Error malformed(std::string_view text, const char* reason) {
    return Error::of(ErrorCode::VALIDATION_ERROR,
                     json_quote(text.substr(0, 64)) + " is not a span: " + reason);
}

std::string two_units(std::uint64_t value, std::uint64_t large, const char* large_name,
                      std::uint64_t small, const char* small_name) {
    std::string text = std::to_string(value / large) + large_name;
    const std::uint64_t rest = value % large / small;
    if (rest != 0) {
        text += " " + std::to_string(rest) + small_name;
    }
    return text;
}

std::string format_seconds(std::uint64_t value) {
    std::string text = std::to_string(value / kSecond);
    const std::uint64_t tenths = value % kSecond / 100;
    if (tenths != 0) {
        text += "." + std::to_string(tenths);
    }
    return text + " s";
}

}  // namespace

Result<std::int64_t> parse_duration_ms(std::string_view text) {
    constexpr const char* kForm = "write a whole number and ms, s, m, h or d, like 30s";
    if (text.empty() || text.front() < '0' || text.front() > '9') {
        return malformed(text, kForm);
    }
    const char* const end = text.data() + text.size();
    std::int64_t count = 0;
    const auto [rest, fault] = std::from_chars(text.data(), end, count);
    if (fault != std::errc()) {
        return malformed(text, "the number is too large");
    }
    const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    for (const DurationUnit& unit : kUnits) {
        if (suffix != unit.suffix) {
            continue;
        }
        if (count > std::numeric_limits<std::int64_t>::max() / unit.milliseconds) {
            return malformed(text, "the number is too large");
        }
        return count * unit.milliseconds;
    }
    return malformed(text, kForm);
}

std::string format_duration_ms(std::int64_t duration_ms) {
    if (duration_ms < 0) {
        // The smallest value has no positive counterpart; one millisecond less does not show.
        const bool smallest = duration_ms == std::numeric_limits<std::int64_t>::min();
        return "-" + format_duration_ms(-(smallest ? duration_ms + 1 : duration_ms));
    }
    const auto value = static_cast<std::uint64_t>(duration_ms);
    if (duration_ms < kSecond) {
        return std::to_string(value) + " ms";
    }
    if (duration_ms < kMinute) {
        return format_seconds(value);
    }
    if (duration_ms < kHour) {
        return two_units(value, kMinute, " min", kSecond, " s");
    }
    if (duration_ms < kDay) {
        return two_units(value, kHour, " h", kMinute, " min");
    }
    return two_units(value, kDay, " d", kHour, " h");
}

}  // namespace jobforge
