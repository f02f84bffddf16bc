select pg_catalog.row_to_json(j) from jobforge.get_job($1) j
