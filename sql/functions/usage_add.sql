-- Adds to a tenant's count of waiting jobs, where one is kept (only tenants with a quota have a row).
create or replace function jobforge.usage_add(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) returns void
    language sql set search_path = pg_catalog, pg_temp as $$
    update jobforge.tenant_usage u
    set waiting_jobs = greatest(0, u.waiting_jobs + p_jobs),
        waiting_bytes = greatest(0, u.waiting_bytes + p_bytes)
    where u.tenant_id = p_tenant_id
$$;

-- The same, refusing to go over the tenant's quota. The row lock makes it exact.
create or replace function jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint,
    p_max_jobs bigint, p_max_bytes bigint) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_usage record;
begin
    insert into jobforge.tenant_usage as u (tenant_id, waiting_jobs, waiting_bytes)
    values (p_tenant_id, p_jobs, p_bytes)
    on conflict (tenant_id) do update
        set waiting_jobs = u.waiting_jobs + excluded.waiting_jobs,
            waiting_bytes = u.waiting_bytes + excluded.waiting_bytes
    returning u.waiting_jobs, u.waiting_bytes into v_usage;
    if v_usage.waiting_jobs > p_max_jobs then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the tenant may have %s waiting jobs and has %s', p_max_jobs, v_usage.waiting_jobs - p_jobs),
            'Wait until jobs have run, or raise max_waiting_jobs.');
    elsif v_usage.waiting_bytes > p_max_bytes then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the tenant may have %s waiting payload bytes and has %s', p_max_bytes,
                v_usage.waiting_bytes - p_bytes),
            'Wait until jobs have run, or raise max_waiting_bytes.');
    end if;
end
$$;
alter function jobforge.usage_add owner to jobforge_definer;
alter function jobforge.usage_take owner to jobforge_definer;
revoke execute on function jobforge.usage_add, jobforge.usage_take from public;
grant execute on function jobforge.usage_add to jobforge_engine;
