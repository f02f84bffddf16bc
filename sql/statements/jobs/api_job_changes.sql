-- One statement, so that the snapshot is the one in which the changes were looked for.
select pg_catalog.pg_current_snapshot()::text,
    (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint, c.job_id,
    c.type, c.status, c.lease_token, c.job
from (values (1)) one
left join lateral jobforge.job_changes($1::text::pg_snapshot,
    pg_catalog.to_timestamp($2::bigint / 1000.0), $3, $4) c on true
