// jobforge types list|show|set
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"

namespace jobforge::cli {

namespace {

struct TypeCommand {
    std::string type;
    std::vector<std::string> settings;
};

int run_list(const Context& context) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto types = admin->types();
    if (!types.ok()) {
        return context.fail(types.error());
    }
    print(context.json ? rows_as_json(*types)
                       : rows_as_table(*types, {"type", "enabled", "default_priority",
                                                "max_attempts", "backoff", "lease_seconds",
                                                "timeout_seconds", "concurrency_limit",
                                                "rate_limit_per_minute", "description"}));
    return kOk;
}

int run_show(const Context& context, const TypeCommand& command) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto types = admin->types();
    if (!types.ok()) {
        return context.fail(types.error());
    }
    const auto found = std::find_if(types->begin(), types->end(), [&command](const Json& row) {
        return cell_of(row, "type") == command.type;
    });
    if (found == types->end()) {
        Error error = Error::of(ErrorCode::UNKNOWN_JOB_TYPE,
                                fmt::format("job type \"{}\" is not registered", command.type));
        error.hint = "See: jobforge types list";
        return context.fail(error);
    }
    print(context.json ? found->dump() + "\n" : row_as_text(*found));
    return kOk;
}

int run_set(const Context& context, const TypeCommand& command) {
    auto policy = settings_argument(command.settings);
    if (!policy.ok()) {
        return context.fail(policy.error());
    }
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto row = admin->set_type(command.type, *policy);
    if (!row.ok()) {
        return context.fail(row.error());
    }
    print(context.json ? row->dump() + "\n" : row_as_text(*row));
    return kOk;
}

}  // namespace

void add_types(Command program, Context& context) {
    Command types = program.group("types", "Job types and their policies");
    auto command = std::make_shared<TypeCommand>();

    Command list = types.subcommand("list", "All job types");
    list.runs([&context] { return run_list(context); });

    Command show = types.subcommand("show", "One type with all its settings");
    show.option("TYPE", command->type, "Job type").required();
    show.runs([&context, command] { return run_show(context, *command); });

    Command set = types.subcommand("set", "Register a type, or change its policy");
    set.option("TYPE", command->type, "Job type").required();
    set.option("KEY=VALUE", command->settings,
               "e.g. max_attempts=3 lease_seconds=120 concurrency_limit=null enabled=false");
    set.runs([&context, command] { return run_set(context, *command); });
}

}  // namespace jobforge::cli
