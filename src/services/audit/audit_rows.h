// Rows of the audit functions (sql/functions/audit/audit.sql, audit_export.sql) as what they mean.
// The columns stand where the statements of this room put them.
#pragma once

#include "audit/audit_chain.h"
#include "pg/rows.h"

namespace jobforge::services {

// event_seq, tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version, event_type,
// actor_id, payload_canonical, payload_hash, prev_event_hash, event_hash, occurred_at.
[[nodiscard]] passport::AuditEvent audit_event_of(const pg::Rows& rows, int row);
// log_index, event_id, event_hash, leaf_version, head_size.
[[nodiscard]] passport::AuditLogEntry audit_log_entry_of(const pg::Rows& rows, int row);
// tree_size, root_hash, checkpoint, key_id, frontier without NULLs.
[[nodiscard]] passport::AuditHead audit_head_of(const pg::Rows& rows, int row);

}  // namespace jobforge::services
