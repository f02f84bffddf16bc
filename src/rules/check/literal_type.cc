#include "rules/check/literal_type.h"

#include <cstdint>

#include <fmt/format.h>

namespace jobforge::rules {

namespace {

Type quantity_type(CheckContext& context, Literal& node, const Span& span) {
    const UnitPointer unit = find_unit(node.text);
    if (unit == nullptr) {
        context.type_error(node.text_span, fmt::format("there is no unit {}", node.text),
                           context.suggestion(node.text, all_unit_names()));
        return Type::error();
    }
    const auto* whole = std::get_if<std::int64_t>(&node.value);
    const Decimal written =
        whole != nullptr ? Decimal::from_int(*whole) : std::get<Decimal>(node.value);
    if (written.scale() > kQuantityScale) {
        context.type_error(span, "a quantity has at most six decimals",
                           "round it, or take a smaller unit");
        return Type::error();
    }
    const auto quantity = make_quantity(written, *unit);
    if (!quantity.ok()) {
        context.type_error(span, "a quantity has at most 38 digits, six of them decimals");
        return Type::error();
    }
    node.value = *quantity;
    return Type::quantity(unit);
}

}  // namespace

Type literal_type(CheckContext& context, Literal& node, const Span& span) {
    switch (node.kind) {
        case Literal::Kind::none:
            return Type::optional(Type::nothing());
        case Literal::Kind::boolean:
            return Type::boolean();
        case Literal::Kind::integer:
            return Type::integer();
        case Literal::Kind::decimal:
            return Type::decimal(std::get<Decimal>(node.value).scale());
        case Literal::Kind::text:
            return Type::text();
        case Literal::Kind::quantity:
            return quantity_type(context, node, span);
        case Literal::Kind::date:
            break;
    }
    const auto date = Date::parse(node.text);
    if (!date) {
        context.type_error(node.text_span, "there is no such day",
                           "a date is written \"2027-02-18\"");
        return Type::error();
    }
    node.value = *date;
    return Type::date();
}

std::optional<std::string> literal_text(CheckContext& context, Expression& argument,
                                        std::string_view what) {
    const auto* literal = std::get_if<Literal>(&argument.node);
    if (literal != nullptr && literal->kind == Literal::Kind::text) {
        argument.type = Type::text();
        return std::get<std::string>(literal->value);
    }
    context.type_error(argument.span, fmt::format("{} must be a text in quotes", what),
                       "it is fixed when the rules are checked");
    return std::nullopt;
}

std::optional<int> literal_scale(CheckContext& context, Expression& argument) {
    const auto* literal = std::get_if<Literal>(&argument.node);
    if (literal != nullptr && literal->kind == Literal::Kind::integer) {
        const std::int64_t scale = std::get<std::int64_t>(literal->value);
        if (scale >= 0 && scale <= Decimal::kMaxScale) {
            argument.type = Type::integer();
            return static_cast<int>(scale);
        }
    }
    context.type_error(argument.span, "the scale must be a whole number from 0 to 18",
                       "it is the number of decimals, and fixed when the rules are checked");
    return std::nullopt;
}

UnitPointer literal_unit(CheckContext& context, Expression& argument) {
    const auto name = literal_text(context, argument, "the unit");
    if (!name) {
        return nullptr;
    }
    const UnitPointer unit = find_unit(*name);
    if (unit == nullptr) {
        context.type_error(argument.span, fmt::format("there is no unit {}", *name),
                           context.suggestion(*name, all_unit_names()));
    }
    return unit;
}

}  // namespace jobforge::rules
