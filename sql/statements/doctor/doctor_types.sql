select t.type, t.live_workers, pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() -
    t.oldest_due_at) as due, t.expired_leases, pg_catalog.date_part('epoch',
    pg_catalog.clock_timestamp() - t.oldest_expired_at) as expired, t.dead_letters
from jobforge.doctor_types() t
