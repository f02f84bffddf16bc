-- What enqueue needs to know of the tenant, in one look: its id, whether it may enqueue, its quota,
-- the best priority that it may use.
-- Runs as the engine (which sees all tenants) and returns only the row of the current tenant.
drop function if exists jobforge.enqueue_context(uuid);
create or replace function jobforge.enqueue_context(p_tenant_id uuid,
    out tenant_id uuid, out max_waiting_jobs bigint, out max_waiting_bytes bigint, out min_priority smallint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_status text;
begin
    tenant_id := jobforge.current_tenant();
    if tenant_id is null or p_tenant_id <> tenant_id then
        perform jobforge.require_tenant(p_tenant_id); -- says what is wrong
    end if;
    select t.status, t.max_waiting_jobs, t.max_waiting_bytes, t.min_priority
    into v_status, max_waiting_jobs, max_waiting_bytes, min_priority
    from jobforge.tenants t where t.tenant_id = enqueue_context.tenant_id;
    if v_status is null then
        perform jobforge.raise_error('FORBIDDEN', format('there is no tenant %s', tenant_id),
            'Create it first: jobforge tenants create NAME.');
    elsif v_status <> 'ACTIVE' then
        perform jobforge.raise_error('FORBIDDEN', format('tenant %s is %s', tenant_id, lower(v_status)), '');
    end if;
end
$$;
alter function jobforge.enqueue_context owner to jobforge_engine;
revoke execute on function jobforge.enqueue_context from public;
grant execute on function jobforge.enqueue_context to jobforge_definer;
