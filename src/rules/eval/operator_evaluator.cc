#include "rules/eval/operator_evaluator.h"

#include <ranges>

#include "rules/eval/eval_machine.h"

namespace jobforge::rules {
namespace {

using Kind = Value::Kind;

// The factor of a quantity: a Dec, or an Int as a whole number.
Decimal plain_number(const Value& value) {
    return value.kind() == Kind::integer ? Decimal::from_int(value.integer()) : value.decimal();
}

template <typename UnitPtr>
Result<Quantity> with_unit(Result<Decimal> value, UnitPtr unit) {
    if (!value.ok()) {
        return std::move(value).error();
    }
    return Quantity{*value, unit};
}

Result<Quantity> add_quantities(const Value& a, const Value& b, bool negative) {
    const Decimal& left = a.quantity().value;
    const Decimal& right = b.quantity().value;
    return with_unit(negative ? subtract(left, right) : add(left, right), a.quantity().unit);
}

Result<Quantity> multiply_quantity(const Value& a, const Value& b) {
    if (a.kind() != Kind::quantity) {
        return multiply_quantity(b, a);
    }
    if (b.kind() == Kind::quantity) {
        return multiply(a.quantity(), b.quantity());
    }
    return with_unit(multiply(a.quantity().value, plain_number(b), kQuantityScale),
                     a.quantity().unit);
}

Result<Quantity> divide_quantity(const Value& a, const Value& b) {
    if (b.kind() == Kind::quantity) {
        return divide(a.quantity(), b.quantity());
    }
    return with_unit(divide(a.quantity().value, plain_number(b), kQuantityScale),
                     a.quantity().unit);
}

bool holds(BinaryOperator op, std::strong_ordering order) noexcept {
    switch (op) {
        case BinaryOperator::less:
            return order < 0;
        case BinaryOperator::less_equal:
            return order <= 0;
        case BinaryOperator::greater:
            return order > 0;
        default:
            return order >= 0;
    }
}

}  // namespace

MaybeStep OperatorEvaluator::visit(const Expression& at, const Unary& node, Frame& frame) {
    MaybeStep operand = machine_.evaluate(*node.operand, frame);
    if (!operand || !state_.spend(at, 1)) {
        return std::nullopt;
    }
    std::optional<Value> value;
    switch (operand->value.kind()) {
        case Kind::boolean:
            value = Value(!operand->value.boolean());
            break;
        case Kind::integer:
            value = Value(-operand->value.integer());
            break;
        case Kind::decimal:
            value = state_.checked(at, operand->value.decimal().negate());
            break;
        default:
            value = state_.checked(at, with_unit(operand->value.quantity().value.negate(),
                                                 operand->value.quantity().unit));
    }
    if (!value) {
        return std::nullopt;
    }
    const std::string_view op = node.op == UnaryOperator::negate ? "neg" : "!";
    const ProofBuilder::Id id = state_.operation(op, at.type, *value, {operand->node});
    return Step{std::move(*value), id};
}

MaybeStep OperatorEvaluator::visit(const Expression& at, const Binary& node, Frame& frame) {
    const std::vector<const Expression*> chain = left_chain(std::as_const(*node.left));
    MaybeStep left = machine_.evaluate(
        chain.empty() ? *node.left : *std::get<Binary>(chain.back()->node).left, frame);
    for (const Expression* each : std::views::reverse(chain)) {
        if (!left) {
            return std::nullopt;
        }
        left = operate(*each, std::get<Binary>(each->node), std::move(*left), frame);
    }
    return left ? operate(at, node, std::move(*left), frame) : std::nullopt;
}

MaybeStep OperatorEvaluator::operate(const Expression& at, const Binary& node, Step left,
                                     Frame& frame) {
    if (node.op == BinaryOperator::logical_and || node.op == BinaryOperator::logical_or) {
        return logical(at, node, std::move(left), frame);
    }
    const MaybeStep right = machine_.evaluate(*node.right, frame);
    if (!right) {
        return std::nullopt;
    }
    if (is_comparison(node.op)) {
        return comparison(at, node, left, *right);
    }
    std::optional<Value> value = arithmetic(at, node, left.value, right->value);
    if (!value) {
        return std::nullopt;
    }
    const ProofBuilder::Id id =
        state_.operation(symbol(node.op), at.type, *value, {left.node, right->node});
    return Step{std::move(*value), id};
}

MaybeStep OperatorEvaluator::logical(const Expression& at, const Binary& node, Step left,
                                     Frame& frame) {
    const bool decisive = node.op == BinaryOperator::logical_or;
    if (left.value.boolean() == decisive) {
        if (!state_.spend(at, 1)) {
            return std::nullopt;
        }
        left.node = state_.operation(symbol(node.op), at.type, left.value, {left.node});
        return left;
    }
    MaybeStep right = machine_.evaluate(*node.right, frame);
    if (!right || !state_.spend(at, 1)) {
        return std::nullopt;
    }
    right->node =
        state_.operation(symbol(node.op), at.type, right->value, {left.node, right->node});
    return right;
}

MaybeStep OperatorEvaluator::comparison(const Expression& at, const Binary& node, const Step& left,
                                        const Step& right) {
    // Walks over both until one ends.
    if (!state_.spend(at, std::min(left.value.size(), right.value.size()))) {
        return std::nullopt;
    }
    bool result = false;
    if (node.op == BinaryOperator::equal || node.op == BinaryOperator::not_equal) {
        result = equal(left.value, right.value) == (node.op == BinaryOperator::equal);
    } else {
        result = holds(node.op, compare(left.value, right.value));
    }
    Value value(result);
    const ProofBuilder::Id id =
        state_.operation(symbol(node.op), at.type, value, {left.node, right.node});
    return Step{std::move(value), id};
}

std::optional<Value> OperatorEvaluator::arithmetic(const Expression& at, const Binary& node,
                                                   const Value& left, const Value& right) {
    if (left.kind() == Kind::text) {
        // Before it is made: joining must not take memory that the budget does not cover.
        if (!state_.spend(at, 1 + (left.text().size() + right.text().size()) / 16)) {
            return std::nullopt;
        }
        return Value(left.text() + right.text());
    }
    if (!state_.spend(at, 1)) {
        return std::nullopt;
    }
    if (left.kind() == Kind::quantity || right.kind() == Kind::quantity) {
        return quantity_arithmetic(at, node.op, left, right);
    }
    if (left.kind() == Kind::integer) {
        return int_arithmetic(at, node.op, left, right);
    }
    const Decimal& a = left.decimal();
    const Decimal& b = right.decimal();
    switch (node.op) {
        case BinaryOperator::add:
            return state_.checked(at, add(a, b));
        case BinaryOperator::subtract:
            return state_.checked(at, subtract(a, b));
        case BinaryOperator::multiply:
            return state_.checked(at, multiply(a, b));
        default:
            return state_.checked(at, divide(a, b, at.type.scale()));
    }
}

std::optional<Value> OperatorEvaluator::quantity_arithmetic(const Expression& at, BinaryOperator op,
                                                            const Value& left, const Value& right) {
    switch (op) {
        case BinaryOperator::add:
        case BinaryOperator::subtract:
            return state_.checked(at, add_quantities(left, right, op == BinaryOperator::subtract));
        case BinaryOperator::multiply:
            return state_.checked(at, multiply_quantity(left, right));
        default:
            if (at.type.is(Type::Kind::decimal)) {
                return state_.checked(at, quantity_ratio(left.quantity(), right.quantity()));
            }
            return state_.checked(at, divide_quantity(left, right));
    }
}

std::optional<Value> OperatorEvaluator::int_arithmetic(const Expression& at, BinaryOperator op,
                                                       const Value& left, const Value& right) {
    const std::int64_t a = left.integer();
    const std::int64_t b = right.integer();
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
        case BinaryOperator::add:
            overflow = __builtin_add_overflow(a, b, &result);
            break;
        case BinaryOperator::subtract:
            overflow = __builtin_sub_overflow(a, b, &result);
            break;
        default:
            overflow = __builtin_mul_overflow(a, b, &result);
    }
    return state_.checked_int(at, overflow, result);
}

}  // namespace jobforge::rules
