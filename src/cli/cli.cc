#include "cli/cli.h"

#include <csignal>
#include <cstdio>
#include <exception>

#include <fmt/format.h>
#include <jobforge/build_info.h>

#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/serve/private_memory.h"
#include "cli/unknown_variables.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

constexpr const char* kFooter =
    "Database: DATABASE_URL, else BPC_DB_*, else the private Postgres that `jobforge up` runs.\n"
    "Exit codes: 0 ok, 1 failed, 2 bad configuration or usage, 3 database unreachable, 4 program "
    "and\n"
    "database do not fit, 5 a worker stopped while handlers ignored the request to stop, 6 an "
    "audit\n"
    "trail is consistent, not anchored. Every command: jobforge COMMAND --help";

void declare(Command program, Context& context) {
    program.flag("--json", context.json, "JSON for programs instead of tables for people");
    program.option("--tenant", context.tenant, "Tenant id or name (JOBFORGE_TENANT)");
    program.option("--data", context.data_dir, "Home of the private Postgres (JOBFORGE_DATA)");
    add_up(program, context);
    add_demo(program, context);
    add_worker(program, context);
    add_api(program, context);
    add_migrate(program, context);
    add_enqueue(program, context);
    add_jobs(program, context);
    add_tenants(program, context);
    add_types(program, context);
    add_workers(program, context);
    add_stats(program, context);
    add_explain(program, context);
    add_json(program, context);
    add_doctor(program, context);
    add_rules(program, context);
    add_passport(program, context);
    add_docs(program, context);
    add_facts(program, context);
    add_snapshots(program, context);
    add_products(program, context);
    add_passports(program, context);
    add_webhooks(program, context);
    add_keys(program, context);
    add_policies(program, context);
    add_sources(program, context);
    add_intakes(program, context);
    add_prices(program, context);
    add_valuations(program, context);
    add_marketplace(program, context);
    add_audit(program, context);
    add_net(program, context);
    add_version(program, context);
}

int refuse(const Error& error) {
    std::fputs(
        fmt::format("jobforge: {}: {}\n  {}\n", to_string(error.code), error.message, error.hint)
            .c_str(),
        stderr);
    return kBadUsage;
}

int run_checked(int argc, const char* const* argv, const Services& services) {
    Context context(services);
    CommandLine line("jobforge", "Jobforge: durable jobs on PostgreSQL", kFooter);
    line.version(fmt::format("jobforge {} ({})", version(), build_commit()));
    declare(line.root(), context);
    const auto request = line.parse(argc, argv);
    if (!request.ok()) {
        return refuse(request.error());
    }
    if (!request->text.empty()) {
        print(request->text);
        return kOk;
    }
    if (auto configured = context.configure(process_environment()); !configured.ok()) {
        return context.fail(configured.error());
    }
    for (const std::string& unknown : unknown_variables(process_variable_names())) {
        std::fputs(fmt::format("jobforge: warning: {}\n", unknown).c_str(), stderr);
    }
    // Keys of dev sign as well as those of prod, and may be the same.
    if (!context.config.allow_debugger && !make_memory_private()) {
        return context.fail(Error::of(ErrorCode::CONFIG_MISSING,
                                      "the system does not let this program keep its memory to "
                                      "itself (PR_SET_DUMPABLE)"));
    }
    return request->action();
}

}  // namespace

int run(int argc, const char* const* argv, const Services& services) noexcept {
    // A reader that went away (jobforge jobs list | head) is an error of write(), and does not end
    // this program.
    std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c)
    try {
        return run_checked(argc, argv, services);
    } catch (const std::exception& error) {
        std::fputs(fmt::format("jobforge: INTERNAL_ERROR: {}\n", error.what()).c_str(), stderr);
    }
    return kFailed;
}

}  // namespace jobforge::cli
