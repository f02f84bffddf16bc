select pg_catalog.row_to_json(t) from jobforge.set_job_type($1, $2) t
