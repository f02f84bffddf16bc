-- What happened as JSON, not as the bytes that were hashed; those are in the export.
select pg_catalog.json_build_object('event_seq', e.event_seq, 'event_id', e.event_id,
    'aggregate_type', e.aggregate_type, 'aggregate_id', e.aggregate_id, 'aggregate_version',
    e.aggregate_version, 'event_type', e.event_type, 'actor_id', e.actor_id, 'payload',
    pg_catalog.convert_from(e.payload_canonical, 'UTF8')::json, 'event_hash',
    pg_catalog.encode(e.event_hash, 'hex'), 'occurred_at', e.occurred_at), e.event_seq::text
from jobforge.list_events(p_aggregate_id => $1, p_event_type => $2, p_limit => $3,
    p_after => $4) e
