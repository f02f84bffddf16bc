#include "rules/test/test_runner.h"

#include <numeric>

#include <fmt/format.h>

#include "rules/eval/eval_machine.h"
#include "rules/eval/explain.h"

namespace jobforge::rules {

TestReport run_tests(const CheckedPackage& package, const TestOptions& options) {
    TestReport report;
    report.seed = options.seed;
    report.minimum_cases = options.minimum_cases;
    for (const Example& example : package.examples) {
        report.results.push_back(run_example(package, example));
    }
    for (const Property& property : package.properties) {
        report.results.push_back(run_property(package, property, options.seed));
    }
    return report;
}

std::uint64_t TestReport::passed_cases() const noexcept {
    return std::accumulate(
        results.begin(), results.end(), std::uint64_t{0},
        [](std::uint64_t sum, const TestResult& result) { return sum + result.passed_cases; });
}

std::uint64_t TestReport::failed_cases() const noexcept {
    return std::accumulate(results.begin(), results.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const TestResult& result) {
                               return sum + (result.failure ? 1U : 0U);
                           });
}

std::uint64_t TestReport::total_cases() const noexcept {
    return passed_cases() + failed_cases();
}

bool TestReport::passed() const noexcept {
    return failed_cases() == 0 && total_cases() >= minimum_cases;
}

TestWorld test_world(const CheckedPackage& package, const Fixtures& fixtures) {
    TestWorld world;
    world.sku = fixtures.sku ? fixtures.sku->text : "SKU-1";
    world.name = fixtures.name ? fixtures.name->text : "Test product";
    world.issued_on = fixtures.issued_on.value_or(*Date::make(2027, 2, 18));
    for (const FactFixture& fixture : fixtures.facts) {
        Fact fact;
        fact.fact_type = package.facts[fixture.fact].name.text;
        fact.fact_key = fixture.key.text;
        fact.payload = fixture.payload;
        fact.numbers = fixture.numbers;
        world.facts.push_back(std::move(fact));
    }
    return world;
}

Result<Inputs> test_inputs(const TestWorld& world) {
    auto facts = FactSet::make(world.facts);
    if (!facts.ok()) {
        return std::move(facts).error();
    }
    return Inputs{std::move(*facts), world.sku, world.name, world.issued_on};
}

Json facts_json(const std::vector<Fact>& facts) {
    Json list = Json::array();
    for (const Fact& fact : facts) {
        list.push_back(Json::object({{"fact_key", fact.fact_key},
                                     {"fact_type", fact.fact_type},
                                     {"payload", fact.payload}}));
    }
    return list;
}

TestFailure::FieldSeen see_field(const CheckedPackage& package, const Inputs& inputs,
                                 std::size_t field) {
    Machine machine(package, inputs, {.with_proof = false});
    TestFailure::FieldSeen seen{package.fields[field].path.text, {}, package.fields[field].span};
    if (const MaybeStep step = machine.field(field)) {
        seen.value = display(step->value);
    } else {
        const EvaluationError error = std::move(machine).take_error();
        seen.value = fmt::format("{}: {}", error.code, error.message);
    }
    return seen;
}

namespace {

// The value of one side of a comparison that could be evaluated before.
std::string side(const CheckedPackage& package, const Inputs& inputs, const Expression& expression,
                 const std::vector<Value>& variables) {
    Machine machine(package, inputs, {.with_proof = false});
    Frame frame;
    for (const Value& value : variables) {
        frame.push_back({value, 0});
    }
    const MaybeStep step = machine.evaluate(expression, frame);
    return step ? display(step->value) : "";
}

}  // namespace

void describe_comparison(const CheckedPackage& package, const Inputs& inputs,
                         const Expression& comparison, const std::vector<Value>& variables,
                         TestFailure& failure) {
    const auto* binary = std::get_if<Binary>(&comparison.node);
    if (binary == nullptr || !is_comparison(binary->op)) {
        return;
    }
    failure.expected =
        fmt::format("{} {}", symbol(binary->op), side(package, inputs, *binary->right, variables));
    failure.found = side(package, inputs, *binary->left, variables);
}

}  // namespace jobforge::rules
