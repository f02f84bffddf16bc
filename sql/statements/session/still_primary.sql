select not pg_catalog.pg_is_in_recovery()
    and not pg_catalog.current_setting('transaction_read_only')::boolean
