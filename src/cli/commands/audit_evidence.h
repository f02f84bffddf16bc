// What an audit trail is checked against, and where it comes from: keys that may have signed heads,
// and heads that were kept outside.
//
// Nothing of it comes from the audited database: a login that can change the database can add a key
// to it, and a head that the key signed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "audit/audit_chain.h"
#include "base/crypto/ed25519.h"
#include "cli/command_line.h"
#include "cli/context.h"
#include "services/audit/audit_verdict.h"
#include "services/audit/log_keeper.h"

namespace jobforge::cli {

using services::AuditEvidence;
using services::TrustedKey;

// The keys of --key and no others; without --key those of JOBFORGE_AUDIT_KEYS and of this
// deployment (BPC_SIGNING_*, or the one in the data directory; looking makes none). Keys that
// were not named for this trail are trusted only if they signed some of its heads: this machine may
// have nothing to do with it. INVALID_SIGNING_KEY, VALIDATION_ERROR.
[[nodiscard]] Result<AuditEvidence> trusted_keys(const Context& context,
                                                 const std::vector<std::string>& arguments);
// The heads of these files. VALIDATION_ERROR.
[[nodiscard]] Status add_head_files(const std::vector<std::string>& files, AuditEvidence& evidence);
// The head that the log keeper of this machine keeps for the tenant, if it does. To be called
// before the database is read: the file may be older than the database and never newer.
[[nodiscard]] Status add_kept_head(const Context& context, const Uuid& tenant,
                                   AuditEvidence& evidence);
// What an API on this machine checks a tenant's trail against: trusted_keys without --key, and the
// kept head. Its source is "this node": the path is of no use to a client over HTTP.
[[nodiscard]] Result<AuditEvidence> node_evidence(const Context& context, const Uuid& tenant);

// Where the log keepers of this data directory keep their heads.
[[nodiscard]] std::string kept_heads_directory(const Config& config);

// The tenants whose heads are kept there, by id.
[[nodiscard]] std::vector<Uuid> tenants_with_kept_head(const Config& config);

// What signs heads and checks logs here: the keys of this deployment (none are made), those of
// JOBFORGE_AUDIT_KEYS, and the kept heads.
[[nodiscard]] Result<services::LogSigner> log_signer(const Context& context);

}  // namespace jobforge::cli
