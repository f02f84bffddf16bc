#include "rules/check/opt_checker.h"

#include <fmt/format.h>

#include "rules/check/adapt.h"
#include "rules/check/builtin.h"
#include "rules/check/expression_checker.h"
#include "rules/check/literal_type.h"
#include "rules/check/mismatch.h"

namespace jobforge::rules {

Type OptChecker::infer(Call& node) {
    switch (node.builtin) {
        case Builtin::some:
            return infer_some(node);
        case Builtin::is_some:
            return infer_is_some(node);
        case Builtin::require_some:
            return infer_require_some(node);
        default:
            return infer_unwrap_or(node);
    }
}

Type OptChecker::infer_some(Call& node) {
    Expression& value = *node.arguments[0];
    const Type& type = expressions_.infer(value);
    if (type.is(Type::Kind::optional)) {
        context_.type_error(value.span, "there is no Opt of an Opt", "use it without some");
        return Type::error();
    }
    return type.is_error() ? type : Type::optional(type);
}

Type OptChecker::infer_is_some(Call& node) {
    for (const ExpressionPtr& argument : node.arguments) {
        (void)infer_opt(*argument, node);
    }
    return Type::boolean();
}

Type OptChecker::infer_require_some(Call& node) {
    const auto opt = infer_opt(*node.arguments[0], node);
    const auto code = literal_text(context_, *node.arguments[1], "the code of requireSome");
    if (code && code->empty()) {
        context_.type_error(node.arguments[1]->span, "the code of requireSome is empty");
    }
    (void)literal_text(context_, *node.arguments[2], "the message of requireSome");
    return opt ? opt->element() : Type::error();
}

std::optional<Type> OptChecker::infer_opt(Expression& argument, const Call& node) {
    const Type& type = expressions_.infer(argument);
    if (type.is(Type::Kind::optional)) {
        return type;
    }
    if (!type.is_error()) {
        context_.type_error(argument.span,
                            fmt::format("{} takes an Opt, but this is {}", node.function.text,
                                        context_.describe(type)),
                            "it is always there: use it as it is");
    }
    return std::nullopt;
}

Type OptChecker::infer_unwrap_or(Call& node) {
    const auto opt = infer_opt(*node.arguments[0], node);
    if (!opt) {
        expressions_.infer(*node.arguments[1]);
        return Type::error();
    }
    if (!opt->is_partial()) {
        expressions_.require(*node.arguments[1], opt->element(), "the default of unwrapOr");
        return opt->element();
    }
    // unwrapOr(none, 5): the default decides.
    const Type type = expressions_.infer(*node.arguments[1]);
    const auto value = unify(opt->element(), type);
    if (!value) {
        report_mismatch(context_, *node.arguments[1], opt->element(), "the default of unwrapOr");
        return Type::error();
    }
    if (!value->is(Type::Kind::optional) && !value->is_error()) {
        adapt(*node.arguments[0], Type::optional(*value));
    }
    return *value;
}

}  // namespace jobforge::rules
