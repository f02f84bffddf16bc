select pg_catalog.row_to_json(t), t.tenant_id::text from jobforge.platform_tenants($1, $2) t
