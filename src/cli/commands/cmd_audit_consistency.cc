// jobforge audit consistency OLDER NEWER [--file EXPORT] [--key FILE...]
#include <fmt/format.h>

#include "audit/log_consistency.h"
#include "base/crypto/hash.h"
#include "base/text/counted.h"
#include "cli/commands/audit_commands.h"
#include "cli/commands/audit_evidence.h"
#include "cli/commands/use_case.h"
#include "cli/offline/passport_inputs.h"
#include "cli/view/output.h"
#include "services/audit/audit.h"

namespace jobforge::cli {

namespace {

struct ConsistencyOptions {
    std::string older;
    std::string newer;
    std::string file;
    std::vector<std::string> keys;
};

// What is compared, but for the log itself.
struct Heads {
    std::string older;
    std::string newer;
    std::vector<Ed25519PublicKey> keys;
};

Json to_json(const passport::LogConsistency& heads) {
    Json proof = Json::array();
    for (const Sha256& hash : heads.proof) {
        proof.push_back(hex_encode(hash));
    }
    return Json::object({{"consistent", true},
                         {"older_tree_size", static_cast<std::int64_t>(heads.older.tree_size)},
                         {"older_root_hash", hex_encode(heads.older.root_hash)},
                         {"newer_tree_size", static_cast<std::int64_t>(heads.newer.tree_size)},
                         {"newer_root_hash", hex_encode(heads.newer.root_hash)},
                         {"proof", std::move(proof)}});
}

Status compare(const Context& context, const Uuid& tenant, const Heads& given,
               const std::vector<Sha256>& leaves) {
    auto heads = passport::open_two_heads(tenant, given.older, given.newer, given.keys);
    if (!heads.ok()) {
        return std::move(heads).error();
    }
    if (auto proved = passport::prove_consistency(leaves, *heads); !proved.ok()) {
        return proved;
    }
    if (context.json) {
        print_line(to_json(*heads).dump());
    } else {
        print_line(fmt::format(
            "Consistent: the head over {} begins with the one over {}. Both are signed, and the "
            "proof has {}.",
            counted(static_cast<std::int64_t>(heads->newer.tree_size), "event"),
            heads->older.tree_size,
            counted(static_cast<std::int64_t>(heads->proof.size()), "hash", "hashes")));
    }
    return ok_status();
}

Status compare_in_file(const Context& context, const std::string& file, const Heads& heads) {
    std::vector<Sha256> leaves;
    passport::AuditExportReader reader({});
    reader.on_log_entry([&leaves](const passport::AuditLogEntry& entry) {
        leaves.push_back(passport::log_leaf_hash(entry));
    });
    if (auto read = read_export(file, reader); !read.ok()) {
        return read;
    }
    // Whether events and log agree is for `audit verify`; a cut file is refused here too.
    if (const auto report = reader.finish(); !report.ok()) {
        return report.error();
    }
    return compare(context, *reader.tenant_id(), heads, leaves);
}

int run_consistency(const Context& context, const ConsistencyOptions& options) {
    const auto older = read_whole_file(options.older);
    const auto newer = read_whole_file(options.newer);
    const auto evidence = trusted_keys(context, options.keys);
    if (!older.ok() || !newer.ok()) {
        return context.fail(older.ok() ? newer.error() : older.error());
    }
    if (!evidence.ok()) {
        return context.fail(evidence.error());
    }
    if (evidence->keys.empty()) {
        Error error = Error::of(ErrorCode::INVALID_SIGNING_KEY,
                                "no key is known that may have signed these heads");
        error.hint = "Give --key with the public key, or set JOBFORGE_AUDIT_KEYS.";
        return context.fail(error);
    }
    const Heads heads{*older, *newer, evidence->public_keys()};
    if (!options.file.empty()) {
        const Status done = compare_in_file(context, options.file, heads);
        return done.ok() ? kOk : context.fail(done.error());
    }
    return with_trail(context, [&](pg::Connection& connection, const Uuid& tenant) -> Status {
        const auto leaves = services::read_log_leaves(connection, tenant);
        return leaves.ok() ? compare(context, tenant, heads, *leaves) : Status(leaves.error());
    });
}

}  // namespace

void add_audit_consistency(Command audit, Context& context) {
    auto options = std::make_shared<ConsistencyOptions>();
    Command command =
        add_verb(audit, context, options, "consistency",
                 "Prove that a newer head goes on from an older one", &run_consistency);
    command.option("older", options->older, "The older head, a file").required();
    command.option("newer", options->newer, "The newer head, a file").required();
    command.option("--file", options->file, "The log of an export instead of the database's");
    command
        .option("--key", options->keys,
                "Who may have signed the heads, a file or base64; repeatable. Default: "
                "JOBFORGE_AUDIT_KEYS and the keys of this deployment")
        .one_at_a_time();
}

}  // namespace jobforge::cli
