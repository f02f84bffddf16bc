#include "values/decimal.h"

#include <gtest/gtest.h>

#include <limits>

#include "big_number_model.h"

namespace jobforge {
namespace {

const std::string kNines38(38, '9');  // the largest number of scale 0

Decimal dec(std::string_view text) {
    return Decimal::parse(text).value();
}

using model::outcome;

TEST(Decimal, keeps_the_written_digits) {
    for (const char* text :
         {"0", "1.50", "-0.50", "0.00", "-12.000000000000000001", "100",
          "99999999999999999999.999999999999999999", "-99999999999999999999999999999999999999"}) {
        EXPECT_EQ(dec(text).text(), text);
    }
    EXPECT_EQ(dec("1.50").scale(), 2);
    EXPECT_EQ(Decimal().text(), "0");
}

TEST(Decimal, drops_leading_zeros_and_the_sign_of_zero) {
    EXPECT_EQ(dec("007.50").text(), "7.50");
    EXPECT_EQ(dec("-0").text(), "0");
    EXPECT_EQ(dec("-0.00").text(), "0.00");
    EXPECT_EQ(dec("-0.00").sign(), 0);
    EXPECT_EQ(dec(std::string(1000, '0') + kNines38).text(), kNines38);
    EXPECT_EQ(dec(std::string(1000, '0')).text(), "0");
}

TEST(Decimal, refuses_texts_that_are_no_plain_decimal) {
    for (const char* text : {"",
                             "-",
                             ".",
                             "1.",
                             ".5",
                             "-.5",
                             "+1",
                             " 1",
                             "1 ",
                             "1e5",
                             "1E5",
                             "0x1",
                             "1,5",
                             "1.5.5",
                             "--1",
                             "1-",
                             "nan",
                             "1.0000000000000000000",
                             "0.1234567890123456789",
                             "\xD9\xA1"}) {
        EXPECT_EQ(outcome(Decimal::parse(text)), "VALIDATION_ERROR") << text;
    }
    EXPECT_EQ(outcome(Decimal::parse(std::string_view("1\0", 2))), "VALIDATION_ERROR");
}

TEST(Decimal, has_at_most_38_digits) {
    EXPECT_EQ(outcome(Decimal::parse("1" + std::string(38, '0'))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(Decimal::parse("-1" + std::string(38, '0'))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(Decimal::parse(std::string(21, '9') + "." + std::string(18, '9'))),
              "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(Decimal::parse(std::string(100'000, '9'))), "NUMBER_OVERFLOW");
    const Decimal::Unscaled largest = dec(kNines38).unscaled();
    EXPECT_EQ(outcome(Decimal::make(largest, 18)), "99999999999999999999.999999999999999999");
    EXPECT_EQ(outcome(Decimal::make(largest + 1, 0)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(Decimal::make(-largest, 0)), "-" + kNines38);
    EXPECT_EQ(outcome(Decimal::make(-largest - 1, 0)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(Decimal::make(std::numeric_limits<Decimal::Unscaled>::min(), 0)),
              "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(Decimal::make(std::numeric_limits<Decimal::Unscaled>::max(), 0)),
              "NUMBER_OVERFLOW");
}

TEST(Decimal, takes_whole_numbers_at_any_scale) {
    EXPECT_EQ(Decimal::from_int(5, 2).text(), "5.00");
    EXPECT_EQ(Decimal::from_int(-9007199254740991, 18).text(),
              "-9007199254740991.000000000000000000");
    EXPECT_EQ(Decimal::from_int(std::numeric_limits<std::int64_t>::min(), 18).text(),
              "-9223372036854775808.000000000000000000");
}

TEST(Decimal, rounds_ties_of_both_signs_as_the_mode_says) {
    struct Tie {
        const char* value;
        const char* half_even;
        const char* half_up;
        const char* down;
        const char* up;
    };
    const Tie ties[] = {
        {"0.5", "0", "1", "0", "1"},       {"1.5", "2", "2", "1", "2"},
        {"2.5", "2", "3", "2", "3"},       {"-0.5", "0", "-1", "0", "-1"},
        {"-1.5", "-2", "-2", "-1", "-2"},  {"-2.5", "-2", "-3", "-2", "-3"},
        {"2.49", "2", "2", "2", "3"},      {"2.51", "3", "3", "2", "3"},
        {"-2.49", "-2", "-2", "-2", "-3"}, {"-2.51", "-3", "-3", "-2", "-3"},
        {"2.01", "2", "2", "2", "3"},      {"2.00", "2", "2", "2", "2"},
        {"-0.01", "0", "0", "0", "-1"},    {"0.000000000000000001", "0", "0", "0", "1"},
    };
    for (const Tie& tie : ties) {
        const Decimal value = dec(tie.value);
        EXPECT_EQ(outcome(value.rescale(0, Rounding::half_even)), tie.half_even) << tie.value;
        EXPECT_EQ(outcome(value.rescale(0, Rounding::half_up)), tie.half_up) << tie.value;
        EXPECT_EQ(outcome(value.rescale(0, Rounding::down)), tie.down) << tie.value;
        EXPECT_EQ(outcome(value.rescale(0, Rounding::up)), tie.up) << tie.value;
        EXPECT_EQ(outcome(value.rescale(0)), tie.half_even) << "half-even unless asked";
    }
}

TEST(Decimal, rescaling_overflows_by_digits_and_by_rounding_up) {
    EXPECT_EQ(outcome(dec(kNines38).rescale(1)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(dec(kNines38).rescale(18)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(dec("1").rescale(18)), "1.000000000000000000");
    EXPECT_EQ(outcome(dec("99999999999999999999").rescale(18)),
              "99999999999999999999.000000000000000000");
    EXPECT_EQ(outcome(dec("100000000000000000000").rescale(18)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(dec("0").rescale(18)), "0.000000000000000000");
    // Fewer digits behind the point make a carry, never an overflow.
    EXPECT_EQ(outcome(dec("9999999999999999999999999999999999999.9").rescale(0)),
              "10000000000000000000000000000000000000");
}

TEST(Decimal, sums_have_the_larger_scale) {
    EXPECT_EQ(outcome(add(dec("1.5"), dec("2.25"))), "3.75");
    EXPECT_EQ(outcome(subtract(dec("1.5"), dec("2.25"))), "-0.75");
    EXPECT_EQ(outcome(subtract(dec("1.50"), dec("1.5"))), "0.00");
    EXPECT_EQ(outcome(add(dec("-1"), dec("0.999999999999999999"))), "-0.000000000000000001");
}

TEST(Decimal, a_long_sum_is_the_same_in_every_order) {
    const std::vector<Decimal> terms{dec(kNines38),       dec("0.000000000000000001"),
                                     dec("-" + kNines38), dec("1"),
                                     dec(kNines38),       dec("-" + kNines38)};
    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
    do {
        DecimalSum sum;
        for (const std::size_t i : order) sum.add(terms[i]);
        ASSERT_EQ(outcome(sum.total(18)), "1.000000000000000001");
        ASSERT_EQ(outcome(sum.total(0)), "1");
    } while (std::ranges::next_permutation(order).found);
    DecimalSum beyond;
    for (int i = 0; i < 3; ++i) beyond.add(dec(kNines38));
    EXPECT_EQ(outcome(beyond.total(0)), "NUMBER_OVERFLOW");
    // Once it is divided it has 38 digits again.
    EXPECT_EQ(outcome(beyond.total(0, 1, 3)), kNines38);
    EXPECT_EQ(outcome(DecimalSum().total(2)), "0.00");
}

TEST(Decimal, sums_overflow_only_when_the_result_does) {
    EXPECT_EQ(outcome(add(dec(kNines38), dec("1"))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(subtract(dec("-" + kNines38), dec("1"))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(add(dec(kNines38), dec(kNines38))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(add(dec(kNines38), dec("-1"))), std::string(37, '9') + "8");
    EXPECT_EQ(outcome(add(dec(kNines38), dec("0.1"))), "NUMBER_OVERFLOW");
    // 10^20 at scale 18 has 39 digits, the difference 38.
    EXPECT_EQ(outcome(subtract(dec("100000000000000000000"), dec("0.000000000000000001"))),
              "99999999999999999999.999999999999999999");
    // Almost 2 * 10^38 on the way, which is above 2^127.
    EXPECT_EQ(outcome(subtract(dec("199999999999999999999"),
                               dec("99999999999999999999.999999999999999999"))),
              "99999999999999999999.000000000000000001");
    EXPECT_EQ(outcome(subtract(dec("200000000000000000000"),
                               dec("99999999999999999999.999999999999999999"))),
              "NUMBER_OVERFLOW")
        << "10^38 + 1 at scale 18";
    EXPECT_EQ(outcome(add(dec("340282366920938463464"), dec("0.000000000000000000"))),
              "NUMBER_OVERFLOW")
        << "just over 2^128 at scale 18";
    EXPECT_EQ(outcome(add(dec("340282366920938463463"), dec("0.000000000000000000"))),
              "NUMBER_OVERFLOW")
        << "just under 2^128 at scale 18";
    EXPECT_EQ(outcome(subtract(dec("340282366920938463463"), dec("0.000000000000000001"))),
              "NUMBER_OVERFLOW")
        << "as a signed number it would be small and negative";
}

TEST(Decimal, products_are_exact_or_rounded_once) {
    EXPECT_EQ(outcome(multiply(dec("1.5"), dec("-2.25"))), "-3.375");
    EXPECT_EQ(outcome(multiply(dec("0.000000001"), dec("0.000000001"))), "0.000000000000000001");
    // 36 digits behind the point before the one rounding: a tie that is none.
    EXPECT_EQ(outcome(multiply(dec("0.500000000000000000"), dec("1.000000000000000001"), 0)), "1");
    EXPECT_EQ(outcome(multiply(dec("0.500000000000000000"), dec("1.000000000000000000"), 0)), "0");
    EXPECT_EQ(outcome(multiply(dec("-0.5"), dec("3"), 0)), "-2");
    EXPECT_EQ(outcome(multiply(dec("2"), dec("3"), 18)), "6.000000000000000000");
}

TEST(Decimal, products_overflow_only_when_the_result_does) {
    EXPECT_EQ(outcome(multiply(dec(kNines38), dec("1"))), kNines38);
    EXPECT_EQ(outcome(multiply(dec(kNines38), dec("2"))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(multiply(dec(kNines38), dec(kNines38))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(multiply(dec(kNines38), dec("-" + kNines38), 18)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(multiply(dec(kNines38), dec("0"))), "0");
    EXPECT_EQ(outcome(multiply(dec("10000000000000000000"), dec("10000000000000000000"))),
              "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(multiply(dec("10000000000000000000"), dec("9999999999999999999"))),
              "99999999999999999990000000000000000000");
}

TEST(Decimal, rounding_up_into_the_39th_digit_is_an_overflow) {
    // 17 * 11764705882352941176470588235294117647 / 2 = 10^38 - 1/2.
    const Decimal value = dec("11764705882352941176470588235294117647");
    EXPECT_EQ(outcome(multiply_ratio(value, 17, 2, 0, Rounding::down)), kNines38);
    EXPECT_EQ(outcome(multiply_ratio(value, 17, 2, 0, Rounding::up)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(multiply_ratio(value, 17, 2, 0, Rounding::half_up)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(multiply_ratio(value, 17, 2, 0, Rounding::half_even)), "NUMBER_OVERFLOW");
}

TEST(Decimal, quotients_round_once_to_the_scale_asked_for) {
    EXPECT_EQ(outcome(divide(dec("1"), dec("3"), 6)), "0.333333");
    EXPECT_EQ(outcome(divide(dec("2"), dec("3"), 6)), "0.666667");
    EXPECT_EQ(outcome(divide(dec("-2"), dec("3"), 6, Rounding::down)), "-0.666666");
    EXPECT_EQ(outcome(divide(dec("1"), dec("-8"), 2)), "-0.12");
    EXPECT_EQ(outcome(divide(dec("3"), dec("-8"), 2)), "-0.38");
    EXPECT_EQ(outcome(divide(dec("1"), dec("8"), 2, Rounding::half_up)), "0.13");
    EXPECT_EQ(outcome(divide(dec("3500000.000000"), dec("50.000000"), 6)), "70000.000000");
    EXPECT_EQ(outcome(divide(dec("0"), dec("-7"), 2)), "0.00");
    EXPECT_EQ(outcome(divide(dec("0.000000000000000001"), dec(kNines38), 0, Rounding::up)), "1");
    EXPECT_EQ(outcome(divide(dec("1"), dec("99999999999999999999.999999999999999999"), 18)),
              "0.000000000000000000");
}

TEST(Decimal, quotients_overflow_and_refuse_zero) {
    EXPECT_EQ(outcome(divide(dec("1"), dec("0.00"), 2)), "DIVISION_BY_ZERO");
    EXPECT_EQ(outcome(divide(dec("0"), dec("0"), 2)), "DIVISION_BY_ZERO");
    EXPECT_EQ(outcome(divide(dec(kNines38), dec("0.1"), 0)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(divide(dec(kNines38), dec("0.000000000000000001"), 18)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(divide(dec(kNines38), dec("1"), 0)), kNines38);
    EXPECT_EQ(outcome(divide(dec("99999999999999999999999999999999999999"), dec("0.9"), 0)),
              "NUMBER_OVERFLOW");
}

TEST(Decimal, ratios_are_exact_until_the_one_rounding) {
    EXPECT_EQ(outcome(multiply_ratio(dec("1"), 18, 5, 6)), "3.600000");
    EXPECT_EQ(
        outcome(multiply_ratio(dec(kNines38), 999'999'999'999'999'999, 999'999'999'999'999'999, 0)),
        kNines38);
    EXPECT_EQ(outcome(multiply_ratio(dec(kNines38), 2, 1, 0)), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(divide_ratio(dec(kNines38), dec("-" + kNines38), 999'999'999'999'999'999,
                                   999'999'999'999'999'998, 18)),
              "-1.000000000000000001");
    // The largest numerator and the largest denominator that the inside has to hold.
    EXPECT_EQ(outcome(divide_ratio(dec(kNines38), dec("99999999999999999999.999999999999999999"),
                                   999'999'999'999'999'999, 1, 18)),
              "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(divide_ratio(dec("99999999999999999999.999999999999999999"), dec(kNines38), 1,
                                   999'999'999'999'999'999, 0, Rounding::up)),
              "1");
    // A division without a remainder beyond 128 bits: the other roundings would hide a lost unit.
    EXPECT_EQ(outcome(divide_ratio(dec(kNines38), dec(kNines38), 999'999'999'999'999'999,
                                   999'999'999'999'999'999, 18, Rounding::down)),
              "1.000000000000000000");
    EXPECT_EQ(outcome(divide_ratio(dec("1"), dec("0"), 1, 1, 0)), "DIVISION_BY_ZERO");
}

TEST(Decimal, compares_by_value) {
    EXPECT_EQ(dec("1.5"), dec("1.50"));
    EXPECT_EQ(dec("0"), dec("-0.000"));
    EXPECT_LT(dec("1.49"), dec("1.5"));
    EXPECT_LT(dec("-1.5"), dec("-1.49"));
    EXPECT_LT(dec("-0.1"), dec("0.01"));
    EXPECT_LT(dec("-" + kNines38), dec("-99999999999999999999.999999999999999999"));
    EXPECT_GT(dec(kNines38), dec("99999999999999999999.999999999999999999"));
}

TEST(Decimal, negates_everything) {
    EXPECT_EQ(outcome(dec("-" + kNines38).negate()), kNines38);
    EXPECT_EQ(outcome(dec("1.50").negate()), "-1.50");
    EXPECT_EQ(outcome(dec("0.00").negate()), "0.00");
}

TEST(Decimal, messages_say_what_to_do) {
    EXPECT_NE(Decimal::parse("1e5").error().message.find("like -12.50"), std::string::npos);
    EXPECT_NE(divide(dec("1"), dec("0"), 0).error().message.find("divisor"), std::string::npos);
    EXPECT_NE(multiply(dec(kNines38), dec("2")).error().message.find("38 digits"),
              std::string::npos);
}

using DecimalDeathTest = testing::Test;

TEST(DecimalDeathTest, a_broken_precondition_stops_before_a_wrong_value) {
    const Decimal one = Decimal::from_int(1);
    const Decimal fine = Decimal::from_int(1, 18);
    EXPECT_DEATH(static_cast<void>(Decimal::make(1, 19)), "");
    EXPECT_DEATH(static_cast<void>(Decimal::make(1, -1)), "");
    EXPECT_DEATH(static_cast<void>(Decimal::from_int(1, 19)), "");
    EXPECT_DEATH(static_cast<void>(one.rescale(19)), "");
    EXPECT_DEATH(static_cast<void>(multiply(fine, Decimal::from_int(1, 1))), "");
    EXPECT_DEATH(static_cast<void>(multiply(one, one, -1)), "");
    EXPECT_DEATH(static_cast<void>(divide(one, one, 19)), "");
    EXPECT_DEATH(static_cast<void>(multiply_ratio(one, 0, 1, 0)), "");
    EXPECT_DEATH(static_cast<void>(multiply_ratio(one, 1, 0, 0)), "");
    EXPECT_DEATH(static_cast<void>(divide_ratio(one, one, 1'000'000'000'000'000'000, 1, 0)), "");
    EXPECT_DEATH(static_cast<void>(divide_ratio(one, one, 1, 1'000'000'000'000'000'000, 0)), "");
}

}  // namespace
}  // namespace jobforge
