select pg_catalog.row_to_json(t) from jobforge.get_job_type($1) t
