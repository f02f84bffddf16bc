// The verbs of `jobforge rules`: one function a verb (or family of verbs), called by add_rules.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/commands/use_case.h"
#include "cli/context.h"
#include "rules/check/package.h"
#include "rules/eval/evaluator.h"

namespace jobforge::cli {

void add_rules_check(Command rules, Context& context);
void add_rules_fmt(Command rules, Context& context);
void add_rules_eval(Command rules, Context& context);
void add_rules_test(Command rules, Context& context);
void add_rules_explain(Command rules, Context& context);
// Those over stored versions: upload, publish, deprecate, retire, show, list.
void add_rules_store(Command rules, Context& context);

// `rules test` of a stored version: a worker runs the tests, and what they found is kept.
struct StoredTest {
    Uuid version;
    std::uint64_t seed = 0;
    WaitOptions wait;
};
[[nodiscard]] int run_stored_test(const Context& context, const StoredTest& test);

// The checked package of these files ("-" is standard input). nullptr after telling, on standard
// error, every error of the sources or why a file cannot be read. `eval` and `explain` ignore what
// flows between access tiers: rules that were published before that was checked have passports,
// and people ask how those came about.
[[nodiscard]] std::shared_ptr<const rules::CheckedPackage> load_package(
    const Context& context, const std::string& rules_file, const std::string& tests_file = {},
    const rules::CheckOptions& check_options = {});

// Tells an evaluation's error: for people with the rule's line and a caret, else as one JSON line.
// Returns the exit code.
[[nodiscard]] int fail_evaluation(const Context& context, const rules::CheckedPackage& package,
                                  const rules::EvaluationError& error);

}  // namespace jobforge::cli
