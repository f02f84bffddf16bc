// Simpler values than a given one, for reporting a failing property with the smallest facts found.
#pragma once

#include <vector>

#include "rules/check/rule_type.h"
#include "rules/eval/rule_value.h"

namespace jobforge::rules {

// Values of the same type that are simpler, the boldest step first: numbers go toward 0 (and lose
// digits behind the point), texts and lists get shorter, optionals become none, dates go toward
// 2000-01-01, parts are simplified one at a time. Empty if it cannot get simpler. Every chain of
// such steps ends.
[[nodiscard]] std::vector<Value> simpler(const Value& value, const Type& type);

}  // namespace jobforge::rules
