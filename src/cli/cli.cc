#include "cli/cli.h"

#include <csignal>
#include <cstdio>
#include <exception>

#include <fmt/format.h>
#include <jobforge/build_info.h>

#include "cli/commands.h"

namespace jobforge::cli {

namespace {

constexpr const char* kFooter =
    "Database: DATABASE_URL, else BPC_DB_*, else the private Postgres that `jobforge up` runs.\n"
    "Exit codes: 0 ok, 1 failed, 2 bad configuration or usage, 3 database unreachable, 4 program "
    "and\n"
    "database do not fit. Every command: jobforge COMMAND --help";

void declare(CLI::App& app, Context& context) {
    app.require_subcommand(1);
    app.fallthrough();
    app.footer(kFooter);
    app.set_version_flag("--version", fmt::format("jobforge {} ({})", version(), build_commit()));
    app.add_flag("--json", context.json, "JSON for programs instead of tables for people");
    app.add_option("--tenant", context.tenant, "Tenant id or name (JOBFORGE_TENANT)");
    app.add_option("--data", context.data_dir, "Home of the private Postgres (JOBFORGE_DATA)");
    add_up(app, context);
    add_demo(app, context);
    add_worker(app, context);
    add_migrate(app, context);
    add_enqueue(app, context);
    add_jobs(app, context);
    add_tenants(app, context);
    add_types(app, context);
    add_workers(app, context);
    add_stats(app, context);
    add_explain(app, context);
    add_json(app, context);
    add_doctor(app, context);
    add_rules(app, context);
    add_passport(app, context);
    add_docs(app, context);
    add_facts(app, context);
    add_snapshots(app, context);
    add_products(app, context);
    add_passports(app, context);
    add_webhooks(app, context);
    add_audit(app, context);
    add_net(app, context);
    add_version(app, context);
    for (CLI::App* command : app.get_subcommands({})) {
        command->fallthrough();
    }
}

// The first word that is no command where one is needed; empty if there is none. CLI11 only says
// that a subcommand is missing.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
    const CLI::App* current = &app;
    for (int i = 1; i < argc && current->get_require_subcommand_min() > 0; ++i) {
        const std::string word = argv[i];
        if (word == "--tenant" || word == "--data") {
            ++i;
        } else if (!word.starts_with("-")) {
            const auto found = current->get_subcommands(
                [&word](const CLI::App* command) { return command->get_name() == word; });
            if (found.empty()) {
                return word;
            }
            current = found.front();
        }
    }
    return {};
}

// Help and version go to standard output and are no failure; everything else is one line.
int parse_failure(CLI::App& app, const CLI::ParseError& error, const std::string& unknown) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        return app.exit(error);
    }
    const std::string message = unknown.empty()
                                    ? std::string(error.what())
                                    : fmt::format("there is no command \"{}\"", unknown);
    std::fputs(
        fmt::format("jobforge: VALIDATION_ERROR: {}\n  See: jobforge --help\n", message).c_str(),
        stderr);
    return kBadUsage;
}

int run_checked(int argc, const char* const* argv, const Services& services) {
    Context context(services);
    CLI::App app("Jobforge: durable jobs on PostgreSQL", "jobforge");
    declare(app, context);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return parse_failure(app, error, unknown_command(app, argc, argv));
    }
    if (auto configured = context.configure(process_environment()); !configured.ok()) {
        return context.fail(configured.error());
    }
    return context.action();
}

}  // namespace

int run(int argc, const char* const* argv, const Services& services) noexcept {
    // A reader that went away (jobforge jobs list | head) is an error of write(), not our death.
    std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c)
    try {
        return run_checked(argc, argv, services);
    } catch (const std::exception& error) {
        std::fputs(fmt::format("jobforge: INTERNAL_ERROR: {}\n", error.what()).c_str(), stderr);
    }
    return kFailed;
}

}  // namespace jobforge::cli
