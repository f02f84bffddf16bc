select pg_catalog.row_to_json(c) from jobforge.enqueue_collections($1, $2, $3, $4) c
