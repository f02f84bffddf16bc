select pg_catalog.pg_current_snapshot()::text,
    (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint
