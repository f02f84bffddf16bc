// Decimal against the paper-and-pencil model, over numbers of every size, at the limits and at
// ties.
#include "values/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <vector>

#include "big_number_model.h"

namespace jobforge {
namespace {

constexpr Rounding kRoundings[] = {Rounding::half_even, Rounding::half_up, Rounding::down,
                                   Rounding::up};

// 1 to `most` digits; half of the numbers are runs of 0, 5 and 9 with few others, where carries
// run far and ties are.
rc::Gen<std::string> digits_up_to(int most) {
    const auto any = rc::gen::inRange('0', static_cast<char>('9' + 1));
    const auto edge = rc::gen::element('0', '0', '0', '5', '9', '9', '9', '1');
    return rc::gen::mapcat(rc::gen::inRange(1, most + 1), [any, edge](int size) {
        const auto count = static_cast<std::size_t>(size);
        return rc::gen::oneOf(rc::gen::container<std::string>(count, any),
                              rc::gen::container<std::string>(count, edge));
    });
}

rc::Gen<Decimal> any_decimal() {
    return rc::gen::map(
        rc::gen::tuple(digits_up_to(38), rc::gen::inRange(0, 19), rc::gen::arbitrary<bool>()),
        [](const std::tuple<std::string, int, bool>& parts) {
            const auto& [digits, scale, negative] = parts;
            Decimal::Unscaled unscaled = 0;
            for (const char c : digits) {
                unscaled = unscaled * 10 + (c - '0');
            }
            return *Decimal::make(negative ? -unscaled : unscaled, scale);
        });
}

rc::Gen<std::int64_t> any_factor() {
    return rc::gen::map(digits_up_to(18), [](const std::string& digits) {
        return std::max<std::int64_t>(std::stoll(digits), 1);
    });
}

struct Case {
    Decimal a;
    Decimal b;
    int scale = 0;
    Rounding rounding = Rounding::half_even;
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
};

// For the report of a counter-example.
[[maybe_unused]] void showValue(const Case& shown, std::ostream& out) {
    out << shown.a.text() << " and " << shown.b.text() << " to scale " << shown.scale
        << ", rounding " << static_cast<int>(shown.rounding) << ", ratio " << shown.numerator
        << " / " << shown.denominator;
}

rc::Gen<std::vector<Case>> cases() {
    return rc::gen::container<std::vector<Case>>(
        20, rc::gen::build<Case>(
                rc::gen::set(&Case::a, any_decimal()), rc::gen::set(&Case::b, any_decimal()),
                rc::gen::set(&Case::scale, rc::gen::inRange(0, 19)),
                rc::gen::set(&Case::rounding, rc::gen::elementOf(std::vector<Rounding>(
                                                  std::begin(kRoundings), std::end(kRoundings)))),
                rc::gen::set(&Case::numerator, any_factor()),
                rc::gen::set(&Case::denominator, any_factor())));
}

model::Number number(const Decimal& value) {
    return model::number(value.text());
}

RC_GTEST_PROP(DecimalModel, sums_and_differences_agree, ()) {
    for (const Case& c : *cases()) {
        RC_ASSERT(model::outcome(add(c.a, c.b)) == model::sum(number(c.a), number(c.b)));
        model::Number minus_b = number(c.b);
        minus_b.negative = !minus_b.negative;
        RC_ASSERT(model::outcome(subtract(c.a, c.b)) == model::sum(number(c.a), minus_b));
    }
}

RC_GTEST_PROP(DecimalModel, products_agree, ()) {
    for (const Case& c : *cases()) {
        RC_ASSERT(model::outcome(multiply(c.a, c.b, c.scale, c.rounding)) ==
                  model::product(number(c.a), number(c.b), c.scale, c.rounding));
        const int both = c.a.scale() + c.b.scale();
        if (both <= Decimal::kMaxScale) {
            RC_ASSERT(model::outcome(multiply(c.a, c.b)) ==
                      model::product(number(c.a), number(c.b), both, Rounding::down));
        }
    }
}

RC_GTEST_PROP(DecimalModel, quotients_agree, ()) {
    for (const Case& c : *cases()) {
        RC_ASSERT(model::outcome(divide(c.a, c.b, c.scale, c.rounding)) ==
                  model::quotient(number(c.a), number(c.b), "1", "1", c.scale, c.rounding));
    }
}

RC_GTEST_PROP(DecimalModel, ratios_agree, ()) {
    for (const Case& c : *cases()) {
        const std::string numerator = std::to_string(c.numerator);
        const std::string denominator = std::to_string(c.denominator);
        RC_ASSERT(
            model::outcome(multiply_ratio(c.a, c.numerator, c.denominator, c.scale, c.rounding)) ==
            model::quotient(number(c.a), {false, "1", 0}, numerator, denominator, c.scale,
                            c.rounding));
        RC_ASSERT(
            model::outcome(
                divide_ratio(c.a, c.b, c.numerator, c.denominator, c.scale, c.rounding)) ==
            model::quotient(number(c.a), number(c.b), numerator, denominator, c.scale, c.rounding));
    }
}

RC_GTEST_PROP(DecimalModel, other_scales_agree, ()) {
    for (const Case& c : *cases()) {
        RC_ASSERT(model::outcome(c.a.rescale(c.scale, c.rounding)) ==
                  model::product(number(c.a), {false, "1", 0}, c.scale, c.rounding));
    }
}

int order_of(const Decimal& a, const Decimal& b) {
    const auto order = a <=> b;
    return order == std::strong_ordering::less ? -1 : static_cast<int>(order != 0);
}

int model_order(const Decimal& a, const Decimal& b) {
    const model::Number left = number(a);
    const model::Number right = number(b);
    const int sizes = model::compare(model::shifted(left.digits, right.scale),
                                     model::shifted(right.digits, left.scale));
    if (left.negative != right.negative) {
        return left.negative ? -1 : 1;  // zero has no sign, so the values differ
    }
    return (sizes < 0 ? -1 : static_cast<int>(sizes > 0)) * (left.negative ? -1 : 1);
}

RC_GTEST_PROP(DecimalModel, comparisons_agree, ()) {
    for (const Case& c : *cases()) {
        RC_ASSERT(order_of(c.a, c.b) == model_order(c.a, c.b));
        // Numbers drawn at random hardly ever meet: the nearest neighbours, at another scale too.
        const Result<Decimal> same = c.a.rescale(c.scale, Rounding::down);
        if (same.ok()) {
            RC_ASSERT(order_of(c.a, *same) == model_order(c.a, *same));
            RC_ASSERT((c.a == *same) == (model_order(c.a, *same) == 0));
        }
    }
}

RC_GTEST_PROP(DecimalModel, text_survives, ()) {
    for (const Case& c : *cases()) {
        const Result<Decimal> again = Decimal::parse(c.a.text());
        RC_ASSERT(again.ok());
        RC_ASSERT(again->unscaled() == c.a.unscaled());
        RC_ASSERT(again->scale() == c.a.scale());
    }
}

// Small numbers, all of them: every tie of both signs, every remainder.
TEST(DecimalModel, all_small_numbers_round_as_the_model_does) {
    for (int unscaled = -1100; unscaled <= 1100; ++unscaled) {
        const Decimal value = *Decimal::make(unscaled, 3);
        for (const Rounding rounding : kRoundings) {
            for (int scale = 0; scale <= 3; ++scale) {
                ASSERT_EQ(model::outcome(value.rescale(scale, rounding)),
                          model::product(number(value), {false, "1", 0}, scale, rounding))
                    << value.text() << " to " << scale;
            }
        }
    }
}

TEST(DecimalModel, all_small_quotients_round_as_the_model_does) {
    for (int a = -30; a <= 30; ++a) {
        for (int b = -16; b <= 16; ++b) {
            const Decimal left = Decimal::from_int(a);
            const Decimal right = *Decimal::make(b, 1);
            for (const Rounding rounding : kRoundings) {
                ASSERT_EQ(model::outcome(divide(left, right, 1, rounding)),
                          model::quotient(number(left), number(right), "1", "1", 1, rounding))
                    << a << " / " << right.text();
            }
        }
    }
}

}  // namespace
}  // namespace jobforge
