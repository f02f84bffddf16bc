select jobforge.keep_job_artifact($1, $2, $3, $4)
