// Numbers as people write them on paper: digit strings, added, multiplied and divided column by
// column. Slow and obvious; the model that Decimal and the units are compared with. It shares no
// code, base or algorithm with them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "values/decimal.h"

namespace jobforge::model {

// A whole number without sign: decimal digits, the highest first, no leading zeros; zero is "0".
using Digits = std::string;

inline Digits trimmed(Digits digits) {
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    return digits.empty() ? "0" : digits;
}

inline int compare(const Digits& a, const Digits& b) {
    return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
}

inline Digits plus(const Digits& a, const Digits& b) {
    Digits sum;
    int carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
        carry += i < a.size() ? a[a.size() - 1 - i] - '0' : 0;
        carry += i < b.size() ? b[b.size() - 1 - i] - '0' : 0;
        sum.insert(sum.begin(), static_cast<char>('0' + carry % 10));
        carry /= 10;
    }
    return trimmed(sum);
}

// Precondition: b <= a.
inline Digits minus(const Digits& a, const Digits& b) {
    Digits difference = a;
    int borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        int digit = a[a.size() - 1 - i] - '0' - borrow;
        digit -= i < b.size() ? b[b.size() - 1 - i] - '0' : 0;
        borrow = digit < 0 ? 1 : 0;
        difference[a.size() - 1 - i] = static_cast<char>('0' + digit + 10 * borrow);
    }
    return trimmed(difference);
}

inline Digits times(const Digits& a, const Digits& b) {
    Digits product = "0";
    for (const char digit : b) {
        product = trimmed(product + "0");
        for (char i = '0'; i < digit; ++i) {
            product = plus(product, a);
        }
    }
    return product;
}

inline Digits shifted(const Digits& digits, int zeros) {
    return trimmed(digits + std::string(static_cast<std::size_t>(zeros), '0'));
}

// Quotient and remainder, by long division with repeated subtraction.
inline std::pair<Digits, Digits> divide(const Digits& a, const Digits& b) {
    Digits quotient;
    Digits rest = "0";
    for (const char digit : a) {
        rest = trimmed(rest + digit);
        char times_it_fits = '0';
        while (compare(rest, b) >= 0) {
            rest = minus(rest, b);
            ++times_it_fits;
        }
        quotient += times_it_fits;
    }
    return {trimmed(quotient), rest};
}

// sign * digits / 10^scale.
struct Number {
    bool negative = false;
    Digits digits = "0";
    int scale = 0;
};

inline Number number(std::string_view text) {
    Number result;
    result.negative = text.starts_with('-');
    Digits digits;
    bool behind_point = false;
    for (const char c : text.substr(result.negative ? 1 : 0)) {
        if (c == '.') {
            behind_point = true;
            continue;
        }
        digits += c;
        result.scale += behind_point ? 1 : 0;
    }
    result.digits = trimmed(digits);
    return result;
}

// What the program should say: the number's text, or the error's code.
inline std::string outcome(bool negative, const Digits& digits, int scale) {
    if (digits.size() > 38) {
        return "NUMBER_OVERFLOW";
    }
    const auto places = static_cast<std::size_t>(scale);
    Digits padded = digits;
    if (padded.size() <= places) {
        padded.insert(0, places + 1 - padded.size(), '0');
    }
    const std::string fraction = padded.substr(padded.size() - places);
    return (negative && digits != "0" ? "-" : "") + padded.substr(0, padded.size() - places) +
           (scale > 0 ? "." + fraction : "");
}

inline std::string outcome(const Result<Decimal>& result) {
    return result.ok() ? result->text() : std::string(to_string(result.error().code));
}

// numerator / denominator as a whole number of units of 10^-scale.
inline std::string rounded(bool negative, const Digits& numerator, const Digits& denominator,
                           int scale, Rounding rounding) {
    const auto [quotient, rest] = divide(shifted(numerator, scale), denominator);
    const int against_half = compare(plus(rest, rest), denominator);
    const bool odd = (quotient.back() - '0') % 2 != 0;
    const bool exact = rest == "0";
    const bool away =
        !exact &&
        (rounding == Rounding::up || (rounding == Rounding::half_up && against_half >= 0) ||
         (rounding == Rounding::half_even && (against_half > 0 || (against_half == 0 && odd))));
    return outcome(negative, away ? plus(quotient, "1") : quotient, scale);
}

inline std::string sum(const Number& a, const Number& b) {
    const int scale = std::max(a.scale, b.scale);
    const Digits left = shifted(a.digits, scale - a.scale);
    const Digits right = shifted(b.digits, scale - b.scale);
    if (a.negative == b.negative) {
        return outcome(a.negative, plus(left, right), scale);
    }
    return compare(left, right) >= 0 ? outcome(a.negative, minus(left, right), scale)
                                     : outcome(b.negative, minus(right, left), scale);
}

inline std::string product(const Number& a, const Number& b, int scale, Rounding rounding) {
    return rounded(a.negative != b.negative, times(a.digits, b.digits),
                   shifted("1", a.scale + b.scale), scale, rounding);
}

// a / b * numerator / denominator.
inline std::string quotient(const Number& a, const Number& b, const Digits& numerator,
                            const Digits& denominator, int scale, Rounding rounding) {
    if (b.digits == "0") {
        return "DIVISION_BY_ZERO";
    }
    return rounded(a.negative != b.negative, shifted(times(a.digits, numerator), b.scale),
                   shifted(times(b.digits, denominator), a.scale), scale, rounding);
}

}  // namespace jobforge::model
