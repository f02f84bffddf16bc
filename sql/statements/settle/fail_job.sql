select status from jobforge.fail_job($1, $2, $3, $4, $6, $7, $5)
