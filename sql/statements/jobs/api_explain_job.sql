select pg_catalog.json_build_object('job_id', $1::uuid, 'reasons', jobforge.explain_job($1))
