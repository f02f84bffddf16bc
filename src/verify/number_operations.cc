// + - * / neg toDec toQty convert sumQty sumDec
#include <algorithm>
#include <array>
#include <optional>

#include "verify/decimal_text.h"
#include "verify/operation.h"

namespace jobforge::verify {
namespace {

using Kind = Type::Kind;

constexpr int kLeastQuotientScale = 6;
constexpr std::int64_t kLargestInteger = (std::int64_t{1} << 53) - 1;

Result<Value> value_of(Result<Decimal> result) {
    if (!result.ok()) {
        return std::move(result).error();
    }
    return Value(*result);
}

Result<Value> value_of(Result<Quantity> result) {
    if (!result.ok()) {
        return std::move(result).error();
    }
    return Value(*result);
}

// Through 128 bits: neither the sum nor the product of two such integers overflows there.
Result<Value> integer(Decimal::Unscaled exact) {
    if (exact > kLargestInteger || exact < -kLargestInteger) {
        return wrong("the Int overflows");
    }
    return Value(static_cast<std::int64_t>(exact));
}

bool both(const Call& call, Kind kind) {
    return call.is(0, kind) && call.is(1, kind);
}

bool is_number(const Call& call, std::size_t i) {
    return call.is(i, Kind::decimal) || call.is(i, Kind::integer);
}

// An Int or Dec operand as a decimal.
Decimal number(const Call& call, std::size_t i) {
    return call.is(i, Kind::integer) ? Decimal::from_int(*call[i].integer()) : *call[i].decimal();
}

Result<Value> join(const Call& call) {
    if (auto paid = call.environment.pay(call[0].size() + call[1].size()); !paid.ok()) {
        return std::move(paid).error();
    }
    return Value(*call[0].text() + *call[1].text());
}

Result<Value> plus_or_minus(const Call& call, bool minus) {
    if (both(call, Kind::integer)) {
        const Decimal::Unscaled right = *call[1].integer();
        return integer(*call[0].integer() + (minus ? -right : right));
    }
    if (both(call, Kind::decimal)) {
        const Decimal& a = *call[0].decimal();
        const Decimal& b = *call[1].decimal();
        return value_of(minus ? subtract(a, b) : add(a, b));
    }
    if (both(call, Kind::quantity) && call.type_of(0).unit == call.type_of(1).unit) {
        const Quantity& a = *call[0].quantity();
        const Quantity& b = *call[1].quantity();
        const auto sum = minus ? subtract(a.value, b.value) : add(a.value, b.value);
        if (!sum.ok()) {
            return sum.error();
        }
        return Value(Quantity{*sum, a.unit});
    }
    return wrong("its operands cannot be added");
}

Result<Value> plus(const Call& call) {
    return both(call, Kind::text) ? join(call) : plus_or_minus(call, false);
}

Result<Value> minus(const Call& call) {
    return plus_or_minus(call, true);
}

Result<Value> scaled(const Quantity& quantity, const Decimal& factor) {
    const auto product = multiply(quantity.value, factor, kQuantityScale);
    if (!product.ok()) {
        return product.error();
    }
    return Value(Quantity{*product, quantity.unit});
}

Result<Value> times(const Call& call) {
    if (both(call, Kind::integer)) {
        return integer(Decimal::Unscaled{*call[0].integer()} * *call[1].integer());
    }
    if (both(call, Kind::decimal)) {
        if (call.type_of(0).scale + call.type_of(1).scale > Decimal::kMaxScale) {
            return wrong("the scales add to more than 18");
        }
        return value_of(multiply(*call[0].decimal(), *call[1].decimal()));
    }
    if (call.is(0, Kind::quantity) && is_number(call, 1)) {
        return scaled(*call[0].quantity(), number(call, 1));
    }
    if (is_number(call, 0) && call.is(1, Kind::quantity)) {
        return scaled(*call[1].quantity(), number(call, 0));
    }
    if (both(call, Kind::quantity) &&
        product_unit(*call.type_of(0).unit, *call.type_of(1).unit) != nullptr) {
        return value_of(multiply(*call[0].quantity(), *call[1].quantity()));
    }
    return wrong("its operands cannot be multiplied");
}

Result<Value> quotient_of_quantities(const Quantity& a, const Quantity& b) {
    if (same_dimension(*a.unit, *b.unit)) {
        return value_of(quantity_ratio(a, b));
    }
    if (quotient_unit(*a.unit, *b.unit) != nullptr) {
        return value_of(divide(a, b));
    }
    return wrong("the quotient of these units has no name");
}

Result<Value> over(const Call& call) {
    if (both(call, Kind::decimal)) {
        const int scale =
            std::max({kLeastQuotientScale, call.type_of(0).scale, call.type_of(1).scale});
        return value_of(divide(*call[0].decimal(), *call[1].decimal(), scale));
    }
    if (call.is(0, Kind::quantity) && is_number(call, 1)) {
        const Quantity& quantity = *call[0].quantity();
        const auto quotient = divide(quantity.value, number(call, 1), kQuantityScale);
        if (!quotient.ok()) {
            return quotient.error();
        }
        return Value(Quantity{*quotient, quantity.unit});
    }
    if (both(call, Kind::quantity)) {
        return quotient_of_quantities(*call[0].quantity(), *call[1].quantity());
    }
    return wrong("its operands cannot be divided");
}

Result<Value> negate(const Call& call) {
    if (call.is(0, Kind::integer)) {
        return Value(-*call[0].integer());
    }
    if (call.is(0, Kind::decimal)) {
        return value_of(call[0].decimal()->negate());
    }
    if (!call.is(0, Kind::quantity)) {
        return wrong("its operand is not a number");
    }
    const auto negative = call[0].quantity()->value.negate();
    if (!negative.ok()) {
        return negative.error();
    }
    return Value(Quantity{*negative, call[0].quantity()->unit});
}

std::optional<Rounding> rounding(const Call& call, std::size_t i) {
    if (i >= call.count()) {
        return Rounding::half_even;
    }
    constexpr std::array<std::pair<std::string_view, Rounding>, 4> kModes{{
        {"half_even", Rounding::half_even},
        {"half_up", Rounding::half_up},
        {"down", Rounding::down},
        {"up", Rounding::up},
    }};
    const std::string* name = call.constant_text(i);
    for (const auto& [mode, value] : kModes) {
        if (name != nullptr && *name == mode) {
            return value;
        }
    }
    return {};
}

std::optional<int> scale_argument(const Call& call) {
    const std::int64_t* scale = call.constant_integer(0);
    if (scale == nullptr || *scale < 0 || *scale > Decimal::kMaxScale) {
        return {};
    }
    return static_cast<int>(*scale);
}

Result<Value> to_dec(const Call& call) {
    const auto scale = scale_argument(call);
    const auto mode = rounding(call, 2);
    if (!scale || !mode) {
        return wrong("its scale or its mode is not one");
    }
    if (is_number(call, 1)) {
        return value_of(number(call, 1).rescale(*scale, *mode));
    }
    if (!call.is(1, Kind::text)) {
        return wrong("it makes a Dec of Int, Dec or Text");
    }
    const auto read = decimal_from_text(*call[1].text(), *scale, *mode);
    if (!read.ok()) {
        return read.error();
    }
    return *read ? Value(**read) : Value();
}

const Unit* unit_argument(const Call& call) {
    const std::string* name = call.constant_text(0);
    return name == nullptr ? nullptr : find_unit(*name);
}

Result<Value> to_qty(const Call& call) {
    const Unit* unit = unit_argument(call);
    if (unit == nullptr || !is_number(call, 1)) {
        return wrong("it makes a Qty of a unit and a number");
    }
    return value_of(make_quantity(number(call, 1), *unit));
}

Result<Value> convert_unit(const Call& call) {
    const Unit* unit = unit_argument(call);
    if (unit == nullptr || !call.is(1, Kind::quantity) ||
        !same_dimension(*unit, *call.type_of(1).unit)) {
        return wrong("it converts a Qty to a unit of its dimension");
    }
    return value_of(convert(*call[1].quantity(), *unit));
}

Result<Value> sum_qty(const Call& call) {
    const Unit* unit = unit_argument(call);
    const Type* element = call.is(1, Kind::list) ? call.type_of(1).inner.get() : nullptr;
    const bool empty = element != nullptr && element->is(Kind::nothing);
    if (unit == nullptr || element == nullptr ||
        (!empty && (!element->is(Kind::quantity) || !same_dimension(*unit, *element->unit)))) {
        return wrong("it sums a list of Qty in a unit of their dimension");
    }
    if (auto paid = call.environment.pay(call[1].size()); !paid.ok()) {
        return std::move(paid).error();
    }
    DecimalSum sum;
    for (const Value& item : *call[1].items()) {
        sum.add(item.quantity()->value);
    }
    return value_of(convert(sum, empty ? *unit : *element->unit, *unit));
}

Result<Value> sum_dec(const Call& call) {
    const auto scale = scale_argument(call);
    const Type* element = call.is(1, Kind::list) ? call.type_of(1).inner.get() : nullptr;
    if (!scale || element == nullptr ||
        !(element->is(Kind::decimal) || element->is(Kind::integer) || element->is(Kind::nothing))) {
        return wrong("it sums a list of Dec to a scale");
    }
    if (auto paid = call.environment.pay(call[1].size()); !paid.ok()) {
        return std::move(paid).error();
    }
    DecimalSum sum;
    for (const Value& item : *call[1].items()) {
        sum.add(item.integer() != nullptr ? Decimal::from_int(*item.integer()) : *item.decimal());
    }
    return value_of(sum.total(*scale));
}

constexpr std::array<OperationRow, 10> kRows{{
    {"+", 2, 2, plus},
    {"-", 2, 2, minus},
    {"*", 2, 2, times},
    {"/", 2, 2, over},
    {"neg", 1, 1, negate},
    {"toDec", 2, 3, to_dec},
    {"toQty", 2, 2, to_qty},
    {"convert", 2, 2, convert_unit},
    {"sumQty", 2, 2, sum_qty},
    {"sumDec", 2, 2, sum_dec},
}};

}  // namespace

std::span<const OperationRow> number_operations() noexcept {
    return kRows;
}

}  // namespace jobforge::verify
