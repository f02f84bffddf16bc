select job_id, lease_token, status from jobforge.fail_jobs($1, $2, $3, $4, $7, $8, $5, $6)
