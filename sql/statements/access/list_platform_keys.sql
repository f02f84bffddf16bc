select pg_catalog.row_to_json(k) from jobforge.list_platform_keys() k
