// The built-ins that apply a lambda. Each application is plain nodes in the proof: the lambda's
// argument is an OP `element`, and the results are the children of the built-in's node.
#pragma once

#include "rules/eval/eval_state.h"

namespace jobforge::rules {

class Machine;

class ListEvaluator final {
public:
    ListEvaluator(Machine& machine, EvalState& state) noexcept : machine_(machine), state_(state) {}

    [[nodiscard]] MaybeStep map_list(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep filter_list(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep quantify(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep fold_list(const Expression& at, const Call& node, Frame& frame);

private:
    [[nodiscard]] MaybeStep element(const Expression& list_at, const Step& list, std::size_t index);
    [[nodiscard]] MaybeStep apply_to(const Call& node, const Step& list, std::size_t index,
                                     Frame& frame);

    Machine& machine_;
    EvalState& state_;
};

}  // namespace jobforge::rules
