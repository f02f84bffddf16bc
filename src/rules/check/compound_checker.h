// Expressions made of others: if, lists, let and assert before a value, implies.
#pragma once

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionChecker;

class CompoundChecker final {
public:
    CompoundChecker(CheckContext& context, ExpressionChecker& expressions) noexcept
        : context_(context), expressions_(expressions) {}

    [[nodiscard]] Type infer(If& node);
    [[nodiscard]] Type infer(ListLiteral& node);
    [[nodiscard]] Type infer(Block& node);
    [[nodiscard]] Type infer(Expression& expression, Implies& node);

private:
    void infer_statement(Let& let);
    void infer_statement(Assert& assertion);

    CheckContext& context_;
    ExpressionChecker& expressions_;
};

}  // namespace jobforge::rules
