select pg_catalog.row_to_json(p) from jobforge.list_access_policies() p
