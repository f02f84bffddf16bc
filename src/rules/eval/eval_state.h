// What all parts of an evaluation share: its inputs, its budget, its error, its proof.
//
// A step that fails leaves the reason here and gives nullopt; every caller passes that on at once,
// so the first error is the only one. Borrows package and inputs. One thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/eval/budget.h"
#include "rules/eval/evaluator.h"
#include "rules/eval/proof_builder.h"
#include "rules/eval/proof_types.h"

namespace jobforge::rules {

// A value, and the proof node that says how it came about (meaningless without a proof).
struct Step {
    Value value;
    ProofBuilder::Id node = 0;
};
using MaybeStep = std::optional<Step>;
using Frame = std::vector<Step>;

class EvalState final {
public:
    using Id = ProofBuilder::Id;
    using Nodes = std::span<const Id>;

    EvalState(const CheckedPackage& package, const Inputs& inputs, const EvaluateOptions& options)
        : package_(package),
          inputs_(inputs),
          options_(options),
          budget_(options.step_budget),
          current_field_(package.fields.size()) {}
    EvalState(const EvalState&) = delete;
    EvalState& operator=(const EvalState&) = delete;

    [[nodiscard]] const CheckedPackage& package() const noexcept { return package_; }
    [[nodiscard]] const Inputs& inputs() const noexcept { return inputs_; }
    [[nodiscard]] const EvaluateOptions& options() const noexcept { return options_; }
    [[nodiscard]] bool with_proof() const noexcept { return options_.with_proof; }

    // --- Costs and failures
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
    [[nodiscard]] std::uint64_t steps() const noexcept {
        return options_.step_budget - budget_.left();
    }
    // Failures are noted with the field's path from here on. Returns the one before.
    std::size_t enter_field(std::size_t index) noexcept {
        return std::exchange(current_field_, index);
    }
    // Precondition: the last step failed.
    [[nodiscard]] EvaluationError take_error() && { return std::move(*error_); }

    // --- The proof; without one these do nothing and give 0.
    [[nodiscard]] Id operation(std::string_view op, const Type& type, const Value& value,
                               Nodes children);
    [[nodiscard]] Id operation(std::string_view op, const Type& type, const Value& value,
                               std::initializer_list<Id> children) {
        return operation(op, type, value, Nodes(children.begin(), children.size()));
    }
    [[nodiscard]] Id constant(const Type& type, const Value& value);
    // The list that a call gives, paid for.
    [[nodiscard]] MaybeStep made_list(const Expression& at, const Call& node, Value::List elements,
                                      Nodes children);
    [[nodiscard]] const ProofType& proof_type(const Type& type) { return types_.of(type); }
    [[nodiscard]] ProofBuilder& proof() noexcept { return proof_; }
    // ASSERT and COMPLIANCE_EMIT nodes of the current field.
    [[nodiscard]] std::vector<Id>& effects() noexcept { return effects_; }

    [[nodiscard]] const Type& text_type() const noexcept { return text_type_; }
    [[nodiscard]] const Type& int_type() const noexcept { return int_type_; }

    [[nodiscard]] std::vector<ComplianceEntry>& compliance() noexcept { return compliance_; }

private:
    const CheckedPackage& package_;
    const Inputs& inputs_;
    const EvaluateOptions options_;
    Budget budget_;
    std::size_t current_field_;  // the number of fields outside of fields
    std::optional<EvaluationError> error_;
    std::vector<ComplianceEntry> compliance_;
    std::vector<Id> effects_;
    const Type text_type_ = Type::text();
    const Type int_type_ = Type::integer();
    ProofBuilder proof_;
    ProofTypes types_{proof_};
};

}  // namespace jobforge::rules
