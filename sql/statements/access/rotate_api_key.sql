select pg_catalog.row_to_json(k)
from jobforge.rotate_api_key($1, $2, $3, pg_catalog.make_interval(secs => $4), $5) k
