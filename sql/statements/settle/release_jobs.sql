select job_id, lease_token, state from jobforge.release_jobs($1, $2, $3, $4, $5, $6)
