// The machine behind evaluator.h and the test runner: one evaluation over one set of inputs.
//
// Fields are evaluated on demand and remembered. A step that fails leaves the reason in the
// EvalState and gives nullopt; every caller passes that on at once. Recursion follows the syntax
// tree only (at most 200 levels): references to fields and the left sides of operators are worked
// off in loops, because both chains may be thousands long. Operators and calls have evaluators of
// their own, which ask this one about the parts inside.
//
// Borrows package and inputs. One thread.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "rules/eval/call_evaluator.h"
#include "rules/eval/eval_state.h"
#include "rules/eval/evaluator.h"

namespace jobforge::rules {

class Machine final {
public:
    Machine(const CheckedPackage& package, const Inputs& inputs, const EvaluateOptions& options);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    // All fields, in evaluation order.
    [[nodiscard]] bool all_fields();
    // This field, after the fields it needs.
    [[nodiscard]] MaybeStep field(std::size_t index);
    // An expression of a field or a test; its frame holds the variables.
    [[nodiscard]] MaybeStep evaluate(const Expression& expression, Frame& frame);

    // The premise of an implies was false: the case says nothing.
    [[nodiscard]] bool discarded() const noexcept { return discarded_; }

    // Preconditions: the last step failed; all fields are evaluated.
    [[nodiscard]] EvaluationError take_error() && { return std::move(state_).take_error(); }
    [[nodiscard]] Evaluation finish() &&;
    // The proof of the fields evaluated so far, without root.
    [[nodiscard]] Proof unfinished_proof() && { return std::move(state_.proof()).unfinished(); }
    [[nodiscard]] const std::vector<ComplianceEntry>& compliance() noexcept {
        return state_.compliance();
    }

private:
    [[nodiscard]] bool evaluate_field(std::size_t index);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Literal& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Variable& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const FieldReference& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Given& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const MemberAccess& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const If& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const ListLiteral& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Block& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Lambda& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Implies& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Unary& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Binary& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] bool run(const Let& statement, Frame& frame);
    [[nodiscard]] bool run(const Assert& statement, Frame& frame);

    EvalState state_;
    CallEvaluator calls_;
    Value product_;
    std::vector<std::optional<Step>> fields_;
    bool discarded_ = false;
};

}  // namespace jobforge::rules
