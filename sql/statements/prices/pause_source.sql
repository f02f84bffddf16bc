select jobforge.pause_source($1, coalesce($2, pg_catalog.clock_timestamp() +
    pg_catalog.make_interval(secs => $3 / 1000.0), 'infinity'), $4)::text
