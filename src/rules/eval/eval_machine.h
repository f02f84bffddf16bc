// The machine behind evaluator.h and the test runner: one evaluation over one set of inputs.
//
// Fields are evaluated on demand and remembered. A step that fails leaves the reason in error() and
// gives nullopt; every caller passes that on at once, so the first error is the only one.
// Recursion follows the syntax tree only (at most 200 levels): references to fields and the left
// sides of operators are worked off in loops, because both chains may be thousands long.
//
// Borrows package and inputs. One thread.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "rules/eval/evaluator.h"

namespace jobforge::rules {

// A value, and the proof node that says how it came about (meaningless without a proof).
struct Step {
    Value value;
    ProofBuilder::Id node = 0;
};
using MaybeStep = std::optional<Step>;
using Frame = std::vector<Step>;

class Machine final {
public:
    Machine(const CheckedPackage& package, const Inputs& inputs, const EvaluateOptions& options);

    // All fields, in evaluation order.
    [[nodiscard]] bool all_fields();
    // This field, after the fields it needs.
    [[nodiscard]] MaybeStep field(std::size_t index);
    // An expression of a test; its frame holds the test's variables.
    [[nodiscard]] MaybeStep expression(const Expression& expression, Frame& frame) {
        return evaluate(expression, frame);
    }

    // The premise of an implies was false: the case says nothing.
    [[nodiscard]] bool discarded() const noexcept { return discarded_; }

    // Preconditions: the last step failed; all fields are evaluated.
    [[nodiscard]] EvaluationError take_error() && { return std::move(*error_); }
    [[nodiscard]] Evaluation finish() &&;
    // The proof of the fields evaluated so far, without root.
    [[nodiscard]] Proof unfinished_proof() && { return std::move(proof_).unfinished(); }
    [[nodiscard]] const std::vector<ComplianceEntry>& compliance() const noexcept {
        return compliance_;
    }

private:
    using Id = ProofBuilder::Id;
    using Nodes = std::span<const Id>;

    // eval_machine.cc: fields, blocks and everything without arithmetic
    [[nodiscard]] bool evaluate_field(std::size_t index);
    [[nodiscard]] MaybeStep evaluate(const Expression& expression, Frame& frame);
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
    [[nodiscard]] bool run(const Let& statement, Frame& frame);
    [[nodiscard]] bool run(const Assert& statement, Frame& frame);

    // eval_operators.cc
    [[nodiscard]] MaybeStep visit(const Expression& at, const Unary& node, Frame& frame);
    [[nodiscard]] MaybeStep visit(const Expression& at, const Binary& node, Frame& frame);
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

    // eval_builtins.cc: those that look at their evaluated arguments only
    [[nodiscard]] MaybeStep visit(const Expression& at, const Call& node, Frame& frame);
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

    // eval_lists.cc: those with a lambda
    [[nodiscard]] MaybeStep map_list(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep filter_list(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep quantify(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep fold_list(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep element(const Expression& list_at, const Step& list, std::size_t index);
    [[nodiscard]] MaybeStep apply_to(const Call& node, const Step& list, std::size_t index,
                                     Frame& frame);
    [[nodiscard]] MaybeStep made_list(const Expression& at, const Call& node, Value::List elements,
                                      Nodes children);

    // eval_facts.cc
    [[nodiscard]] MaybeStep get_fact(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] MaybeStep get_facts(const Expression& at, const Call& node, Frame& frame);
    [[nodiscard]] std::optional<Value> shaped(const Expression& at, const Fact& fact,
                                              const Type& type);

    // Costs and failures
    [[nodiscard]] bool spend(const Expression& at, std::uint64_t steps);
    std::nullopt_t fail(const Span& span, std::string code, std::string_view message,
                        std::string_view hint = {});
    std::nullopt_t fail(const Expression& at, const Error& error);
    template <typename T>
    [[nodiscard]] std::optional<Value> checked(const Expression& at, const Result<T>& result) {
        if (!result.ok()) {
            return fail(at, result.error());
        }
        return Value(*result);
    }
    [[nodiscard]] std::optional<Value> checked_int(const Expression& at, bool overflow,
                                                   std::int64_t value);

    // The proof; these do nothing without one.
    [[nodiscard]] Id operation(std::string_view op, const Type& type, const Value& value,
                               Nodes children);
    [[nodiscard]] Id operation(std::string_view op, const Type& type, const Value& value,
                               std::initializer_list<Id> children) {
        return operation(op, type, value, Nodes(children.begin(), children.size()));
    }
    [[nodiscard]] Id constant(const Type& type, const Value& value);
    [[nodiscard]] const ProofType& proof_type(const Type& type);
    [[nodiscard]] const ProofType& make_proof_type(const Type& type);

    const CheckedPackage& package_;
    const Inputs& inputs_;
    const EvaluateOptions options_;
    Budget budget_;
    Value product_;
    std::vector<std::optional<Step>> fields_;
    std::vector<ComplianceEntry> compliance_;
    std::optional<EvaluationError> error_;
    std::size_t current_field_;  // == fields_.size() outside of fields
    std::vector<Id> effects_;    // ASSERT and COMPLIANCE_EMIT nodes of the current field
    bool discarded_ = false;
    std::string missing_fact_;  // the last one that getFact did not find, for a hint
    std::unordered_map<const Fact*, Value> shaped_;
    std::unordered_map<const void*, const ProofType*> proof_types_;  // by address, see proof_type
    std::unordered_map<std::string, ProofType> plain_types_;         // by notation
    std::map<std::pair<const ProofType*, Type::Kind>, ProofType>
        made_types_;  // Opt and List of one
    // Arguments of the calls around the current one, and the nodes of the last one: a stack and a
    // buffer that keep their memory.
    std::vector<Step> arguments_;
    std::vector<Id> children_;
    const Type text_type_ = Type::text();
    const Type int_type_ = Type::integer();
    ProofBuilder proof_;
};

// Whether proofs write results of this type out: no list, map or record is inside.
[[nodiscard]] bool is_scalar(const Type& type) noexcept;

}  // namespace jobforge::rules
