// Exact decimals: a scaled integer with 0..18 digits behind the point and at most 38 digits in all.
//
// Every operation is exact or rounds once, in the way its caller names. A result of more than 38
// digits is NUMBER_OVERFLOW and a division by zero DIVISION_BY_ZERO: never a wrong value. A broken
// precondition aborts; a scale to reach is 0..18 everywhere.
// Pure values; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <jobforge/error.h>

#include "values/wide.h"

namespace jobforge {

enum class Rounding { half_even, half_up, down, up };  // half_up and up go away from zero

class Decimal final {
public:
    static constexpr int kMaxScale = 18;
    static constexpr int kMaxDigits = 38;
    __extension__ using Unscaled = __int128;

    constexpr Decimal() noexcept = default;  // 0, scale 0
    // unscaled / 10^scale. NUMBER_OVERFLOW beyond 38 digits. Precondition: 0 <= scale <= 18.
    [[nodiscard]] static Result<Decimal> make(Unscaled unscaled, int scale);
    // The whole number: from_int(5, 2) is 5.00. Precondition: 0 <= scale <= 18; every value fits.
    [[nodiscard]] static Decimal from_int(std::int64_t value, int scale = 0);
    // `-?digits[.digits]`, the written digits kept: "1.50" has scale 2. VALIDATION_ERROR for any
    // other text or more than 18 digits behind the point; NUMBER_OVERFLOW for more than 38 digits
    // (leading zeros do not count).
    [[nodiscard]] static Result<Decimal> parse(std::string_view text);

    [[nodiscard]] constexpr Unscaled unscaled() const noexcept { return unscaled_; }
    [[nodiscard]] constexpr int scale() const noexcept { return scale_; }
    [[nodiscard]] constexpr int sign() const noexcept {
        return unscaled_ < 0 ? -1 : static_cast<int>(unscaled_ > 0);
    }
    // With exactly scale() digits behind the point, "-0.50" style; zero has no sign.
    [[nodiscard]] std::string text() const;

    // To another scale; fewer digits round.
    [[nodiscard]] Result<Decimal> rescale(int scale, Rounding rounding = Rounding::half_even) const;
    [[nodiscard]] Result<Decimal> negate() const;

    // By value: 1.5 equals 1.50.
    friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept;
    friend bool operator==(const Decimal& a, const Decimal& b) noexcept {
        return (a <=> b) == std::strong_ordering::equal;
    }

private:
    Unscaled unscaled_ = 0;
    int scale_ = 0;
};

// Sum and difference have the larger scale; exact.
[[nodiscard]] Result<Decimal> add(const Decimal& a, const Decimal& b);
[[nodiscard]] Result<Decimal> subtract(const Decimal& a, const Decimal& b);
// a * b, exact, the scales added. Precondition: a.scale() + b.scale() <= 18.
[[nodiscard]] Result<Decimal> multiply(const Decimal& a, const Decimal& b);
// a * b and a / b rounded once to `scale`, whatever the operands' scales. DIVISION_BY_ZERO.
[[nodiscard]] Result<Decimal> multiply(const Decimal& a, const Decimal& b, int scale,
                                       Rounding rounding = Rounding::half_even);
[[nodiscard]] Result<Decimal> divide(const Decimal& a, const Decimal& b, int scale,
                                     Rounding rounding = Rounding::half_even);
// a * numerator / denominator rounded once to `scale`: exact unit conversion.
// Preconditions: numerator, denominator > 0 and below 10^18.
[[nodiscard]] Result<Decimal> multiply_ratio(const Decimal& a, std::int64_t numerator,
                                             std::int64_t denominator, int scale,
                                             Rounding rounding = Rounding::half_even);
// a / b * numerator / denominator rounded once to `scale`.
[[nodiscard]] Result<Decimal> divide_ratio(const Decimal& a, const Decimal& b,
                                           std::int64_t numerator, std::int64_t denominator,
                                           int scale, Rounding rounding = Rounding::half_even);

// The exact sum of up to 2^32 decimals. No order of theirs matters: nothing is rounded and nothing
// compared with the 38 digits before the end.
class DecimalSum final {
public:
    void add(const Decimal& term) noexcept;
    // The sum * numerator / denominator, rounded once to `scale`. NUMBER_OVERFLOW.
    // Preconditions: numerator, denominator > 0 and below 10^18.
    [[nodiscard]] Result<Decimal> total(int scale, std::int64_t numerator = 1,
                                        std::int64_t denominator = 1) const;

private:
    wide::Wide positive_{0};  // in units of 10^-18: each term is below 10^56
    wide::Wide negative_{0};
};

}  // namespace jobforge
