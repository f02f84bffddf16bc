-- row_to_json, not to_jsonb: json keeps the order of the columns.
select pg_catalog.row_to_json(t) from jobforge.list_tenants() t
