// A fact's JSON against its declaration: the only door through which documents enter the rules.
//
// Members that are not declared are ignored. A Dec takes a JSON integer or a decimal string with at
// most its scale; more digits are an error, never a silent rounding. A Qty takes
// {"value","unit"} and is converted when the dimension fits. An Opt takes null or absence.
#pragma once

#include <jobforge/error.h>

#include "rules/check/rule_type.h"
#include "rules/eval/facts.h"
#include "rules/eval/rule_value.h"

namespace jobforge::rules {

// FACT_SHAPE with a sentence that names the fact, the document, the place in it (JSON pointer),
// what was expected and what was found; the same in details
// {"document","expected","fact_key","fact_type","found","pointer"}.
// Precondition: a type without Nothing, as declared facts have.
[[nodiscard]] Result<Value> shape_fact(const Fact& fact, const Type& type);

// What a JSON value must look like to be a `type`, for people: "a date like 2027-02-18".
[[nodiscard]] std::string expected_json(const Type& type);

}  // namespace jobforge::rules
