select p.gid, pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - p.prepared)
from pg_catalog.pg_prepared_xacts p
where p.database = pg_catalog.current_database()
order by p.prepared limit 1
