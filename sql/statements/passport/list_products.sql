select pg_catalog.row_to_json(p) from jobforge.list_products(p_limit => $1, p_before => $2) p
