-- true as third argument: until the end of this transaction, never of the session.
select pg_catalog.set_config('app.tenant_id', $1, true)
