// What operators join: literals, names, calls, lists, parentheses.
#pragma once

#include <string_view>
#include <vector>

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

class PrimaryParser final {
public:
    explicit PrimaryParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    [[nodiscard]] ExpressionPtr primary();
    // Items up to `close`, which is consumed. A comma may follow the last one.
    [[nodiscard]] bool expression_list(std::vector<ExpressionPtr>& items, std::string_view close);

private:
    [[nodiscard]] ExpressionPtr primary_word();
    [[nodiscard]] ExpressionPtr misplaced_keyword();
    [[nodiscard]] ExpressionPtr parenthesised();
    [[nodiscard]] ExpressionPtr list_literal();
    [[nodiscard]] ExpressionPtr field_reference();
    [[nodiscard]] ExpressionPtr implies();
    [[nodiscard]] ExpressionPtr call();
    [[nodiscard]] ExpressionPtr argument();
    [[nodiscard]] ExpressionPtr lambda();
    [[nodiscard]] bool at_lambda() const noexcept;

    TokenReader& tokens_;
};

}  // namespace jobforge::rules
