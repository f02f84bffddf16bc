// Exact numbers for the naive evaluator: decimal digits in a vector, and ratios of them. Slow on
// purpose and written without a look at values/decimal.h, so that the two cannot share a mistake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jobforge::naive {

class Big final {
public:
    Big() = default;
    Big(long long value) : Big(std::to_string(value)) {}  // NOLINT(google-explicit-constructor)
    explicit Big(std::string_view digits);                // -?[0-9]+
    static Big power_of_ten(int exponent);

    [[nodiscard]] bool is_zero() const { return digits_.empty(); }
    [[nodiscard]] bool is_negative() const { return negative_; }
    [[nodiscard]] bool is_odd() const { return !digits_.empty() && digits_[0] % 2 == 1; }
    [[nodiscard]] std::size_t digit_count() const { return digits_.size(); }
    [[nodiscard]] std::string text() const;
    [[nodiscard]] Big magnitude() const;
    [[nodiscard]] Big negated() const;

    friend Big operator+(const Big& a, const Big& b);
    friend Big operator-(const Big& a, const Big& b) { return a + b.negated(); }
    friend Big operator*(const Big& a, const Big& b);
    // -1, 0 or 1.
    friend int compare(const Big& a, const Big& b);

    struct Division;
    // Toward zero. Precondition: b is not zero.
    static Division divide(const Big& a, const Big& b);

private:
    static int compare_digits(const Big& a, const Big& b);
    static Big add_digits(const Big& a, const Big& b);
    static Big subtract_digits(const Big& a, const Big& b);  // |a| >= |b|
    void trim();

    bool negative_ = false;
    std::vector<signed char> digits_;  // the lowest first, no zeros at the end
};

struct Big::Division {
    Big quotient;
    Big remainder;
};

// top / bottom, bottom above zero; not reduced.
struct Ratio {
    Big top = 0;
    Big bottom = 1;

    friend Ratio operator+(const Ratio& a, const Ratio& b);
    friend Ratio operator-(const Ratio& a, const Ratio& b);
    friend Ratio operator*(const Ratio& a, const Ratio& b);
    friend Ratio operator/(const Ratio& a, const Ratio& b);  // precondition: b is not zero
};
int compare(const Ratio& a, const Ratio& b);

// "half_even", "half_up", "down", "up": the whole number next to ratio * 10^scale.
Big rounded(const Ratio& ratio, int scale, std::string_view mode);

}  // namespace jobforge::naive
