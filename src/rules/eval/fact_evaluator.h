// Facts as the rules see them: shaped once, and never before a rule asks for them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "rules/eval/eval_state.h"

namespace jobforge::rules {

class Machine;

class FactEvaluator final {
public:
    FactEvaluator(Machine& machine, EvalState& state) noexcept : machine_(machine), state_(state) {}

    [[nodiscard]] MaybeStep get_fact(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep get_facts(const Expression& at, const Call& node, Frame& frame);
    // The last fact that getFact did not find, for a hint.
    [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

private:
    [[nodiscard]] std::optional<Value> shaped(const Expression& at, const Fact& fact,
                                              const Type& type);

    Machine& machine_;
    EvalState& state_;
    std::string missing_;
    std::unordered_map<const Fact*, Value> shaped_;
};

}  // namespace jobforge::rules
