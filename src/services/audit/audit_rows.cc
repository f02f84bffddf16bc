#include "services/audit/audit_rows.h"

namespace jobforge::services {

passport::AuditEvent audit_event_of(const pg::Rows& rows, int row) {
    passport::AuditEvent event;
    event.tenant_id = rows.uuid(row, 1);
    event.event_id = rows.uuid(row, 2);
    event.aggregate_type = rows.text(row, 3);
    event.aggregate_id = rows.uuid(row, 4);
    event.aggregate_version = rows.integer(row, 5);
    event.event_type = rows.text(row, 6);
    event.actor_id = rows.opt_text(row, 7);
    event.payload_canonical = rows.text(row, 8);
    event.payload_hash = rows.text(row, 9);
    event.prev_event_hash = rows.opt_text(row, 10);
    event.event_hash = rows.text(row, 11);
    event.occurred_at_us = rows.timestamp(row, 12).unix_us;
    return event;
}

passport::AuditLogEntry audit_log_entry_of(const pg::Rows& rows, int row) {
    return {rows.integer(row, 0), rows.uuid(row, 1), std::string(rows.text(row, 2)),
            rows.integer(row, 3), rows.integer(row, 4)};
}

passport::AuditHead audit_head_of(const pg::Rows& rows, int row) {
    return {rows.integer(row, 0), std::string(rows.text(row, 1)), std::string(rows.text(row, 2)),
            std::string(rows.text(row, 3)), rows.text_array(row, 4)};
}

}  // namespace jobforge::services
