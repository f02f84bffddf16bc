// Literals: their types and final values, and the arguments that must be literals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

// Days and quantities get their values here. The error type if there is no such day or unit.
[[nodiscard]] Type literal_type(CheckContext& context, Literal& node, const Span& span);

// An argument that is fixed when the rules are checked; nullopt (nullptr) after a report. `what` is
// the subject of the message: "the code of assert".
[[nodiscard]] std::optional<std::string> literal_text(CheckContext& context, Expression& argument,
                                                      std::string_view what);
[[nodiscard]] std::optional<int> literal_scale(CheckContext& context, Expression& argument);
[[nodiscard]] UnitPointer literal_unit(CheckContext& context, Expression& argument);

}  // namespace jobforge::rules
