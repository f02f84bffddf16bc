#include "rules/syntax/expression_node.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace jobforge::rules {

namespace {

std::uint16_t depth_of(const ExpressionPtr& child) noexcept {
    return child ? child->depth : std::uint16_t{0};
}

std::uint16_t deepest(const std::vector<ExpressionPtr>& children) noexcept {
    std::uint16_t depth = 0;
    for (const ExpressionPtr& child : children) {
        depth = std::max(depth, depth_of(child));
    }
    return depth;
}

// How deep the children of a node are.
struct ChildDepth {
    std::uint16_t operator()(const MemberAccess& node) const { return depth_of(node.object); }
    std::uint16_t operator()(const Unary& node) const { return depth_of(node.operand); }
    std::uint16_t operator()(const Binary& node) const {
        // a + b + c is one level: what walks the tree walks left sides in a loop.
        const bool goes_on =
            std::holds_alternative<Binary>(node.left->node) && node.left->parentheses == 0;
        const int left = depth_of(node.left) - (goes_on ? 1 : 0);
        return std::max(static_cast<std::uint16_t>(left), depth_of(node.right));
    }
    std::uint16_t operator()(const If& node) const {
        return std::max(
            {depth_of(node.condition), depth_of(node.then_branch), depth_of(node.else_branch)});
    }
    std::uint16_t operator()(const ListLiteral& node) const { return deepest(node.items); }
    std::uint16_t operator()(const Block& node) const {
        std::uint16_t depth = depth_of(node.result);
        for (const Statement& statement : node.statements) {
            depth = std::max(depth, std::visit(*this, statement));
        }
        return depth;
    }
    std::uint16_t operator()(const Let& node) const { return depth_of(node.value); }
    std::uint16_t operator()(const Assert& node) const {
        return std::max({depth_of(node.condition), depth_of(node.code), depth_of(node.message)});
    }
    std::uint16_t operator()(const Lambda& node) const { return depth_of(node.body); }
    std::uint16_t operator()(const Call& node) const { return deepest(node.arguments); }
    std::uint16_t operator()(const Implies& node) const {
        return std::max(depth_of(node.premise), depth_of(node.conclusion));
    }
    template <typename Leaf>
    std::uint16_t operator()(const Leaf& /*leaf*/) const {
        return 0;
    }
};

}  // namespace

ExpressionPtr make_expression(TokenReader& tokens, const Span& first, ExpressionNode node) {
    const int depth = std::visit(ChildDepth{}, node) + 1;
    if (depth > kMaximumNesting) {
        tokens.report_nesting();
        return nullptr;
    }
    auto expression = std::make_unique<Expression>();
    expression->span = tokens.since(first);
    expression->node = std::move(node);
    expression->depth = static_cast<std::uint16_t>(depth);
    return expression;
}

ExpressionPtr make_binary(TokenReader& tokens, BinaryOperator op, const Span& op_span,
                          ExpressionPtr left, ExpressionPtr right) {
    if (!left || !right) {
        return nullptr;
    }
    const Span first = left->span;
    Binary node{op, op_span, std::move(left), std::move(right)};
    return make_expression(tokens, first, std::move(node));
}

}  // namespace jobforge::rules
