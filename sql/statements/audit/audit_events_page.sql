-- An event that is not under the head is left out: another one may have been appended meanwhile.
select event_seq, tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version,
    event_type, actor_id, payload_canonical, payload_hash, prev_event_hash, event_hash,
    occurred_at, coalesce(log_index < $3, false)
from jobforge.audit_events($1, $2)
