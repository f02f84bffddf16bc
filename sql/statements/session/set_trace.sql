-- Follow-up jobs of this step take it over (docs/sql.md).
select pg_catalog.set_config('app.trace_id', $1, true)
