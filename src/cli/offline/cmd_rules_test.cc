// jobforge rules test FILE... [--tests FILE] [--seed N] [--min-cases N]
// jobforge rules test UUID [--seed N] [--wait]: a stored version, tested by a worker
#include <filesystem>
#include <memory>

#include "cli/offline/rules_commands.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "rules/test/test_runner.h"

namespace jobforge::cli {
namespace {

struct RulesTestOptions {
    std::vector<std::string> files;
    std::string tests_file;
    rules::TestOptions run;
    WaitOptions wait;
};

// A file of that name comes first: what is on the disk cannot be hidden by what is stored.
std::optional<Uuid> stored_version(const RulesTestOptions& options) {
    const auto id = Uuid::parse(options.files.front());
    return options.files.size() == 1 && id.ok() && !std::filesystem::exists(options.files.front())
               ? std::optional(*id)
               : std::nullopt;
}

int test_package(const Context& context, const RulesTestOptions& options, const std::string& file) {
    const auto package = load_package(context, file, options.tests_file);
    if (package == nullptr) {
        return kFailed;
    }
    const rules::TestReport report = run_tests(*package, options.run);
    if (context.json) {
        Json json = report.to_json(*package);
        json.set("file", file);
        print_line(json.dump());
    } else {
        print(report.render(*package));
    }
    return report.passed() ? kOk : kFailed;
}

int run_rules_test(const Context& context, const RulesTestOptions& options) {
    if (const auto version = stored_version(options)) {
        return run_stored_test(context, {*version, options.run.seed, options.wait});
    }
    if (options.files.size() > 1 && !options.tests_file.empty()) {
        return context.fail(usage_error(
            "--tests goes with one file of rules: several packages cannot share their tests."));
    }
    int result = kOk;
    for (const std::string& file : options.files) {
        if (test_package(context, options, file) != kOk) {
            result = kFailed;
        }
    }
    return result;
}

}  // namespace

void add_rules_test(Command rules, Context& context) {
    Command command = rules.subcommand("test", "Run the examples and properties of packages");
    auto options = std::make_shared<RulesTestOptions>();
    command
        .option("FILE", options->files, "Rules, one package a file; or the id of a stored version")
        .required();
    command.option("--tests", options->tests_file, "Tests that stand in a file of their own");
    command.option("--seed", options->run.seed, "Mixed with each property's own seed")
        .shows_default();
    command
        .option("--min-cases", options->run.minimum_cases,
                "Fewer cases in all are a failure, as they are for publishing")
        .shows_default();
    add_wait_options(command, options->wait, "a worker has tested the stored version");
    command.runs([&context, options] { return run_rules_test(context, *options); });
}

}  // namespace jobforge::cli
