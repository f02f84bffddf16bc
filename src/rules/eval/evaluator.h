// Evaluates a checked package over facts: values, compliance entries and, on request, the proof.
//
// A pure function: no clock, locale, thread, randomness or map order takes part, and the same
// inputs give the same bytes for ever. After check_package passed, an evaluation ends in values or
// in the first EvaluationError of this closed set: missing data (requireSome) and a failed assert,
// both with the author's code; VALIDATION_ERROR for a status that does not exist; FACT_SHAPE,
// DIVISION_BY_ZERO, NUMBER_OVERFLOW, BUDGET_EXCEEDED; and PROOF_TOO_LARGE if the caller set a
// limit.
//
// Stack: 256 KiB are enough for the deepest tree that parses (tests/passport/evaluator_test.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "rules/check/package.h"
#include "rules/eval/budget.h"
#include "rules/eval/facts.h"
#include "rules/eval/proof_builder.h"
#include "rules/eval/rule_value.h"

namespace jobforge::rules {

struct Inputs {
    FactSet facts;
    std::string product_sku;
    std::string product_name;
    Date issued_on;
};

struct EvaluateOptions {
    bool with_proof = true;
    std::uint64_t step_budget = kDefaultStepBudget;
    // Whether emitCompliance takes any status: for doing again what was issued before the set of
    // statuses was closed.
    bool any_status = false;
    // Bytes of the canonical proof after which evaluation stops with PROOF_TOO_LARGE; 0: none.
    std::uint64_t proof_byte_limit = 0;
};

struct ComplianceEntry {
    std::string id;
    std::string status;
    std::string evidence;
};

struct EvaluationError {
    std::string code;     // of the table, or the rule author's own
    std::string message;  // the author's own, or ours
    std::string hint;     // what to do; may be empty
    std::string field;    // path of the field that was being evaluated; empty in a test's own text
    Span span;            // the expression that failed
    std::string details;  // of FACT_SHAPE: a JSON object's text; else empty

    // code, field, line and column, source line with a caret, hint: several lines for people.
    [[nodiscard]] std::string render(const CheckedPackage& package) const;
    // {"code","column","field","line","message","source","source_line"} and, if there are any,
    // "details" and "hint".
    [[nodiscard]] Json to_json(const CheckedPackage& package) const;
    // The table's code if it is one, else VALIDATION_ERROR with "CODE: message"; to_json in
    // details.
    [[nodiscard]] Error to_error(const CheckedPackage& package) const;
};

struct Evaluation {
    std::vector<Value> values;                // in the order of package.fields
    Value fields;                             // nested by the dots of the paths
    std::vector<ComplianceEntry> compliance;  // in evaluation order
    Proof proof;                              // empty without options.with_proof
    std::uint64_t steps = 0;
};

struct EvaluationOutcome {
    std::optional<Evaluation> evaluation;
    std::optional<EvaluationError> error;

    [[nodiscard]] bool ok() const noexcept { return evaluation.has_value(); }
};

[[nodiscard]] EvaluationOutcome evaluate(const CheckedPackage& package, const Inputs& inputs,
                                         const EvaluateOptions& options = {});

// The Record type of all fields, nested by the dots of their paths: the type of the proof's root.
[[nodiscard]] Type fields_type(const CheckedPackage& package);

}  // namespace jobforge::rules
