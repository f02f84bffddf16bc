select pg_catalog.json_build_object('job_id', h.job_id, 'lease_token', h.lease_token, 'state',
    h.state)
from jobforge.tenant_heartbeat_jobs($1, $2, $3, $4, $5) h
