-- Workers that came through the API bear their tenant's id in front of their own (tenant_work.sql):
-- those of other tenants are not shown, nor is on which machine a worker runs.
select pg_catalog.json_build_object('worker_id', case when w.worker_id like $1 || '/%' then
    pg_catalog.substr(w.worker_id, 38) else w.worker_id end, 'state', w.state, 'version',
    w.version, 'types', w.types, 'slots', w.slots, 'running', w.running, 'started_at',
    w.started_at, 'heartbeat_at', w.heartbeat_at, 'seconds_silent', w.seconds_silent)
from jobforge.list_workers() w
where w.worker_id like $1 || '/%' or w.worker_id !~
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/'
