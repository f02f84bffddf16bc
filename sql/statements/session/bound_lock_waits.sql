select pg_catalog.set_config('lock_timeout', '2000', false)
where pg_catalog.pg_backend_pid() = $1
