-- The current tenant, or FORBIDDEN. An argument never chooses the tenant; a differing one is refused.
create or replace function jobforge.require_tenant(p_tenant_id uuid) returns uuid
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.current_tenant();
begin
    if v_tenant_id is null then
        perform jobforge.raise_error('FORBIDDEN', 'this connection acts for no tenant',
            'Set app.tenant_id in the transaction (gateway or worker login), or bind the login to a tenant.');
    end if;
    if p_tenant_id is distinct from v_tenant_id and p_tenant_id is not null then
        perform jobforge.raise_error('FORBIDDEN', 'p_tenant_id differs from the tenant of this connection',
            'Leave p_tenant_id out, or connect as that tenant.');
    end if;
    return v_tenant_id;
end
$$;
alter function jobforge.require_tenant owner to jobforge_definer;
revoke execute on function jobforge.require_tenant from public;
grant execute on function jobforge.require_tenant to jobforge_engine;
