select pg_catalog.row_to_json(t) from jobforge.platform_change_type($1, $2, $3) t
