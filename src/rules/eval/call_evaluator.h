// Calls of built-ins: those that only look at their evaluated arguments are here, each with the
// nodes of all arguments as children of its node, literals included.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rules/eval/eval_state.h"
#include "rules/eval/fact_evaluator.h"

namespace jobforge::rules {

class Machine;

class CallEvaluator final {
public:
    CallEvaluator(Machine& machine, EvalState& state) noexcept
        : machine_(machine), state_(state), facts_(machine, state) {}

    [[nodiscard]] MaybeStep visit(const Expression& at, const Call& node, Frame& frame);

private:
    [[nodiscard]] MaybeStep plain_call(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep finish_call(const Expression& at, const Call& node,
                                        std::span<const Step> arguments);
    [[nodiscard]] std::optional<Value> apply(const Expression& at, const Call& node,
                                             std::span<const Step> arguments);
    [[nodiscard]] std::optional<Value> apply_number(const Expression& at, const Call& node,
                                                    std::span<const Step> arguments);
    [[nodiscard]] std::optional<Value> require_some(const Expression& at, const Call& node,
                                                    std::span<const Step> arguments);
    [[nodiscard]] std::optional<Value> to_dec(const Expression& at, const Call& node,
                                              const Value& from);
    [[nodiscard]] std::optional<Value> sum_dec(const Expression& at, const Call& node,
                                               const Value& list);
    [[nodiscard]] std::optional<Value> sum_qty(const Expression& at, const Call& node,
                                               const Value& list);
    [[nodiscard]] std::optional<Value> add_days(const Expression& at, const Value& date,
                                                const Value& days);
    [[nodiscard]] MaybeStep emit_compliance(const Expression& at, std::span<const Step> arguments);

    Machine& machine_;
    EvalState& state_;
    FactEvaluator facts_;
    // Arguments of the calls around the current one, and the nodes of the last one: a stack and a
    // buffer that keep their memory.
    std::vector<Step> arguments_;
    std::vector<ProofBuilder::Id> children_;
};

}  // namespace jobforge::rules
