// extend_log and its kin: one head, from waiting events to its note.
#include <fmt/format.h>

#include "audit/signed_note.h"
#include "base/text/counted.h"
#include "services/audit/log_check.h"
#include "services/audit/log_keeper.h"
#include "services/jobs/step.h"
#include "statements/audit.h"
#include "statements/session.h"

namespace jobforge::services {

namespace {

constexpr std::string_view kLockNotAvailable = "55P03";

enum class Trusting {
    kept_head,  // the log goes on from what was signed, or no head is signed
    database,   // an operator has looked, and takes the log as it is
};

Status store_head(pg::Transaction& transaction, const MerkleFrontier& tree, const std::string& note,
                  const std::string& key_id) {
    std::vector<std::string> frontier;
    for (const Sha256& node : tree.nodes()) {
        frontier.emplace_back(view(node));
    }
    pg::Params params;
    params.int8(static_cast<std::int64_t>(tree.size()))
        .bytea(view(tree.root()))
        .bytea_array(frontier)
        .text(note)
        .text(key_id);
    auto stored = transaction.exec(statements::audit::kStoreLogHead, params);
    return stored.ok() ? ok_status() : Status(std::move(stored).error());
}

Result<LogTrust> trust_of(const Uuid& tenant, const LogSigner& signer) {
    LogTrust trust;
    trust.tenant = tenant;
    trust.keys = signer.keys->public_keys();
    trust.keys.insert(trust.keys.end(), signer.more_keys.begin(), signer.more_keys.end());
    if (signer.kept) {
        auto kept = signer.kept->find(tenant);
        if (!kept.ok()) {
            return log_mismatch(kept.error().message);
        }
        trust.kept = *std::move(kept);
        trust.kept_where = signer.kept->file_of(tenant);
    }
    return trust;
}

Error entries_without_head(const MerkleFrontier& tree) {
    return log_mismatch(
        fmt::format("the newest head of the database covers {}, and the log has more: heads "
                    "were removed, or entries added by hand",
                    counted(static_cast<std::int64_t>(tree.size()), "event")));
}

// The tree over the last head, which the new entries go on from.
Result<MerkleFrontier> tree_to_go_on_from(pg::Transaction& transaction, const Uuid& tenant,
                                          const LogSigner& signer) {
    const auto trust = trust_of(tenant, signer);
    if (!trust.ok()) {
        return trust.error();
    }
    auto tree = checked_tree(transaction, *trust);
    if (tree.ok() && signer.kept && !trust->kept && tree->size() > 0) {
        signer.log.warn(
            "no log head was kept here: the database's newest one is trusted from now "
            "on",
            {{"tenant_id", tenant.to_string()},
             {"tree_size", static_cast<std::int64_t>(tree->size())},
             {"kept_in", trust->kept_where}});
    }
    return tree;
}

// In the open transaction, with the tenant's turn.
Result<MerkleFrontier> grown_tree(pg::Transaction& transaction, const Uuid& tenant,
                                  const LogSigner& signer, std::int64_t taken,
                                  std::int64_t log_length) {
    auto tree = tree_to_go_on_from(transaction, tenant, signer);
    if (!tree.ok()) {
        return tree;
    }
    if (static_cast<std::int64_t>(tree->size()) + taken != log_length) {
        return entries_without_head(*tree);
    }
    if (auto appended = append_leaves(transaction, log_length, *tree); !appended.ok()) {
        return std::move(appended).error();
    }
    return tree;
}

// In the open transaction. Nothing added: nothing new, or another worker is at it.
Result<LogGrowth> extend_in(pg::Transaction& transaction, const Uuid& tenant,
                            const LogSigner& signer, const Ed25519PrivateKey& key,
                            Trusting trusting) {
    pg::Params set;
    set.text(tenant.to_string());
    if (auto rows = transaction.exec(statements::session::kSetAppTenant, set); !rows.ok()) {
        return std::move(rows).error();
    }
    const auto row = transaction.exec(statements::audit::kGrowEventLog, {});
    if (!row.ok()) {
        return row.error();
    }
    const auto log_length = row->opt_integer(0, 1);
    const std::int64_t taken = row->opt_integer(0, 0).value_or(0);
    if (!log_length || (taken == 0 && trusting == Trusting::kept_head)) {
        return LogGrowth();
    }
    auto tree = trusting == Trusting::database
                    ? recomputed_tree(transaction)
                    : grown_tree(transaction, tenant, signer, taken, *log_length);
    if (!tree.ok()) {
        return std::move(tree).error();
    }
    auto note = sign_checkpoint({passport::log_origin(tenant), tree->size(), tree->root()}, key);
    if (!note.ok()) {
        return std::move(note).error();
    }
    if (auto stored = store_head(transaction, *tree, *note, signer.key_id); !stored.ok()) {
        return std::move(stored).error();
    }
    return LogGrowth{taken, *std::move(note)};
}

Result<LogGrowth> extend(pg::Connection& connection, const Uuid& tenant, const LogSigner& signer,
                         Trusting trusting) {
    const Ed25519PrivateKey* key = signer.keys->find(signer.key_id);
    if (key == nullptr) {
        return Error::of(ErrorCode::SIGNING_KEY_MISSING,
                         fmt::format("this worker does not hold the signing key \"{}\", so log "
                                     "heads are not signed",
                                     signer.key_id));
    }
    auto transaction = pg::Transaction::begin(connection);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    auto growth = extend_in(*transaction, tenant, signer, *key, trusting);
    if (!growth.ok() || growth->head.empty()) {
        return growth;  // rolled back by the transaction's end
    }
    if (auto committed = transaction->commit(); !committed.ok()) {
        return std::move(committed).error();
    }
    // After the commit: a head that is kept and was rolled back would look like one that was lost.
    if (signer.kept) {
        if (auto kept = signer.kept->store(tenant, growth->head); !kept.ok()) {
            signer.log.warn(
                "a log head is not kept outside of the database",
                {{"tenant_id", tenant.to_string()}, {"error", kept.error().describe()}});
        }
    }
    return growth;
}

}  // namespace

Result<LogGrowth> extend_log(pg::Connection& connection, const Uuid& tenant,
                             const LogSigner& signer) {
    return extend(connection, tenant, signer, Trusting::kept_head);
}

Result<LogGrowth> accept_log(pg::Connection& connection, const Uuid& tenant,
                             const LogSigner& signer) {
    return extend(connection, tenant, signer, Trusting::database);
}

Status check_log(pg::Connection& connection, const Uuid& tenant, const LogSigner& signer) {
    // The kept head first: it may be older than the rows, never newer.
    const auto trust = trust_of(tenant, signer);
    if (!trust.ok()) {
        return trust.error();
    }
    auto transaction = begin_reading(connection, tenant);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    const auto tree = checked_tree(*transaction, *trust);
    if (!tree.ok()) {
        return tree.error();
    }
    return for_each_log_entry(
        *transaction, static_cast<std::int64_t>(tree->size()),
        [&tree](const passport::AuditLogEntry&) -> Status { return entries_without_head(*tree); });
}

Result<LogPass> extend_logs(pg::Connection& connection, const LogSigner& signer) {
    const auto tenants = connection.exec(statements::audit::kTenantsWithOpenEvents, {});
    if (!tenants.ok()) {
        return tenants.error();
    }
    LogPass pass;
    for (int row = 0; row < tenants->size(); ++row) {
        const Uuid tenant = tenants->uuid(row, 0);
        auto growth = extend_log(connection, tenant, signer);
        if (growth.ok()) {
            pass.added += growth->added;
            if (!growth->head.empty()) {
                pass.heads.emplace_back(tenant, std::move(growth->head));
            }
        } else if (growth.error().sqlstate == kLockNotAvailable) {
            pass.locked.push_back(tenant);
        } else if (growth.error().retryable ||
                   growth.error().code == ErrorCode::SIGNING_KEY_MISSING) {
            return std::move(growth).error();
        } else {
            // Also what a constraint refuses: rows that were changed concern this tenant alone.
            pass.refused.emplace_back(tenant, std::move(growth).error());
        }
    }
    return pass;
}

}  // namespace jobforge::services
