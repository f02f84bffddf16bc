select pg_catalog.row_to_json(s) from jobforge.job_stats() s
