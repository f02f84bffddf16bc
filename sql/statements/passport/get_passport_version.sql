select pg_catalog.row_to_json(v) from jobforge.get_passport_version($1) v
