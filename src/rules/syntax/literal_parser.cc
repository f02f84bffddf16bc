#include "rules/syntax/literal_parser.h"

#include <string>
#include <utility>

#include "rules/syntax/expression_node.h"

namespace jobforge::rules {

std::optional<Constant> LiteralParser::number_value(bool negative) {
    if (tokens_.at_kind(TokenKind::integer)) {
        const auto value = tokens_.require_integer("a number");
        return value ? std::optional<Constant>(negative ? -*value : *value) : std::nullopt;
    }
    const Result<Decimal> parsed =
        Decimal::parse((negative ? "-" : "") + std::string(tokens_.text()));
    if (!parsed.ok()) {
        tokens_.report(tokens_.here(),
                       "a decimal has at most 38 digits, 18 of them behind the point");
        return std::nullopt;
    }
    tokens_.advance();
    return *parsed;
}

ExpressionPtr LiteralParser::number(bool negative) {
    const Span first = tokens_.here();
    if (negative) {
        tokens_.advance();
    }
    auto value = number_value(negative);
    if (!value) {
        return nullptr;
    }
    const auto kind =
        std::holds_alternative<Decimal>(*value) ? Literal::Kind::decimal : Literal::Kind::integer;
    return make_expression(tokens_, first, Literal{kind, {}, {}, *std::move(value)});
}

ExpressionPtr LiteralParser::text() {
    const Span first = tokens_.here();
    auto value = tokens_.require_text("a text");
    return value ? make_expression(tokens_, first,
                                   Literal{Literal::Kind::text, {}, {}, std::move(value->text)})
                 : nullptr;
}

ExpressionPtr LiteralParser::date() {
    const Span first = tokens_.here();
    tokens_.advance();
    tokens_.advance();
    auto written = tokens_.require_text("a date in quotes such as \"2027-02-18\"");
    if (!written || !tokens_.require(")")) {
        return nullptr;
    }
    return make_expression(
        tokens_, first,
        Literal{Literal::Kind::date, std::move(written->text), written->span, None{}});
}

ExpressionPtr LiteralParser::quantity() {
    const Span first = tokens_.here();
    tokens_.advance();
    tokens_.advance();
    const bool negative = tokens_.accept("-");
    if (!tokens_.at_number()) {
        tokens_.report_expected(
            "a number", "write qty(1.5, kg); for a value that is computed, toQty(\"kg\", value)");
        return nullptr;
    }
    auto value = number_value(negative);
    if (!value || !tokens_.require(",", "write qty(1.5, kg)")) {
        return nullptr;
    }
    auto unit = tokens_.require_word("a unit without quotes, such as kg");
    if (!unit || !tokens_.require(")")) {
        return nullptr;
    }
    return make_expression(
        tokens_, first,
        Literal{Literal::Kind::quantity, std::move(unit->text), unit->span, *std::move(value)});
}

}  // namespace jobforge::rules
