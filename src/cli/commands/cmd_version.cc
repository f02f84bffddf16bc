// jobforge version
#include <fmt/format.h>
#include <jobforge/build_info.h>

#include "cli/commands/commands.h"
#include "cli/view/output.h"
#include "engine/schema/embedded_sql.h"

namespace jobforge::cli {

namespace {

int run_version(const Context& context) {
    const auto migrations = engine::embedded_migrations();
    const std::string schema(migrations.empty() ? "" : migrations.back().name);
    if (context.json) {
        print_line(Json::object({{"version", version()},
                                 {"commit", build_commit()},
                                 {"build_id", context.config.build_id},
                                 {"schema", schema}})
                       .dump());
    } else {
        print_line(
            fmt::format("jobforge {} ({}), schema {}", version(), context.config.build_id, schema));
    }
    return kOk;
}

}  // namespace

void add_version(Command program, Context& context) {
    Command command = program.subcommand("version", "Which build this is");
    command.runs([&context] { return run_version(context); });
}

}  // namespace jobforge::cli
