select job_id, lease_token, state from jobforge.heartbeat_jobs($1, $2, $3, $4, $5, $6)
