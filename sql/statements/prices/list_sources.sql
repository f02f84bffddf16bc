select pg_catalog.row_to_json(s) from jobforge.list_sources() s
