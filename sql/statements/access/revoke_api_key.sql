select pg_catalog.row_to_json(k) from jobforge.revoke_api_key($1, $2, $3) k
