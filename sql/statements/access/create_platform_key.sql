select jobforge.create_platform_key($1, $2, $3,
    coalesce($4, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $5)))
