#include "rules/syntax/expression_parser.h"

#include <utility>

#include <fmt/format.h>

#include "rules/syntax/expression_node.h"
#include "rules/syntax/literal_parser.h"
#include "rules/syntax/primary_parser.h"

namespace jobforge::rules {

std::optional<BinaryOperator> comparison_operator(const TokenCursor& tokens) noexcept {
    using enum BinaryOperator;
    for (const BinaryOperator op : {equal, not_equal, less, less_equal, greater, greater_equal}) {
        if (tokens.at(symbol(op))) {
            return op;
        }
    }
    return std::nullopt;
}

ExpressionPtr ExpressionParser::expression() {
    const NestingLevel level(tokens_);
    if (!level.ok()) {
        return nullptr;
    }
    if (tokens_.at("let") || tokens_.at("assert")) {
        return block();
    }
    return tokens_.at("if") ? conditional() : disjunction();
}

// Statements are one flat list: a field may have thousands of lets without nesting.
ExpressionPtr ExpressionParser::block() {
    const Span first = tokens_.here();
    Block block;
    bool ok = true;
    while (tokens_.at("let") || tokens_.at("assert")) {
        if (!statement(block)) {
            ok = false;
            tokens_.skip_to({";"});
            tokens_.accept(";");
        }
    }
    if (!ok && (tokens_.at_end() || tokens_.at_declaration())) {
        return nullptr;
    }
    block.result = expression();
    return ok && block.result ? make_expression(tokens_, first, std::move(block)) : nullptr;
}

bool ExpressionParser::statement(Block& block) {
    return tokens_.at("let") ? let_statement(block) : assert_statement(block);
}

bool ExpressionParser::let_statement(Block& block) {
    tokens_.advance();
    auto name = tokens_.require_name("the name of a variable");
    if (!name || !tokens_.require("=", "write let name = value;")) {
        return false;
    }
    Let let;
    let.name = *std::move(name);
    let.value = expression();
    if (!let.value) {
        return false;
    }
    tokens_.require_semicolon("the let");
    block.statements.emplace_back(std::move(let));
    return true;
}

bool ExpressionParser::assert_statement(Block& block) {
    constexpr std::string_view kAdvice = "write assert(condition, \"CODE\", \"message\");";
    const Span first = tokens_.here();
    tokens_.advance();
    std::vector<ExpressionPtr> arguments;
    if (!tokens_.require("(", kAdvice) || !PrimaryParser(tokens_).expression_list(arguments, ")")) {
        return false;
    }
    if (arguments.size() != 3) {
        tokens_.report(tokens_.since(first),
                       fmt::format("assert takes 3 arguments, not {}", arguments.size()),
                       std::string(kAdvice));
        return false;
    }
    Assert assertion{tokens_.since(first), std::move(arguments[0]), std::move(arguments[1]),
                     std::move(arguments[2])};
    tokens_.require_semicolon("the assert");
    block.statements.emplace_back(std::move(assertion));
    return true;
}

ExpressionPtr ExpressionParser::conditional() {
    const Span first = tokens_.here();
    tokens_.advance();
    If node;
    node.condition = expression();
    if (!node.condition || !tokens_.require("then", "write if condition then value else value")) {
        return nullptr;
    }
    node.then_branch = expression();
    if (!node.then_branch ||
        !tokens_.require("else", "an if always has an else; none may stand there")) {
        return nullptr;
    }
    node.else_branch = expression();
    return node.else_branch ? make_expression(tokens_, first, std::move(node)) : nullptr;
}

ExpressionPtr ExpressionParser::disjunction() {
    ExpressionPtr left = conjunction();
    while (left && tokens_.at("||")) {
        const Span op = tokens_.here();
        tokens_.advance();
        left = make_binary(tokens_, BinaryOperator::logical_or, op, std::move(left), conjunction());
    }
    return left;
}

ExpressionPtr ExpressionParser::conjunction() {
    ExpressionPtr left = comparison();
    while (left && tokens_.at("&&")) {
        const Span op = tokens_.here();
        tokens_.advance();
        left = make_binary(tokens_, BinaryOperator::logical_and, op, std::move(left), comparison());
    }
    return left;
}

ExpressionPtr ExpressionParser::comparison() {
    ExpressionPtr left = sum();
    const auto op = comparison_operator(tokens_);
    if (!left || !op) {
        return left;
    }
    const Span op_span = tokens_.here();
    tokens_.advance();
    left = make_binary(tokens_, *op, op_span, std::move(left), sum());
    if (left && comparison_operator(tokens_)) {
        tokens_.report(tokens_.here(), "comparisons do not chain",
                       "write a < b && b < c instead of a < b < c");
        return nullptr;
    }
    return left;
}

ExpressionPtr ExpressionParser::sum() {
    ExpressionPtr left = product();
    while (left && (tokens_.at("+") || tokens_.at("-"))) {
        const auto op = tokens_.at("+") ? BinaryOperator::add : BinaryOperator::subtract;
        const Span op_span = tokens_.here();
        tokens_.advance();
        left = make_binary(tokens_, op, op_span, std::move(left), product());
    }
    return left;
}

ExpressionPtr ExpressionParser::product() {
    ExpressionPtr left = prefix();
    while (left && (tokens_.at("*") || tokens_.at("/"))) {
        const auto op = tokens_.at("*") ? BinaryOperator::multiply : BinaryOperator::divide;
        const Span op_span = tokens_.here();
        tokens_.advance();
        left = make_binary(tokens_, op, op_span, std::move(left), prefix());
    }
    return left;
}

ExpressionPtr ExpressionParser::prefix() {
    const bool negates = tokens_.at("-");
    if (negates && tokens_.at_number(1)) {
        return LiteralParser(tokens_).number(true);
    }
    if (!negates && !tokens_.at("!")) {
        return postfix();
    }
    const NestingLevel level(tokens_);
    if (!level.ok()) {
        return nullptr;
    }
    const Span first = tokens_.here();
    tokens_.advance();
    Unary node{negates ? UnaryOperator::negate : UnaryOperator::logical_not, prefix()};
    return node.operand ? make_expression(tokens_, first, std::move(node)) : nullptr;
}

ExpressionPtr ExpressionParser::postfix() {
    ExpressionPtr object = PrimaryParser(tokens_).primary();
    while (object && tokens_.at(".")) {
        // `forall x: T . E` has its own dot; here a dot is always a member's.
        tokens_.advance();
        auto name = tokens_.require_word("the name of a member");
        if (!name) {
            return nullptr;
        }
        const Span first = object->span;
        MemberAccess node{std::move(object), *std::move(name)};
        object = make_expression(tokens_, first, std::move(node));
    }
    return object;
}

}  // namespace jobforge::rules
