with u as materialized (select coalesce($4::timestamptz, pg_catalog.clock_timestamp()) as t)
select jobforge.redeliver_failed($1, coalesce($2, '-infinity'), $3, u.t), u.t
from u
