select pg_catalog.row_to_json(v) from jobforge.get_valuation($1) v
