select pg_catalog.json_build_object('max_waiting_jobs', d.max_waiting_jobs, 'max_waiting_bytes',
    d.max_waiting_bytes, 'reserved_percent', d.reserved_percent)
from jobforge.set_tenant_defaults($1) d
