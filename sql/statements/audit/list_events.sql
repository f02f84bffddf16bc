select pg_catalog.row_to_json(e)
from jobforge.list_events(p_aggregate_id => $1, p_event_type => $2, p_limit => $3,
    p_after => $4) e
