#include <algorithm>

#include <fmt/format.h>

#include "rules/eval/eval_machine.h"
#include "rules/test/generator_values.h"
#include "rules/test/shrink.h"
#include "rules/test/test_runner.h"

namespace jobforge::rules {
namespace {

constexpr std::uint64_t kTriesPerCase = 20;
// Cases run while shrinking one failure: enough for a few dozen members, and a second at most.
constexpr std::uint64_t kMaximumShrinkRuns = 4000;

// What one case came to.
struct CaseOutcome {
    enum class Kind : std::uint8_t { passed, discarded, is_false, error };
    Kind kind = Kind::passed;
    std::optional<EvaluationError> error;

    [[nodiscard]] bool failed() const noexcept {
        return kind == Kind::is_false || kind == Kind::error;
    }
    // Simplifying must not wander from one fault to another.
    [[nodiscard]] bool fails_like(const CaseOutcome& other) const noexcept {
        return failed() && kind == other.kind && (!error || error->code == other.error->code);
    }
};

class PropertyRun final {
public:
    PropertyRun(const CheckedPackage& package, const Property& property)
        : package_(package), property_(property), world_(test_world(package, property.fixtures)) {}

    TestResult run(std::uint64_t seed);

private:
    using Values = std::vector<Value>;  // one for each forall variable

    [[nodiscard]] TestWorld world_with(const Values& values) const;
    [[nodiscard]] CaseOutcome run_case(const Values& values) const;
    [[nodiscard]] TestFailure report(Values values, CaseOutcome outcome) const;
    // One simplification step that still fails in the same way, if there is one.
    [[nodiscard]] bool simplify(Values& values, CaseOutcome& outcome, std::uint64_t& runs) const;
    [[nodiscard]] std::vector<Value> slots(const Values& values) const;
    [[nodiscard]] TestFailure too_few(std::uint64_t counted, std::uint64_t wanted) const;

    const CheckedPackage& package_;
    const Property& property_;
    const TestWorld world_;
};

Json json_of(const Value& value) {
    auto json = Json::parse(value.canonical());
    return json.ok() ? std::move(*json) : Json();
}

TestWorld PropertyRun::world_with(const Values& values) const {
    TestWorld world = world_;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const ForallVariable& variable = property_.variables[i];
        if (!variable.key) {
            continue;
        }
        Fact fact;
        fact.fact_type = package_.facts[variable.fact].name.text;
        fact.fact_key = variable.key->text;
        fact.payload = json_of(values[i]);
        world.facts.push_back(std::move(fact));
    }
    return world;
}

std::vector<Value> PropertyRun::slots(const Values& values) const {
    std::vector<Value> filled(property_.frame_size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        filled[property_.variables[i].slot] = values[i];
    }
    return filled;
}

CaseOutcome PropertyRun::run_case(const Values& values) const {
    CaseOutcome outcome;
    const Result<Inputs> inputs = test_inputs(world_with(values));
    if (!inputs.ok()) {
        outcome.kind = CaseOutcome::Kind::error;
        outcome.error.emplace();
        outcome.error->code = to_string(inputs.error().code);
        outcome.error->message = inputs.error().message;
        outcome.error->span = property_.span;
        return outcome;
    }
    Machine machine(package_, *inputs, {.with_proof = false});
    Frame frame;
    for (Value& value : slots(values)) {
        frame.push_back({std::move(value), 0});
    }
    const MaybeStep step = machine.evaluate(*property_.body, frame);
    if (!step) {
        outcome.kind = CaseOutcome::Kind::error;
        outcome.error = std::move(machine).take_error();
    } else if (machine.discarded()) {
        outcome.kind = CaseOutcome::Kind::discarded;
    } else if (!step->value.boolean()) {
        outcome.kind = CaseOutcome::Kind::is_false;
    }
    return outcome;
}

bool PropertyRun::simplify(Values& values, CaseOutcome& outcome, std::uint64_t& runs) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (Value& candidate : simpler(values[i], property_.variables[i].type)) {
            if (++runs > kMaximumShrinkRuns) {
                return false;
            }
            std::swap(values[i], candidate);
            CaseOutcome simple = run_case(values);
            if (simple.fails_like(outcome)) {
                outcome = std::move(simple);
                return true;
            }
            std::swap(values[i], candidate);
        }
    }
    return false;
}

