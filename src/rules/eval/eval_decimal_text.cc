#include "rules/eval/eval_decimal_text.h"

#include <algorithm>
#include <string>

namespace jobforge::rules {
namespace {

struct Written {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
};

bool all_digits(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<Written> take_apart(std::string_view text) {
    Written written;
    written.negative = text.starts_with('-');
    if (written.negative) {
        text.remove_prefix(1);
    }
    const std::size_t point = text.find('.');
    written.whole = text.substr(0, point);
    if (!all_digits(written.whole)) {
        return {};
    }
    if (point == std::string_view::npos) {
        return written;
    }
    written.fraction = text.substr(point + 1);
    return all_digits(written.fraction) ? std::optional(written) : std::nullopt;
}

std::size_t significant_digits(const Written& written) noexcept {
    const std::size_t total = written.whole.size() + written.fraction.size();
    const std::size_t whole = std::min(written.whole.find_first_not_of('0'), written.whole.size());
    if (whole < written.whole.size()) {
        return total - whole;
    }
    const std::size_t first = written.fraction.find_first_not_of('0');
    return first == std::string_view::npos ? 0 : written.fraction.size() - first;
}

// Whether the digits that are cut off make the last kept digit grow.
bool grows(std::string_view dropped, char last_kept, Rounding rounding) noexcept {
    const bool something = dropped.find_first_not_of('0') != std::string_view::npos;
    const bool exactly_half =
        dropped[0] == '5' && dropped.find_first_not_of('0', 1) == std::string_view::npos;
    switch (rounding) {
        case Rounding::down:
            return false;
        case Rounding::up:
            return something;
        case Rounding::half_up:
            return dropped[0] >= '5';
        case Rounding::half_even:
            return exactly_half ? (last_kept - '0') % 2 == 1 : dropped[0] >= '5';
    }
    return false;
}

}  // namespace

Result<std::optional<Decimal>> decimal_from_text(std::string_view text, int scale,
                                                 Rounding rounding) {
    const std::optional<Written> written = take_apart(text);
    if (!written) {
        return std::optional<Decimal>();
    }
    if (significant_digits(*written) > Decimal::kMaxDigits) {
        return Error::of(ErrorCode::NUMBER_OVERFLOW,
                         "The text is a number of more than 38 digits.");
    }
    const std::size_t kept = std::min(static_cast<std::size_t>(scale), written->fraction.size());
    std::string digits(written->whole);
    if (kept > 0) {
        digits += '.' + std::string(written->fraction.substr(0, kept));
    }
    const char last_kept = digits.back();
    auto value = Decimal::parse(written->negative ? "-" + digits : digits);
    if (!value.ok()) {
        return std::move(value).error();
    }
    value = value->rescale(scale);
    if (!value.ok()) {
        return std::move(value).error();
    }
    const std::string_view dropped = written->fraction.substr(kept);
    if (!dropped.empty() && grows(dropped, last_kept, rounding)) {
        value = Decimal::make(value->unscaled() + (written->negative ? -1 : 1), scale);
        if (!value.ok()) {
            return std::move(value).error();
        }
    }
    return std::optional<Decimal>(*value);
}

}  // namespace jobforge::rules
