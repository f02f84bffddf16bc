select pg_catalog.row_to_json(r) from jobforge.get_rules($1) r
