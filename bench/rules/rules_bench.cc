// jobforge_rules_bench DIRECTORY: how long the rule language takes for what people do with it.
//
//     ./dev bench rules
//
// The package is examples/battery-eu, the real one; the large source for checking is made from
// fields like its own until it has 10,000 lines. Each figure is the median of many turns, in this
// thread's processor time, so that a busy machine changes it little.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "base/crypto/hash.h"
#include "rules/check/package.h"
#include "rules/eval/evaluator.h"
#include "values/document_numbers.h"

namespace {

using namespace jobforge;
using namespace jobforge::rules;

[[noreturn]] void die(const std::string& what) {
    fmt::print(stderr, "jobforge_rules_bench: {}\n", what);
    std::exit(1);
}

template <typename Value>
Value must(Result<Value> result) {
    if (!result) {
        die(result.error().describe());
    }
    return std::move(*result);
}

std::string read(const std::string& path) {
    const std::ifstream file(path, std::ios::binary);
    if (!file) {
        die(path + " cannot be read");
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

double cpu_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double median_milliseconds(int turns, const std::function<void()>& work) {
    std::vector<double> took;
    for (int turn = 0; turn < turns; ++turn) {
        const double began = cpu_milliseconds();
        work();
        took.push_back(cpu_milliseconds() - began);
    }
    std::sort(took.begin(), took.end());
    return took[took.size() / 2];
}

std::string large_source(int lines) {
    std::string text = "fact Cell { sku: Text, mass: Dec(3), kind: Opt(Text) }\n";
    for (int field = 0; 4 * field + 1 < lines; ++field) {
        text += fmt::format(
            "field pack.cell_{0}.mass: Qty(kg) access(public) =\n"
            "  let c = requireSome(getFact(\"Cell\", \"cell:{0}:\" + product.sku), \"E{0}\", "
            "\"cell "
            "{0} is missing\");\n"
            "  assert(c.mass > 0, \"E{0}B\", \"the mass of cell {0} is not positive\");\n"
            "  toQty(\"kg\", c.mass * 1.05){1};\n",
            field, field == 0 ? "" : fmt::format(" + field(\"pack.cell_{}.mass\")", field - 1));
    }
    return text;
}

void report(std::string_view what, double milliseconds, std::string_view detail) {
    fmt::print("{:<56} {:>9.2f} ms   {}\n", what, milliseconds, detail);
}

CheckOutcome check(const std::string& text) {
    CheckOutcome outcome = check_package(SourceText("bench", text));
    if (!outcome.ok()) {
        die("the package does not check: " + outcome.diagnostics.all().front().message);
    }
    return outcome;
}

Inputs battery_inputs(const std::string& directory) {
    const std::string document = read(directory + "/documents/ev.json");
    const Json payload = must(with_exact_numbers(must(Json::parse(document))));
    const Json product = must(Json::parse(read(directory + "/products/ev.json")));
    Inputs inputs;
    inputs.product_sku = *product.find("sku")->as_string();
    inputs.product_name = *product.find("name")->as_string();
    inputs.facts = must(FactSet::make({Fact{.fact_type = "BatteryData",
                                            .fact_key = "data:" + inputs.product_sku,
                                            .payload = payload,
                                            .source_sha256 = sha256_hex(document),
                                            .source_name = "ev.json",
                                            .payload_hash = {}}}));
    inputs.issued_on = *Date::parse("2027-02-18");
    return inputs;
}

void run(const std::string& directory) {
    const std::string large = large_source(10'000);
    const auto lines = std::count(large.begin(), large.end(), '\n');
    report("check, large package", median_milliseconds(9, [&] { (void)check(large); }),
           fmt::format("{} lines, {} KB (aim: below 1000 ms)", lines, large.size() / 1000));

    const std::string rules = read(directory + "/battery-eu.rules");
    const CheckOutcome checked = check(rules);
    report("check, battery-eu", median_milliseconds(21, [&] { (void)check(rules); }),
           fmt::format("{} lines, {} fields", std::count(rules.begin(), rules.end(), '\n'),
                       checked.package->fields.size()));

    const Inputs inputs = battery_inputs(directory);
    const auto evaluation = [&](bool with_proof) {
        const EvaluationOutcome outcome =
            evaluate(*checked.package, inputs, {.with_proof = with_proof});
        if (!outcome.ok()) {
            die("the package does not evaluate: " + outcome.error->message);
        }
        return outcome.evaluation->compliance.size();
    };
    const std::size_t entries = evaluation(true);
    report("evaluate, battery-eu, without proof",
           median_milliseconds(101, [&] { (void)evaluation(false); }), "");
    report("evaluate, battery-eu, with proof",
           median_milliseconds(101, [&] { (void)evaluation(true); }),
           fmt::format("{} compliance entries (aim: below 5 ms)", entries));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        die("usage: jobforge_rules_bench DIRECTORY (of examples/battery-eu)");
    }
    run(argv[1]);
    return 0;
}
