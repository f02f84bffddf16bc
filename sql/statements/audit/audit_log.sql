select log_index, event_id, event_hash, leaf_version, coalesce(head_size, 0)
from jobforge.audit_log($1, $2)
