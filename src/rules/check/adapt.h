// Constants become what is wanted around them: an Int literal a Dec, `none` an Opt of anything,
// `[]` a list of anything.
#pragma once

#include "rules/check/rule_type.h"
#include "rules/syntax/ast.h"

namespace jobforge::rules {

// Lets constants inside become what is wanted. Changes nothing else, and never reports.
void adapt(Expression& expression, const Type& wanted);

}  // namespace jobforge::rules
