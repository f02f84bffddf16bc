select pg_catalog.row_to_json(t) from jobforge.list_job_types() t
