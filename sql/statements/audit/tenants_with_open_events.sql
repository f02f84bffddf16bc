select t.tenant_id from jobforge.tenants_with_open_events() t(tenant_id)
