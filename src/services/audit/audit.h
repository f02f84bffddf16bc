// Use cases: verifying and exporting a tenant's audit trail (docs/audit.md).
//
// Everything is read in one snapshot of the database, so that events that are appended meanwhile
// cannot look like gaps. Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "audit/audit_chain.h"
#include "base/crypto/ed25519.h"
#include "base/crypto/hash.h"
#include "engine/database/tenant_calls.h"
#include "pg/connection.h"

namespace jobforge::services {

// What a trail consists of, in an order in which AuditVerifier takes it.
struct AuditSink {
    std::function<Status(const Uuid& event_id)> waiting;  // for its place in the log
    std::function<Status(const passport::AuditEvent&)> event;
    std::function<Status(const passport::AuditLogEntry&)> log_entry;
    std::function<Status(const passport::AuditHead&)> head;
};

// Reads all of one tenant's trail. A sink's error ends it and is returned.
[[nodiscard]] Status read_audit(pg::Connection& connection, const Uuid& tenant,
                                const AuditSink& sink);

struct AuditQuestion {
    Uuid tenant;
    // The keys that may have signed heads. From outside: a login that can change the database can
    // add keys to it.
    std::vector<Ed25519PublicKey> keys;
    std::vector<passport::OutsideHead> outside_heads;
    passport::KeyTrust trust = passport::KeyTrust::given;
};
[[nodiscard]] Result<passport::AuditReport> verify_audit(pg::Connection& connection,
                                                         const AuditQuestion& question);
// The leaves of the tenant's log.
[[nodiscard]] Result<std::vector<Sha256>> read_log_leaves(pg::Connection& connection,
                                                          const Uuid& tenant);
// The newest signed head, or NOT_FOUND.
[[nodiscard]] Result<passport::AuditHead> newest_head(pg::Connection& connection,
                                                      const Uuid& tenant);

// Events in the order of event_seq, those after `after`, the last one of the page before.
struct EventFilter {
    std::optional<Uuid> aggregate_id = {};
    std::optional<std::string> event_type = {};
    int limit = 50;
    std::int64_t after = 0;
};
[[nodiscard]] Result<std::vector<Json>> list_events(engine::TenantCalls& calls,
                                                    const EventFilter& filter);

}  // namespace jobforge::services
