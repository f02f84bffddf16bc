// Calls that convert: toText, toDec, toQty, convert.
#pragma once

#include "rules/check/checker.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

class ExpressionChecker;

class ConversionChecker final {
public:
    ConversionChecker(CheckContext& context, ExpressionChecker& expressions) noexcept
        : context_(context), expressions_(expressions) {}

    // The number of arguments is right.
    [[nodiscard]] Type infer(Call& node);

private:
    [[nodiscard]] Type infer_to_text(Call& node);
    [[nodiscard]] Type infer_to_dec(Call& node);
    [[nodiscard]] Type infer_to_qty(Call& node);
    [[nodiscard]] Type infer_convert(Call& node);

    CheckContext& context_;
    ExpressionChecker& expressions_;
};

}  // namespace jobforge::rules
