select w.worker_id, w.host, w.pid, pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() -
    w.heartbeat_at) as silent, w.held
from jobforge.doctor_workers() w
where w.held > 0
