select pg_catalog.row_to_json(k) from jobforge.create_api_key($1, $2, $3, $4, $5, $6) k
