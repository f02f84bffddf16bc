// Makes a node of the syntax tree, and keeps the tree's depth within kMaximumNesting.
#pragma once

#include "rules/syntax/ast.h"
#include "rules/syntax/token_reader.h"

namespace jobforge::rules {

// The node as an expression from `first` to the last token read. nullptr, after a report, if it is
// too deep.
[[nodiscard]] ExpressionPtr make_expression(TokenReader& tokens, const Span& first,
                                            ExpressionNode node);
// The same for `left op right`; nullptr if a side is.
[[nodiscard]] ExpressionPtr make_binary(TokenReader& tokens, BinaryOperator op, const Span& op_span,
                                        ExpressionPtr left, ExpressionPtr right);

}  // namespace jobforge::rules
