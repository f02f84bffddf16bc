#include "rules/check/operator_checker.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rules/check/adapt.h"
#include "rules/check/expression_checker.h"
#include "rules/check/mismatch.h"

namespace jobforge::rules {

namespace {

using Kind = Type::Kind;

bool both(const Binary& node, Kind kind) {
    return node.left->type.is(kind) && node.right->type.is(kind);
}

bool is_number(const Type& type) {
    return type.is(Kind::integer) || type.is(Kind::decimal);
}

std::string_view verb_of(BinaryOperator op) {
    switch (op) {
        case BinaryOperator::add:
            return "added";
        case BinaryOperator::subtract:
            return "subtracted";
        case BinaryOperator::multiply:
            return "multiplied";
        case BinaryOperator::divide:
            return "divided";
        default:
            return "compared";
    }
}

}  // namespace

Type OperatorChecker::infer(Expression& expression, Unary& node) {
    if (node.op == UnaryOperator::logical_not) {
        expressions_.require(*node.operand, Type::boolean(), "what stands behind !");
        return Type::boolean();
    }
    const Type& operand = expressions_.infer(*node.operand);
    if (operand.is_error() || is_number(operand) || operand.is(Kind::quantity)) {
        return operand;
    }
    context_.type_error(
        expression.span,
        fmt::format("- takes a number or a quantity, but this is {}", context_.describe(operand)));
    return Type::error();
}

Type OperatorChecker::infer(Expression& expression, Binary& node) {
    std::vector<Expression*> chain = left_chain(*node.left);
    expressions_.infer(chain.empty() ? *node.left : *std::get<Binary>(chain.back()->node).left);
    for (Expression* each : std::views::reverse(chain)) {
        expressions_.settle(*each, infer_operator(*each, std::get<Binary>(each->node)));
    }
    return infer_operator(expression, node);
}

Type OperatorChecker::infer_operator(Expression& expression, Binary& node) {
    if (node.op == BinaryOperator::logical_or || node.op == BinaryOperator::logical_and) {
        return infer_logical(node);
    }
    expressions_.infer(*node.right);
    if (is_comparison(node.op)) {
        return infer_comparison(expression, node);
    }
    return infer_arithmetic(expression, node);
}

Type OperatorChecker::infer_logical(Binary& node) {
    const std::string what = fmt::format("a side of {}", symbol(node.op));
    expressions_.require_inferred(*node.left, Type::boolean(), what);
    expressions_.require(*node.right, Type::boolean(), what);
    return Type::boolean();
}

Type OperatorChecker::infer_comparison(Expression& expression, Binary& node) {
    // Next to a Dec an Int literal is a Dec(0): 1.50 > 1 compares numbers, not scales.
    const auto target = [](const Type& other) {
        return other.is(Kind::decimal) ? Type::decimal(0) : other;
    };
    adapt(*node.right, target(node.left->type));
    adapt(*node.left, target(node.right->type));
    const Type& left = node.left->type;
    const Type& right = node.right->type;
    if (left.is_error() || right.is_error()) {
        return Type::boolean();
    }
    if (both(node, Kind::quantity) && !same_dimension(*left.unit(), *right.unit())) {
        return report_units(expression, node);
    }
    const bool comparable =
        both(node, Kind::decimal) || both(node, Kind::quantity) || unify(left, right).has_value();
    if (!comparable) {
        return report_operands(expression, node);
    }
    const bool equality = node.op == BinaryOperator::equal || node.op == BinaryOperator::not_equal;
    if (!equality && !left.is_orderable()) {
        context_.type_error(expression.span,
                            fmt::format("{} has no order", context_.describe(left)),
                            "Int, Dec, Qty, Text and Date have one; all others only == and !=");
    }
    return Type::boolean();
}

Type OperatorChecker::infer_arithmetic(Expression& expression, Binary& node) {
    const auto literal_target = [&node](const Type& other) {
        const bool divides_quantity = node.op == BinaryOperator::divide && other.is(Kind::quantity);
        return other.is(Kind::decimal) || divides_quantity ? Type::decimal(0) : Type::error();
    };
    adapt(*node.right, literal_target(node.left->type));
    if (node.left->type.is(Kind::integer) && node.right->type.is(Kind::decimal)) {
        adapt(*node.left, Type::decimal(0));
    }
    if (node.left->type.is_error() || node.right->type.is_error()) {
        return Type::error();
    }
    switch (node.op) {
        case BinaryOperator::multiply:
            return multiply_types(expression, node);
        case BinaryOperator::divide:
            return divide_types(expression, node);
        default:
            return add_types(expression, node);
    }
}

Type OperatorChecker::add_types(const Expression& expression, const Binary& node) {
    const Type& left = node.left->type;
    const Type& right = node.right->type;
    if (both(node, Kind::integer)) {
        return left;
    }
    if (both(node, Kind::decimal)) {
        return Type::decimal(std::max(left.scale(), right.scale()));
    }
    if (both(node, Kind::quantity)) {
        return left == right ? left : report_units(expression, node);
    }
    if (both(node, Kind::text) && node.op == BinaryOperator::add) {
        return left;
    }
    return report_operands(expression, node);
}

Type OperatorChecker::multiply_types(const Expression& expression, const Binary& node) {
    const Type& left = node.left->type;
    const Type& right = node.right->type;
    if (both(node, Kind::integer)) {
        return left;
    }
    if (both(node, Kind::decimal)) {
        const int scale = left.scale() + right.scale();
        if (scale > Decimal::kMaxScale) {
            context_.type_error(
                expression.span,
                fmt::format("the product would have {} decimals; 18 are the most", scale),
                fmt::format("write toDec({}, {}) first", Decimal::kMaxScale - right.scale(),
                            context_.shown(*node.left)));
            return Type::error();
        }
        return Type::decimal(scale);
    }
    if (left.is(Kind::quantity) && is_number(right)) {
        return left;
    }
    if (is_number(left) && right.is(Kind::quantity)) {
        return right;
    }
    return both(node, Kind::quantity) ? quantity_types(expression, node)
                                      : report_operands(expression, node);
}

Type OperatorChecker::divide_types(const Expression& expression, const Binary& node) {
    const Type& left = node.left->type;
    const Type& right = node.right->type;
    if (both(node, Kind::decimal)) {
        return Type::decimal(std::max({left.scale(), right.scale(), 6}));
    }
    if (left.is(Kind::quantity) && right.is(Kind::decimal)) {
        return left;
    }
    if (both(node, Kind::quantity)) {
        return same_dimension(*left.unit(), *right.unit()) ? Type::decimal(kQuantityScale)
                                                           : quantity_types(expression, node);
    }
    return report_operands(expression, node);
}

Type OperatorChecker::quantity_types(const Expression& expression, const Binary& node) {
    const UnitPointer left = node.left->type.unit();
    const UnitPointer right = node.right->type.unit();
    const UnitPointer result = node.op == BinaryOperator::multiply ? product_unit(*left, *right)
                                                                   : quotient_unit(*left, *right);
    return result != nullptr ? Type::quantity(result) : report_units(expression, node);
}

Type OperatorChecker::report_operands(const Expression& expression, const Binary& node) {
    context_.type_error(expression.span,
                        fmt::format("{} and {} cannot be {}", context_.describe(node.left->type),
                                    context_.describe(node.right->type), verb_of(node.op)),
                        operand_advice(node));
    return is_comparison(node.op) ? Type::boolean() : Type::error();
}

std::string OperatorChecker::operand_advice(const Binary& node) const {
    const Type& left = node.left->type;
    const Type& right = node.right->type;
    const std::string left_shown = context_.shown(*node.left);
    const std::string right_shown = context_.shown(*node.right);
    if (node.op == BinaryOperator::divide && both(node, Kind::integer)) {
        return fmt::format("whole numbers do not divide exactly: write toDec(2, {}) / toDec(2, {})",
                           left_shown, right_shown);
    }
    if (left.is(Kind::optional) != right.is(Kind::optional)) {
        const Type& opt = left.is(Kind::optional) ? left : right;
        const bool same = assignable(left.is(Kind::optional) ? right : left, opt.element());
        if (same && is_comparison(node.op)) {
            return fmt::format("write some({})",
                               left.is(Kind::optional) ? right_shown : left_shown);
        }
        return conversion_advice(context_, left.is(Kind::optional) ? *node.left : *node.right, opt,
                                 opt.element());
    }
    if (left.is(Kind::integer) && right.is(Kind::decimal)) {
        return conversion_advice(context_, *node.left, left, right);
    }
    if (right.is(Kind::integer) && left.is(Kind::decimal)) {
        return conversion_advice(context_, *node.right, right, left);
    }
    if (node.op == BinaryOperator::divide && left.is(Kind::quantity) && right.is(Kind::integer)) {
        return fmt::format("write toDec(0, {})", right_shown);
    }
    const bool needs_unit =
        node.op != BinaryOperator::multiply && node.op != BinaryOperator::divide;
    if (needs_unit && left.is(Kind::quantity) && is_number(right)) {
        return conversion_advice(context_, *node.right, right, left);
    }
    if (needs_unit && right.is(Kind::quantity) && is_number(left)) {
        return conversion_advice(context_, *node.left, left, right);
    }
    return {};
}

Type OperatorChecker::report_units(const Expression& expression, const Binary& node) {
    const UnitPointer left = node.left->type.unit();
    const UnitPointer right = node.right->type.unit();
    const bool scales = node.op == BinaryOperator::multiply || node.op == BinaryOperator::divide;
    std::string message = scales ? fmt::format("{} {} {} is not a unit that has a name",
                                               unit_name(*left), symbol(node.op), unit_name(*right))
                                 : fmt::format("{} and {} cannot be {}", unit_name(*left),
                                               unit_name(*right), verb_of(node.op));
    std::string advice =
        scales ? unit_pair_advice(node)
               : conversion_advice(context_, *node.right, node.right->type, node.left->type);
    context_.unit_error(expression.span, std::move(message), std::move(advice));
    return is_comparison(node.op) ? Type::boolean() : Type::error();
}

// Which conversion of one side, or else of both, gives a unit that has a name.
std::string OperatorChecker::unit_pair_advice(const Binary& node) const {
    const UnitPointer left = node.left->type.unit();
    const UnitPointer right = node.right->type.unit();
    const auto units_like = [](UnitPointer unit) {
        std::vector<UnitPointer> found{unit};
        for (const std::string_view name : all_unit_names()) {
            const UnitPointer other = find_unit(name);
            if (other != unit && same_dimension(*other, *unit)) {
                found.push_back(other);
            }
        }
        return found;
    };
    const auto side = [this](UnitPointer from, UnitPointer to, const Expression& expression) {
        const std::string shown = context_.shown(expression);
        return from == to ? shown : fmt::format("convert(\"{}\", {})", unit_name(*to), shown);
    };
    for (const UnitPointer a : units_like(left)) {
        for (const UnitPointer b : units_like(right)) {
            const UnitPointer result =
                node.op == BinaryOperator::multiply ? product_unit(*a, *b) : quotient_unit(*a, *b);
            if (result != nullptr) {
                return fmt::format("write {} {} {}, which is {}", side(left, a, *node.left),
                                   symbol(node.op), side(right, b, *node.right),
                                   unit_name(*result));
            }
        }
    }
    return {};
}

}  // namespace jobforge::rules
