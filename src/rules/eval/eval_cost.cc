#include "rules/eval/eval_cost.h"

#include <algorithm>
#include <bit>

#include "values/pattern.h"

namespace jobforge::rules {
namespace {

using Kind = Value::Kind;

// As many comparisons of each element as halving the list takes.
std::uint64_t cost_of_sorting(const Value& list) {
    const auto halvings = static_cast<std::uint64_t>(std::bit_width(list.list().size()));
    return list.size() * std::max(halvings, std::uint64_t{1});
}

}  // namespace

std::string text_of(const Value& value) {
    switch (value.kind()) {
        case Kind::boolean:
            return value.boolean() ? "true" : "false";
        case Kind::integer:
            return std::to_string(value.integer());
        case Kind::decimal:
            return value.decimal().text();
        case Kind::quantity:
            return quantity_text(value.quantity());
        default:
            return value.date().text();
    }
}

std::uint64_t cost_of_call(const Call& node, std::span<const Step> arguments) {
    const Value& first = arguments[0].value;
    switch (node.builtin) {
        case Builtin::sort:
            return cost_of_sorting(first);
        // A text that is longer than where it is looked for is not looked for.
        case Builtin::contains:
            return first.size();
        case Builtin::matches:
            return first.size() * node.pattern->weight();
        case Builtin::starts_with:
            return std::min(first.size(), arguments[1].value.size());
        case Builtin::record_get:
        case Builtin::sum_dec:
        case Builtin::sum_qty:
        case Builtin::to_dec:
            return arguments[1].value.size();
        case Builtin::to_text:
            return Value(text_of(first)).size();
        default:
            return 1;
    }
}

}  // namespace jobforge::rules
