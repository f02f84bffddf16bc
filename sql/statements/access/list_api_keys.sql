select pg_catalog.row_to_json(k) from jobforge.list_api_keys($1, $2, $3) k
