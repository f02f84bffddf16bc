// 320-bit unsigned integers for the inside of Decimal: room for one product and one quotient
// before the single rounding.
//
// The largest value that occurs is a product of two decimals before it is brought to a larger
// scale, below 10^38 * 10^38 * 10^18 = 10^94 < 2^313, so nothing here overflows and nothing checks
// for it. A sum of 2^32 decimals at scale 18, times a unit's factor, stays below 2^278. Used by
// core/decimal and core/units only. Pure; any thread.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace jobforge::wide {

__extension__ using U128 = unsigned __int128;

inline constexpr std::array<U128, 39> kPowersOfTen = [] {
    std::array<U128, 39> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) {
        powers[i] = powers[i - 1] * 10;
    }
    return powers;
}();

// 10^exponent. Precondition: 0 <= exponent <= 38 (10^38 < 2^127).
[[nodiscard]] constexpr U128 power_of_ten(int exponent) noexcept {
    return kPowersOfTen[static_cast<std::size_t>(exponent)];
}

class Wide final {
public:
    constexpr Wide(U128 value) noexcept  // implicit: every U128 is a Wide
        : limbs_{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64U)} {}

    [[nodiscard]] constexpr int bit_length() const noexcept {
        for (std::size_t i = limbs_.size(); i > 0; --i) {
            if (limbs_[i - 1] != 0) {
                return static_cast<int>(i * 64) - std::countl_zero(limbs_[i - 1]);
            }
        }
        return 0;
    }

    // Precondition: bit_length() <= 128.
    [[nodiscard]] constexpr U128 low() const noexcept {
        return U128{limbs_[1]} << 64U | U128{limbs_[0]};
    }

    [[nodiscard]] constexpr Wide times(std::uint64_t factor) const noexcept {
        Wide product(0);
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            const U128 sum = U128{limbs_[i]} * factor + carry;
            product.limbs_[i] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64U);
        }
        return product;
    }

    // The exact product with two limbs: low * this + (high * this) * 2^64.
    [[nodiscard]] constexpr Wide times(U128 factor) const noexcept {
        Wide product = times(static_cast<std::uint64_t>(factor >> 64U));
        for (std::size_t i = limbs_.size() - 1; i > 0; --i) {
            product.limbs_[i] = product.limbs_[i - 1];
        }
        product.limbs_[0] = 0;
        return product.plus(times(static_cast<std::uint64_t>(factor)));
    }

    // Precondition: exponent <= 36.
    [[nodiscard]] constexpr Wide times_power_of_ten(int exponent) const noexcept {
        return exponent == 0 ? *this : times(power_of_ten(exponent));
    }

    [[nodiscard]] constexpr Wide shifted_left(int bits) const noexcept {
        Wide result(0);
        const auto whole = static_cast<std::size_t>(bits) / 64;
        const auto part = static_cast<unsigned>(bits) % 64U;
        for (std::size_t i = limbs_.size(); i-- > whole;) {
            result.limbs_[i] = limbs_[i - whole] << part;
            if (part != 0 && i > whole) {
                result.limbs_[i] |= limbs_[i - whole - 1] >> (64U - part);
            }
        }
        return result;
    }

    constexpr void shift_right_once() noexcept {
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            const std::uint64_t above = i + 1 < limbs_.size() ? limbs_[i + 1] : 0;
            limbs_[i] = limbs_[i] >> 1U | above << 63U;
        }
    }

    [[nodiscard]] constexpr Wide plus(const Wide& other) const noexcept {
        Wide sum(0);
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            const U128 limb = U128{limbs_[i]} + other.limbs_[i] + carry;
            sum.limbs_[i] = static_cast<std::uint64_t>(limb);
            carry = static_cast<std::uint64_t>(limb >> 64U);
        }
        return sum;
    }

    // Precondition: other <= *this.
    [[nodiscard]] constexpr Wide minus(const Wide& other) const noexcept {
        Wide difference(0);
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            const U128 limb = U128{limbs_[i]} - other.limbs_[i] - borrow;
            difference.limbs_[i] = static_cast<std::uint64_t>(limb);
            borrow = static_cast<std::uint64_t>(limb >> 64U) & 1U;
        }
        return difference;
    }

    friend constexpr std::strong_ordering operator<=>(const Wide& a, const Wide& b) noexcept {
        for (std::size_t i = a.limbs_.size(); i > 0; --i) {
            if (a.limbs_[i - 1] != b.limbs_[i - 1]) {
                return a.limbs_[i - 1] <=> b.limbs_[i - 1];
            }
        }
        return std::strong_ordering::equal;
    }
    friend constexpr bool operator==(const Wide& a, const Wide& b) noexcept = default;

private:
    std::array<std::uint64_t, 5> limbs_;  // lowest first
};

struct Division {
    U128 quotient;
    Wide remainder;
};

// numerator / denominator by shift and subtract: one step a bit of the quotient, at most 128.
// Numbers of real products fit in 128 bits, where the compiler's own division is used; this keeps
// the rare rest simple enough to be seen to be right.
// Preconditions: denominator > 0; the quotient is below 2^128.
[[nodiscard]] constexpr Division divide(const Wide& numerator, const Wide& denominator) noexcept {
    if (numerator.bit_length() <= 128 && denominator.bit_length() <= 128) {
        return {numerator.low() / denominator.low(), Wide(numerator.low() % denominator.low())};
    }
    int steps = numerator.bit_length() - denominator.bit_length();
    if (steps < 0) {
        return {0, numerator};
    }
    Division division{0, numerator};
    for (Wide part = denominator.shifted_left(steps); steps >= 0; --steps) {
        division.quotient <<= 1U;
        if (part <= division.remainder) {
            division.remainder = division.remainder.minus(part);
            division.quotient |= 1U;
        }
        part.shift_right_once();
    }
    return division;
}

}  // namespace jobforge::wide
