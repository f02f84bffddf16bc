select pg_catalog.row_to_json(s) from jobforge.subscribe_webhook($1, $2) s
