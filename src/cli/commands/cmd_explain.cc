// jobforge explain JOB
#include <memory>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

int run_explain(const Context& context, const std::string& text) {
    auto id = job_argument(text);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    auto client = context.client();
    if (!client.ok()) {
        return context.fail(client.error());
    }
    auto reasons = client->explain(*id);
    if (!reasons.ok()) {
        return context.fail(reasons.error());
    }
    if (!context.json) {
        for (const std::string& reason : *reasons) {
            print_line(reason);
        }
        return kOk;
    }
    Json list = Json::array();
    for (const std::string& reason : *reasons) {
        list.push_back(reason);
    }
    print_line(Json::object({{"job_id", id->to_string()}, {"reasons", std::move(list)}}).dump());
    return kOk;
}

}  // namespace

void add_explain(Command program, Context& context) {
    Command command = program.subcommand("explain", "Why is this job not running?");
    auto job = std::make_shared<std::string>();
    command.option("JOB", *job, "Job id").required();
    command.runs([&context, job] { return run_explain(context, *job); });
}

}  // namespace jobforge::cli
