// How test results look: for people on a terminal, for programs as JSON.
#include <fmt/format.h>

#include "base/text/visible_text.h"
#include "rules/test/test_runner.h"

namespace jobforge::rules {
namespace {

std::string at_place(const CheckedPackage& package, const Span& span) {
    return fmt::format("{}:{}", package.sources[span.source].name(), package.position(span).line);
}

// "    12 | source line" and the caret, without a heading.
std::string excerpt(const CheckedPackage& package, const Span& span) {
    const std::string drawn =
        render(Diagnostic{ErrorCode::RULE_TESTS_FAILED, span, {}, {}}, package.sources);
    return drawn.substr(drawn.find('\n') + 1);
}

std::string render_facts(const TestFailure& failure) {
    std::string text;
    for (const Json& fact : *failure.facts.as_array()) {
        text += fmt::format("    {} \"{}\" = {}\n", *fact.find("fact_type")->as_string(),
                            *fact.find("fact_key")->as_string(), fact.find("payload")->dump());
    }
    for (const auto& [name, value] : *failure.variables.as_object()) {
        text += fmt::format("    {} = {}\n", name, value.dump());
    }
    if (text.empty()) {
        return text;
    }
    const std::string_view how =
        failure.simplified > 0 ? "  with the smallest facts found:\n" : "  with these facts:\n";
    return std::string(how) + text;
}

std::string render_failure(const CheckedPackage& package, const TestResult& result) {
    const TestFailure& failure = *result.failure;
    std::string text =
        fmt::format("FAILED {} {}: {}\n", result.is_property ? "property" : "example", result.name,
                    failure.message);
    text +=
        fmt::format("  {}\n{}", at_place(package, failure.span), excerpt(package, failure.span));
    if (!failure.expected.empty()) {
        text += fmt::format("  expected: {}\n  found:    {}\n", failure.expected, failure.found);
    }
    text += render_facts(failure);
    for (const TestFailure::FieldSeen& field : failure.fields) {
        text += fmt::format("  field {} ({}) = {}\n", field.path, at_place(package, field.span),
                            field.value);
    }
    if (failure.error) {
        text += "  the rule that failed:\n" + failure.error->render(package);
    }
    return text;
}

Json failure_json(const CheckedPackage& package, const TestFailure& failure) {
    const Position place = package.position(failure.span);
    Json fields = Json::array();
    for (const TestFailure::FieldSeen& field : failure.fields) {
        const Position line = package.position(field.span);
        fields.push_back(Json::object({{"field", field.path},
                                       {"line", static_cast<std::uint64_t>(line.line)},
                                       {"value", field.value}}));
    }
    Json json = Json::object({{"column", static_cast<std::uint64_t>(place.column)},
                              {"expected", failure.expected},
                              {"facts", failure.facts},
                              {"fields", std::move(fields)},
                              {"found", failure.found},
                              {"line", static_cast<std::uint64_t>(place.line)},
                              {"message", failure.message},
                              {"source", package.sources[failure.span.source].name()},
                              {"variables", failure.variables}});
    if (failure.error) {
        json.set("error", failure.error->to_json(package));
    }
    return json;
}

std::string plural(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string TestReport::render(const CheckedPackage& package) const {
    std::string text;
    for (const TestResult& result : results) {
        if (result.failure) {
            text += render_failure(package, result);
            continue;
        }
        text += fmt::format("passed {} {}: {}", result.is_property ? "property" : "example",
                            result.name, plural(result.passed_cases, "case"));
        if (result.discarded_cases > 0) {
            text += fmt::format(" ({} more did not meet the premise)", result.discarded_cases);
        }
        text += '\n';
    }
    text += fmt::format("{}: {} in {}, {} passed, {} failed, seed {}\n",
                        passed() ? "PASSED" : "FAILED", plural(total_cases(), "case"),
                        plural(results.size(), "test"), passed_cases(), failed_cases(), seed);
    if (failed_cases() == 0 && !passed()) {
        text += fmt::format(
            "Nothing failed, but a package needs at least {}: add properties, or raise their "
            "cases(N).\n",
            plural(minimum_cases, "case"));
    }
    return visible_lines(text);
}

Json TestReport::to_json(const CheckedPackage& package) const {
    Json tests = Json::array();
    for (const TestResult& result : results) {
        Json test = Json::object({{"discarded_cases", result.discarded_cases},
                                  {"kind", result.is_property ? "property" : "example"},
                                  {"name", result.name},
                                  {"passed_cases", result.passed_cases},
                                  {"status", result.failure ? "FAILED" : "PASSED"}});
        if (result.failure) {
            test.set("failure", failure_json(package, *result.failure));
        }
        tests.push_back(std::move(test));
    }
    return Json::object({{"failed_cases", failed_cases()},
                         {"minimum_cases", minimum_cases},
                         {"passed_cases", passed_cases()},
                         {"seed", std::to_string(seed)},
                         {"status", passed() ? "PASSED" : "FAILED"},
                         {"tests", std::move(tests)},
                         {"total_cases", total_cases()}});
}

}  // namespace jobforge::rules
