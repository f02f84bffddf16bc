select job_id, deduplicated
from jobforge.enqueue_jobs(p_types => $1, p_payloads => $2, p_priorities => $3,
    p_scheduled_at => $4, p_idempotency_keys => $5, p_max_attempts => $6, p_trace_ids => $7,
    p_created_by => $8)
order by ordinal
