// Arithmetic, comparisons and logic.
#pragma once

#include <optional>

#include "rules/eval/eval_state.h"

namespace jobforge::rules {

class Machine;

class OperatorEvaluator final {
public:
    OperatorEvaluator(Machine& machine, EvalState& state) noexcept
        : machine_(machine), state_(state) {}

    [[nodiscard]] MaybeStep visit(const Expression& at, const Unary& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Binary& node, Frame& frame);

private:
    // With the left side's value.
    [[nodiscard]] MaybeStep operate(const Expression& at, const Binary& node, Step left,
                                    Frame& frame);
    [[nodiscard]] MaybeStep logical(const Expression& at, const Binary& node, Step left,
                                    Frame& frame);
    [[nodiscard]] MaybeStep comparison(const Expression& at, const Binary& node, const Step& left,
                                       const Step& right);
    [[nodiscard]] std::optional<Value> arithmetic(const Expression& at, const Binary& node,
                                                  const Value& left, const Value& right);
    [[nodiscard]] std::optional<Value> quantity_arithmetic(const Expression& at, BinaryOperator op,
                                                           const Value& left, const Value& right);
    [[nodiscard]] std::optional<Value> int_arithmetic(const Expression& at, BinaryOperator op,
                                                      const Value& left, const Value& right);

    Machine& machine_;
    EvalState& state_;
};

}  // namespace jobforge::rules
