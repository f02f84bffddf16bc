select pg_catalog.row_to_json(w) from jobforge.list_workers() w
