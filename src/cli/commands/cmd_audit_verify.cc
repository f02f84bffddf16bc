// jobforge audit verify [--file EXPORT] [--head FILE...] [--key FILE...]
//
// Three answers: whole (exit code 0), broken (1), and consistent but not anchored (6): the rows
// agree with each other, and no key that comes from outside signed for them. audit_evidence.h says
// where keys and heads come from; never from the database that is verified.
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "audit/audit_export.h"
#include "base/text/counted.h"
#include "cli/commands/audit_commands.h"
#include "cli/commands/audit_evidence.h"
#include "cli/commands/use_case.h"
#include "cli/view/output.h"
#include "services/audit/audit.h"

namespace jobforge::cli {

namespace {

struct VerifyOptions {
    std::string file;
    std::vector<std::string> heads;
    std::vector<std::string> keys;
};

std::string as_text(const passport::AuditReport& report, const AuditEvidence& evidence) {
    Table table({"CHECKED", "COUNT", "AGAINST"});
    table.add({"events", std::to_string(report.events),
               fmt::format("each other, in {}", counted(report.aggregates, "chain"))});
    table.add(
        {"log entries", std::to_string(report.log_entries),
         fmt::format("the events; {} wait for the next signed head", report.events_not_logged)});
    table.add({"heads", std::to_string(report.heads),
               fmt::format("the log; the largest covers {}",
                           counted(report.events_under_head, "event"))});
    for (std::size_t at = 0; at < evidence.heads.size(); ++at) {
        table.add({"log",
                   at < report.outside_sizes.size() ? std::to_string(report.outside_sizes[at])
                                                    : std::string("-"),
                   "the head kept outside in " + evidence.heads[at].source});
    }
    for (std::size_t at = 0; at < evidence.keys.size(); ++at) {
        table.add({"signatures", std::to_string(report.signatures_by_key.at(at)),
                   fmt::format("the key {} ({})", evidence.keys[at].key.base64(),
                               evidence.keys[at].source)});
    }
    if (evidence.keys.empty()) {
        table.add({"signatures", "0", "no key: give --key"});
    }
    return table.text(0);  // keys and files whole, however narrow the terminal
}

std::string verdict_text(const passport::AuditReport& report, const AuditEvidence& evidence) {
    if (!report.ok()) {
        return fmt::format("The audit trail is BROKEN ({}): {}", report.fault->what,
                           report.fault->message);
    }
    if (!report.anchored()) {
        return fmt::format("The audit trail is consistent, not anchored: {}.",
                           services::why_not_anchored(report, evidence));
    }
    return evidence.heads.empty()
               ? "The audit trail is whole. No head kept outside was given: what was removed "
                 "together with its heads is not seen."
               : "The audit trail is whole.";
}

int tell(const Context& context, const passport::AuditReport& report,
         const AuditEvidence& evidence) {
    if (context.json) {
        print_line(services::audit_answer(report, evidence).dump());
    } else {
        print(as_text(report, evidence));
        print_line(verdict_text(report, evidence));
    }
    if (!report.ok()) {
        return kFailed;
    }
    return report.anchored() ? kOk : kNotAnchored;
}

Result<passport::AuditReport> verify_file(const std::string& file, const AuditEvidence& evidence) {
    passport::AuditExportReader reader(evidence.public_keys(), evidence.trust);
    for (const passport::OutsideHead& head : evidence.heads) {
        reader.add_outside_head(head);
    }
    if (auto read = read_export(file, reader); !read.ok()) {
        return std::move(read).error();
    }
    return reader.finish();
}

int verify_database(const Context& context, AuditEvidence evidence) {
    int exit_code = kOk;
    const int done =
        with_trail(context, [&](pg::Connection& connection, const Uuid& tenant) -> Status {
            if (auto kept = add_kept_head(context, tenant, evidence); !kept.ok()) {
                return kept;
            }
            const auto report = services::verify_audit(connection, {.tenant = tenant,
                                                                    .keys = evidence.public_keys(),
                                                                    .outside_heads = evidence.heads,
                                                                    .trust = evidence.trust});
            if (!report.ok()) {
                return report.error();
            }
            exit_code = tell(context, *report, evidence);
            return ok_status();
        });
    return done == kOk ? exit_code : done;
}

int run_verify(const Context& context, const VerifyOptions& options) {
    auto evidence = trusted_keys(context, options.keys);
    if (!evidence.ok()) {
        return context.fail(evidence.error());
    }
    if (auto added = add_head_files(options.heads, *evidence); !added.ok()) {
        return context.fail(added.error());
    }
    if (options.file.empty()) {
        return verify_database(context, *std::move(evidence));
    }
    const auto report = verify_file(options.file, *evidence);
    return report.ok() ? tell(context, *report, *evidence) : context.fail(report.error());
}

}  // namespace

Status read_export(const std::string& file, passport::AuditExportReader& reader) {
    std::ifstream lines(file, std::ios::binary);
    if (!lines) {
        return Error::of(
            ErrorCode::VALIDATION_ERROR,
            fmt::format("Cannot read {}: {}.", file, std::generic_category().message(errno)));
    }
    for (std::string line; std::getline(lines, line);) {
        if (auto added = reader.add_line(line); !added.ok()) {
            Error error = std::move(added).error();
            error.message = fmt::format("{}: {}", file, error.message);
            return error;
        }
    }
    return ok_status();
}

void add_audit_verify(Command audit, Context& context) {
    auto options = std::make_shared<VerifyOptions>();
    Command command = add_verb(audit, context, options, "verify",
                               "Compute every hash, chain, log entry and head again", &run_verify);
    command.option("--file", options->file, "An export instead of the database: offline");
    command.option("--head", options->heads,
                   "A head that was kept outside (audit head --out); repeatable");
    command.option("--key", options->keys,
                   "Who may have signed heads, a file or base64; repeatable. Default: "
                   "JOBFORGE_AUDIT_KEYS and the keys of this deployment");
}

}  // namespace jobforge::cli
