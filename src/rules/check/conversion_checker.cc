#include "rules/check/conversion_checker.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rules/check/builtin.h"
#include "rules/check/expression_checker.h"
#include "rules/check/literal_type.h"
#include "rules/check/mismatch.h"

namespace jobforge::rules {

namespace {

std::optional<Rounding> find_rounding(std::string_view name) {
    if (name == "half_even") {
        return Rounding::half_even;
    }
    if (name == "half_up") {
        return Rounding::half_up;
    }
    if (name == "down") {
        return Rounding::down;
    }
    if (name == "up") {
        return Rounding::up;
    }
    return std::nullopt;
}

}  // namespace

Type ConversionChecker::infer(Call& node) {
    switch (node.builtin) {
        case Builtin::to_dec:
            return infer_to_dec(node);
        case Builtin::to_qty:
            return infer_to_qty(node);
        case Builtin::convert:
            return infer_convert(node);
        default:
            return infer_to_text(node);
    }
}

Type ConversionChecker::infer_to_text(Call& node) {
    const Type& type = expressions_.infer(*node.arguments[0]);
    if (!has_text(type) && !type.is_error()) {
        context_.type_error(
            node.arguments[0]->span,
            fmt::format("toText takes an Int, Dec, Qty, Date or Bool, but this is "
                        "{}",
                        context_.describe(type)),
            type.is(Type::Kind::optional)
                ? conversion_advice(context_, *node.arguments[0], type, type.element())
                : "");
    }
    return Type::text();
}

Type ConversionChecker::infer_to_dec(Call& node) {
    const auto scale = literal_scale(context_, *node.arguments[0]);
    const Type type = expressions_.infer(*node.arguments[1]);
    if (node.arguments.size() == 3) {
        const auto mode = literal_text(context_, *node.arguments[2], "the rounding");
        const auto rounding = mode ? find_rounding(*mode) : std::nullopt;
        if (mode && !rounding) {
            context_.type_error(node.arguments[2]->span,
                                fmt::format("there is no rounding {}", *mode),
                                "write half_even, half_up, down or up");
        }
        node.rounding = rounding.value_or(Rounding::half_even);
    }
    if (!scale || type.is_error()) {
        return Type::error();
    }
    node.scale = *scale;
    if (type.is(Type::Kind::integer) || type.is(Type::Kind::decimal)) {
        return Type::decimal(*scale);
    }
    if (type.is(Type::Kind::text)) {
        return Type::optional(Type::decimal(*scale));
    }
    context_.type_error(
        node.arguments[1]->span,
        fmt::format("toDec takes an Int, a Dec or a Text, but this is {}", context_.describe(type)),
        conversion_advice(context_, *node.arguments[1], type, Type::decimal(*scale)));
    return Type::error();
}

Type ConversionChecker::infer_to_qty(Call& node) {
    node.unit = literal_unit(context_, *node.arguments[0]);
    Expression& value = *node.arguments[1];
    const Type type = expressions_.infer(value);
    if (type.is(Type::Kind::integer) || type.is(Type::Kind::decimal)) {
        return node.unit != nullptr ? Type::quantity(node.unit) : Type::error();
    }
    if (!type.is_error()) {
        std::string advice;
        if (node.unit != nullptr && type.is(Type::Kind::quantity)) {
            advice = conversion_advice(context_, value, type, Type::quantity(node.unit));
        } else {
            advice = conversion_advice(context_, value, type, Type::decimal(kQuantityScale));
        }
        context_.type_error(
            value.span,
            fmt::format("toQty takes an Int or a Dec, but this is {}", context_.describe(type)),
            std::move(advice));
    }
    return Type::error();
}

Type ConversionChecker::infer_convert(Call& node) {
    node.unit = literal_unit(context_, *node.arguments[0]);
    Expression& value = *node.arguments[1];
    const Type type = expressions_.infer(value);
    if (node.unit == nullptr || type.is_error()) {
        return Type::error();
    }
    Type wanted = Type::quantity(node.unit);
    if (!type.is(Type::Kind::quantity)) {
        context_.type_error(
            value.span,
            fmt::format("convert takes a quantity, but this is {}", context_.describe(type)),
            conversion_advice(context_, value, type, wanted));
        return Type::error();
    }
    if (!same_dimension(*type.unit(), *node.unit)) {
        context_.unit_error(value.span,
                            fmt::format("{} cannot be converted to {}", unit_name(*type.unit()),
                                        unit_name(*node.unit)),
                            conversion_advice(context_, value, type, wanted));
        return Type::error();
    }
    return wanted;
}

}  // namespace jobforge::rules
