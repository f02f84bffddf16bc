select pg_catalog.row_to_json(d)
from jobforge.list_document_versions(p_kind => $1, p_status => $2, p_limit => $3,
    p_before => $4) d
