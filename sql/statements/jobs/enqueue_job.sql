select e.job_id, e.deduplicated from jobforge.enqueue_job($1, $2, $3, $4, $5, $6, $7, $8) e
