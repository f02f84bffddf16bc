-- Roles are shared by all databases of a server, so each is made only where it is missing.
--
-- jobforge_owner      owns schema and tables; members administer (tenants, types). FORCE row-level
--                     security binds it too: it sees no tenant's row.
-- jobforge_definer    tenant functions run as it; the policies bind it to the current tenant.
-- jobforge_engine     worker functions run as it; the only role whose policies span tenants.
-- jobforge_worker     may claim, renew and settle jobs (functions only, no table).
-- jobforge_gateway    serves many tenants: sets app.tenant_id in each transaction.
-- jobforge_tenant     a tenant's own login, bound to its tenant by tenant_logins.
-- jobforge_observer   numbers without tenants' data.
do $$
declare
    v_role text;
begin
    foreach v_role in array array['jobforge_owner', 'jobforge_definer', 'jobforge_engine',
        'jobforge_worker', 'jobforge_gateway', 'jobforge_tenant', 'jobforge_observer']
    loop
        if not exists (select from pg_catalog.pg_roles r where r.rolname = v_role) then
            begin
                execute pg_catalog.format('create role %I nologin', v_role);
            exception when duplicate_object or unique_violation then
                null; -- another database of this server made it at the same moment
            end;
        end if;
    end loop;
end
$$;

create schema if not exists jobforge;
alter schema jobforge owner to jobforge_owner;
