#include "services/audit/log_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "audit/signed_note.h"
#include "base/text/bytes.h"
#include "base/text/counted.h"
#include "services/audit/audit_rows.h"
#include "statements/audit.h"
#include "statements/session.h"

namespace jobforge::services {

namespace {

constexpr int kPage = 10000;

// The tree of a stored head, if its frontier has the head's root.
Result<MerkleFrontier> tree_of(const passport::AuditHead& head) {
    std::vector<Sha256> nodes;
    for (const std::string& bytes : head.frontier.value_or(std::vector<std::string>())) {
        Sha256& node = nodes.emplace_back();
        if (bytes.size() == node.size()) {
            std::ranges::copy(bytes, node.begin());
        }
    }
    auto tree =
        MerkleFrontier::restore(static_cast<std::uint64_t>(head.tree_size), std::move(nodes));
    if (!tree.ok() || head.root_hash != bytes_of(tree->root())) {
        return log_mismatch(
            fmt::format("the frontier of the stored head of size {} does not have the head's root",
                        head.tree_size));
    }
    return tree;
}

Status check_note(const passport::AuditHead& head, const LogTrust& trust) {
    const auto opened =
        open_checkpoint(head.checkpoint, passport::log_origin(trust.tenant), trust.keys);
    if (!opened.ok()) {
        return log_mismatch(
            fmt::format("the stored head of size {} is not signed by a key that this deployment "
                        "trusts: {}",
                        head.tree_size, opened.error().message));
    }
    if (opened->tree_size != static_cast<std::uint64_t>(head.tree_size) ||
        head.root_hash != bytes_of(opened->root_hash)) {
        return log_mismatch(fmt::format(
            "the row of the stored head of size {} does not say what its checkpoint says",
            head.tree_size));
    }
    return ok_status();
}

// Whether the kept head is a beginning of `newest`, whose tree has this root.
Status check_kept(pg::Transaction& transaction, const LogTrust& trust, std::int64_t newest_size,
                  const Sha256& newest_root) {
    const auto kept = open_checkpoint(*trust.kept, passport::log_origin(trust.tenant), trust.keys);
    if (!kept.ok()) {
        return log_mismatch(fmt::format("{} is not a head that this deployment signed: {}",
                                        trust.kept_where, kept.error().message));
    }
    const auto kept_size = static_cast<std::int64_t>(kept->tree_size);
    if (kept_size > newest_size) {
        return log_mismatch(fmt::format(
            "a head over {} was signed ({}), and the newest one of the database covers {}: "
            "heads were removed, or the database was set back",
            counted(kept_size, "event"), trust.kept_where, newest_size));
    }
    auto stored = last_stored_head(transaction, kept_size);
    if (!stored.ok()) {
        return std::move(stored).error();
    }
    if (!*stored || (*stored)->tree_size != kept_size ||
        (*stored)->root_hash != bytes_of(kept->root_hash)) {
        return log_mismatch(
            fmt::format("the database does not have the head over {} that was signed ({})",
                        counted(kept_size, "event"), trust.kept_where));
    }
    auto tree = tree_of(**stored);
    if (!tree.ok()) {
        return std::move(tree).error();
    }
    if (auto appended = append_leaves(transaction, newest_size, *tree); !appended.ok()) {
        return appended;
    }
    if (tree->root() != newest_root) {
        return log_mismatch(fmt::format(
            "the entries {} to {} of the log do not lead from the head that was signed ({}) to the "
            "newest one of the database: the log was rewritten",
            kept_size, newest_size - 1, trust.kept_where));
    }
    return ok_status();
}

}  // namespace

Error log_mismatch(std::string message) {
    Error error = Error::of(ErrorCode::LOG_HEAD_MISMATCH, std::move(message));
    error.hint =
        "No head is signed for this tenant until it is settled. Run jobforge audit verify; after a "
        "restored backup: jobforge audit accept-head (docs/audit.md).";
    return error;
}

Result<pg::Transaction> begin_reading(pg::Connection& connection, const Uuid& tenant) {
    auto transaction = pg::Transaction::begin(connection);
    if (!transaction.ok()) {
        return transaction;
    }
    pg::Params params;
    params.text(tenant.to_string());
    if (auto set = transaction->exec(statements::session::kOneSnapshot, {}); !set.ok()) {
        return std::move(set).error();
    }
    if (auto set = transaction->exec(statements::session::kSetAppTenant, params); !set.ok()) {
        return std::move(set).error();
    }
    return transaction;
}

Result<std::optional<passport::AuditHead>> last_stored_head(pg::Transaction& transaction,
                                                            std::optional<std::int64_t> at_most) {
    pg::Params params;
    params.opt_int8(at_most);
    const auto rows = transaction.exec(statements::audit::kLastLogHead, params);
    if (!rows.ok()) {
        return rows.error();
    }
    if (rows->empty()) {
        return std::optional<passport::AuditHead>();
    }
    return std::optional(passport::AuditHead{
        rows->integer(0, 0), std::string(rows->text(0, 1)), std::string(rows->text(0, 2)),
        std::string(rows->text(0, 3)), rows->text_array(0, 4)});
}

Status for_each_log_entry(pg::Transaction& transaction, std::int64_t from,
                          const std::function<Status(const passport::AuditLogEntry&)>& take) {
    for (std::int64_t after = from - 1;;) {
        pg::Params params;
        params.int8(after).int4(kPage);
        const auto rows = transaction.exec(statements::audit::kAuditLog, params);
        if (!rows.ok()) {
            return rows.error();
        }
        for (int row = 0; row < rows->size(); ++row) {
            if (auto taken = take(audit_log_entry_of(*rows, row)); !taken.ok()) {
                return taken;
            }
        }
        if (rows->size() < kPage) {
            return ok_status();
        }
        after = rows->integer(rows->size() - 1, 0);
    }
}

Status append_leaves(pg::Transaction& transaction, std::int64_t until, MerkleFrontier& tree) {
    const auto from = static_cast<std::int64_t>(tree.size());
    if (from == until) {
        return ok_status();
    }
    auto done =
        for_each_log_entry(transaction, from, [&](const passport::AuditLogEntry& entry) -> Status {
            const auto place = static_cast<std::int64_t>(tree.size());
            if (place == until) {
                return ok_status();
            }
            if (entry.log_index != place) {
                return log_mismatch(fmt::format("entry {} of the log is missing", place));
            }
            tree.append(passport::log_leaf_hash(entry));
            return ok_status();
        });
    if (done.ok() && static_cast<std::int64_t>(tree.size()) != until) {
        return log_mismatch(fmt::format("entry {} of the log is missing", tree.size()));
    }
    return done;
}

Result<MerkleFrontier> checked_tree(pg::Transaction& transaction, const LogTrust& trust) {
    auto head = last_stored_head(transaction);
    if (!head.ok()) {
        return std::move(head).error();
    }
    auto tree = *head ? tree_of(**head) : Result<MerkleFrontier>(MerkleFrontier());
    if (!tree.ok()) {
        return tree;
    }
    if (*head) {
        if (auto checked = check_note(**head, trust); !checked.ok()) {
            return std::move(checked).error();
        }
    }
    if (trust.kept) {
        auto checked =
            check_kept(transaction, trust, static_cast<std::int64_t>(tree->size()), tree->root());
        if (!checked.ok()) {
            return std::move(checked).error();
        }
    }
    return tree;
}

Result<MerkleFrontier> recomputed_tree(pg::Transaction& transaction) {
    const auto head = last_stored_head(transaction);
    if (!head.ok()) {
        return head.error();
    }
    MerkleFrontier tree;
    if (*head) {
        if (auto appended = append_leaves(transaction, (*head)->tree_size, tree); !appended.ok()) {
            return std::move(appended).error();
        }
        if ((*head)->root_hash != bytes_of(tree.root())) {
            return log_mismatch(
                fmt::format("the newest head of the database (over {}) is not one of its own "
                            "log: restore a backup",
                            counted((*head)->tree_size, "event")));
        }
    }
    auto done = for_each_log_entry(transaction, static_cast<std::int64_t>(tree.size()),
                                   [&tree](const passport::AuditLogEntry& entry) -> Status {
                                       tree.append(passport::log_leaf_hash(entry));
                                       return ok_status();
                                   });
    return done.ok() ? Result<MerkleFrontier>(std::move(tree))
                     : Result<MerkleFrontier>(std::move(done).error());
}

}  // namespace jobforge::services
