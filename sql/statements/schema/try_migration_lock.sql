select pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('jobforge.migrate', 0))
