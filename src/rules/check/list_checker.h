// Calls of the built-in functions of lists, and their lambdas.
#pragma once

#include <optional>
#include <vector>

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionChecker;

class ListChecker final {
public:
    ListChecker(CheckContext& context, ExpressionChecker& expressions) noexcept
        : context_(context), expressions_(expressions) {}

    // The number of arguments is right.
    [[nodiscard]] Type infer(Call& node);

private:
    [[nodiscard]] Type infer_map(Call& node);
    [[nodiscard]] Type infer_condition(Call& node);
    [[nodiscard]] Type infer_fold(Call& node);
    [[nodiscard]] Type infer_sort(Call& node);
    [[nodiscard]] Type infer_contains(Call& node);
    [[nodiscard]] Type infer_sum_qty(Call& node);
    [[nodiscard]] Type infer_sum_dec(Call& node);
    // The element's type of a list argument, or a report.
    [[nodiscard]] std::optional<Type> infer_elements(Expression& argument, const Call& node);
    // The body's type of a lambda whose parameters have these types.
    [[nodiscard]] Type apply(Expression& lambda, const std::vector<Type>& parameters,
                             const Call& node);

    CheckContext& context_;
    ExpressionChecker& expressions_;
};

}  // namespace jobforge::rules
