// jobforge doctor
#include <optional>
#include <set>

#include <fmt/format.h>

#include "cli/commands/audit_evidence.h"
#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "cli/view/output.h"
#include "engine/database/admin_doctor.h"

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

// The ids of all tenants; nullopt: this login may not list them.
std::optional<std::set<std::string>> known_tenants(const Context& context) {
    auto admin = context.admin();
    const auto rows = admin.ok() ? admin->tenants() : Result<std::vector<Json>>(admin.error());
    if (!rows.ok()) {
        return std::nullopt;
    }
    std::set<std::string> ids;
    for (const Json& row : *rows) {
        ids.insert(text_member(row, "tenant_id"));
    }
    return ids;
}

Finding log_finding(Finding::Level level, std::string what, std::string advice = "") {
    return Finding{"log_heads", level, std::move(what), std::move(advice)};
}

// nullopt: the tenant's log goes on from the head that is kept.
std::optional<Finding> examine_log(pg::Connection& connection, const Uuid& tenant,
                                   const services::LogSigner& signer) {
    const Status fits = services::check_log(connection, tenant, signer);
    if (fits.ok()) {
        return std::nullopt;
    }
    const bool alarm = fits.error().code == ErrorCode::LOG_HEAD_MISMATCH;
    return log_finding(alarm ? Finding::Level::fail : Finding::Level::warn,
                       fmt::format("tenant {}: {}", tenant.to_string(), fits.error().message),
                       fits.error().hint);
}

// The log heads that are kept here, against the logs of the database. One finding for all that fit.
std::vector<Finding> examine_logs(const Context& context, pg::Connection& connection) {
    const auto tenants = tenants_with_kept_head(context.config);
    if (tenants.empty()) {
        return {};
    }
    const auto signer = log_signer(context);
    if (!signer.ok()) {
        return {log_finding(Finding::Level::warn, signer.error().message, signer.error().hint)};
    }
    const auto known = known_tenants(context);
    std::vector<Finding> findings;
    for (const Uuid& tenant : tenants) {
        if (known && !known->contains(tenant.to_string())) {
            findings.push_back(log_finding(
                Finding::Level::warn,
                fmt::format("a log head of the tenant {} is kept here, and the database has no "
                            "such tenant",
                            tenant.to_string()),
                "Is this the database of this data directory? " + signer->kept->file_of(tenant)));
        } else if (auto finding = examine_log(connection, tenant, *signer)) {
            findings.push_back(*std::move(finding));
        }
    }
    if (findings.empty()) {
        findings.push_back(log_finding(
            Finding::Level::ok,
            fmt::format("the logs go on from the heads that are kept here ({})", tenants.size())));
    }
    return findings;
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
    std::vector<Finding> findings = engine::examine(*connection);
    for (Finding& finding : examine_logs(context, *connection)) {
        findings.push_back(std::move(finding));
    }
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
