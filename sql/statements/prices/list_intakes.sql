select pg_catalog.row_to_json(i) from jobforge.list_intakes($1, $2) i
