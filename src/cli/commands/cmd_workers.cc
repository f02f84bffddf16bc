// jobforge workers
#include "cli/commands/commands.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"

namespace jobforge::cli {

namespace {

int run_workers(const Context& context) {
    auto admin = context.admin();
    if (!admin.ok()) {
        return context.fail(admin.error());
    }
    auto workers = admin->workers();
    if (!workers.ok()) {
        return context.fail(workers.error());
    }
    print(context.json ? rows_as_json(*workers)
                       : rows_as_table(*workers, {"worker_id", "state", "running", "slots", "host",
                                                  "pid", "version", "heartbeat_at", "types"}));
    return kOk;
}

}  // namespace

void add_workers(Command program, Context& context) {
    Command command =
        program.subcommand("workers", "Workers: what each works on, and when it was last heard of");
    command.runs([&context] { return run_workers(context); });
}

}  // namespace jobforge::cli
