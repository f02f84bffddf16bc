select l.type, l.priority, l.tenant_id, l.scheduled_at, l.interrupted, clock_timestamp()
from jobforge.find_lanes($1, $2) l
