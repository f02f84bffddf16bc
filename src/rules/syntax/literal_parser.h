// Literals that are more than a word: 12, -1.50, "text", date("2027-02-18"), qty(1.5, kg).
#pragma once

#include <optional>

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

class LiteralParser final {
public:
    explicit LiteralParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    // At the number, or at the minus before it.
    [[nodiscard]] ExpressionPtr number(bool negative);
    [[nodiscard]] ExpressionPtr text();
    // At the word before the parenthesis.
    [[nodiscard]] ExpressionPtr date();
    [[nodiscard]] ExpressionPtr quantity();

private:
    [[nodiscard]] std::optional<Constant> number_value(bool negative);

    TokenReader& tokens_;
};

}  // namespace jobforge::rules
