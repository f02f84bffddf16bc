#include "cli/offline/rules_commands.h"

#include <cstdio>

#include "cli/offline/passport_inputs.h"

namespace jobforge::cli {

using rules::CheckedPackage;
using rules::SourceText;

std::shared_ptr<const CheckedPackage> load_package(const Context& context,
                                                   const std::string& rules_file,
                                                   const std::string& tests_file,
                                                   const rules::CheckOptions& check_options) {
    auto rules = read_whole_file(rules_file);
    if (!rules.ok()) {
        static_cast<void>(context.fail(rules.error()));
        return nullptr;
    }
    std::optional<SourceText> tests;
    if (!tests_file.empty()) {
        auto text = read_whole_file(tests_file);
        if (!text.ok()) {
            static_cast<void>(context.fail(text.error()));
            return nullptr;
        }
        tests.emplace(tests_file, std::move(*text));
    }
    auto outcome = rules::check_package(SourceText(rules_file, std::move(*rules)), std::move(tests),
                                        check_options);
    if (outcome.ok()) {
        return outcome.package;
    }
    if (context.json) {
        static_cast<void>(context.fail(to_error(outcome.diagnostics, outcome.sources)));
    } else {
        std::fputs(render(outcome.diagnostics, outcome.sources).c_str(), stderr);
    }
    return nullptr;
}

int fail_evaluation(const Context& context, const CheckedPackage& package,
                    const rules::EvaluationError& error) {
    const std::string text =
        context.json ? error.to_json(package).dump() + "\n" : error.render(package);
    std::fputs(text.c_str(), stderr);
    return kFailed;
}

}  // namespace jobforge::cli
