// What a step costs beyond what it makes: the size of what it walks over.
//
// The rule is in budget.h, the table in docs/rules.md. Each cost is a bound of the real work, up to
// a constant of some ten nanoseconds a step, whatever the values are. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rules/eval/eval_state.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

// Of a built-in that only looks at its arguments; emitCompliance aside.
[[nodiscard]] std::uint64_t cost_of_call(const Call& node, std::span<const Step> arguments);

// What toText makes of a Bool, Int, Dec, Qty or Date.
[[nodiscard]] std::string text_of(const Value& value);

// A key or name that is looked for or written down: nothing up to 15 bytes, like the scalars that
// most are.
[[nodiscard]] constexpr std::uint64_t cost_of_name(std::string_view name) noexcept {
    return name.size() / 16;
}

}  // namespace jobforge::rules
