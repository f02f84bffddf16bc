// What does not fit is reported with the conversion that would help.
#pragma once

#include <string>
#include <string_view>

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

// Int, Dec, Qty, Date, Bool: what toText takes.
[[nodiscard]] bool has_text(const Type& type) noexcept;

// What to write to make a `wanted` of the expression, which is a `from`; empty if nothing does.
[[nodiscard]] std::string conversion_advice(const CheckContext& context,
                                            const Expression& expression, const Type& from,
                                            const Type& wanted);
// The same where a Qty is wanted.
[[nodiscard]] std::string to_qty_advice(const CheckContext& context, const Expression& expression,
                                        const Type& from, const Type& wanted);

// At the innermost part that does not fit. `what` is the subject of the message: "the condition of
// if".
void report_mismatch(CheckContext& context, const Expression& expression, const Type& wanted,
                     std::string_view what);
void report_no_member(CheckContext& context, const Span& span, const Type& record,
                      const std::string& name);

}  // namespace jobforge::rules
