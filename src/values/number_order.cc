#include "values/number_order.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

namespace jobforge {

namespace {

// 0.d1d2d3... x 10^exponent, d1 and the last digit not 0; zero has no digits.
struct Scientific {
    bool negative = false;
    std::string digits;
    std::int64_t exponent = 0;
};

// Beyond what a text of any size can shift back.
constexpr std::int64_t kLargeExponent = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t exponent_of(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || value > kLargeExponent) {
        value = kLargeExponent;
    }
    return negative ? -value : value;
}

Scientific scientific(std::string_view text) {
    Scientific out;
    if (text.starts_with('-')) {
        out.negative = true;
        text.remove_prefix(1);
    }
    if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
        out.exponent = exponent_of(text.substr(e + 1));
        text = text.substr(0, e);
    }
    const auto point = std::min(text.find('.'), text.size());
    out.digits = text.substr(0, point);
    out.exponent += static_cast<std::int64_t>(point);
    if (point < text.size()) {
        out.digits += text.substr(point + 1);
    }
    const auto first = std::min(out.digits.find_first_not_of('0'), out.digits.size());
    out.digits.erase(0, first);
    out.exponent -= static_cast<std::int64_t>(first);
    out.digits.erase(out.digits.find_last_not_of('0') + 1);
    return out.digits.empty() ? Scientific{} : out;
}

std::strong_ordering compare_magnitudes(const Scientific& a, const Scientific& b) {
    if (a.digits.empty() || b.digits.empty()) {
        return !a.digits.empty() <=> !b.digits.empty();
    }
    if (a.exponent != b.exponent) {
        return a.exponent <=> b.exponent;
    }
    return a.digits <=> b.digits;
}

}  // namespace

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
    const Scientific left = scientific(a);
    const Scientific right = scientific(b);
    if (left.negative != right.negative) {
        return left.negative ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    return left.negative ? compare_magnitudes(right, left) : compare_magnitudes(left, right);
}

bool is_whole_number(std::string_view text) {
    const Scientific number = scientific(text);
    return static_cast<std::int64_t>(number.digits.size()) <= number.exponent ||
           number.digits.empty();
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    constexpr std::int64_t kMostDigits = 18;
    Scientific number = scientific(text);
    const auto digits = static_cast<std::int64_t>(number.digits.size());
    if (number.digits.empty()) {
        return 0;
    }
    if (digits > number.exponent || number.exponent > kMostDigits) {
        return std::nullopt;
    }
    number.digits.append(static_cast<std::size_t>(number.exponent - digits), '0');
    std::int64_t value = 0;
    std::from_chars(number.digits.data(), number.digits.data() + number.digits.size(), value);
    return number.negative ? -value : value;
}

}  // namespace jobforge
