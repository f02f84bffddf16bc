select pg_catalog.row_to_json(p)
from jobforge.add_access_policy($1, $2, $3, $4, $5, $6, $7, $8) p
