// One function a command: it declares the command's options and, when the command line names it,
// leaves in context.action what to do. Nothing is touched while the command line is read.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/context.h"

namespace jobforge::cli {

void add_up(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);
void add_worker(CLI::App& app, Context& context);
void add_migrate(CLI::App& app, Context& context);
void add_enqueue(CLI::App& app, Context& context);
void add_jobs(CLI::App& app, Context& context);
void add_json(CLI::App& app, Context& context);
void add_tenants(CLI::App& app, Context& context);
void add_types(CLI::App& app, Context& context);
void add_workers(CLI::App& app, Context& context);
void add_stats(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_net(CLI::App& app, Context& context);
void add_passport(CLI::App& app, Context& context);
void add_rules(CLI::App& app, Context& context);
void add_docs(CLI::App& app, Context& context);
void add_facts(CLI::App& app, Context& context);
void add_snapshots(CLI::App& app, Context& context);
void add_products(CLI::App& app, Context& context);
void add_passports(CLI::App& app, Context& context);
void add_webhooks(CLI::App& app, Context& context);
void add_audit(CLI::App& app, Context& context);
void add_version(CLI::App& app, Context& context);

}  // namespace jobforge::cli
