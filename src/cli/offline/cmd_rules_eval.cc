// jobforge rules eval FILE --product FILE --issued-on DATE [--facts DIR] [--fact TYPE:KEY=FILE]
#include <memory>

#include <fmt/format.h>

#include "cli/offline/passport_inputs.h"
#include "cli/offline/rules_commands.h"
#include "cli/view/output.h"
#include "rules/eval/explain.h"

namespace jobforge::cli {
namespace {

using rules::CheckedPackage;
using rules::ComplianceEntry;
using rules::Evaluation;

struct EvalOptions {
    std::string file;
    PassportInputOptions inputs;
};

Json to_json(const Evaluation& evaluation) {
    Json compliance = Json::array();
    for (const ComplianceEntry& entry : evaluation.compliance) {
        compliance.push_back(Json::object(
            {{"evidence", entry.evidence}, {"id", entry.id}, {"status", entry.status}}));
    }
    auto fields = Json::parse(evaluation.fields.canonical());
    return Json::object({{"compliance", std::move(compliance)},
                         {"fields", fields.ok() ? std::move(*fields) : Json()},
                         {"steps", evaluation.steps}});
}

void print_tables(const CheckedPackage& package, const Evaluation& evaluation) {
    Table fields({"FIELD", "TYPE", "VALUE"});
    for (const auto& [path, index] : package.field_index) {
        fields.add({path, package.fields[index].type.notation(),
                    rules::display(evaluation.values[index])});
    }
    print(fields.text());
    if (evaluation.compliance.empty()) {
        return;
    }
    Table compliance({"COMPLIANCE", "STATUS", "EVIDENCE"});
    for (const ComplianceEntry& entry : evaluation.compliance) {
        compliance.add({entry.id, entry.status, entry.evidence});
    }
    print_line("");
    print(compliance.text());
}

int run_eval(const Context& context, const EvalOptions& options) {
    const auto package =
        load_package(context, options.file, {}, {.flows = rules::AccessFlows::ignored});
    if (package == nullptr) {
        return kFailed;
    }
    const auto inputs = read_evaluation_inputs(options.inputs);
    if (!inputs.ok()) {
        return context.fail(inputs.error());
    }
    const auto outcome = rules::evaluate(*package, *inputs, {.with_proof = false});
    if (!outcome.ok()) {
        return fail_evaluation(context, *package, *outcome.error);
    }
    if (context.json) {
        print_line(to_json(*outcome.evaluation).dump());
    } else {
        print_tables(*package, *outcome.evaluation);
    }
    return kOk;
}

}  // namespace

void add_rules_eval(Command rules, Context& context) {
    Command command = rules.subcommand("eval", "Evaluate a package over facts from files");
    auto options = std::make_shared<EvalOptions>();
    command.option("FILE", options->file, "Rules (- is standard input)").required();
    add_input_options(command, options->inputs);
    command.runs([&context, options] { return run_eval(context, *options); });
}

}  // namespace jobforge::cli
