// Use cases: verifying and exporting a tenant's audit trail (docs/audit.md).
//
// Everything is read in one snapshot of the database, so that events that are appended meanwhile
// cannot look like gaps. Threads: one at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "core/ed25519.h"
#include "passport/audit_chain.h"
#include "pg/connection.h"

namespace jobforge::workloads {

// What a trail consists of, in an order in which AuditVerifier takes it.
struct AuditSink {
    std::function<Status(const passport::AuditEvent&)> event;
    std::function<Status(const passport::AuditLogEntry&)> log_entry;
    std::function<Status(const passport::AuditHead&)> head;
};

// Reads all of one tenant's trail. A sink's error ends it and is returned.
[[nodiscard]] Status read_audit(pg::Connection& connection, const Uuid& tenant,
                                const AuditSink& sink);

struct AuditQuestion {
    Uuid tenant;
    std::vector<Ed25519PublicKey> keys;      // who may have signed heads
    std::vector<std::string> outside_heads;  // checkpoints kept outside of the database
};
[[nodiscard]] Result<passport::AuditReport> verify_audit(pg::Connection& connection,
                                                         const AuditQuestion& question);
// The public keys that the database knows for the tenant, retired ones too.
[[nodiscard]] Result<std::vector<Ed25519PublicKey>> stored_signing_keys(pg::Connection& connection,
                                                                        const Uuid& tenant);
// The newest signed head, or NOT_FOUND.
[[nodiscard]] Result<passport::AuditHead> newest_head(pg::Connection& connection,
                                                      const Uuid& tenant);

}  // namespace jobforge::workloads
