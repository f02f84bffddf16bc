// Names: variables, fields, and members of records.
#pragma once

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionChecker;

class NameChecker final {
public:
    NameChecker(CheckContext& context, ExpressionChecker& expressions) noexcept
        : context_(context), expressions_(expressions) {}

    [[nodiscard]] Type infer(Variable& node, const Span& span);
    [[nodiscard]] Type infer(FieldReference& node);
    [[nodiscard]] Type infer(MemberAccess& node);

private:
    [[nodiscard]] Type unknown_member(const MemberAccess& node);

    CheckContext& context_;
    ExpressionChecker& expressions_;
};

}  // namespace jobforge::rules
