// Expressions, from the loosest binding to the tightest.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rules/syntax/parser_impl.h"

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

ExpressionPtr Parser::make(const Span& first, ExpressionNode node) {
    const int depth = std::visit(ChildDepth{}, node) + 1;
    if (depth > kMaximumNesting) {
        report(here(), fmt::format("nested deeper than {} levels", kMaximumNesting),
               "give the inner parts names with let");
        return nullptr;
    }
    auto expression = std::make_unique<Expression>();
    expression->span = since(first);
    expression->node = std::move(node);
    expression->depth = static_cast<std::uint16_t>(depth);
    return expression;
}

ExpressionPtr Parser::expression() {
    const Level level(*this);
    if (!level.ok()) {
        return nullptr;
    }
    if (at("let") || at("assert")) {
        return block();
    }
    return at("if") ? conditional() : disjunction();
}

// Statements are one flat list: a field may have thousands of lets without nesting.
ExpressionPtr Parser::block() {
    const Span first = here();
    Block block;
    bool ok = true;
    while (at("let") || at("assert")) {
        if (!statement(block)) {
            ok = false;
            skip_to({";"});
            accept(";");
        }
    }
    if (!ok && (at_end() || at_declaration())) {
        return nullptr;
    }
    block.result = expression();
    return ok && block.result ? make(first, std::move(block)) : nullptr;
}

bool Parser::statement(Block& block) {
    return at("let") ? let_statement(block) : assert_statement(block);
}

bool Parser::let_statement(Block& block) {
    advance();
    auto name = require_name("the name of a variable");
    if (!name || !require("=", "write let name = value;")) {
        return false;
    }
    Let let;
    let.name = *std::move(name);
    let.value = expression();
    if (!let.value) {
        return false;
    }
    require_semicolon("the let");
    block.statements.emplace_back(std::move(let));
    return true;
}

bool Parser::assert_statement(Block& block) {
    constexpr std::string_view kAdvice = "write assert(condition, \"CODE\", \"message\");";
    const Span first = here();
    advance();
    std::vector<ExpressionPtr> arguments;
    if (!require("(", kAdvice) || !expression_list(arguments, ")")) {
        return false;
    }
    if (arguments.size() != 3) {
        report(since(first), fmt::format("assert takes 3 arguments, not {}", arguments.size()),
               std::string(kAdvice));
        return false;
    }
    Assert assertion{since(first), std::move(arguments[0]), std::move(arguments[1]),
                     std::move(arguments[2])};
    require_semicolon("the assert");
    block.statements.emplace_back(std::move(assertion));
    return true;
}

ExpressionPtr Parser::conditional() {
    const Span first = here();
    advance();
    If node;
    node.condition = expression();
    if (!node.condition || !require("then", "write if condition then value else value")) {
        return nullptr;
    }
    node.then_branch = expression();
    if (!node.then_branch || !require("else", "an if always has an else; none may stand there")) {
        return nullptr;
    }
    node.else_branch = expression();
    return node.else_branch ? make(first, std::move(node)) : nullptr;
}

ExpressionPtr Parser::binary(BinaryOperator op, const Span& op_span, ExpressionPtr left,
                             ExpressionPtr right) {
    if (!left || !right) {
        return nullptr;
    }
    const Span first = left->span;
    Binary node{op, op_span, std::move(left), std::move(right)};
    return make(first, std::move(node));
}

ExpressionPtr Parser::disjunction() {
    ExpressionPtr left = conjunction();
    while (left && at("||")) {
        const Span op = here();
        advance();
        left = binary(BinaryOperator::logical_or, op, std::move(left), conjunction());
    }
    return left;
}

ExpressionPtr Parser::conjunction() {
    ExpressionPtr left = comparison();
    while (left && at("&&")) {
        const Span op = here();
        advance();
        left = binary(BinaryOperator::logical_and, op, std::move(left), comparison());
    }
    return left;
}

std::optional<BinaryOperator> Parser::comparison_operator() const noexcept {
    using enum BinaryOperator;
    for (const BinaryOperator op : {equal, not_equal, less, less_equal, greater, greater_equal}) {
        if (at(symbol(op))) {
            return op;
        }
    }
    return std::nullopt;
}

ExpressionPtr Parser::comparison() {
    ExpressionPtr left = sum();
    const auto op = comparison_operator();
    if (!left || !op) {
        return left;
    }
    const Span op_span = here();
    advance();
    left = binary(*op, op_span, std::move(left), sum());
    if (left && comparison_operator()) {
        report(here(), "comparisons do not chain", "write a < b && b < c instead of a < b < c");
        return nullptr;
    }
    return left;
}

ExpressionPtr Parser::sum() {
    ExpressionPtr left = product();
    while (left && (at("+") || at("-"))) {
        const auto op = at("+") ? BinaryOperator::add : BinaryOperator::subtract;
        const Span op_span = here();
        advance();
        left = binary(op, op_span, std::move(left), product());
    }
    return left;
}

ExpressionPtr Parser::product() {
    ExpressionPtr left = prefix();
    while (left && (at("*") || at("/"))) {
        const auto op = at("*") ? BinaryOperator::multiply : BinaryOperator::divide;
        const Span op_span = here();
        advance();
        left = binary(op, op_span, std::move(left), prefix());
    }
    return left;
}

ExpressionPtr Parser::prefix() {
    const bool negates = at("-");
    if (negates && (at_kind(TokenKind::integer, 1) || at_kind(TokenKind::decimal, 1))) {
        return number(true);
    }
    if (!negates && !at("!")) {
        return postfix();
    }
    const Level level(*this);
    if (!level.ok()) {
        return nullptr;
    }
    const Span first = here();
    advance();
    Unary node{negates ? UnaryOperator::negate : UnaryOperator::logical_not, prefix()};
    return node.operand ? make(first, std::move(node)) : nullptr;
}

ExpressionPtr Parser::postfix() {
    ExpressionPtr object = primary();
    while (object && at(".")) {
        // `forall x: T . E` has its own dot; here a dot is always a member's.
        advance();
        auto name = require_word("the name of a member");
        if (!name) {
            return nullptr;
        }
        const Span first = object->span;
        MemberAccess node{std::move(object), *std::move(name)};
        object = make(first, std::move(node));
    }
    return object;
}

}  // namespace jobforge::rules
