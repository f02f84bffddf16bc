// The second evaluator, for tests only: as simple as it can be, slow, and written from the
// language's description. It walks the checked tree by name, copies everything, throws at the first
// error, and counts steps on its own. Where it and the real one differ, one of them is wrong.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "naive_value.h"
#include "rules/eval/evaluator.h"

namespace jobforge::naive {

struct Answer {
    std::string error;                          // its code; empty: there are values
    std::map<std::string, std::string> fields;  // path -> JSON
    std::vector<rules::ComplianceEntry> compliance;
    unsigned long long steps = 0;
};

Answer evaluate(const rules::CheckedPackage& package, const rules::Inputs& inputs,
                unsigned long long step_budget);

}  // namespace jobforge::naive
