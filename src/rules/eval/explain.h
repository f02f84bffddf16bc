// How a field got its value, as a tree that its author can read: each step with its value, down to
// the fact, the document and the place in it that a number came from.
#pragma once

#include <string>

#include <jobforge/json.h>

#include "rules/eval/evaluator.h"

namespace jobforge::rules {

struct ExplainOutcome {
    std::string tree;  // for people, ends with a line feed
    Json json;         // {"field","nodes":[{"children","id","kind",...}],"root","value"}
    std::optional<EvaluationError> error;  // of the field, or of one that it needs
};

// Evaluates this field and those it needs, and no others: it can be explained although another
// field fails. What occurs several times is explained once. Precondition: field < fields.size().
[[nodiscard]] ExplainOutcome explain(const CheckedPackage& package, const Inputs& inputs,
                                     std::size_t field);

// A value as people write it: 50.000000 kWh, 2027-02-18, "text", none; lists and records as JSON,
// cut after 100 characters.
[[nodiscard]] std::string display(const Value& value);

}  // namespace jobforge::rules
