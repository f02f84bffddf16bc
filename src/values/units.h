// The units of quantities: one table, exact factors, conversion inside one dimension only.
//
// A quantity is a Decimal of scale 6 with a unit; every result is rounded half-even to six decimals
// once. Two units multiply or divide to a named unit only if the exact factors say so: V * Ah is
// Wh, V * mAh would be mWh and has no name. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "values/decimal.h"

namespace jobforge {

struct Unit;  // one row of the table; compare by address

inline constexpr int kQuantityScale = 6;

[[nodiscard]] const Unit* find_unit(std::string_view name) noexcept;  // nullptr: no such unit
// By its code in UN/CEFACT Recommendation 20 ("KGM", "KWH"), as GS1 and UNTP documents write it.
[[nodiscard]] const Unit* find_unit_by_code(std::string_view code) noexcept;
[[nodiscard]] std::string_view unit_name(const Unit& unit) noexcept;
// "energy", "mass", ...: for messages.
[[nodiscard]] std::string_view dimension_name(const Unit& unit) noexcept;
[[nodiscard]] std::span<const std::string_view> all_unit_names() noexcept;
[[nodiscard]] bool same_dimension(const Unit& a, const Unit& b) noexcept;
// The named unit of a product or quotient; nullptr if there is none. The quotient of one dimension
// is a plain number, not a unit: nullptr too (see quantity_ratio).
[[nodiscard]] const Unit* product_unit(const Unit& a, const Unit& b) noexcept;
[[nodiscard]] const Unit* quotient_unit(const Unit& a, const Unit& b) noexcept;

struct Quantity {
    Decimal value;  // scale 6
    const Unit* unit = nullptr;
};

// All round half-even to six decimals, once. NUMBER_OVERFLOW, DIVISION_BY_ZERO.
[[nodiscard]] Result<Quantity> make_quantity(const Decimal& value, const Unit& unit);
// Precondition: same_dimension.
[[nodiscard]] Result<Quantity> convert(const Quantity& quantity, const Unit& unit);
// The sum of values in `from`, converted. Precondition: same_dimension.
[[nodiscard]] Result<Quantity> convert(const DecimalSum& sum, const Unit& from, const Unit& unit);
// Precondition: product_unit / quotient_unit is not null.
[[nodiscard]] Result<Quantity> multiply(const Quantity& a, const Quantity& b);
[[nodiscard]] Result<Quantity> divide(const Quantity& a, const Quantity& b);
// a / b for one dimension, as a Decimal of scale 6. Precondition: same_dimension.
[[nodiscard]] Result<Decimal> quantity_ratio(const Quantity& a, const Quantity& b);
// Exact comparison across the units of one dimension (no rounding). Precondition: same_dimension.
[[nodiscard]] std::strong_ordering compare(const Quantity& a, const Quantity& b) noexcept;
// For people: "400 V", "0.72 kWh". No zeros at the end of the fraction.
[[nodiscard]] std::string quantity_text(const Quantity& quantity);

}  // namespace jobforge
