// Operators: which operands they take, what they give, and what to write when they do not fit.
#pragma once

#include <string>

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionChecker;

class OperatorChecker final {
public:
    OperatorChecker(CheckContext& context, ExpressionChecker& expressions) noexcept
        : context_(context), expressions_(expressions) {}

    [[nodiscard]] Type infer(Expression& expression, Unary& node);
    [[nodiscard]] Type infer(Expression& expression, Binary& node);

private:
    // The left side is inferred already.
    [[nodiscard]] Type infer_operator(Expression& expression, Binary& node);
    [[nodiscard]] Type infer_logical(Binary& node);
    [[nodiscard]] Type infer_comparison(Expression& expression, Binary& node);
    [[nodiscard]] Type infer_arithmetic(Expression& expression, Binary& node);
    [[nodiscard]] Type add_types(const Expression& expression, const Binary& node);
    [[nodiscard]] Type multiply_types(const Expression& expression, const Binary& node);
    [[nodiscard]] Type divide_types(const Expression& expression, const Binary& node);
    [[nodiscard]] Type quantity_types(const Expression& expression, const Binary& node);
    [[nodiscard]] Type report_operands(const Expression& expression, const Binary& node);
    [[nodiscard]] Type report_units(const Expression& expression, const Binary& node);
    [[nodiscard]] std::string operand_advice(const Binary& node) const;
    [[nodiscard]] std::string unit_pair_advice(const Binary& node) const;

    CheckContext& context_;
    ExpressionChecker& expressions_;
};

}  // namespace jobforge::rules
