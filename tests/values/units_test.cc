#include "values/units.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "big_number_model.h"

namespace jobforge {
namespace {

// The sizes as a physics book has them, each dimension in a unit of its own: written down without
// the program's table, which has other bases.
struct Size {
    const char* dimension;
    const char* numerator;
    const char* denominator;
};

const std::map<std::string_view, Size> kSizes = {
    {"g", {"mass", "1", "1"}},
    {"kg", {"mass", "1000", "1"}},
    {"t", {"mass", "1000000", "1"}},
    {"Wh", {"energy", "1", "1"}},
    {"kWh", {"energy", "1000", "1"}},
    {"MWh", {"energy", "1000000", "1"}},
    {"gCO2e", {"emission", "1", "1"}},
    {"kgCO2e", {"emission", "1000", "1"}},
    {"tCO2e", {"emission", "1000000", "1"}},
    {"gCO2e_per_kWh", {"emission per energy", "1", "1"}},
    {"kgCO2e_per_kWh", {"emission per energy", "1000", "1"}},
    {"Ah", {"charge", "1", "1"}},
    {"mAh", {"charge", "1", "1000"}},
    {"A", {"current", "1", "1"}},
    {"mA", {"current", "1", "1000"}},
    {"V", {"voltage", "1", "1"}},
    {"mV", {"voltage", "1", "1000"}},
    {"W", {"power", "1", "1"}},
    {"kW", {"power", "1000", "1"}},
    {"ohm", {"resistance", "1", "1"}},
    {"mohm", {"resistance", "1", "1000"}},
    {"degC", {"temperature", "1", "1"}},
    {"pct", {"share", "1", "1"}},
    {"each", {"pieces", "1", "1"}},
    {"s", {"time", "1", "3600"}},
    {"min", {"time", "1", "60"}},
    {"h", {"time", "1", "1"}},
    {"day", {"time", "24", "1"}},
    {"month", {"calendar time", "1", "12"}},
    {"year", {"calendar time", "1", "1"}},
    {"cycle", {"cycles", "1", "1"}},
};

const Unit& unit(std::string_view name) {
    const Unit* found = find_unit(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
}

Quantity quantity(std::string_view value, std::string_view name) {
    return make_quantity(Decimal::parse(value).value(), unit(name)).value();
}

std::string outcome(const Result<Quantity>& result) {
    return result.ok() ? result->value.text() + " " + std::string(unit_name(*result->unit))
                       : std::string(to_string(result.error().code));
}

TEST(Units, are_those_of_the_rule_language) {
    EXPECT_EQ(all_unit_names().size(), 31U);
    EXPECT_EQ(kSizes.size(), 31U);
    for (const std::string_view name : all_unit_names()) {
        ASSERT_TRUE(kSizes.contains(name)) << name;
        EXPECT_EQ(unit_name(unit(name)), name);
        EXPECT_EQ(dimension_name(unit(name)), kSizes.at(name).dimension);
    }
    EXPECT_EQ(all_unit_names().front(), "kg");
}

TEST(Units, have_one_spelling) {
    for (const char* name : {"", "KG", "kwh", "kWh ", " kg", "gram", "degF", "kg\n", "J", "%"}) {
        EXPECT_EQ(find_unit(name), nullptr) << name;
    }
    EXPECT_EQ(find_unit("kg"), find_unit("kg"));
}

TEST(Units, have_the_same_dimension_only_where_a_factor_is_exact) {
    for (const std::string_view a : all_unit_names()) {
        for (const std::string_view b : all_unit_names()) {
            EXPECT_EQ(same_dimension(unit(a), unit(b)),
                      std::string_view(kSizes.at(a).dimension) == kSizes.at(b).dimension)
                << a << " and " << b;
        }
    }
    EXPECT_FALSE(same_dimension(unit("month"), unit("day")));
    EXPECT_FALSE(same_dimension(unit("kg"), unit("kgCO2e")));
}

using Products = std::set<std::tuple<std::string_view, std::string_view, std::string_view>>;

// All of them; a product that is not here has no name.
const Products kProducts = {
    {"V", "Ah", "Wh"},
    {"V", "A", "W"},
    {"W", "h", "Wh"},
    {"kW", "h", "kWh"},
    {"A", "h", "Ah"},
    {"mA", "h", "mAh"},
    {"A", "ohm", "V"},
    {"A", "mohm", "mV"},
    {"mA", "ohm", "mV"},
    {"gCO2e_per_kWh", "kWh", "gCO2e"},
    {"gCO2e_per_kWh", "MWh", "kgCO2e"},
    {"kgCO2e_per_kWh", "Wh", "gCO2e"},
    {"kgCO2e_per_kWh", "kWh", "kgCO2e"},
    {"kgCO2e_per_kWh", "MWh", "tCO2e"},
};

TEST(Units, multiply_to_a_named_unit_where_the_factors_are_exact_and_nowhere_else) {
    for (const std::string_view a : all_unit_names()) {
        for (const std::string_view b : all_unit_names()) {
            const Unit* product = product_unit(unit(a), unit(b));
            const std::string_view name = product == nullptr ? "" : unit_name(*product);
            const bool named = kProducts.contains({a, b, name}) || kProducts.contains({b, a, name});
            EXPECT_EQ(product != nullptr, named) << a << " * " << b << " = " << name;
        }
    }
    for (const auto& [a, b, name] : kProducts) {
        EXPECT_EQ(product_unit(unit(a), unit(b)), &unit(name)) << a << " * " << b;
        EXPECT_EQ(product_unit(unit(b), unit(a)), &unit(name)) << b << " * " << a;
    }
}

TEST(Units, divide_exactly_where_they_multiply) {
    for (const std::string_view a : all_unit_names()) {
        for (const std::string_view b : all_unit_names()) {
            const Unit* quotient = quotient_unit(unit(a), unit(b));
            const std::string_view name = quotient == nullptr ? "" : unit_name(*quotient);
            const bool named = kProducts.contains({b, name, a}) || kProducts.contains({name, b, a});
            EXPECT_EQ(quotient != nullptr, named) << a << " / " << b << " = " << name;
        }
    }
    for (const auto& [a, b, product] : kProducts) {
        EXPECT_EQ(quotient_unit(unit(product), unit(a)), &unit(b)) << product << " / " << a;
        EXPECT_EQ(quotient_unit(unit(product), unit(b)), &unit(a)) << product << " / " << b;
    }
    EXPECT_EQ(quotient_unit(unit("kWh"), unit("kWh")), nullptr) << "a plain number";
    EXPECT_EQ(quotient_unit(unit("tCO2e"), unit("MWh")), &unit("kgCO2e_per_kWh"));
}

TEST(Quantity, has_six_decimals_rounded_half_even) {
    EXPECT_EQ(quantity("1.5", "kg").value.text(), "1.500000");
    EXPECT_EQ(quantity("0.0000005", "kg").value.text(), "0.000000");
    EXPECT_EQ(quantity("0.0000015", "kg").value.text(), "0.000002");
    EXPECT_EQ(quantity("-0.0000015", "kg").value.text(), "-0.000002");
    EXPECT_EQ(outcome(make_quantity(*Decimal::parse("1" + std::string(32, '0')), unit("kg"))),
              "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(make_quantity(*Decimal::parse(std::string(32, '9')), unit("kg"))),
              std::string(32, '9') + ".000000 kg");
}

TEST(Quantity, computes_the_examples_of_the_rule_language) {
    EXPECT_EQ(outcome(divide(quantity("3500000", "gCO2e"), quantity("50", "kWh"))),
              "70000.000000 gCO2e_per_kWh");
    EXPECT_EQ(outcome(multiply(quantity("3.7", "V"), quantity("50", "Ah"))), "185.000000 Wh");
    EXPECT_EQ(outcome(divide(quantity("1", "Wh"), quantity("3", "V"))), "0.333333 Ah");
    EXPECT_EQ(outcome(multiply(quantity("0.000001", "V"), quantity("0.5", "A"))), "0.000000 W");
    EXPECT_EQ(outcome(multiply(quantity("0.000003", "V"), quantity("-0.5", "A"))), "-0.000002 W");
    EXPECT_EQ(outcome(convert(quantity("1.5", "day"), unit("h"))), "36.000000 h");
    EXPECT_EQ(outcome(convert(quantity("1", "s"), unit("h"))), "0.000278 h");
    EXPECT_EQ(outcome(convert(quantity("0.0005", "g"), unit("kg"))), "0.000000 kg");
    EXPECT_EQ(outcome(convert(quantity("0.0015", "g"), unit("kg"))), "0.000002 kg");
    EXPECT_EQ(outcome(convert(quantity("18", "month"), unit("year"))), "1.500000 year");
    EXPECT_EQ(quantity_ratio(quantity("1", "kWh"), quantity("3", "Wh"))->text(), "333.333333");
}

TEST(Quantity, overflow_and_division_by_zero_are_errors) {
    const Quantity large = quantity(std::string(32, '9'), "MWh");
    EXPECT_EQ(outcome(convert(large, unit("Wh"))), "NUMBER_OVERFLOW");
    EXPECT_EQ(outcome(divide(quantity("1", "Wh"), quantity("0", "V"))), "DIVISION_BY_ZERO");
    EXPECT_EQ(outcome(multiply(quantity(std::string(32, '9'), "V"), quantity("2", "A"))),
              "NUMBER_OVERFLOW");
    EXPECT_EQ(model::outcome(quantity_ratio(large, quantity("0", "Wh"))), "DIVISION_BY_ZERO");
    EXPECT_EQ(model::outcome(quantity_ratio(large, quantity("1", "Wh"))), "NUMBER_OVERFLOW");
}

TEST(Quantity, compares_exactly_where_rounding_would_call_it_equal) {
    // 0.000001 g is 0.000000001 kg: it rounds to zero, and is more than zero.
    EXPECT_TRUE(compare(quantity("0.000001", "g"), quantity("0", "kg")) > 0);
    EXPECT_TRUE(compare(quantity("1000.000001", "g"), quantity("1", "kg")) > 0);
    EXPECT_TRUE(compare(quantity("-1000.000001", "g"), quantity("-1", "kg")) < 0);
    EXPECT_TRUE(compare(quantity("1000", "g"), quantity("1", "kg")) == 0);
    EXPECT_TRUE(compare(quantity("-1000", "g"), quantity("-1", "kg")) == 0);
    EXPECT_TRUE(compare(quantity("-1", "g"), quantity("1", "kg")) < 0);
    EXPECT_TRUE(compare(quantity("1", "h"), quantity("3600", "s")) == 0);
    const std::string largest(32, '9');
    EXPECT_TRUE(compare(quantity(largest, "MWh"), quantity(largest, "Wh")) > 0);
}

struct Drawn {
    std::string value;
    std::string_view name;
};

Drawn draw(std::string_view dimension) {
    std::vector<std::string_view> names;
    for (const auto& [name, size] : kSizes) {
        if (dimension.empty() || dimension == size.dimension) {
            names.push_back(name);
        }
    }
    const auto digits = *rc::gen::inRange<std::size_t>(1, 33);
    const auto any = rc::gen::element('0', '1', '2', '5', '5', '9');
    return {(*rc::gen::arbitrary<bool>() ? "-" : "") +
                *rc::gen::container<std::string>(digits, any) + "." +
                *rc::gen::container<std::string>(6, any),
            *rc::gen::elementOf(names)};
}

RC_GTEST_PROP(QuantityModel, conversions_ratios_and_comparisons_agree, ()) {
    for (int i = 0; i < 20; ++i) {
        const Drawn a = draw("");
        const Size& from = kSizes.at(a.name);
        const Drawn b = draw(from.dimension);
        const Size& to = kSizes.at(b.name);
        const model::Number left = model::number(a.value);
        const model::Number right = model::number(b.value);
        const model::Digits numerator = model::times(from.numerator, to.denominator);
        const model::Digits denominator = model::times(from.denominator, to.numerator);
        const Quantity x = quantity(a.value, a.name);
        const Quantity y = quantity(b.value, b.name);

        const Result<Quantity> converted = convert(x, unit(b.name));
        const std::string expected =
            model::quotient(left, {false, "1", 0}, numerator, denominator, 6, Rounding::half_even);
        RC_ASSERT((converted.ok() ? converted->value.text()
                                  : std::string(to_string(converted.error().code))) == expected);
        RC_ASSERT(model::outcome(quantity_ratio(x, y)) ==
                  model::quotient(left, right, numerator, denominator, 6, Rounding::half_even));

        const int sizes = model::compare(model::times(left.digits, numerator),
                                         model::times(right.digits, denominator));
        const bool both_zero = left.digits == "0" && right.digits == "0";
        int order = left.negative ? -sizes : sizes;
        if (left.negative != right.negative) {
            order = both_zero ? 0 : left.negative ? -1 : 1;
        }
        const auto found = compare(x, y);
        RC_ASSERT((order < 0) == (found == std::strong_ordering::less));
        RC_ASSERT((order > 0) == (found == std::strong_ordering::greater));
    }
}

TEST(Units, are_found_by_their_un_cefact_codes) {
    const std::map<std::string_view, std::string_view> codes{
        {"KGM", "kg"},   {"GRM", "g"},    {"TNE", "t"},   {"KWH", "kWh"},  {"WHR", "Wh"},
        {"MWH", "MWh"},  {"AMH", "Ah"},   {"E09", "mAh"}, {"AMP", "A"},    {"4K", "mA"},
        {"VLT", "V"},    {"2Z", "mV"},    {"WTT", "W"},   {"KWT", "kW"},   {"OHM", "ohm"},
        {"E45", "mohm"}, {"CEL", "degC"}, {"P1", "pct"},  {"C62", "each"}, {"H87", "each"},
        {"SEC", "s"},    {"MIN", "min"},  {"HUR", "h"},   {"DAY", "day"},  {"MON", "month"},
        {"ANN", "year"}};
    for (const auto& [code, name] : codes) {
        ASSERT_NE(find_unit_by_code(code), nullptr) << code;
        EXPECT_EQ(unit_name(*find_unit_by_code(code)), name);
    }
    for (const char* unknown : {"", "kg", "kgm", "LBR", "FAH"}) {
        EXPECT_EQ(find_unit_by_code(unknown), nullptr) << unknown;
    }
}

RC_GTEST_PROP(QuantityModel, products_and_quotients_agree, ()) {
    for (const auto& [a, b, product] : kProducts) {
        const Drawn left = draw(kSizes.at(a).dimension);
        const Drawn right = draw(kSizes.at(b).dimension);
        const Quantity x = quantity(left.value, a);
        const Quantity y = quantity(right.value, b);
        const model::Number m = model::number(left.value);
        const model::Number n = model::number(right.value);
        const Result<Quantity> times = multiply(x, y);
        const std::string name = times.ok() ? " " + std::string(product) : "";
        RC_ASSERT(outcome(times) == model::product(m, n, 6, Rounding::half_even) + name);
        const Result<Quantity> quotient = divide(quantity(left.value, product), y);
        const std::string unit = quotient.ok() ? " " + std::string(a) : "";
        RC_ASSERT(outcome(quotient) ==
                  model::quotient(m, n, "1", "1", 6, Rounding::half_even) + unit);
    }
}

}  // namespace
}  // namespace jobforge
