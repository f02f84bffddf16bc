#include "rules/check/compound_checker.h"

#include <utility>
#include <variant>

#include "rules/check/adapt.h"
#include "rules/check/expression_checker.h"
#include "rules/check/literal_type.h"
#include "rules/check/mismatch.h"

namespace jobforge::rules {

Type CompoundChecker::infer(If& node) {
    expressions_.require(*node.condition, Type::boolean(), "the condition of if");
    expressions_.infer(*node.then_branch);
    expressions_.infer(*node.else_branch);
    adapt(*node.else_branch, node.then_branch->type);
    adapt(*node.then_branch, node.else_branch->type);
    const Type then_type = node.then_branch->type;
    const Type else_type = node.else_branch->type;
    if (const auto both = unify(then_type, else_type)) {
        return *both;
    }
    // `if c then 5 else none`: the 5 is wrapped.
    const bool then_is_opt = then_type.is(Type::Kind::optional);
    const bool else_is_opt = else_type.is(Type::Kind::optional);
    if (then_is_opt != else_is_opt) {
        const Type& opt = then_is_opt ? then_type : else_type;
        Expression& plain = then_is_opt ? *node.else_branch : *node.then_branch;
        adapt(plain, opt.element());
        if (const auto value = unify(plain.type, opt.element())) {
            node.lift_then = else_is_opt;
            node.lift_else = then_is_opt;
            Type lifted = Type::optional(*value);
            adapt(then_is_opt ? *node.then_branch : *node.else_branch, lifted);
            return lifted;
        }
    }
    report_mismatch(context_, *node.else_branch, then_type, "the branch behind else");
    return Type::error();
}

Type CompoundChecker::infer(ListLiteral& node) {
    Type element = Type::nothing();
    for (const ExpressionPtr& item : node.items) {
        expressions_.infer(*item);
        adapt(*item, element);
        // The first Dec among Int literals decides what they become.
        const bool decides = element.is(Type::Kind::integer) && item->type.is(Type::Kind::decimal);
        const auto both = decides ? item->type : unify(element, item->type);
        if (both) {
            element = *both;
        }
    }
    bool ok = true;
    for (const ExpressionPtr& item : node.items) {
        adapt(*item, element);
        if (!assignable(item->type, element)) {
            report_mismatch(context_, *item, element, "an element of this list");
            ok = false;
        }
        ok = ok && !item->type.is_error();
    }
    return ok ? Type::list(element) : Type::error();
}

Type CompoundChecker::infer(Block& node) {
    for (Statement& statement : node.statements) {
        std::visit([this](auto& each) { infer_statement(each); }, statement);
    }
    Type type = expressions_.infer(*node.result);
    for (const Statement& statement : node.statements) {
        if (const auto* let = std::get_if<Let>(&statement)) {
            expressions_.variables().unbind(let->name.text);
        }
    }
    return type;
}

void CompoundChecker::infer_statement(Let& let) {
    const Type type = expressions_.infer(*let.value);
    let.slot = expressions_.variables().bind(let.name.text, type);
}

void CompoundChecker::infer_statement(Assert& assertion) {
    expressions_.require(*assertion.condition, Type::boolean(), "the condition of assert");
    (void)literal_text(context_, *assertion.code, "the code of assert");
    (void)literal_text(context_, *assertion.message, "the message of assert");
}

Type CompoundChecker::infer(Expression& expression, Implies& node) {
    const bool in_place = expressions_.implies_allowed(expression);
    expressions_.require(*node.premise, Type::boolean(), "the premise of implies");
    expressions_.require(*node.conclusion, Type::boolean(), "the conclusion of implies");
    if (!in_place) {
        context_.type_error(expression.span,
                            "implies can only be the whole condition of a property",
                            "write !premise || conclusion");
        return Type::error();
    }
    return Type::boolean();
}

}  // namespace jobforge::rules
