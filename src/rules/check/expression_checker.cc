#include "rules/check/expression_checker.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rules/check/adapt.h"
#include "rules/check/builtin_checker.h"
#include "rules/check/compound_checker.h"
#include "rules/check/literal_type.h"
#include "rules/check/mismatch.h"
#include "rules/check/name_checker.h"
#include "rules/check/operator_checker.h"

namespace jobforge::rules {

namespace {

// Asks the checker of a node's kind.
struct NodeTypes {
    CheckContext& context;
    ExpressionChecker& expressions;
    Expression& at;

    Type operator()(Literal& node) const { return literal_type(context, node, at.span); }
    Type operator()(Variable& node) const { return names().infer(node, at.span); }
    Type operator()(FieldReference& node) const { return names().infer(node); }
    Type operator()(MemberAccess& node) const { return names().infer(node); }
    Type operator()(Given& node) const {
        return node.kind == Given::Kind::product ? Type::product() : Type::date();
    }
    Type operator()(Unary& node) const { return operators().infer(at, node); }
    Type operator()(Binary& node) const { return operators().infer(at, node); }
    Type operator()(If& node) const { return compounds().infer(node); }
    Type operator()(ListLiteral& node) const { return compounds().infer(node); }
    Type operator()(Block& node) const { return compounds().infer(node); }
    Type operator()(Implies& node) const { return compounds().infer(at, node); }
    Type operator()(Call& node) const {
        return BuiltinChecker(context, expressions).infer(at, node);
    }
    // A lambda in its place never comes here: ListChecker looks into it.
    Type operator()(Lambda& /*node*/) const {
        context.type_error(at.span,
                           "a lambda can only be the last argument of map, filter, "
                           "fold, any or all");
        return Type::error();
    }

private:
    [[nodiscard]] NameChecker names() const { return {context, expressions}; }
    [[nodiscard]] OperatorChecker operators() const { return {context, expressions}; }
    [[nodiscard]] CompoundChecker compounds() const { return {context, expressions}; }
};

}  // namespace

const Type& ExpressionChecker::infer(Expression& expression) {
    settle(expression, std::visit(NodeTypes{context_, *this, expression}, expression.node));
    return expression.type;
}

void ExpressionChecker::settle(Expression& expression, Type type) {
    expression.type = std::move(type);
    if (expression.type.depth() > Type::kMaximumDepth) {
        context_.type_error(expression.span,
                            fmt::format("the values of this expression nest deeper "
                                        "than {} levels",
                                        Type::kMaximumDepth));
        expression.type = Type::error();
    }
}

void ExpressionChecker::require(Expression& expression, const Type& wanted, std::string_view what) {
    infer(expression);
    require_inferred(expression, wanted, what);
}

void ExpressionChecker::require_inferred(Expression& expression, const Type& wanted,
                                         std::string_view what) {
    adapt(expression, wanted);
    if (!assignable(expression.type, wanted)) {
        report_mismatch(context_, expression, wanted, what);
    }
}

}  // namespace jobforge::rules
