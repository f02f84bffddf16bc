-- With each read and not for the session, so that it also holds behind a pooler.
select pg_catalog.set_config('app.tenant_id', $1, true), pg_catalog.set_config('lock_timeout', '5000', true)
