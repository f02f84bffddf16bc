select pg_catalog.row_to_json(r)
from jobforge.list_rules(p_package => $1, p_status => $2, p_limit => $3, p_before => $4) r
