select pg_catalog.row_to_json(p) from jobforge.list_price_points($1, $2, $3, $4) p
