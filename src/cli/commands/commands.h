// One function a command: it declares the command, its options and what it runs. Nothing is touched
// while the command line is read.
#pragma once

#include "cli/command_line.h"
#include "cli/context.h"

namespace jobforge::cli {

void add_up(Command program, Context& context);
void add_demo(Command program, Context& context);
void add_worker(Command program, Context& context);
void add_api(Command program, Context& context);
void add_migrate(Command program, Context& context);
void add_enqueue(Command program, Context& context);
void add_jobs(Command program, Context& context);
void add_json(Command program, Context& context);
void add_tenants(Command program, Context& context);
void add_types(Command program, Context& context);
void add_workers(Command program, Context& context);
void add_stats(Command program, Context& context);
void add_explain(Command program, Context& context);
void add_doctor(Command program, Context& context);
void add_net(Command program, Context& context);
void add_passport(Command program, Context& context);
void add_rules(Command program, Context& context);
void add_docs(Command program, Context& context);
void add_facts(Command program, Context& context);
void add_snapshots(Command program, Context& context);
void add_products(Command program, Context& context);
void add_passports(Command program, Context& context);
void add_webhooks(Command program, Context& context);
void add_keys(Command program, Context& context);
void add_policies(Command program, Context& context);
void add_sources(Command program, Context& context);
void add_intakes(Command program, Context& context);
void add_prices(Command program, Context& context);
void add_valuations(Command program, Context& context);
void add_marketplace(Command program, Context& context);
void add_audit(Command program, Context& context);
void add_version(Command program, Context& context);

}  // namespace jobforge::cli
