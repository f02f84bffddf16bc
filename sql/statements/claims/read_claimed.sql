select tenant_id, job_id, type, payload, attempts, max_attempts, priority, scheduled_at,
    created_at, started_at, lease_token, lease_expires_at, interruptions, idempotency_key,
    trace_id, created_by, timeout_seconds, claim_id, row_ids
from jobforge.read_claimed($1, $2, $3)
