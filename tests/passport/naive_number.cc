#include "naive_number.h"

#include <algorithm>

namespace jobforge::naive {

Big::Big(std::string_view digits) {
    negative_ = digits.starts_with('-');
    if (negative_) digits.remove_prefix(1);
    for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
        digits_.push_back(static_cast<signed char>(*at - '0'));
    }
    trim();
}

Big Big::power_of_ten(int exponent) {
    return Big("1" + std::string(static_cast<std::size_t>(exponent), '0'));
}

void Big::trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
    if (digits_.empty()) negative_ = false;
}

std::string Big::text() const {
    if (digits_.empty()) return "0";
    std::string text = negative_ ? "-" : "";
    for (auto at = digits_.rbegin(); at != digits_.rend(); ++at) {
        text += static_cast<char>('0' + *at);
    }
    return text;
}

Big Big::magnitude() const {
    Big result = *this;
    result.negative_ = false;
    return result;
}

Big Big::negated() const {
    Big result = *this;
    result.negative_ = !negative_ && !digits_.empty();
    return result;
}

int Big::compare_digits(const Big& a, const Big& b) {
    if (a.digits_.size() != b.digits_.size()) return a.digits_.size() < b.digits_.size() ? -1 : 1;
    for (std::size_t i = a.digits_.size(); i-- > 0;) {
        if (a.digits_[i] != b.digits_[i]) return a.digits_[i] < b.digits_[i] ? -1 : 1;
    }
    return 0;
}

int compare(const Big& a, const Big& b) {
    if (a.negative_ != b.negative_) return a.negative_ ? -1 : 1;
    return a.negative_ ? Big::compare_digits(b, a) : Big::compare_digits(a, b);
}

Big Big::add_digits(const Big& a, const Big& b) {
    Big sum;
    int carry = 0;
    for (std::size_t i = 0; i < std::max(a.digits_.size(), b.digits_.size()) || carry != 0; ++i) {
        const int digit = (i < a.digits_.size() ? a.digits_[i] : 0) +
                          (i < b.digits_.size() ? b.digits_[i] : 0) + carry;
        sum.digits_.push_back(static_cast<signed char>(digit % 10));
        carry = digit / 10;
    }
    return sum;
}

Big Big::subtract_digits(const Big& a, const Big& b) {
    Big difference;
    int borrow = 0;
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
        int digit = a.digits_[i] - (i < b.digits_.size() ? b.digits_[i] : 0) - borrow;
        borrow = digit < 0 ? 1 : 0;
        digit += 10 * borrow;
        difference.digits_.push_back(static_cast<signed char>(digit));
    }
    difference.trim();
    return difference;
}

Big operator+(const Big& a, const Big& b) {
    Big result;
    if (a.negative_ == b.negative_) {
        result = Big::add_digits(a, b);
        result.negative_ = a.negative_;
    } else if (Big::compare_digits(a, b) >= 0) {
        result = Big::subtract_digits(a, b);
        result.negative_ = a.negative_;
    } else {
        result = Big::subtract_digits(b, a);
        result.negative_ = b.negative_;
    }
    result.trim();
    return result;
}

Big operator*(const Big& a, const Big& b) {
    std::vector<int> sums(a.digits_.size() + b.digits_.size() + 1, 0);
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
        for (std::size_t j = 0; j < b.digits_.size(); ++j) {
            sums[i + j] += a.digits_[i] * b.digits_[j];
        }
    }
    Big product;
    int carry = 0;
    for (const int sum : sums) {
        product.digits_.push_back(static_cast<signed char>((sum + carry) % 10));
        carry = (sum + carry) / 10;
    }
    product.negative_ = a.negative_ != b.negative_;
    product.trim();
    return product;
}

// School division: bring down a digit, subtract as often as it goes.
Big::Division Big::divide(const Big& a, const Big& b) {
    const Big divisor = b.magnitude();
    Division result;
    result.quotient.digits_.assign(a.digits_.size(), 0);
    for (std::size_t i = a.digits_.size(); i-- > 0;) {
        result.remainder.digits_.insert(result.remainder.digits_.begin(), a.digits_[i]);
        result.remainder.trim();
        while (compare_digits(result.remainder, divisor) >= 0) {
            result.remainder = subtract_digits(result.remainder, divisor);
            ++result.quotient.digits_[i];
        }
    }
    result.quotient.negative_ = a.negative_ != b.negative_;
    result.quotient.trim();
    result.remainder.negative_ = a.negative_ && !result.remainder.is_zero();
    return result;
}

namespace {

Ratio with_positive_bottom(Big top, Big bottom) {
    if (bottom.is_negative()) return {top.negated(), bottom.negated()};
    return {std::move(top), std::move(bottom)};
}

}  // namespace

Ratio operator+(const Ratio& a, const Ratio& b) {
    return {a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom};
}

Ratio operator-(const Ratio& a, const Ratio& b) {
    return {a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom};
}

Ratio operator*(const Ratio& a, const Ratio& b) {
    return {a.top * b.top, a.bottom * b.bottom};
}

Ratio operator/(const Ratio& a, const Ratio& b) {
    return with_positive_bottom(a.top * b.bottom, a.bottom * b.top);
}

int compare(const Ratio& a, const Ratio& b) {
    return compare(a.top * b.bottom, b.top * a.bottom);
}

Big rounded(const Ratio& ratio, int scale, std::string_view mode) {
    const Big::Division cut = Big::divide(ratio.top * Big::power_of_ten(scale), ratio.bottom);
    if (cut.remainder.is_zero() || mode == "down") return cut.quotient;
    const int half = compare(cut.remainder.magnitude() * Big(2), ratio.bottom);
    const bool away = mode == "up" || half > 0 || (half == 0 && mode == "half_up") ||
                      (half == 0 && mode == "half_even" && cut.quotient.is_odd());
    if (!away) return cut.quotient;
    return cut.quotient + Big(ratio.top.is_negative() ? -1 : 1);
}

}  // namespace jobforge::naive
