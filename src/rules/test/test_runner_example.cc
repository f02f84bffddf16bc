#include <algorithm>

#include <fmt/format.h>

#include "rules/eval/eval_machine.h"
#include "rules/test/test_runner.h"

namespace jobforge::rules {
namespace {

using MaybeFailure = std::optional<TestFailure>;

TestFailure failed(const Expectation& expectation, std::string message) {
    TestFailure failure;
    failure.message = std::move(message);
    failure.span = expectation.span;
    return failure;
}

TestFailure failed(const Expectation& expectation, EvaluationError error) {
    TestFailure failure =
        failed(expectation, fmt::format("Evaluation ended with {}: {}", error.code, error.message));
    failure.error = std::move(error);
    return failure;
}

MaybeFailure check_value(const CheckedPackage& package, const Inputs& inputs,
                         const Expectation& expectation) {
    Machine machine(package, inputs, {.with_proof = false});
    Frame frame(expectation.frame_size);
    const MaybeStep step = machine.evaluate(*expectation.comparison, frame);
    if (!step) {
        return failed(expectation, std::move(machine).take_error());
    }
    if (step->value.boolean()) {
        return {};
    }
    TestFailure failure = failed(
        expectation, fmt::format("{} is not what the example expects", expectation.path->text));
    describe_comparison(package, inputs, *expectation.comparison,
                        std::vector<Value>(expectation.frame_size), failure);
    failure.fields.push_back(see_field(package, inputs, expectation.field));
    return failure;
}

MaybeFailure check_error(const CheckedPackage& package, const Inputs& inputs,
                         const Expectation& expectation) {
    Machine machine(package, inputs, {.with_proof = false});
    const bool ended =
        expectation.path ? machine.field(expectation.field).has_value() : machine.all_fields();
    TestFailure failure;
    if (ended) {
        failure = failed(expectation, "An error was expected, but there was none");
        failure.found = "no error";
        if (expectation.path) {
            failure.fields.push_back(see_field(package, inputs, expectation.field));
        }
    } else {
        EvaluationError error = std::move(machine).take_error();
        if (error.code == expectation.code.text) {
            return {};
        }
        failure = failed(expectation, "Another error than the expected one occurred");
        failure.found = fmt::format("{}: {}", error.code, error.message);
        failure.error = std::move(error);
    }
    failure.expected = "the error " + expectation.code.text;
    return failure;
}

MaybeFailure check_compliance(const CheckedPackage& package, const Inputs& inputs,
                              const Expectation& expectation) {
    Machine machine(package, inputs, {.with_proof = false});
    if (!machine.all_fields()) {
        return failed(expectation, std::move(machine).take_error());
    }
    std::string statuses;
    for (const ComplianceEntry& entry : machine.compliance()) {
        if (entry.id != expectation.code.text) {
            continue;
        }
        if (entry.status == expectation.status.text) {
            return {};
        }
        statuses +=
            fmt::format("{}{} ({})", statuses.empty() ? "" : ", ", entry.status, entry.evidence);
    }
    TestFailure failure =
        failed(expectation, fmt::format("The compliance entry {} is not what the example expects",
                                        expectation.code.text));
    failure.expected = expectation.status.text;
    failure.found = statuses.empty() ? "no entry with this id" : statuses;
    return failure;
}

MaybeFailure check(const CheckedPackage& package, const Inputs& inputs,
                   const Expectation& expectation) {
    switch (expectation.kind) {
        case Expectation::Kind::value:
            return check_value(package, inputs, expectation);
        case Expectation::Kind::error:
            return check_error(package, inputs, expectation);
        case Expectation::Kind::compliance:
            return check_compliance(package, inputs, expectation);
    }
    return {};
}

}  // namespace

TestResult run_example(const CheckedPackage& package, const Example& example) {
    TestResult result;
    result.name = example.name.text;
    result.span = example.name.span;
    const TestWorld world = test_world(package, example.fixtures);
    const Result<Inputs> inputs = test_inputs(world);
    if (!inputs.ok()) {
        result.failure.emplace();
        result.failure->message = inputs.error().message;
        result.failure->span = example.name.span;
        return result;
    }
    for (const Expectation& expectation : example.expectations) {
        result.failure = check(package, *inputs, expectation);
        if (result.failure) {
            result.failure->facts = facts_json(world.facts);
            return result;
        }
    }
    result.passed_cases = 1;
    return result;
}

}  // namespace jobforge::rules
