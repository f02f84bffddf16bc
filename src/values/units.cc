#include "values/units.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "values/unit_table.h"
#include "values/wide.h"

namespace jobforge {
namespace {

using unit_table::kUnits;
using wide::U128;

constexpr auto kNames = [] {
    std::array<std::string_view, std::size(kUnits)> names;
    for (std::size_t i = 0; i < names.size(); ++i) {
        names[i] = kUnits[i].name;
    }
    return names;
}();

// UN/CEFACT Recommendation 20. Emissions and cycles have no code of their own there.
struct Code {
    std::string_view code;
    std::string_view name;
};
constexpr Code kCodes[] = {
    {"KGM", "kg"},   {"GRM", "g"},    {"TNE", "t"},   {"KWH", "kWh"},  {"WHR", "Wh"},
    {"MWH", "MWh"},  {"AMH", "Ah"},   {"E09", "mAh"}, {"AMP", "A"},    {"4K", "mA"},
    {"VLT", "V"},    {"2Z", "mV"},    {"WTT", "W"},   {"KWT", "kW"},   {"OHM", "ohm"},
    {"E45", "mohm"}, {"CEL", "degC"}, {"P1", "pct"},  {"C62", "each"}, {"H87", "each"},
    {"SEC", "s"},    {"MIN", "min"},  {"HUR", "h"},   {"DAY", "day"},  {"MON", "month"},
    {"ANN", "year"},
};

// Products of three sizes stay below 10^30 and of two below 10^17: no arithmetic here overflows.
constexpr bool sizes_are_small() {
    return std::all_of(std::begin(kUnits), std::end(kUnits), [](const Unit& unit) {
        return unit.numerator > 0 && unit.numerator < 10'000'000'000 && unit.denominator > 0 &&
               unit.denominator < 10'000'000;
    });
}
static_assert(sizes_are_small());

// How many `b` one `a` is, in lowest terms; both below 10^17.
struct Ratio {
    std::int64_t numerator;
    std::int64_t denominator;
};

Ratio size_ratio(const Unit& a, const Unit& b) noexcept {
    const std::int64_t numerator = a.numerator * b.denominator;
    const std::int64_t denominator = a.denominator * b.numerator;
    const std::int64_t common = std::gcd(numerator, denominator);
    return {numerator / common, denominator / common};
}

void require(bool holds) noexcept {
    if (!holds) {
        std::abort();
    }
}

constexpr Dimension combined(const Dimension& a, const Dimension& b, int sign_of_b) noexcept {
    Dimension result{};
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = static_cast<std::int8_t>(a[i] + sign_of_b * b[i]);
    }
    return result;
}

// The unit of this dimension with exactly this size; nullptr if none has it.
const Unit* unit_of(const Dimension& dimension, U128 numerator, U128 denominator) noexcept {
    for (const Unit& unit : kUnits) {
        if (unit.dimension == dimension && numerator * static_cast<U128>(unit.denominator) ==
                                               denominator * static_cast<U128>(unit.numerator)) {
            return &unit;
        }
    }
    return nullptr;
}

U128 product_of(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<U128>(a) * static_cast<U128>(b);
}

Result<Quantity> with_unit(Result<Decimal> value, const Unit& unit) {
    if (!value.ok()) {
        return std::move(value).error();
    }
    return Quantity{*value, &unit};
}

}  // namespace

const Unit* find_unit(std::string_view name) noexcept {
    for (const Unit& unit : kUnits) {
        if (unit.name == name) {
            return &unit;
        }
    }
    return nullptr;
}

const Unit* find_unit_by_code(std::string_view code) noexcept {
    const auto* row = std::ranges::find(kCodes, code, &Code::code);
    return row == std::end(kCodes) ? nullptr : find_unit(row->name);
}

std::string_view unit_name(const Unit& unit) noexcept {
    return unit.name;
}

std::string_view dimension_name(const Unit& unit) noexcept {
    return unit.dimension_name;
}

std::span<const std::string_view> all_unit_names() noexcept {
    return kNames;
}

bool same_dimension(const Unit& a, const Unit& b) noexcept {
    return a.dimension == b.dimension;
}

const Unit* product_unit(const Unit& a, const Unit& b) noexcept {
    return unit_of(combined(a.dimension, b.dimension, 1), product_of(a.numerator, b.numerator),
                   product_of(a.denominator, b.denominator));
}

const Unit* quotient_unit(const Unit& a, const Unit& b) noexcept {
    return unit_of(combined(a.dimension, b.dimension, -1), product_of(a.numerator, b.denominator),
                   product_of(a.denominator, b.numerator));
}

Result<Quantity> make_quantity(const Decimal& value, const Unit& unit) {
    return with_unit(value.rescale(kQuantityScale), unit);
}

Result<Quantity> convert(const Quantity& quantity, const Unit& unit) {
    require(same_dimension(*quantity.unit, unit));
    const Ratio factor = size_ratio(*quantity.unit, unit);
    return with_unit(
        multiply_ratio(quantity.value, factor.numerator, factor.denominator, kQuantityScale), unit);
}

Result<Quantity> convert(const DecimalSum& sum, const Unit& from, const Unit& unit) {
    require(same_dimension(from, unit));
    const Ratio factor = size_ratio(from, unit);
    return with_unit(sum.total(kQuantityScale, factor.numerator, factor.denominator), unit);
}

Result<Quantity> multiply(const Quantity& a, const Quantity& b) {
    const Unit* unit = product_unit(*a.unit, *b.unit);
    require(unit != nullptr);
    return with_unit(multiply(a.value, b.value, kQuantityScale), *unit);
}

Result<Quantity> divide(const Quantity& a, const Quantity& b) {
    const Unit* unit = quotient_unit(*a.unit, *b.unit);
    require(unit != nullptr);
    return with_unit(divide(a.value, b.value, kQuantityScale), *unit);
}

Result<Decimal> quantity_ratio(const Quantity& a, const Quantity& b) {
    require(same_dimension(*a.unit, *b.unit));
    const Ratio factor = size_ratio(*a.unit, *b.unit);
    return divide_ratio(a.value, b.value, factor.numerator, factor.denominator, kQuantityScale);
}

std::strong_ordering compare(const Quantity& a, const Quantity& b) noexcept {
    require(same_dimension(*a.unit, *b.unit));
    if (a.value.sign() != b.value.sign()) {
        return a.value.sign() <=> b.value.sign();
    }
    // Equal signs: the sizes at a common scale and unit, each below 10^38 * 10^17 * 10^18.
    const Ratio factor = size_ratio(*a.unit, *b.unit);
    const auto size = [](const Decimal& value, std::int64_t times, int digits) {
        const auto bits = static_cast<U128>(value.unscaled());
        return wide::Wide(value.sign() < 0 ? U128{0} - bits : bits)
            .times(static_cast<std::uint64_t>(times))
            .times_power_of_ten(digits);
    };
    const auto order = size(a.value, factor.numerator, b.value.scale()) <=>
                       size(b.value, factor.denominator, a.value.scale());
    return a.value.sign() < 0 ? 0 <=> order : order;
}

std::string quantity_text(const Quantity& quantity) {
    std::string text = quantity.value.text();
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') {
            text.pop_back();
        }
    }
    return text.append(" ").append(unit_name(*quantity.unit));
}

}  // namespace jobforge
