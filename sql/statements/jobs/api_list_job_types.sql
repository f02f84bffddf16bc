select pg_catalog.row_to_json(t), t.type from jobforge.list_job_types() t
