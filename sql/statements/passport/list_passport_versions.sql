select pg_catalog.row_to_json(v)
from jobforge.list_passport_versions(p_passport_id => $1, p_status => $2, p_limit => $3,
    p_before => $4) v
