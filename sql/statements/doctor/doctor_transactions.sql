select a.pid, coalesce(a.application_name, ''), coalesce(a.usename::text, ''),
    coalesce(a.state, ''), pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() -
    a.xact_start) as age
from pg_catalog.pg_stat_activity a
where a.xact_start is not null and a.datname = pg_catalog.current_database()
    and a.pid <> pg_catalog.pg_backend_pid()
order by a.xact_start limit 1
