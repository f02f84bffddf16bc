#include "verify/decimal_text.h"

#include <algorithm>
#include <string>

namespace jobforge::verify {
namespace {

bool all_digits(std::string_view text) noexcept {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool has_digit_above_zero(std::string_view digits) noexcept {
    return digits.find_first_not_of('0') != std::string_view::npos;
}

// Whether cutting off the digits `dropped` makes the magnitude grow by one in its last place.
bool rounds_away(bool kept_is_odd, std::string_view dropped, Rounding rounding) noexcept {
    if (dropped.empty()) {
        return false;
    }
    const bool tie = dropped.front() == '5' && !has_digit_above_zero(dropped.substr(1));
    switch (rounding) {
        case Rounding::half_even:
            return tie ? kept_is_odd : dropped.front() >= '5';
        case Rounding::half_up:
            return dropped.front() >= '5';
        case Rounding::up:
            return has_digit_above_zero(dropped);
        case Rounding::down:
            return false;
    }
    return false;
}

}  // namespace

// Long division is cutting a string here: the kept digits are a number, the dropped ones only say
// whether it grows.
Result<std::optional<Decimal>> decimal_from_text(std::string_view text, int scale,
                                                 Rounding rounding) {
    const bool negative = text.starts_with('-');
    const std::string_view magnitude = text.substr(negative ? 1 : 0);
    const std::size_t point = std::min(magnitude.find('.'), magnitude.size());
    const std::string whole(magnitude.substr(0, point));
    std::string fraction(magnitude.substr(std::min(point + 1, magnitude.size())));
    if (!all_digits(whole) || (point != magnitude.size() && !all_digits(fraction))) {
        return std::optional<Decimal>();
    }
    const std::string digits = whole + fraction;
    if (digits.size() - std::min(digits.find_first_not_of('0'), digits.size()) >
        Decimal::kMaxDigits) {
        return Error::of(ErrorCode::NUMBER_OVERFLOW, "a text of more than 38 digits");
    }
    fraction.resize(std::max(fraction.size(), static_cast<std::size_t>(scale)), '0');
    const std::string_view kept =
        std::string_view(fraction).substr(0, static_cast<std::size_t>(scale));
    const std::string_view dropped = std::string_view(fraction).substr(kept.size());
    auto result = Decimal::parse(kept.empty() ? whole : whole + '.' + std::string(kept));
    if (result.ok() && rounds_away(result->unscaled() % 2 != 0, dropped, rounding)) {
        result = Decimal::make(result->unscaled() + 1, scale);
    }
    if (result.ok() && negative) {
        result = result->negate();
    }
    if (!result.ok()) {
        return result.error();
    }
    return std::optional<Decimal>(*result);
}

}  // namespace jobforge::verify
