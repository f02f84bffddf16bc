select pg_catalog.row_to_json(f)
from jobforge.list_facts(p_document_version_id => $1, p_fact_type => $2, p_key_prefix => $3,
    p_limit => $4, p_before => $5) f
