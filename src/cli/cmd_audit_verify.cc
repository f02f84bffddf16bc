// jobforge audit verify [--file EXPORT] [--head FILE...] [--key FILE...]
//
// Which keys are trusted decides what a signature is worth: those of --key and no others; without
// --key the ones that the database and this machine know, which finds damage, not a forger who
// owns both.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "cli/audit_commands.h"
#include "cli/output.h"
#include "cli/passport_inputs.h"
#include "cli/passport_service.h"
#include "cli/use_case.h"
#include "core/signed_note.h"
#include "passport/audit_export.h"
#include "workloads/passport/audit.h"

namespace jobforge::cli {

namespace {

struct VerifyOptions {
    std::string file;
    std::vector<std::string> heads;
    std::vector<std::string> keys;
};

// What the command line brings: contents, not names.
struct Evidence {
    std::vector<std::string> heads;
    std::vector<Ed25519PublicKey> keys;
};

Result<Ed25519PublicKey> parse_key(const std::string& text) {
    if (auto key = Ed25519PublicKey::parse(text); key.ok()) {
        return key;
    }
    auto named = parse_note_verifier_key(text);
    return named.ok() ? Result<Ed25519PublicKey>(named->key)
                      : Result<Ed25519PublicKey>(std::move(named).error());
}

// The key itself, or a file with it.
Result<Ed25519PublicKey> key_argument(const std::string& argument) {
    if (auto key = parse_key(argument); key.ok()) {
        return key;
    }
    const auto text = read_whole_file(argument);
    if (!text.ok()) {
        return text.error();
    }
    auto key = parse_key(*text);
    if (!key.ok()) {
        return Error::of(ErrorCode::INVALID_SIGNING_KEY,
                         fmt::format("{}: {}", argument, key.error().message));
    }
    return key;
}

Result<Evidence> read_evidence(const VerifyOptions& options) {
    Evidence evidence;
    for (const std::string& file : options.heads) {
        auto head = read_whole_file(file);
        if (!head.ok()) {
            return std::move(head).error();
        }
        evidence.heads.push_back(*std::move(head));
    }
    for (const std::string& argument : options.keys) {
        const auto key = key_argument(argument);
        if (!key.ok()) {
            return key.error();
        }
        evidence.keys.push_back(*key);
    }
    return evidence;
}

// The keys of this machine, if it has some: looking must not make any.
Result<std::vector<Ed25519PublicKey>> own_keys(const Config& config) {
    const auto made =
        std::filesystem::path(config.data_dir) / "keys" / (config.signing_key_id + ".key");
    std::error_code unreadable;
    if (config.signing_private_key.empty() && config.signing_keys_dir.empty() &&
        !std::filesystem::exists(made, unreadable)) {
        return std::vector<Ed25519PublicKey>();
    }
    const auto keys = signing_keys(config);
    return keys.ok() ? Result<std::vector<Ed25519PublicKey>>((*keys)->public_keys())
                     : Result<std::vector<Ed25519PublicKey>>(keys.error());
}

Json to_json(const passport::AuditReport& report) {
    Json out = Json::object({{"valid", report.ok()},
                             {"events", report.events},
                             {"chains", report.aggregates},
                             {"log_entries", report.log_entries},
                             {"events_not_logged", report.events_not_logged},
                             {"events_under_head", report.events_under_head},
                             {"heads", report.heads},
                             {"outside_heads", report.outside_heads},
                             {"signatures_checked", report.signatures_checked},
                             {"fault", Json()}});
    if (report.fault) {
        auto fault = Json::parse(report.fault->to_json());
        out.set("fault", fault.ok() ? *std::move(fault) : Json(report.fault->message));
    }
    return out;
}

std::string as_text(const passport::AuditReport& report) {
    Table table({"CHECKED", "COUNT", "DETAIL"});
    table.add(
        {"events", std::to_string(report.events), fmt::format("in {} chains", report.aggregates)});
    table.add({"log entries", std::to_string(report.log_entries),
               fmt::format("{} events wait for the next signed head", report.events_not_logged)});
    table.add({"heads", std::to_string(report.heads),
               fmt::format("and {} kept outside; the largest covers {} events",
                           report.outside_heads, report.events_under_head)});
    table.add({"signatures", std::to_string(report.signatures_checked),
               report.signatures_checked == 0 && report.heads + report.outside_heads > 0
                   ? "no key is known: give --key to check them"
                   : ""});
    return table.text();
}

int tell(const Context& context, const passport::AuditReport& report) {
    if (context.json) {
        print_line(to_json(report).dump());
    } else {
        print(as_text(report));
        print_line(report.ok() ? "The audit trail is whole."
                               : fmt::format("The audit trail is BROKEN ({}): {}",
                                             report.fault->what, report.fault->message));
    }
    return report.ok() ? kOk : kFailed;
}

Result<passport::AuditReport> verify_file(const std::string& file, const Evidence& evidence) {
    std::ifstream lines(file, std::ios::binary);
    if (!lines) {
        return Error::of(
            ErrorCode::VALIDATION_ERROR,
            fmt::format("Cannot read {}: {}.", file, std::generic_category().message(errno)));
    }
    passport::AuditExportReader reader(evidence.keys);
    for (const std::string& head : evidence.heads) {
        reader.add_outside_head(head);
    }
    for (std::string line; std::getline(lines, line);) {
        if (auto added = reader.add_line(line); !added.ok()) {
            Error error = std::move(added).error();
            error.message = fmt::format("{}: {}", file, error.message);
            return error;
        }
    }
    return reader.finish();
}

// Every key that may have signed, as far as nobody said otherwise.
Result<std::vector<Ed25519PublicKey>> keys_to_trust(const Context& context,
                                                    pg::Connection& connection, const Uuid& tenant,
                                                    const Evidence& evidence) {
    if (!evidence.keys.empty()) {
        return evidence.keys;
    }
    auto keys = workloads::stored_signing_keys(connection, tenant);
    const auto own = own_keys(context.config);
    if (!keys.ok() || !own.ok()) {
        return keys.ok() ? own.error() : std::move(keys).error();
    }
    keys->insert(keys->end(), own->begin(), own->end());
    return keys;
}

int verify_database(const Context& context, const Evidence& evidence) {
    int exit_code = kOk;
    const int done =
        with_trail(context, [&](pg::Connection& connection, const Uuid& tenant) -> Status {
            auto keys = keys_to_trust(context, connection, tenant, evidence);
            if (!keys.ok()) {
                return std::move(keys).error();
            }
            const auto report = workloads::verify_audit(
                connection,
                {.tenant = tenant, .keys = *std::move(keys), .outside_heads = evidence.heads});
            if (!report.ok()) {
                return report.error();
            }
            exit_code = tell(context, *report);
            return ok_status();
        });
    return done == kOk ? exit_code : done;
}

int run_verify(const Context& context, const VerifyOptions& options) {
    const auto evidence = read_evidence(options);
    if (!evidence.ok()) {
        return context.fail(evidence.error());
    }
    if (options.file.empty()) {
        return verify_database(context, *evidence);
    }
    const auto report = verify_file(options.file, *evidence);
    return report.ok() ? tell(context, *report) : context.fail(report.error());
}

}  // namespace

void add_audit_verify(Command audit, Context& context) {
    auto options = std::make_shared<VerifyOptions>();
    Command command = add_verb(audit, context, options, "verify",
                               "Compute every hash, chain, log entry and head again", &run_verify);
    command.option("--file", options->file, "An export instead of the database: offline");
    command.option("--head", options->heads,
                   "A head that was kept outside (audit head --out); repeatable");
    command.option("--key", options->keys,
                   "Who may have signed heads, a file or base64; repeatable. Default: the keys "
                   "that the database and this machine know");
}

}  // namespace jobforge::cli
