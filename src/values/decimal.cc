#include "values/decimal.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "values/wide.h"

namespace jobforge {
namespace {

using wide::power_of_ten;
using wide::U128;
using wide::Wide;

constexpr U128 kLimit = power_of_ten(Decimal::kMaxDigits);  // the first value with 39 digits

Error overflow() {
    return Error::of(ErrorCode::NUMBER_OVERFLOW,
                     "the result has more than 38 digits; use smaller numbers or a smaller scale");
}

Error division_by_zero() {
    return Error::of(ErrorCode::DIVISION_BY_ZERO,
                     "division by zero; test the divisor before dividing");
}

// A broken precondition is a mistake of the caller and would be a wrong value: stop.
void require(bool holds) noexcept {
    if (!holds) {
        std::abort();
    }
}

bool is_scale(int scale) noexcept {
    return scale >= 0 && scale <= Decimal::kMaxScale;
}

bool is_ratio(std::int64_t numerator, std::int64_t denominator) noexcept {
    constexpr auto kLimitOfParts = static_cast<std::int64_t>(power_of_ten(18));
    return numerator > 0 && denominator > 0 && numerator < kLimitOfParts &&
           denominator < kLimitOfParts;
}

U128 magnitude(Decimal::Unscaled value) noexcept {
    const auto bits = static_cast<U128>(value);
    return value < 0 ? U128{0} - bits : bits;
}

Result<Decimal> signed_decimal(bool negative, U128 size, int scale) {
    if (size >= kLimit) {
        return overflow();
    }
    const auto value = static_cast<Decimal::Unscaled>(size);
    return Decimal::make(negative ? -value : value, scale);
}

bool rounds_away(U128 quotient, const Wide& remainder, const Wide& denominator,
                 Rounding rounding) noexcept {
    if (remainder == Wide(0) || rounding == Rounding::down) {
        return false;
    }
    if (rounding == Rounding::up) {
        return true;
    }
    const auto half = remainder.shifted_left(1) <=> denominator;
    if (half != std::strong_ordering::equal) {
        return half == std::strong_ordering::greater;
    }
    return rounding == Rounding::half_up || (quotient & 1U) != 0;
}

// +-numerator / denominator * 10^shift, rounded to an integer, as the unscaled value of `scale`.
Result<Decimal> quotient_at(bool negative, Wide numerator, Wide denominator, int shift, int scale,
                            Rounding rounding) {
    if (shift >= 0) {
        numerator = numerator.times_power_of_ten(shift);
    } else {
        denominator = denominator.times_power_of_ten(-shift);
    }
    // A quotient of 2^127 or more is above 10^38 in any case.
    if (numerator.bit_length() - denominator.bit_length() > 127) {
        return overflow();
    }
    const auto [quotient, remainder] = wide::divide(numerator, denominator);
    if (quotient >= kLimit) {
        return overflow();
    }
    const bool away = rounds_away(quotient, remainder, denominator, rounding);
    return signed_decimal(negative, quotient + (away ? 1U : 0U), scale);
}

// |value| with `digits` more digits; nullopt from 2^128 on.
std::optional<U128> widened(const Decimal& value, int digits) noexcept {
    const Wide size = Wide(magnitude(value.unscaled())).times_power_of_ten(digits);
    return size.bit_length() <= 128 ? std::optional(size.low()) : std::nullopt;
}

Result<Decimal> sum(const Decimal& a, const Decimal& b, bool b_is_negative) {
    const int scale = std::max(a.scale(), b.scale());
    const auto left = widened(a, scale - a.scale());
    const auto right = widened(b, scale - b.scale());
    // One of the two is below 10^38 (its scale is the result's). If the other needs more than 128
    // bits, no difference of the two has 38 digits.
    if (!left || !right) {
        return overflow();
    }
    const bool a_is_negative = a.sign() < 0;
    if (a_is_negative != b_is_negative) {
        return *left >= *right ? signed_decimal(a_is_negative, *left - *right, scale)
                               : signed_decimal(b_is_negative, *right - *left, scale);
    }
    if (*left >= kLimit || *right >= kLimit) {
        return overflow();
    }
    return signed_decimal(a_is_negative, *left + *right, scale);
}

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

Error no_decimal() {
    return Error::of(ErrorCode::VALIDATION_ERROR,
                     "no decimal number: write digits, and a point with at most 18 digits behind "
                     "it if needed, like -12.50");
}

// The number that the digits of `text` write, points skipped; nullopt if it has over 38 digits.
std::optional<U128> digits_value(std::string_view text) noexcept {
    U128 value = 0;
    for (const char c : text) {
        if (c == '.') {
            continue;
        }
        value = value * 10 + static_cast<unsigned>(c - '0');
        if (value >= kLimit) {
            return std::nullopt;
        }
    }
    return value;
}

}  // namespace

Result<Decimal> Decimal::make(Unscaled unscaled, int scale) {
    require(is_scale(scale));
    if (magnitude(unscaled) >= kLimit) {
        return overflow();
    }
    Decimal decimal;
    decimal.unscaled_ = unscaled;
    decimal.scale_ = scale;
    return decimal;
}

Decimal Decimal::from_int(std::int64_t value, int scale) {
    require(is_scale(scale));
    Decimal decimal;  // 2^63 * 10^18 has 37 digits: every value fits
    decimal.unscaled_ = Unscaled{value} * static_cast<Unscaled>(power_of_ten(scale));
    decimal.scale_ = scale;
    return decimal;
}

Result<Decimal> Decimal::parse(std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::string_view digits = text.substr(negative ? 1 : 0);
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::string_view whole = digits.substr(0, point);
    const std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
    const bool has_point = point < digits.size();
    if (whole.empty() || (has_point && fraction.empty()) ||
        !std::all_of(whole.begin(), whole.end(), is_digit) ||
        !std::all_of(fraction.begin(), fraction.end(), is_digit) ||
        fraction.size() > static_cast<std::size_t>(kMaxScale)) {
        return no_decimal();
    }
    const auto size = digits_value(digits);
    if (!size) {
        return Error::of(ErrorCode::NUMBER_OVERFLOW,
                         "the number has more than 38 digits; write fewer");
    }
    return signed_decimal(negative, *size, static_cast<int>(fraction.size()));
}

std::string Decimal::text() const {
    std::string reversed;
    U128 rest = magnitude(unscaled_);
    for (int written = 0; rest != 0 || written <= scale_; ++written) {
        if (written == scale_ && scale_ != 0) {
            reversed += '.';
        }
        reversed += static_cast<char>('0' + static_cast<int>(rest % 10));
        rest /= 10;
    }
    if (unscaled_ < 0) {
        reversed += '-';
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

Result<Decimal> Decimal::rescale(int scale, Rounding rounding) const {
    require(is_scale(scale));
    return quotient_at(unscaled_ < 0, magnitude(unscaled_), U128{1}, scale - scale_, scale,
                       rounding);
}

Result<Decimal> Decimal::negate() const {
    return make(-unscaled_, scale_);
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept {
    // Whole part, then the fraction in units of 10^-18: both have the number's sign, and both fit
    // without widening.
    const auto part = [](const Decimal& value, bool whole) {
        const auto one = static_cast<Decimal::Unscaled>(power_of_ten(value.scale_));
        const auto finer =
            static_cast<Decimal::Unscaled>(power_of_ten(Decimal::kMaxScale - value.scale_));
        return whole ? value.unscaled_ / one : value.unscaled_ % one * finer;
    };
    const auto whole = part(a, true) <=> part(b, true);
    return whole != std::strong_ordering::equal ? whole : part(a, false) <=> part(b, false);
}

Result<Decimal> add(const Decimal& a, const Decimal& b) {
    return sum(a, b, b.sign() < 0);
}

Result<Decimal> subtract(const Decimal& a, const Decimal& b) {
    return sum(a, b, b.sign() >= 0);
}

Result<Decimal> multiply(const Decimal& a, const Decimal& b) {
    return multiply(a, b, a.scale() + b.scale(), Rounding::half_even);
}

Result<Decimal> multiply(const Decimal& a, const Decimal& b, int scale, Rounding rounding) {
    require(is_scale(scale));
    return quotient_at((a.sign() < 0) != (b.sign() < 0),
                       Wide(magnitude(a.unscaled())).times(magnitude(b.unscaled())), U128{1},
                       scale - a.scale() - b.scale(), scale, rounding);
}

Result<Decimal> divide(const Decimal& a, const Decimal& b, int scale, Rounding rounding) {
    return divide_ratio(a, b, 1, 1, scale, rounding);
}

Result<Decimal> multiply_ratio(const Decimal& a, std::int64_t numerator, std::int64_t denominator,
                               int scale, Rounding rounding) {
    return divide_ratio(a, Decimal::from_int(1), numerator, denominator, scale, rounding);
}

Result<Decimal> divide_ratio(const Decimal& a, const Decimal& b, std::int64_t numerator,
                             std::int64_t denominator, int scale, Rounding rounding) {
    require(is_scale(scale) && is_ratio(numerator, denominator));
    if (b.sign() == 0) {
        return division_by_zero();
    }
    return quotient_at((a.sign() < 0) != (b.sign() < 0),
                       Wide(magnitude(a.unscaled())).times(static_cast<std::uint64_t>(numerator)),
                       Wide(magnitude(b.unscaled())).times(static_cast<std::uint64_t>(denominator)),
                       scale - a.scale() + b.scale(), scale, rounding);
}

void DecimalSum::add(const Decimal& term) noexcept {
    Wide& side = term.sign() < 0 ? negative_ : positive_;
    side = side.plus(
        Wide(magnitude(term.unscaled())).times_power_of_ten(Decimal::kMaxScale - term.scale()));
}

Result<Decimal> DecimalSum::total(int scale, std::int64_t numerator,
                                  std::int64_t denominator) const {
    require(is_scale(scale) && is_ratio(numerator, denominator));
    const bool negative = positive_ < negative_;
    const Wide size = negative ? negative_.minus(positive_) : positive_.minus(negative_);
    return quotient_at(negative, size.times(static_cast<std::uint64_t>(numerator)),
                       Wide(static_cast<std::uint64_t>(denominator)), scale - Decimal::kMaxScale,
                       scale, Rounding::half_even);
}

}  // namespace jobforge
