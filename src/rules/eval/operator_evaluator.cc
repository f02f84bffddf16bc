// Arithmetic, comparisons and logic.
#include <ranges>

#include "rules/eval/eval_machine.h"

namespace jobforge::rules {
namespace {

constexpr std::int64_t kLargestInt = (std::int64_t{1} << 53) - 1;
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

std::optional<Value> Machine::checked_int(const Expression& at, bool overflow, std::int64_t value) {
    if (overflow || value > kLargestInt || value < -kLargestInt) {
        return fail(at.span, "NUMBER_OVERFLOW",
                    "The whole number leaves the range of Int, -(2^53-1) to 2^53-1.",
                    "Compute with toDec(0, ...) instead.");
    }
    return Value(value);
}

MaybeStep Machine::visit(const Expression& at, const Unary& node, Frame& frame) {
    MaybeStep operand = evaluate(*node.operand, frame);
    if (!operand || !spend(at, 1)) {
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
            value = checked(at, operand->value.decimal().negate());
            break;
        default:
            value = checked(at, with_unit(operand->value.quantity().value.negate(),
                                          operand->value.quantity().unit));
    }
    if (!value) {
        return std::nullopt;
    }
    const std::string_view op = node.op == UnaryOperator::negate ? "neg" : "!";
    const Id id = operation(op, at.type, *value, {operand->node});
    return Step{std::move(*value), id};
}

MaybeStep Machine::visit(const Expression& at, const Binary& node, Frame& frame) {
    const std::vector<const Expression*> chain = left_chain(std::as_const(*node.left));
    MaybeStep left =
        evaluate(chain.empty() ? *node.left : *std::get<Binary>(chain.back()->node).left, frame);
    for (const Expression* each : std::views::reverse(chain)) {
        if (!left) {
            return std::nullopt;
        }
        left = operate(*each, std::get<Binary>(each->node), std::move(*left), frame);
    }
    return left ? operate(at, node, std::move(*left), frame) : std::nullopt;
}

MaybeStep Machine::operate(const Expression& at, const Binary& node, Step left, Frame& frame) {
    if (node.op == BinaryOperator::logical_and || node.op == BinaryOperator::logical_or) {
        return logical(at, node, std::move(left), frame);
    }
    const MaybeStep right = evaluate(*node.right, frame);
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
    const Id id = operation(symbol(node.op), at.type, *value, {left.node, right->node});
    return Step{std::move(*value), id};
}

MaybeStep Machine::logical(const Expression& at, const Binary& node, Step left, Frame& frame) {
    const bool decisive = node.op == BinaryOperator::logical_or;
    if (left.value.boolean() == decisive) {
        if (!spend(at, 1)) {
            return std::nullopt;
        }
        left.node = operation(symbol(node.op), at.type, left.value, {left.node});
        return left;
    }
    MaybeStep right = evaluate(*node.right, frame);
    if (!right || !spend(at, 1)) {
        return std::nullopt;
    }
    right->node = operation(symbol(node.op), at.type, right->value, {left.node, right->node});
    return right;
}

MaybeStep Machine::comparison(const Expression& at, const Binary& node, const Step& left,
                              const Step& right) {
    // Walks over both until one ends.
    if (!spend(at, std::min(left.value.size(), right.value.size()))) {
        return std::nullopt;
    }
    bool result = false;
    if (node.op == BinaryOperator::equal || node.op == BinaryOperator::not_equal) {
        result = equal(left.value, right.value) == (node.op == BinaryOperator::equal);
    } else {
        result = holds(node.op, compare(left.value, right.value));
    }
    Value value(result);
    const Id id = operation(symbol(node.op), at.type, value, {left.node, right.node});
    return Step{std::move(value), id};
}

std::optional<Value> Machine::arithmetic(const Expression& at, const Binary& node,
                                         const Value& left, const Value& right) {
    if (left.kind() == Kind::text) {
        // Before it is made: joining must not take memory that the budget does not cover.
        if (!spend(at, 1 + (left.text().size() + right.text().size()) / 16)) {
            return std::nullopt;
        }
        return Value(left.text() + right.text());
    }
    if (!spend(at, 1)) {
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
            return checked(at, add(a, b));
        case BinaryOperator::subtract:
            return checked(at, subtract(a, b));
        case BinaryOperator::multiply:
            return checked(at, multiply(a, b));
        default:
            return checked(at, divide(a, b, at.type.scale()));
    }
}

std::optional<Value> Machine::quantity_arithmetic(const Expression& at, BinaryOperator op,
                                                  const Value& left, const Value& right) {
    switch (op) {
        case BinaryOperator::add:
        case BinaryOperator::subtract:
            return checked(at, add_quantities(left, right, op == BinaryOperator::subtract));
        case BinaryOperator::multiply:
            return checked(at, multiply_quantity(left, right));
        default:
            if (at.type.is(Type::Kind::decimal)) {
                return checked(at, quantity_ratio(left.quantity(), right.quantity()));
            }
            return checked(at, divide_quantity(left, right));
    }
}

std::optional<Value> Machine::int_arithmetic(const Expression& at, BinaryOperator op,
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
    return checked_int(at, overflow, result);
}

}  // namespace jobforge::rules
