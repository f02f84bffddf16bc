#include "rules/check/adapt.h"

#include <cstdint>

namespace jobforge::rules {

namespace {

void adapt_list(Expression& expression, ListLiteral& node, const Type& wanted) {
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

void adapt_if(Expression& expression, If& node, const Type& wanted) {
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

}  // namespace

void adapt(Expression& expression, const Type& wanted) {
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

}  // namespace jobforge::rules
