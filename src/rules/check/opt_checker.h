// Calls about what may be missing: some, isSome, requireSome, unwrapOr.
#pragma once

#include <optional>

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionChecker;

class OptChecker final {
public:
    OptChecker(CheckContext& context, ExpressionChecker& expressions) noexcept
        : context_(context), expressions_(expressions) {}

    // The number of arguments is right.
    [[nodiscard]] Type infer(Call& node);

private:
    [[nodiscard]] Type infer_some(Call& node);
    [[nodiscard]] Type infer_is_some(Call& node);
    [[nodiscard]] Type infer_require_some(Call& node);
    [[nodiscard]] Type infer_unwrap_or(Call& node);
    // infer, and a report unless it is an Opt. nullopt if that failed.
    [[nodiscard]] std::optional<Type> infer_opt(Expression& argument, const Call& node);

    CheckContext& context_;
    ExpressionChecker& expressions_;
};

}  // namespace jobforge::rules
