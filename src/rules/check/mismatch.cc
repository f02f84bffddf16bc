// Constants become what is wanted; everything else that does not fit is reported with the
// conversion that would help.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rules/check/expression_checker.h"

namespace jobforge::rules {

void ExpressionChecker::adapt(Expression& expression, const Type& wanted) {
    if (expression.type.is_error() || wanted.is_error() || expression.type == wanted) {
        return;
    }
    if (auto* literal = std::get_if<Literal>(&expression.node)) {
        if (literal->kind == Literal::Kind::integer && wanted.is(Type::Kind::decimal) &&
            std::holds_alternative<std::int64_t>(literal->value)) {
            literal->value =
                Decimal::from_int(std::get<std::int64_t>(literal->value), wanted.scale());
            expression.type = wanted;
        } else if (literal->kind == Literal::Kind::none && wanted.is(Type::Kind::optional)) {
            expression.type = wanted;
        }
    } else if (auto* list = std::get_if<ListLiteral>(&expression.node)) {
        adapt_list(expression, *list, wanted);
    } else if (auto* conditional = std::get_if<If>(&expression.node)) {
        adapt_if(expression, *conditional, wanted);
    } else if (auto* block = std::get_if<Block>(&expression.node)) {
        adapt(*block->result, wanted);
        expression.type = block->result->type;
    } else if (auto* call = std::get_if<Call>(&expression.node)) {
        if (call->builtin == Builtin::some && wanted.is(Type::Kind::optional) &&
            call->arguments.size() == 1) {
            adapt(*call->arguments.front(), wanted.element());
            if (assignable(call->arguments.front()->type, wanted.element())) {
                expression.type = wanted;
            }
        } else if (call->builtin == Builtin::declassify && call->arguments.size() == 2) {
            adapt(*call->arguments[1], wanted);
            expression.type = call->arguments[1]->type;
        }
    }
}

void ExpressionChecker::adapt_list(Expression& expression, ListLiteral& node, const Type& wanted) {
    if (!wanted.is(Type::Kind::list)) {
        return;
    }
    bool fits = true;
    for (const ExpressionPtr& item : node.items) {
        adapt(*item, wanted.element());
        fits = fits && assignable(item->type, wanted.element());
    }
    if (fits) {
        expression.type = wanted;
    }
}

void ExpressionChecker::adapt_if(Expression& expression, If& node, const Type& wanted) {
    const bool lifted = node.lift_then || node.lift_else;
    if (lifted && !wanted.is(Type::Kind::optional)) {
        return;
    }
    const Type& then_wanted = node.lift_then ? wanted.element() : wanted;
    const Type& else_wanted = node.lift_else ? wanted.element() : wanted;
    adapt(*node.then_branch, then_wanted);
    adapt(*node.else_branch, else_wanted);
    if (assignable(node.then_branch->type, then_wanted) &&
        assignable(node.else_branch->type, else_wanted)) {
        expression.type = wanted;
    }
}

void ExpressionChecker::report_mismatch(const Expression& expression, const Type& wanted,
                                        std::string_view what) {
    if (const auto* block = std::get_if<Block>(&expression.node)) {
        return report_mismatch(*block->result, wanted, what);
    }
    if (const auto* conditional = std::get_if<If>(&expression.node);
        conditional != nullptr && !conditional->lift_then && !conditional->lift_else) {
        for (const ExpressionPtr& branch :
             {std::cref(conditional->then_branch), std::cref(conditional->else_branch)}) {
            if (!assignable(branch->type, wanted)) {
                report_mismatch(*branch, wanted, what);
            }
        }
        return;
    }
    const Type& found = expression.type;
    const bool both_quantities = found.is(Type::Kind::quantity) && wanted.is(Type::Kind::quantity);
    std::string message = fmt::format("{} must be {}, but this is {}", what,
                                      context_.describe(wanted), context_.describe(found));
    std::string advice = conversion_advice(expression, found, wanted);
    if (both_quantities) {
        context_.unit_error(expression.span, std::move(message), std::move(advice));
    } else {
        context_.type_error(expression.span, std::move(message), std::move(advice));
    }
}

std::string ExpressionChecker::conversion_advice(const Expression& expression, const Type& from,
                                                 const Type& wanted) const {
    const std::string shown = context_.shown(expression);
    if (from.is(Type::Kind::optional) && !wanted.is(Type::Kind::optional)) {
        return fmt::format("write requireSome({}, \"CODE\", \"message\") or unwrapOr({}, ...)",
                           shown, shown);
    }
    if (wanted.is(Type::Kind::optional) && assignable(from, wanted.element())) {
        return fmt::format("write some({})", shown);
    }
    if (wanted.is(Type::Kind::decimal)) {
        return to_dec_advice(expression, from, wanted);
    }
    if (wanted.is(Type::Kind::quantity)) {
        return to_qty_advice(expression, from, wanted);
    }
    if (wanted.is(Type::Kind::boolean)) {
        return "write a comparison, such as x > 0";
    }
    if (wanted.is(Type::Kind::text) && has_text(from)) {
        return fmt::format("write toText({})", shown);
    }
    return {};
}

std::string ExpressionChecker::to_dec_advice(const Expression& expression, const Type& from,
                                             const Type& wanted) const {
    const std::string shown = context_.shown(expression);
    switch (from.kind()) {
        case Type::Kind::integer:
        case Type::Kind::decimal:
            return fmt::format("write toDec({}, {})", wanted.scale(), shown);
        case Type::Kind::text:
            return fmt::format("write requireSome(toDec({}, {}), \"CODE\", \"message\")",
                               wanted.scale(), shown);
        case Type::Kind::quantity:
            return fmt::format("divide by a quantity: toDec({}, {} / qty(1, {}))", wanted.scale(),
                               shown, unit_name(*from.unit()));
        default:
            return {};
    }
}

std::string ExpressionChecker::to_qty_advice(const Expression& expression, const Type& from,
                                             const Type& wanted) const {
    const std::string shown = context_.shown(expression);
    if (from.is(Type::Kind::integer) || from.is(Type::Kind::decimal)) {
        return fmt::format("write toQty(\"{}\", {})", unit_name(*wanted.unit()), shown);
    }
    if (!from.is(Type::Kind::quantity)) {
        return {};
    }
    if (same_dimension(*from.unit(), *wanted.unit())) {
        return fmt::format("write convert(\"{}\", {})", unit_name(*wanted.unit()), shown);
    }
    return fmt::format("{} cannot become {}: {} is {}, {} is {}", unit_name(*from.unit()),
                       unit_name(*wanted.unit()), unit_name(*from.unit()),
                       dimension_name(*from.unit()), unit_name(*wanted.unit()),
                       dimension_name(*wanted.unit()));
}

}  // namespace jobforge::rules
