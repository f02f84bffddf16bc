// jobforge rules explain FIELD FILE --product FILE --issued-on DATE [--facts DIR] ...
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/counted.h"
#include "cli/offline/passport_inputs.h"
#include "cli/offline/rules_commands.h"
#include "cli/view/output.h"
#include "rules/eval/explain.h"
#include "rules/syntax/nearest.h"

namespace jobforge::cli {
namespace {

using rules::CheckedPackage;

struct ExplainOptions {
    std::string field;
    std::string file;
    PassportInputOptions inputs;
};

constexpr std::size_t kShownNames = 5;

Error no_such_field(const CheckedPackage& package, const std::string& field) {
    Error error = Error::of(ErrorCode::NOT_FOUND, fmt::format("There is no field {}.", field));
    std::vector<std::string_view> paths;
    for (const auto& [path, index] : package.field_index) {
        paths.push_back(path);
    }
    const auto near = rules::nearest_paths(field, paths, kShownNames);
    error.hint = near.empty()
                     ? fmt::format("The rules have {}; rules eval shows them all.",
                                   counted(static_cast<std::int64_t>(paths.size()), "field"))
                     : fmt::format("Did you mean {}?", fmt::join(near, " or "));
    return error;
}

int run_rules_explain(const Context& context, ExplainOptions options) {
    // People write either order: what is not a file is the field.
    std::error_code ignored;
    if (!std::filesystem::exists(options.file, ignored) &&
        std::filesystem::exists(options.field, ignored)) {
        std::swap(options.field, options.file);
    }
    const auto package =
        load_package(context, options.file, {}, {.flows = rules::AccessFlows::ignored});
    if (package == nullptr) {
        return kFailed;
    }
    const auto found = package->field_index.find(options.field);
    if (found == package->field_index.end()) {
        return context.fail(no_such_field(*package, options.field));
    }
    const auto inputs = read_evaluation_inputs(options.inputs);
    if (!inputs.ok()) {
        return context.fail(inputs.error());
    }
    const auto outcome = rules::explain(*package, *inputs, found->second);
    if (outcome.error) {
        return fail_evaluation(context, *package, *outcome.error);
    }
    print(context.json ? outcome.json.dump() + "\n" : outcome.tree);
    return kOk;
}

}  // namespace

void add_rules_explain(Command rules, Context& context) {
    Command command = rules.subcommand(
        "explain", "How a field got its value, down to the document and place it came from");
    auto options = std::make_shared<ExplainOptions>();
    command.option("FIELD", options->field, "Path of the field").required();
    command.option("FILE", options->file, "Rules").required();
    add_input_options(command, options->inputs);
    command.runs([&context, options] { return run_rules_explain(context, *options); });
}

}  // namespace jobforge::cli
