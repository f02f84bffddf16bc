// list element get recordGet map filter any all fold count sort
#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "verify/operation.h"

namespace jobforge::verify {
namespace {

using Kind = Type::Kind;

// Whether all operands from `first` on have a type that fits `wanted`. A type of one reader has one
// address: each is looked at once, because its parts may be thousands and a child costs the proof
// two bytes.
bool operands_fit(const Call& call, std::size_t first, const Type& wanted) {
    std::set<const Type*> fitting;
    for (std::size_t i = first; i < call.count(); ++i) {
        if (call.operands[i].type == nullptr ||
            (fitting.insert(&call.type_of(i)).second && !fits(call.type_of(i), wanted))) {
            return false;
        }
    }
    return true;
}

// The operands from `first` on, as the items of a list of the declared type.
Result<Value> collect(const Call& call, std::size_t first) {
    if (!call.type.is(Kind::list)) {
        return wrong("its type is not a List");
    }
    if (!operands_fit(call, first, *call.type.inner)) {
        return wrong("an element has another type");
    }
    Value::Items items;
    for (std::size_t i = first; i < call.count(); ++i) {
        items.push_back(call[i]);
    }
    return Value(std::move(items));
}

Result<Value> list(const Call& call) {
    return collect(call, 0);
}

Result<Value> element(const Call& call) {
    const std::int64_t* index = call.constant_integer(1);
    if (!call.is(0, Kind::list) || index == nullptr || !fits(*call.type_of(0).inner, call.type)) {
        return wrong("it is not an element of a list");
    }
    const Value::Items& items = *call[0].items();
    if (*index < 0 || static_cast<std::uint64_t>(*index) >= items.size()) {
        return wrong("the list has no such element");
    }
    return items[static_cast<std::size_t>(*index)];
}

Result<Value> get(const Call& call) {
    const std::string* name = call.constant_text(1);
    const Type* member =
        call.is(0, Kind::record) && name != nullptr ? call.type_of(0).member(*name) : nullptr;
    if (member == nullptr || !fits(*member, call.type)) {
        return wrong("the record has no such member");
    }
    return *call[0].entry(*name);
}

// Opt of the member or the entry; what is an Opt already stays one. Of none: none.
Result<Value> record_get(const Call& call) {
    if (!call.type.is(Kind::optional) || !call.is(1, Kind::text) ||
        call.operands[0].type == nullptr) {
        return wrong("it gives an Opt for a name");
    }
    const std::string& name = *call[1].text();
    if (auto paid = call.environment.pay(call[1].size()); !paid.ok()) {
        return std::move(paid).error();
    }
    const Type& where = call.is(0, Kind::optional) ? *call.type_of(0).inner : call.type_of(0);
    const Type* found = where.is(Kind::record) ? where.member(name)
                        : where.is(Kind::map)  ? where.inner.get()
                                               : nullptr;
    if (found == nullptr ||
        !fits(found->is(Kind::optional) ? *found->inner : *found, *call.type.inner)) {
        return wrong("there is no such member of this type");
    }
    const Value* value = call[0].entry(name);
    return value == nullptr ? Value() : *value;
}

// map, filter and fold have one child for each element behind the `first` ones.
Status one_for_each(const Call& call, std::size_t first) {
    if (!call.is(0, Kind::list)) {
        return wrong("its first operand is not a List");
    }
    if (call.count() - first != call[0].items()->size()) {
        return wrong("it has not one application for each element");
    }
    return ok_status();
}

Result<Value> map(const Call& call) {
    if (auto complete = one_for_each(call, 1); !complete.ok()) {
        return std::move(complete).error();
    }
    return collect(call, 1);
}

Result<Value> filter(const Call& call) {
    if (auto complete = one_for_each(call, 1); !complete.ok()) {
        return std::move(complete).error();
    }
    if (!fits(call.type_of(0), call.type)) {
        return wrong("its type is not that of its list");
    }
    Value::Items kept;
    for (std::size_t i = 1; i < call.count(); ++i) {
        if (!call.is(i, Kind::boolean)) {
            return wrong("a condition is not a Bool");
        }
        if (*call[i].boolean()) {
            kept.push_back((*call[0].items())[i - 1]);
        }
    }
    return Value(std::move(kept));
}

Result<Value> fold(const Call& call) {
    if (auto complete = one_for_each(call, 2); !complete.ok()) {
        return std::move(complete).error();
    }
    if (!operands_fit(call, 1, call.type)) {
        return wrong("an application has another type");
    }
    return call[call.count() - 1];
}

// The conditions up to the first that decides, or all of them.
Result<Value> any_or_all(const Call& call, bool deciding) {
    if (!call.is(0, Kind::list)) {
        return wrong("its first operand is not a List");
    }
    const std::size_t elements = call[0].items()->size();
    const std::size_t evaluated = call.count() - 1;
    for (std::size_t i = 1; i < call.count(); ++i) {
        if (!call.is(i, Kind::boolean)) {
            return wrong("a condition is not a Bool");
        }
        if (*call[i].boolean() == deciding) {
            if (i != evaluated || evaluated > elements) {
                return wrong("conditions behind the deciding one");
            }
            return Value(deciding);
        }
    }
    if (evaluated != elements) {
        return wrong("it stops before anything is decided");
    }
    return Value(!deciding);
}

Result<Value> any(const Call& call) {
    return any_or_all(call, true);
}

Result<Value> all(const Call& call) {
    return any_or_all(call, false);
}

Result<Value> count(const Call& call) {
    if (!call.is(0, Kind::list)) {
        return wrong("its operand is not a List");
    }
    return Value(static_cast<std::int64_t>(call[0].items()->size()));
}

Result<Value> sort(const Call& call) {
    if (!call.is(0, Kind::list) || !fits(call.type_of(0), call.type)) {
        return wrong("its type is not that of its list");
    }
    const Type& inner = *call.type_of(0).inner;
    if (!is_orderable(inner) && !inner.is(Kind::nothing)) {
        return wrong("its elements have no order");
    }
    const auto comparisons = static_cast<std::uint64_t>(std::bit_width(call[0].items()->size()));
    if (auto paid = call.environment.pay(call[0].size() * std::max(comparisons, std::uint64_t{1}));
        !paid.ok()) {
        return std::move(paid).error();
    }
    Value::Items items = *call[0].items();
    std::ranges::stable_sort(items, [](const Value& a, const Value& b) { return order(a, b) < 0; });
    return Value(std::move(items));
}

constexpr std::array<OperationRow, 11> kRows{{
    {"list", 0, kAnyNumber, list},
    {"element", 2, 2, element},
    {"get", 2, 2, get},
    {"recordGet", 2, 2, record_get},
    {"map", 1, kAnyNumber, map},
    {"filter", 1, kAnyNumber, filter},
    {"fold", 2, kAnyNumber, fold},
    {"any", 1, kAnyNumber, any},
    {"all", 1, kAnyNumber, all},
    {"count", 1, 1, count},
    {"sort", 1, 1, sort},
}};

}  // namespace

std::span<const OperationRow> list_operations() noexcept {
    return kRows;
}

}  // namespace jobforge::verify
