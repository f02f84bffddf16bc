select jobforge.enter_platform_request($1, $2, $3),
    pg_catalog.set_config('idle_in_transaction_session_timeout', '30000', true)
