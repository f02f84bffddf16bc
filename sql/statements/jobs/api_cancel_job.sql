select pg_catalog.json_build_object('job_id', $1::uuid, 'status', jobforge.cancel_job($1, $2))
