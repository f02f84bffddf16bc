// if && || ! == != < <= > >= isSome some unwrapOr requireSome declassify
#include <algorithm>
#include <array>

#include "verify/operation.h"

namespace jobforge::verify {
namespace {

using Kind = Type::Kind;

// What an Opt holds, or what may hold for any: Nothing.
const Type& inside(const Type& type) noexcept {
    return type.is(Kind::optional) ? *type.inner : type;
}

Result<Value> choose(const Call& call) {
    if (!call.is(0, Kind::boolean)) {
        return wrong("its condition is not a Bool");
    }
    const Type& branch = call.type_of(1);
    const bool lifted = call.type.is(Kind::optional) && fits(branch, *call.type.inner);
    if (!fits(branch, call.type) && !lifted) {
        return wrong("its type is not that of the taken branch");
    }
    return call[1];
}

// The right side is there exactly if the left did not decide.
Result<Value> both_or_either(const Call& call, bool deciding) {
    for (std::size_t i = 0; i < call.count(); ++i) {
        if (!call.is(i, Kind::boolean)) {
            return wrong("an operand is not a Bool");
        }
    }
    const bool decided = *call[0].boolean() == deciding;
    if (decided != (call.count() == 1)) {
        return wrong("the right side is there exactly if the left did not decide");
    }
    return call[call.count() - 1];
}

Result<Value> logical_and(const Call& call) {
    return both_or_either(call, false);
}

Result<Value> logical_or(const Call& call) {
    return both_or_either(call, true);
}

Result<Value> logical_not(const Call& call) {
    if (!call.is(0, Kind::boolean)) {
        return wrong("its operand is not a Bool");
    }
    return Value(!*call[0].boolean());
}

// One type, but for the scale of a Dec and for the unit of a Qty within its dimension.
bool comparable(const Type& a, const Type& b) noexcept {
    if (a.is(Kind::decimal) && b.is(Kind::decimal)) {
        return true;
    }
    if (a.is(Kind::quantity) && b.is(Kind::quantity)) {
        return same_dimension(*a.unit, *b.unit);
    }
    return fits(a, b) || fits(b, a);
}

Result<bool> are_equal(const Call& call) {
    if (!comparable(call.type_of(0), call.type_of(1))) {
        return wrong("its operands have two types");
    }
    if (auto paid = call.environment.pay(std::min(call[0].size(), call[1].size())); !paid.ok()) {
        return std::move(paid).error();
    }
    return equal(call[0], call[1]);
}

Result<Value> same(const Call& call) {
    const auto result = are_equal(call);
    if (!result.ok()) {
        return result.error();
    }
    return Value(*result);
}

Result<Value> different(const Call& call) {
    const auto result = are_equal(call);
    if (!result.ok()) {
        return result.error();
    }
    return Value(!*result);
}

template <typename Holds>
Result<Value> ordered(const Call& call, Holds holds) {
    if (!is_orderable(call.type_of(0)) || !comparable(call.type_of(0), call.type_of(1))) {
        return wrong("its operands have no order");
    }
    if (auto paid = call.environment.pay(std::min(call[0].size(), call[1].size())); !paid.ok()) {
        return std::move(paid).error();
    }
    return Value(holds(order(call[0], call[1])));
}

Result<Value> less(const Call& call) {
    return ordered(call, [](std::partial_ordering order) { return order < 0; });
}

Result<Value> at_most(const Call& call) {
    return ordered(call, [](std::partial_ordering order) { return order <= 0; });
}

Result<Value> greater(const Call& call) {
    return ordered(call, [](std::partial_ordering order) { return order > 0; });
}

Result<Value> at_least(const Call& call) {
    return ordered(call, [](std::partial_ordering order) { return order >= 0; });
}

Result<Value> is_some(const Call& call) {
    bool all_given = true;
    for (std::size_t i = 0; i < call.count(); ++i) {
        if (!call.is(i, Kind::optional)) {
            return wrong("an operand is not an Opt");
        }
        all_given = all_given && !call[i].is_none();
    }
    return Value(all_given);
}

Result<Value> some(const Call& call) {
    if (!call.type.is(Kind::optional) || call.is(0, Kind::optional) ||
        !fits(call.type_of(0), *call.type.inner)) {
        return wrong("its type is not Opt of its operand's");
    }
    return call[0];
}

Result<Value> unwrap_or(const Call& call) {
    if (!call.is(0, Kind::optional) || !fits(inside(call.type_of(0)), call.type) ||
        !fits(call.type_of(1), call.type)) {
        return wrong("its type is not what the Opt holds");
    }
    return call[0].is_none() ? call[1] : call[0];
}

Result<Value> require_some(const Call& call) {
    if (!call.is(0, Kind::optional) || !fits(inside(call.type_of(0)), call.type)) {
        return wrong("its type is not what the Opt holds");
    }
    if (call.constant_text(1) == nullptr || call.constant_text(2) == nullptr) {
        return wrong("its code and its message are literals");
    }
    if (call[0].is_none()) {
        return wrong("what it requires is missing");
    }
    return call[0];
}

// The value as it is; the reason stands in the proof, for those who ask why it may be known.
Result<Value> declassify(const Call& call) {
    const std::string* reason = call.constant_text(0);
    if (reason == nullptr || reason->find_first_not_of(" \t\r\n") == std::string::npos) {
        return wrong("its reason is not a literal that says something");
    }
    if (!fits(call.type_of(1), call.type)) {
        return wrong("its type is not that of its value");
    }
    return call[1];
}

constexpr std::array<OperationRow, 15> kRows{{
    {"if", 2, 2, choose},
    {"&&", 1, 2, logical_and},
    {"||", 1, 2, logical_or},
    {"!", 1, 1, logical_not},
    {"==", 2, 2, same},
    {"!=", 2, 2, different},
    {"<", 2, 2, less},
    {"<=", 2, 2, at_most},
    {">", 2, 2, greater},
    {">=", 2, 2, at_least},
    {"isSome", 1, kAnyNumber, is_some},
    {"some", 1, 1, some},
    {"unwrapOr", 2, 2, unwrap_or},
    {"requireSome", 3, 3, require_some},
    {"declassify", 2, 2, declassify},
}};

}  // namespace

std::span<const OperationRow> logic_operations() noexcept {
    return kRows;
}

}  // namespace jobforge::verify
