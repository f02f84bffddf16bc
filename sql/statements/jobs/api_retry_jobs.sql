select r.job_id
from jobforge.retry_jobs(p_status => $1, p_type => $2, p_error_code => $3,
    p_finished_after => $4, p_finished_before => $5, p_scheduled_at => $6,
    p_reset_attempts => $7, p_limit => $8) r(job_id)
