select event_seq, tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version,
    event_type, actor_id, payload_canonical, payload_hash, prev_event_hash, event_hash,
    occurred_at
from jobforge.audit_events($1, $2)
