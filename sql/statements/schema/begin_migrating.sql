select pg_catalog.set_config('lock_timeout', $1, true),
pg_catalog.set_config('check_function_bodies', 'off', true)
