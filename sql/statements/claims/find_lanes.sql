select l.type, l.priority, l.tenant_id, l.scheduled_at, l.interrupted, clock_timestamp(), s.several
from (select jobforge.has_several_tenants() as several) s
left join jobforge.find_lanes($1, $2) l on true
