select pg_catalog.row_to_json(s) from jobforge.get_source($1) s
