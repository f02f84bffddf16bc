select pg_catalog.row_to_json(s)
from jobforge.list_snapshots(p_status => $1, p_limit => $2, p_before => $3) s
