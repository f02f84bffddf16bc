// jobforge rules check|fmt|eval|test|explain|upload|publish|deprecate|retire|show|list
#include "cli/commands/commands.h"
#include "cli/offline/rules_commands.h"

namespace jobforge::cli {

void add_rules(Command program, Context& context) {
    Command rules =
        program.group("rules", "Check, format, test, evaluate, store and publish rule packages");
    add_rules_check(rules, context);
    add_rules_fmt(rules, context);
    add_rules_test(rules, context);
    add_rules_eval(rules, context);
    add_rules_explain(rules, context);
    add_rules_store(rules, context);
}

}  // namespace jobforge::cli
