// Expressions, from the loosest binding to the tightest; what operators join is read by
// PrimaryParser.
#pragma once

#include <optional>

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

// == != < <= > >=, if one is next; it is not consumed.
[[nodiscard]] std::optional<BinaryOperator> comparison_operator(const TokenCursor& tokens) noexcept;

class ExpressionParser final {
public:
    explicit ExpressionParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    [[nodiscard]] ExpressionPtr expression();

private:
    [[nodiscard]] ExpressionPtr block();
    [[nodiscard]] bool statement(Block& block);
    [[nodiscard]] bool let_statement(Block& block);
    [[nodiscard]] bool assert_statement(Block& block);
    [[nodiscard]] ExpressionPtr conditional();
    [[nodiscard]] ExpressionPtr disjunction();
    [[nodiscard]] ExpressionPtr conjunction();
    [[nodiscard]] ExpressionPtr comparison();
    [[nodiscard]] ExpressionPtr sum();
    [[nodiscard]] ExpressionPtr product();
    [[nodiscard]] ExpressionPtr prefix();
    [[nodiscard]] ExpressionPtr postfix();

    TokenReader& tokens_;
};

}  // namespace jobforge::rules
