// jobforge doctor
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/admin_doctor.h"

namespace jobforge::cli {

namespace {

using engine::Finding;

Json to_json(const Finding& finding) {
    return Json::object({{"check", finding.check},
                         {"level", engine::to_string(finding.level)},
                         {"what", finding.what},
                         {"advice", finding.advice}});
}

std::string as_text(const std::vector<Finding>& findings) {
    Table table({"LEVEL", "CHECK", "WHAT"});
    for (const Finding& finding : findings) {
        table.add({std::string(engine::to_string(finding.level)), finding.check, finding.what});
        if (!finding.advice.empty()) {
            table.add({"", "", "-> " + finding.advice});
        }
    }
    return table.text();
}

int run_doctor(const Context& context) {
    auto url = context.database_url();
    if (!url.ok()) {
        return context.fail(url.error());
    }
    auto connection = pg::Connection::connect({.url = *url, .application_name = "jobforge doctor"});
    if (!connection.ok()) {
        return context.fail(connection.error());
    }
    const std::vector<Finding> findings = engine::examine(*connection);
    if (context.json) {
        Json out = Json::array();
        for (const Finding& finding : findings) {
            out.push_back(to_json(finding));
        }
        print_line(out.dump());
    } else {
        print(as_text(findings));
    }
    for (const Finding& finding : findings) {
        if (finding.level == Finding::Level::fail) {
            return kFailed;
        }
    }
    return kOk;
}

}  // namespace

void add_doctor(Command program, Context& context) {
    Command command = program.subcommand("doctor", "What is wrong, and what to do about it");
    command.runs([&context] { return run_doctor(context); });
}

}  // namespace jobforge::cli
