#include "rules/check/list_checker.h"

#include <utility>

#include <fmt/format.h>

#include "rules/check/adapt.h"
#include "rules/check/builtin.h"
#include "rules/check/expression_checker.h"
#include "rules/check/literal_type.h"
#include "rules/check/mismatch.h"

namespace jobforge::rules {

Type ListChecker::infer(Call& node) {
    switch (node.builtin) {
        case Builtin::map:
            return infer_map(node);
        case Builtin::fold:
            return infer_fold(node);
        case Builtin::count:
            (void)infer_elements(*node.arguments[0], node);
            return Type::integer();
        case Builtin::sort:
            return infer_sort(node);
        case Builtin::contains:
            return infer_contains(node);
        case Builtin::sum_qty:
            return infer_sum_qty(node);
        case Builtin::sum_dec:
            return infer_sum_dec(node);
        default:
            return infer_condition(node);
    }
}

std::optional<Type> ListChecker::infer_elements(Expression& argument, const Call& node) {
    const Type& type = expressions_.infer(argument);
    if (type.is(Type::Kind::list)) {
        return type.element();
    }
    if (!type.is_error()) {
        const bool opt_list = type.is(Type::Kind::optional) && type.element().is(Type::Kind::list);
        context_.type_error(
            argument.span,
            fmt::format("{} takes a list, but this is {}", node.function.text,
                        context_.describe(type)),
            opt_list ? fmt::format("write unwrapOr({}, [])", context_.shown(argument)) : "");
    }
    return std::nullopt;
}

Type ListChecker::apply(Expression& lambda, const std::vector<Type>& parameters, const Call& node) {
    auto* found = std::get_if<Lambda>(&lambda.node);
    if (found == nullptr || found->parameters.size() != parameters.size()) {
        context_.type_error(
            lambda.span,
            fmt::format("the last argument of {} must be a lambda of {} variable{}",
                        node.function.text, parameters.size(), parameters.size() == 1 ? "" : "s"),
            fmt::format("write {}", builtin_usage(node.builtin)));
        return Type::error();
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        Lambda::Parameter& parameter = found->parameters[i];
        parameter.type = parameters[i];
        parameter.slot = expressions_.variables().bind(parameter.name.text, parameters[i]);
    }
    lambda.type = expressions_.infer(*found->body);
    for (const Lambda::Parameter& parameter : found->parameters) {
        expressions_.variables().unbind(parameter.name.text);
    }
    return lambda.type;
}

Type ListChecker::infer_map(Call& node) {
    const auto element = infer_elements(*node.arguments[0], node);
    const Type result = apply(*node.arguments[1], {element.value_or(Type::error())}, node);
    return result.is_error() ? result : Type::list(result);
}

// filter, any, all.
Type ListChecker::infer_condition(Call& node) {
    const auto element = infer_elements(*node.arguments[0], node);
    const Type result = apply(*node.arguments[1], {element.value_or(Type::error())}, node);
    if (!assignable(result, Type::boolean())) {
        report_mismatch(context_, *std::get<Lambda>(node.arguments[1]->node).body, Type::boolean(),
                        fmt::format("the condition of {}", node.function.text));
    }
    return node.builtin == Builtin::filter ? node.arguments[0]->type : Type::boolean();
}

Type ListChecker::infer_fold(Call& node) {
    const auto element = infer_elements(*node.arguments[0], node);
    Expression& start = *node.arguments[1];
    const Type accumulator = expressions_.infer(start);
    const Type result =
        apply(*node.arguments[2], {accumulator, element.value_or(Type::error())}, node);
    auto* lambda = std::get_if<Lambda>(&node.arguments[2]->node);
    if (lambda == nullptr || result.is_error() || accumulator.is_error()) {
        return Type::error();
    }
    adapt(*lambda->body, accumulator);
    node.arguments[2]->type = lambda->body->type;
    const auto both = unify(accumulator, lambda->body->type);
    if (!both) {
        report_mismatch(context_, *lambda->body, accumulator, "the result of fold's lambda");
        return Type::error();
    }
    adapt(start, *both);
    return *both;
}

Type ListChecker::infer_sort(Call& node) {
    const auto element = infer_elements(*node.arguments[0], node);
    if (element && !element->is_orderable() && !element->is(Type::Kind::nothing) &&
        !element->is_error()) {
        context_.type_error(node.arguments[0]->span,
                            fmt::format("{} has no order", context_.describe(*element)),
                            "sort takes lists of Int, Dec, Qty, Text or Date");
        return Type::error();
    }
    return node.arguments[0]->type;
}

Type ListChecker::infer_contains(Call& node) {
    const Type type = expressions_.infer(*node.arguments[0]);
    if (type.is(Type::Kind::text)) {
        expressions_.require(*node.arguments[1], Type::text(), "what contains looks for");
    } else if (type.is(Type::Kind::list) && !type.is_partial()) {
        expressions_.require(*node.arguments[1], type.element(), "what contains looks for");
    } else {
        expressions_.infer(*node.arguments[1]);
        if (type.is(Type::Kind::list)) {
            adapt(*node.arguments[0], Type::list(node.arguments[1]->type));
        } else if (!type.is_error()) {
            context_.type_error(
                node.arguments[0]->span,
                fmt::format("contains looks into a Text or a list, but this is {}",
                            context_.describe(type)),
                type.is(Type::Kind::optional)
                    ? conversion_advice(context_, *node.arguments[0], type, type.element())
                    : "");
        }
    }
    return Type::boolean();
}

Type ListChecker::infer_sum_qty(Call& node) {
    node.unit = literal_unit(context_, *node.arguments[0]);
    Expression& list = *node.arguments[1];
    const auto element = infer_elements(list, node);
    if (node.unit == nullptr || !element || element->is_error()) {
        return Type::error();
    }
    Type wanted = Type::quantity(node.unit);
    if (element->is(Type::Kind::quantity)) {
        if (same_dimension(*element->unit(), *node.unit)) {
            return wanted;
        }
        context_.unit_error(list.span,
                            fmt::format("a sum of {} cannot be {}", unit_name(*element->unit()),
                                        unit_name(*node.unit)),
                            to_qty_advice(context_, list, *element, wanted));
        return Type::error();
    }
    if (element->is(Type::Kind::nothing)) {
        adapt(list, Type::list(wanted));
        return wanted;
    }
    context_.type_error(list.span,
                        fmt::format("sumQty takes a list of quantities, but this is {}",
                                    context_.describe(list.type)),
                        fmt::format("write map({}, (x) -> toQty(\"{}\", x))", context_.shown(list),
                                    unit_name(*node.unit)));
    return Type::error();
}

Type ListChecker::infer_sum_dec(Call& node) {
    const auto scale = literal_scale(context_, *node.arguments[0]);
    Expression& list = *node.arguments[1];
    const auto element = infer_elements(list, node);
    if (!scale || !element || element->is_error()) {
        return Type::error();
    }
    node.scale = *scale;
    if (element->is(Type::Kind::nothing)) {
        adapt(list, Type::list(Type::decimal(*scale)));
    } else if (!element->is(Type::Kind::decimal) && !element->is(Type::Kind::integer)) {
        context_.type_error(list.span,
                            fmt::format("sumDec takes a list of Dec or Int, but this is {}",
                                        context_.describe(list.type)),
                            element->is(Type::Kind::quantity)
                                ? fmt::format("write sumQty(\"{}\", {})",
                                              unit_name(*element->unit()), context_.shown(list))
                                : "");
        return Type::error();
    }
    return Type::decimal(*scale);
}

}  // namespace jobforge::rules
