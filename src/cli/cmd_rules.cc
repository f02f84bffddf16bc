// jobforge rules check|fmt|eval|test|explain|upload|publish|deprecate|retire|show|list
#include "cli/commands.h"
#include "cli/rules_commands.h"

namespace jobforge::cli {

void add_rules(CLI::App& app, Context& context) {
    auto* rules = app.add_subcommand(
        "rules", "Check, format, test, evaluate, store and publish rule packages");
    rules->require_subcommand(1);
    add_rules_check(*rules, context);
    add_rules_fmt(*rules, context);
    add_rules_test(*rules, context);
    add_rules_eval(*rules, context);
    add_rules_explain(*rules, context);
    add_rules_store(*rules, context);
    for (CLI::App* verb : rules->get_subcommands({})) {
        verb->fallthrough();
    }
}

}  // namespace jobforge::cli
