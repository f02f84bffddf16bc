select pg_catalog.row_to_json(c) from jobforge.list_collections($1) c
