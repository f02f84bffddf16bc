// Builders for tests of rules: a package from source text, facts from JSON text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rules/check/package.h"
#include "rules/eval/evaluator.h"

namespace jobforge::rules {

inline std::shared_ptr<const CheckedPackage> package_of(const std::string& source) {
    CheckOutcome outcome = check_package(SourceText("rules", source));
    EXPECT_TRUE(outcome.ok()) << render(outcome.diagnostics, outcome.sources);
    return outcome.package;
}

inline Fact fact_of(const std::string& type, const std::string& key, const std::string& payload) {
    Fact fact;
    fact.fact_type = type;
    fact.fact_key = key;
    auto json = Json::parse(payload);
    EXPECT_TRUE(json.ok()) << payload;
    fact.payload = std::move(*json);
    fact.source_name = key + ".json";
    return fact;
}

inline Inputs inputs_of(std::vector<Fact> facts = {}) {
    auto set = FactSet::make(std::move(facts));
    EXPECT_TRUE(set.ok());
    return {std::move(*set), "SKU-1", "Pack 50", *Date::make(2027, 2, 18)};
}

// The fields of a package without facts, or "CODE line:column".
inline std::string result_of(const std::string& source, std::vector<Fact> facts = {},
                             const EvaluateOptions& options = {}) {
    const auto package = package_of(source);
    if (package == nullptr) return "does not check";
    const EvaluationOutcome outcome = evaluate(*package, inputs_of(std::move(facts)), options);
    if (outcome.ok()) return outcome.evaluation->fields.canonical();
    const Position place = package->position(outcome.error->span);
    return outcome.error->code + " " + std::to_string(place.line) + ":" +
           std::to_string(place.column);
}

// The value of one expression of the given type.
inline std::string value_of(const std::string& type, const std::string& expression,
                            std::vector<Fact> facts = {}) {
    const std::string text =
        result_of("field x: " + type + " = " + expression + ";", std::move(facts));
    return text.starts_with("{\"x\":") ? text.substr(5, text.size() - 6) : text;
}

}  // namespace jobforge::rules
