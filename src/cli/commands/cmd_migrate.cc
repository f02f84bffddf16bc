// jobforge migrate [--dry-run]
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/type_settings.h"
#include "cli/view/output.h"
#include "engine/schema/migrate.h"

namespace jobforge::cli {

namespace {

Json names(const std::vector<std::string>& list) {
    Json out = Json::array();
    for (const std::string& name : list) {
        out.push_back(name);
    }
    return out;
}

void print_report(const engine::MigrateReport& report, bool dry_run) {
    const std::string_view verb = dry_run ? "would apply" : "applied";
    for (const std::string& name : report.migrations) {
        print_line(fmt::format("{} migration {}", verb, name));
    }
    if (!report.functions.empty()) {
        print_line(fmt::format("{} {} function files", verb, report.functions.size()));
    }
    if (dry_run) {
        for (const std::string& name : report.functions) {
            print_line("  " + name);
        }
    }
    for (const std::string& name : report.orphans) {
        print_line(
            fmt::format("note: the functions of {} are no longer part of this release; they "
                        "were left in place",
                        name));
    }
    if (report.nothing_to_do()) {
        print_line("nothing to do: the schema is current");
    }
}

bool from_scratch(const engine::MigrateReport& report) {
    return !report.migrations.empty() && report.migrations.front().starts_with("0001");
}

int run_migrate(const Context& context, bool dry_run) {
    auto url = context.database_url();
    if (!url.ok()) {
        return context.fail(url.error());
    }
    engine::MigrateOptions options;
    options.dry_run = dry_run;
    options.on_step = [](std::string_view step) {
        std::fputs(fmt::format("migrating: {}\n", step).c_str(), stderr);
    };
    auto report = engine::migrate(*url, options);
    if (!report.ok()) {
        return context.fail(report.error());
    }
    if (!dry_run) {
        if (auto applied = apply_type_settings(*url, context.config, from_scratch(*report));
            !applied.ok()) {
            return context.fail(applied.error());
        }
    }
    if (context.json) {
        print_line(Json::object({{"dry_run", dry_run},
                                 {"migrations", names(report->migrations)},
                                 {"functions", names(report->functions)},
                                 {"orphans", names(report->orphans)}})
                       .dump());
    } else {
        print_report(*report, dry_run);
    }
    return kOk;
}

}  // namespace

void add_migrate(Command program, Context& context) {
    Command command = program.subcommand("migrate", "Bring the database to this program's schema");
    auto dry_run = std::make_shared<bool>(false);
    command.flag("--dry-run", *dry_run, "Say what would be applied and change nothing");
    command.runs([&context, dry_run] { return run_migrate(context, *dry_run); });
}

}  // namespace jobforge::cli
