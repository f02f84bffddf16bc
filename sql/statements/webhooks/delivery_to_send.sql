-- One round trip: what to send, and whether the endpoint's governor lets it pass.
select d.status, d.url, d.endpoint_status, d.secret_ciphertexts, d.webhook_endpoint_id,
    d.event_id, d.event_type, d.aggregate_type, d.aggregate_id, d.occurred_at,
    d.payload_canonical, pg_catalog.clock_timestamp(), g.verdict, g.wait_ms, g.generation,
    g.probe, g.reason, jobforge.delivery_is_routine($1, $2)
from jobforge.delivery_to_send($1) d, lateral jobforge.governor_enter('endpoint',
    d.webhook_endpoint_id::text) g
