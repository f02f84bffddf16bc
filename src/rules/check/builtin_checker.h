// Calls of built-in functions; those about lists, conversions and Opt have checkers of their own.
#pragma once

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionChecker;

class BuiltinChecker final {
public:
    BuiltinChecker(CheckContext& context, ExpressionChecker& expressions) noexcept
        : context_(context), expressions_(expressions) {}

    [[nodiscard]] Type infer(Expression& expression, Call& node);

private:
    // The number of arguments is right.
    [[nodiscard]] Type infer_call(Call& node);
    [[nodiscard]] Type infer_unknown_call(Call& node);
    [[nodiscard]] Type infer_facts(Call& node);
    [[nodiscard]] Type infer_record_get(Call& node);
    [[nodiscard]] Type infer_text(Call& node);
    [[nodiscard]] Type infer_date(Call& node);
    [[nodiscard]] Type infer_compliance(Call& node);
    [[nodiscard]] Type infer_declassify(Call& node);
    void check_status(const Expression& status);

    CheckContext& context_;
    ExpressionChecker& expressions_;
};

}  // namespace jobforge::rules
