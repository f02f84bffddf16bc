select pg_catalog.row_to_json(c), c.job_id::text
from (select j.job_id, j.type, j.payload, j.attempts, j.max_attempts, j.priority,
    j.scheduled_at, j.created_at, j.started_at, j.lease_token, j.claim_id, j.lease_expires_at,
    j.interrupted, j.interruptions, j.idempotency_key, j.trace_id, j.created_by,
    j.timeout_seconds from jobforge.tenant_claim_jobs($1, $2, $3, $4) j) c
