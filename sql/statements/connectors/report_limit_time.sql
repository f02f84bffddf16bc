-- The old limit comes back before the job is completed in the same transaction.
select pg_catalog.current_setting('statement_timeout'),
    pg_catalog.set_config('statement_timeout', $1, true)
