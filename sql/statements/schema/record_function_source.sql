insert into jobforge.function_sources as f (name, checksum)
values ($1, $2)
on conflict (name) do update set checksum = excluded.checksum,
    applied_at = pg_catalog.clock_timestamp()
