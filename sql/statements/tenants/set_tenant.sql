select pg_catalog.row_to_json(t) from jobforge.set_tenant($1, $2) t
