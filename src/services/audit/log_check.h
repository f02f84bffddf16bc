// Whether the log of a database goes on from the heads that were signed over it.
//
// The signing key is worth nothing if it signs whatever the rows say: an attacker who rewrites an
// event, its chain and the log, and deletes the heads, would have the forgery signed with the next
// event. So before a head is signed, the database's newest head must be signed by a key of this
// deployment, its frontier must have the root that was signed, and the head that was kept outside
// of the database must be a beginning of it. One statement or a few, and the leaves between the two
// heads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "audit/audit_chain.h"
#include "audit/merkle.h"
#include "base/crypto/ed25519.h"
#include "pg/connection.h"

namespace jobforge::services {

// LOG_HEAD_MISMATCH: what does not fit, and what to do.
[[nodiscard]] Error log_mismatch(std::string message);

// A transaction that reads the tenant's rows as they are at its first statement.
[[nodiscard]] Result<pg::Transaction> begin_reading(pg::Connection& connection, const Uuid& tenant);

// All in a transaction of the tenant (app.tenant_id), on rows of one moment or under the log's
// turn.

// The newest stored head of at most so many entries.
[[nodiscard]] Result<std::optional<passport::AuditHead>> last_stored_head(
    pg::Transaction& transaction, std::optional<std::int64_t> at_most = std::nullopt);
// The log's entries from this index on, in order. An error of `take` ends it and is returned.
[[nodiscard]] Status for_each_log_entry(
    pg::Transaction& transaction, std::int64_t from,
    const std::function<Status(const passport::AuditLogEntry&)>& take);
// Appends the leaves [tree.size(), until) to the tree. LOG_HEAD_MISMATCH if they are not there.
[[nodiscard]] Status append_leaves(pg::Transaction& transaction, std::int64_t until,
                                   MerkleFrontier& tree);

// What the log has to fit to.
struct LogTrust {
    Uuid tenant;
    std::vector<Ed25519PublicKey> keys;  // that may have signed heads
    std::optional<std::string> kept;     // the head kept outside
    std::string kept_where;              // for messages
};
// The tree under the newest stored head (empty without one), once all of this was checked.
[[nodiscard]] Result<MerkleFrontier> checked_tree(pg::Transaction& transaction,
                                                  const LogTrust& trust);
// The tree over all entries of the log, from the first leaf on, for an operator who accepts the
// database as it is. LOG_HEAD_MISMATCH if the newest head is not one over its own entries.
[[nodiscard]] Result<MerkleFrontier> recomputed_tree(pg::Transaction& transaction);

}  // namespace jobforge::services
