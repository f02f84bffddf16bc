select pg_catalog.row_to_json(k) from jobforge.get_api_key($1) k
