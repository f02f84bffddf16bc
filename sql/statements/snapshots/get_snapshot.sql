select pg_catalog.row_to_json(s) from jobforge.get_snapshot($1) s
