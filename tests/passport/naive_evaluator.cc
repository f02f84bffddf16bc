#include "naive_evaluator.h"

#include "naive_walker.h"

namespace jobforge::naive {

Answer evaluate(const rules::CheckedPackage& package, const rules::Inputs& inputs,
                unsigned long long step_budget) {
    Walker walker(package, inputs, step_budget);
    Answer answer;
    try {
        for (const auto& field : package.fields) {
            const Datum value = walker.walk(*field.body, {});
            walker.fields[field.path.text] = value;
            answer.fields[field.path.text] = value.json();
        }
    } catch (const Failure& failure) {
        answer.error = failure.code;
    }
    answer.compliance = walker.compliance;
    answer.steps = walker.steps;
    return answer;
}

}  // namespace jobforge::naive
