// jobforge passports activate|show: what a version's document says of itself, and accepting it
#include <fmt/format.h>

#include "cli/commands/passports_commands.h"
#include "cli/commands/use_case.h"
#include "cli/usage.h"
#include "cli/view/findings_view.h"
#include "cli/view/output.h"
#include "services/passport/passports.h"

namespace jobforge::cli {

namespace {

struct FindingsOptions {
    std::string version;
    std::vector<std::string> accept;
};

// ID=REASON, at the first equals sign. VALIDATION_ERROR.
Result<std::vector<services::Acceptance>> acceptances(const std::vector<std::string>& arguments) {
    std::vector<services::Acceptance> accepted;
    for (const std::string& argument : arguments) {
        const std::size_t equals = argument.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size()) {
            return usage_error(fmt::format("--accept \"{}\" is not ID=REASON", argument));
        }
        accepted.push_back({argument.substr(0, equals), argument.substr(equals + 1)});
    }
    return accepted;
}

Status activate(const Context& context, engine::TenantCalls& calls, const Uuid& id,
                const std::vector<services::Acceptance>& accepted) {
    const auto superseded = services::activate_passport_version(calls, id, kActor, accepted);
    if (!superseded.ok()) {
        return superseded.error();
    }
    const auto& old = *superseded;
    print_line(context.json ? Json::object({{"passport_version_id", id.to_string()},
                                            {"status", "ACTIVE"},
                                            {"superseded", old ? Json(old->to_string()) : Json()}})
                                  .dump()
                            : fmt::format("{} ACTIVE{}", id.to_string(),
                                          old ? ", supersedes " + old->to_string() : ""));
    return ok_status();
}

int run_activate(const Context& context, const FindingsOptions& options) {
    const auto accepted = acceptances(options.accept);
    if (!accepted.ok()) {
        return context.fail(accepted.error());
    }
    return with_id(context, kVersionId, options.version,
                   [&](engine::TenantCalls& calls, const Uuid& id) {
                       return activate(context, calls, id, *accepted);
                   });
}

Status show(const Context& context, engine::TenantCalls& calls, const Uuid& id) {
    auto row = services::get_passport_version(calls, id);
    const Json* stored = row.ok() ? row->find("findings") : nullptr;
    if (context.json || stored == nullptr) {
        return show_row(context, std::move(row));
    }
    const Json findings = *stored;
    row->set("findings", finding_counts(findings));
    if (auto shown = show_row(context, std::move(row)); !shown.ok()) {
        return shown;
    }
    print(finding_table(findings));
    return ok_status();
}

int run_show(const Context& context, const FindingsOptions& options) {
    return with_id(context, kVersionId, options.version,
                   [&context](engine::TenantCalls& calls, const Uuid& id) {
                       return show(context, calls, id);
                   });
}

}  // namespace

void add_passports_findings(Command passports, Context& context) {
    auto activated = std::make_shared<FindingsOptions>();
    Command activate =
        add_verb(passports, context, activated, "activate",
                 "SIGNED to ACTIVE; the ACTIVE one before becomes SUPERSEDED", &run_activate);
    activate.option("VERSION", activated->version, "Passport version id").required();
    activate
        .option(
            "--accept", activated->accept,
            "ID=REASON: put it into force although this check failed; the reason is public. Once "
            "for each failed check")
        .one_at_a_time();

    auto shown = std::make_shared<FindingsOptions>();
    Command show =
        add_verb(passports, context, shown, "show",
                 "One version without its documents, and what its checks found", &run_show);
    show.option("VERSION", shown->version, "Passport version id").required();
}

}  // namespace jobforge::cli
