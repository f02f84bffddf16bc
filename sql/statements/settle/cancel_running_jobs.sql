select job_id, lease_token, state from jobforge.cancel_running_jobs($1, $2, $3, $4, $7, $5, $6)
