// jobforge rules check RULES [TESTS]
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/text/counted.h"
#include "cli/offline/passport_inputs.h"
#include "cli/offline/rules_commands.h"
#include "cli/view/output.h"

namespace jobforge::cli {
namespace {

using rules::CheckOutcome;
using rules::SourceText;

struct CheckOptions {
    std::vector<std::string> files;
    std::string tests;
};

Result<CheckOutcome> check_files(const CheckOptions& options) {
    const std::string tests_file = options.files.size() > 1 ? options.files[1] : options.tests;
    auto rules = read_whole_file(options.files[0]);
    if (!rules.ok()) {
        return rules.error();
    }
    std::optional<SourceText> tests;
    if (!tests_file.empty()) {
        auto text = read_whole_file(tests_file);
        if (!text.ok()) {
            return text.error();
        }
        tests.emplace(tests_file, std::move(*text));
    }
    return rules::check_package(SourceText(options.files[0], std::move(*rules)), std::move(tests));
}

Json to_json(const CheckOutcome& outcome) {
    Json diagnostics = Json::array();
    for (const auto& diagnostic : outcome.diagnostics.all()) {
        diagnostics.push_back(rules::to_json(diagnostic, outcome.sources));
    }
    Json answer = Json::object({{"diagnostics", std::move(diagnostics)},
                                {"errors", static_cast<std::uint64_t>(outcome.diagnostics.count())},
                                {"ok", outcome.ok()}});
    if (outcome.ok()) {
        const auto count = [](const auto& all) { return static_cast<std::uint64_t>(all.size()); };
        answer.set("examples", count(outcome.package->examples));
        answer.set("facts", count(outcome.package->facts));
        answer.set("fields", count(outcome.package->fields));
        answer.set("properties", count(outcome.package->properties));
    }
    return answer;
}

int run_check(const Context& context, const CheckOptions& options) {
    auto outcome = check_files(options);
    if (!outcome.ok()) {
        return context.fail(outcome.error());
    }
    if (context.json) {
        print_line(to_json(*outcome).dump());
    } else if (outcome->ok()) {
        const auto& package = *outcome->package;
        const auto number = [](std::size_t size) { return static_cast<std::int64_t>(size); };
        print_line(
            fmt::format("{}: ok, {}, {}, {}, {}", options.files[0],
                        counted(number(package.facts.size()), "fact"),
                        counted(number(package.fields.size()), "field"),
                        counted(number(package.examples.size()), "example"),
                        counted(number(package.properties.size()), "property", "properties")));
    } else {
        print(render(outcome->diagnostics, outcome->sources));
        print_line(counted(static_cast<std::int64_t>(outcome->diagnostics.count()), "error"));
    }
    return outcome->ok() ? kOk : kFailed;
}

}  // namespace

void add_rules_check(Command rules, Context& context) {
    Command command = rules.subcommand("check", "Report every error of a package");
    auto options = std::make_shared<CheckOptions>();
    command.option("FILE", options->files, "Rules, and their tests if any (- is standard input)")
        .required()
        .expected(1, 2);
    command.option("--tests", options->tests, "The tests, if they are a file of their own");
    command.runs([&context, options] { return run_check(context, *options); });
}

}  // namespace jobforge::cli
