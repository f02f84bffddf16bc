select job_id, deduplicated
from jobforge.enqueue_job(p_type => $1, p_payload => $2, p_priority => $3, p_scheduled_at => $4,
    p_idempotency_key => $5, p_max_attempts => $6, p_trace_id => $7, p_created_by => $8)
