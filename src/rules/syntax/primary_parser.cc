#include "rules/syntax/primary_parser.h"

#include <utility>

#include <fmt/format.h>

#include "rules/syntax/expression_node.h"
#include "rules/syntax/expression_parser.h"
#include "rules/syntax/literal_parser.h"

namespace jobforge::rules {

ExpressionPtr PrimaryParser::primary() {
    switch (tokens_.peek().kind) {
        case TokenKind::word:
            return primary_word();
        case TokenKind::integer:
        case TokenKind::decimal:
            return LiteralParser(tokens_).number(false);
        case TokenKind::text:
            return LiteralParser(tokens_).text();
        default:
            break;
    }
    if (tokens_.at("(")) {
        return parenthesised();
    }
    if (tokens_.at("[")) {
        return list_literal();
    }
    tokens_.report_expected("an expression");
    return nullptr;
}

ExpressionPtr PrimaryParser::primary_word() {
    const Span first = tokens_.here();
    const std::string_view word = tokens_.text();
    if (word == "true" || word == "false") {
        tokens_.advance();
        return make_expression(tokens_, first,
                               Literal{Literal::Kind::boolean, {}, {}, word == "true"});
    }
    if (word == "none") {
        tokens_.advance();
        return make_expression(tokens_, first, Literal{});
    }
    if (word == "product" || word == "issued_on") {
        tokens_.advance();
        return make_expression(
            tokens_, first,
            Given{word == "product" ? Given::Kind::product : Given::Kind::issued_on});
    }
    if (word == "field") {
        return field_reference();
    }
    if (word == "implies") {
        return implies();
    }
    if (is_keyword(word)) {
        return misplaced_keyword();
    }
    if (tokens_.at("(", 1)) {
        return word == "date"  ? LiteralParser(tokens_).date()
               : word == "qty" ? LiteralParser(tokens_).quantity()
                               : call();
    }
    tokens_.advance();
    return make_expression(tokens_, first, Variable{std::string(word)});
}

ExpressionPtr PrimaryParser::misplaced_keyword() {
    if (tokens_.at("if") || tokens_.at("let") || tokens_.at("assert")) {
        tokens_.report(tokens_.here(),
                       fmt::format("`{}` cannot stand inside an operation", tokens_.text()),
                       fmt::format("put parentheses around it: ({} ...)", tokens_.text()));
    } else {
        tokens_.report_expected("an expression");
    }
    return nullptr;
}

ExpressionPtr PrimaryParser::parenthesised() {
    const Span first = tokens_.here();
    if (at_lambda()) {
        tokens_.report(first, "a lambda can only be an argument",
                       "map, filter, fold, any and all take one: map(list, (x) -> x)");
        return nullptr;
    }
    tokens_.advance();
    ExpressionPtr inner = ExpressionParser(tokens_).expression();
    if (!inner || !tokens_.require(")")) {
        return nullptr;
    }
    inner->span = tokens_.since(first);
    ++inner->parentheses;
    return inner;
}

ExpressionPtr PrimaryParser::list_literal() {
    const Span first = tokens_.here();
    tokens_.advance();
    ListLiteral list;
    return expression_list(list.items, "]") ? make_expression(tokens_, first, std::move(list))
                                            : nullptr;
}

bool PrimaryParser::expression_list(std::vector<ExpressionPtr>& items, std::string_view close) {
    while (!tokens_.accept(close)) {
        ExpressionPtr item = argument();
        if (!item) {
            return false;
        }
        items.push_back(std::move(item));
        if (!tokens_.accept(",") && !tokens_.at(close)) {
            tokens_.report_expected(fmt::format("`,` or `{}`", close));
            return false;
        }
    }
    return true;
}

ExpressionPtr PrimaryParser::field_reference() {
    const Span first = tokens_.here();
    tokens_.advance();
    if (!tokens_.require("(", "write field(\"path\")")) {
        return nullptr;
    }
    auto path = tokens_.require_text("a field's path in quotes");
    if (!path || !tokens_.require(")")) {
        return nullptr;
    }
    return make_expression(tokens_, first, FieldReference{std::move(path->text), path->span});
}

ExpressionPtr PrimaryParser::implies() {
    const Span first = tokens_.here();
    tokens_.advance();
    Implies node;
    if (!tokens_.require("(", "write implies(premise, conclusion)")) {
        return nullptr;
    }
    node.premise = ExpressionParser(tokens_).expression();
    if (!node.premise || !tokens_.require(",", "write implies(premise, conclusion)")) {
        return nullptr;
    }
    node.conclusion = ExpressionParser(tokens_).expression();
    return node.conclusion && tokens_.require(")")
               ? make_expression(tokens_, first, std::move(node))
               : nullptr;
}

ExpressionPtr PrimaryParser::call() {
    const Span first = tokens_.here();
    Call node;
    node.function = {std::string(tokens_.text()), first};
    tokens_.advance();
    tokens_.advance();
    return expression_list(node.arguments, ")") ? make_expression(tokens_, first, std::move(node))
                                                : nullptr;
}

bool PrimaryParser::at_lambda() const noexcept {
    if (!tokens_.at("(") || !tokens_.at_kind(TokenKind::word, 1)) {
        return false;
    }
    return (tokens_.at(")", 2) && tokens_.at("->", 3)) ||
           (tokens_.at(",", 2) && tokens_.at_kind(TokenKind::word, 3) && tokens_.at(")", 4) &&
            tokens_.at("->", 5));
}

ExpressionPtr PrimaryParser::argument() {
    return at_lambda() ? lambda() : ExpressionParser(tokens_).expression();
}

ExpressionPtr PrimaryParser::lambda() {
    const Span first = tokens_.here();
    Lambda node;
    do {
        tokens_.advance();  // the parenthesis or the comma
        auto name = tokens_.require_name("the name of a variable");
        if (!name) {
            return nullptr;
        }
        node.parameters.push_back({*std::move(name), {}, 0});
    } while (tokens_.at(","));
    tokens_.advance();
    tokens_.advance();
    node.body = ExpressionParser(tokens_).expression();
    return node.body ? make_expression(tokens_, first, std::move(node)) : nullptr;
}

}  // namespace jobforge::rules
