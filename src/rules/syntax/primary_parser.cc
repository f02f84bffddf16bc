// Literals, names, calls, parentheses.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "rules/syntax/parser_impl.h"

namespace jobforge::rules {

ExpressionPtr Parser::primary() {
    switch (peek().kind) {
        case TokenKind::word:
            return primary_word();
        case TokenKind::integer:
        case TokenKind::decimal:
            return number(false);
        case TokenKind::text:
            return text_literal();
        default:
            break;
    }
    if (at("(")) {
        return parenthesised();
    }
    if (at("[")) {
        return list_literal();
    }
    report_expected("an expression");
    return nullptr;
}

ExpressionPtr Parser::primary_word() {
    const Span first = here();
    const std::string_view word = text();
    if (word == "true" || word == "false") {
        advance();
        return make(first, Literal{Literal::Kind::boolean, {}, {}, word == "true"});
    }
    if (word == "none") {
        advance();
        return make(first, Literal{});
    }
    if (word == "product" || word == "issued_on") {
        advance();
        return make(first,
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
    if (at("(", 1)) {
        return word == "date" ? date_literal() : word == "qty" ? quantity_literal() : call();
    }
    advance();
    return make(first, Variable{std::string(word)});
}

ExpressionPtr Parser::misplaced_keyword() {
    if (at("if") || at("let") || at("assert")) {
        report(here(), fmt::format("`{}` cannot stand inside an operation", text()),
               fmt::format("put parentheses around it: ({} ...)", text()));
    } else {
        report_expected("an expression");
    }
    return nullptr;
}

ExpressionPtr Parser::parenthesised() {
    const Span first = here();
    if (at_lambda()) {
        report(first, "a lambda can only be an argument",
               "map, filter, fold, any and all take one: map(list, (x) -> x)");
        return nullptr;
    }
    advance();
    ExpressionPtr inner = expression();
    if (!inner || !require(")")) {
        return nullptr;
    }
    inner->span = since(first);
    ++inner->parentheses;
    return inner;
}

std::optional<Constant> Parser::number_value(bool negative) {
    if (at_kind(TokenKind::integer)) {
        const auto value = require_integer("a number");
        return value ? std::optional<Constant>(negative ? -*value : *value) : std::nullopt;
    }
    const Result<Decimal> parsed = Decimal::parse((negative ? "-" : "") + std::string(text()));
    if (!parsed.ok()) {
        report(here(), "a decimal has at most 38 digits, 18 of them behind the point");
        return std::nullopt;
    }
    advance();
    return *parsed;
}

// At the number, or at the minus before it.
ExpressionPtr Parser::number(bool negative) {
    const Span first = here();
    if (negative) {
        advance();
    }
    auto value = number_value(negative);
    if (!value) {
        return nullptr;
    }
    const auto kind =
        std::holds_alternative<Decimal>(*value) ? Literal::Kind::decimal : Literal::Kind::integer;
    return make(first, Literal{kind, {}, {}, *std::move(value)});
}

ExpressionPtr Parser::text_literal() {
    const Span first = here();
    auto value = require_text("a text");
    return value ? make(first, Literal{Literal::Kind::text, {}, {}, std::move(value->text)})
                 : nullptr;
}

ExpressionPtr Parser::date_literal() {
    const Span first = here();
    advance();
    advance();
    auto written = require_text("a date in quotes such as \"2027-02-18\"");
    if (!written || !require(")")) {
        return nullptr;
    }
    return make(first,
                Literal{Literal::Kind::date, std::move(written->text), written->span, None{}});
}

ExpressionPtr Parser::quantity_literal() {
    const Span first = here();
    advance();
    advance();
    const bool negative = accept("-");
    if (!at_kind(TokenKind::integer) && !at_kind(TokenKind::decimal)) {
        report_expected("a number",
                        "write qty(1.5, kg); for a value that is computed, toQty(\"kg\", value)");
        return nullptr;
    }
    auto value = number_value(negative);
    if (!value || !require(",", "write qty(1.5, kg)")) {
        return nullptr;
    }
    auto unit = require_word("a unit without quotes, such as kg");
    if (!unit || !require(")")) {
        return nullptr;
    }
    return make(first, Literal{Literal::Kind::quantity, std::move(unit->text), unit->span,
                               *std::move(value)});
}

ExpressionPtr Parser::list_literal() {
    const Span first = here();
    advance();
    ListLiteral list;
    return expression_list(list.items, "]") ? make(first, std::move(list)) : nullptr;
}

// Items up to `close`, which is consumed. A comma may follow the last one.
bool Parser::expression_list(std::vector<ExpressionPtr>& items, std::string_view close) {
    while (!accept(close)) {
        ExpressionPtr item = argument();
        if (!item) {
            return false;
        }
        items.push_back(std::move(item));
        if (!accept(",") && !at(close)) {
            report_expected(fmt::format("`,` or `{}`", close));
            return false;
        }
    }
    return true;
}

ExpressionPtr Parser::field_reference() {
    const Span first = here();
    advance();
    if (!require("(", "write field(\"path\")")) {
        return nullptr;
    }
    auto path = require_text("a field's path in quotes");
    if (!path || !require(")")) {
        return nullptr;
    }
    return make(first, FieldReference{std::move(path->text), path->span});
}

ExpressionPtr Parser::implies() {
    const Span first = here();
    advance();
    Implies node;
    if (!require("(", "write implies(premise, conclusion)")) {
        return nullptr;
    }
    node.premise = expression();
    if (!node.premise || !require(",", "write implies(premise, conclusion)")) {
        return nullptr;
    }
    node.conclusion = expression();
    return node.conclusion && require(")") ? make(first, std::move(node)) : nullptr;
}

ExpressionPtr Parser::call() {
    const Span first = here();
    Call node;
    node.function = {std::string(text()), first};
    advance();
    advance();
    return expression_list(node.arguments, ")") ? make(first, std::move(node)) : nullptr;
}

bool Parser::at_lambda() const noexcept {
    if (!at("(") || !at_kind(TokenKind::word, 1)) {
        return false;
    }
    return (at(")", 2) && at("->", 3)) ||
           (at(",", 2) && at_kind(TokenKind::word, 3) && at(")", 4) && at("->", 5));
}

ExpressionPtr Parser::argument() {
    return at_lambda() ? lambda() : expression();
}

ExpressionPtr Parser::lambda() {
    const Span first = here();
    Lambda node;
    do {
        advance();  // the parenthesis or the comma
        auto name = require_name("the name of a variable");
        if (!name) {
            return nullptr;
        }
        node.parameters.push_back({*std::move(name), {}, 0});
    } while (at(","));
    advance();
    advance();
    node.body = expression();
    return node.body ? make(first, std::move(node)) : nullptr;
}

}  // namespace jobforge::rules