struct Conclusion {
    const Expression& expression;
    bool behind_let = false;  // so that it cannot be evaluated alone
};

// What decided: the conclusion of implies, else the body.
Conclusion conclusion_of(const Expression& body) {
    const Expression* at = &body;
    bool behind_let = false;
    while (true) {
        if (const auto* block = std::get_if<Block>(&at->node)) {
            at = block->result.get();
            behind_let = true;
        } else if (const auto* implies = std::get_if<Implies>(&at->node)) {
            at = implies->conclusion.get();
        } else {
            return {*at, behind_let};
        }
    }
}

TestFailure PropertyRun::report(Values values, CaseOutcome outcome) const {
    TestFailure failure;
    std::uint64_t runs = 0;
    while (simplify(values, outcome, runs)) {
        ++failure.simplified;
    }
    const Conclusion conclusion = conclusion_of(*property_.body);
    failure.span = conclusion.expression.span;
    const TestWorld world = world_with(values);
    failure.facts = facts_json(world.facts);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (property_.variables[i].key) {
            continue;
        }
        failure.variables.set(property_.variables[i].name.text, json_of(values[i]));
    }
    const Result<Inputs> inputs = test_inputs(world);
    if (outcome.error) {
        failure.message = fmt::format("Evaluation ended with {}: {}", outcome.error->code,
                                      outcome.error->message);
        failure.error = std::move(outcome.error);
    } else {
        failure.message = "The property is false";
        if (!conclusion.behind_let) {
            describe_comparison(package_, *inputs, conclusion.expression, slots(values), failure);
        }
    }
    if (!inputs.ok()) {
        return failure;
    }
    for (const std::size_t field : property_.fields) {
        failure.fields.push_back(see_field(package_, *inputs, field));
    }
    return failure;
}

TestFailure PropertyRun::too_few(std::uint64_t counted, std::uint64_t wanted) const {
    TestFailure failure;
    failure.span = property_.body->span;
    failure.message = fmt::format(
        "Only {} of {} cases met the premise of implies in {} tries: ask for less in the premise, "
        "or give the facts that it needs as fixtures",
        counted, wanted, wanted * kTriesPerCase);
    return failure;
}

TestResult PropertyRun::run(std::uint64_t seed) {
    TestResult result;
    result.name = property_.name.text;
    result.is_property = true;
    result.span = property_.name.span;
    SplitMix64 random(SplitMix64::mix(seed ^ SplitMix64::mix(property_.seed.value_or(0))));
    ValueGenerator generator(random);
    const std::uint64_t wanted = property_.cases.value_or(Property::kDefaultCases);
    for (std::uint64_t tries = 0; result.passed_cases < wanted; ++tries) {
        if (tries == wanted * kTriesPerCase) {
            result.failure = too_few(result.passed_cases, wanted);
            return result;
        }
        Values values;
        for (const ForallVariable& variable : property_.variables) {
            values.push_back(generator.make(variable.type));
        }
        CaseOutcome outcome = run_case(values);
        if (outcome.failed()) {
            result.failure = report(std::move(values), std::move(outcome));
            return result;
        }
        ++(outcome.kind == CaseOutcome::Kind::passed ? result.passed_cases
                                                     : result.discarded_cases);
    }
    return result;
}

}  // namespace

TestResult run_property(const CheckedPackage& package, const Property& property,
                        std::uint64_t seed) {
    return PropertyRun(package, property).run(seed);
}

}  // namespace jobforge::rules
