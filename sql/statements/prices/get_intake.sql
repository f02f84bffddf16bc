select pg_catalog.row_to_json(i) from jobforge.get_intake($1) i
