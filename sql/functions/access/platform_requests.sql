-- What a platform key may do, for gateways. Each function asks for the key again (require_platform_key) and
-- writes to the platform's trail: changes always, looks once a minute.

create or replace function jobforge.platform_tenants(p_limit integer default 50, p_after uuid default null)
    returns table (tenant_id uuid, name text, status text, max_waiting_jobs bigint, max_waiting_bytes bigint,
        concurrency_limit integer, created_at timestamptz, logins text[], min_priority smallint)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'PLATFORM_READ', 'tenants');
    perform jobforge.check_page(p_limit);
    return query
    select t.* from jobforge.list_tenants() t where p_after is null or t.tenant_id > p_after
    order by t.tenant_id limit p_limit;
end
$$;

create or replace function jobforge.platform_tenant(p_tenant_id uuid)
    returns table (tenant_id uuid, name text, status text, max_waiting_jobs bigint, max_waiting_bytes bigint,
        concurrency_limit integer, created_at timestamptz, logins text[], min_priority smallint)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_key_id text := jobforge.require_platform_key();
begin
    return query select t.* from jobforge.list_tenants() t where t.tenant_id = p_tenant_id;
    if not found then
        perform jobforge.raise_not_found('tenant', p_tenant_id::text);
    end if;
    perform jobforge.note_platform_read(v_key_id, 'PLATFORM_READ', 'tenant ' || p_tenant_id::text);
end
$$;

create or replace function jobforge.append_tenant_event(p_event_type text, p_tenant_id uuid,
    p_payload jsonb) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.append_platform_event('System', p_tenant_id, p_event_type,
        jsonb_build_object('tenant_id', p_tenant_id) || p_payload, null);
end
$$;

create or replace function jobforge.platform_add_tenant(p_name text, p_tenant_id uuid default null)
    returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid;
begin
    perform jobforge.require_platform_key();
    v_tenant_id := jobforge.create_tenant(p_name, p_tenant_id);
    perform jobforge.append_tenant_event('TENANT_CREATED', v_tenant_id, jsonb_build_object('name', p_name));
    return v_tenant_id;
end
$$;

-- Members of p_changes: those of set_tenant. The event has them as text: a quota may be larger than what
-- canonical JSON takes as a number.
create or replace function jobforge.platform_change_tenant(p_tenant_id uuid, p_changes jsonb) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.require_platform_key();
    perform jobforge.set_tenant(p_tenant_id, p_changes);
    if p_changes <> '{}' then
        perform jobforge.append_tenant_event('TENANT_CHANGED', p_tenant_id, jsonb_build_object('changes',
            (select jsonb_object_agg(c.key, c.value #>> '{}') from jsonb_each(p_changes) c)));
    end if;
end
$$;

-- Answers what has been deleted with the tenant, or ''.
create or replace function jobforge.platform_remove_tenant(p_tenant_id uuid, p_confirm_name text default null)
    returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_name text;
    v_deleted text;
begin
    perform jobforge.require_platform_key();
    select t.name into v_name from jobforge.tenants t where t.tenant_id = p_tenant_id;
    v_deleted := jobforge.delete_tenant(p_tenant_id, p_confirm_name);
    perform jobforge.append_tenant_event('TENANT_DELETED', p_tenant_id,
        jsonb_build_object('name', v_name, 'deleted', v_deleted));
    return v_deleted;
end
$$;

create or replace function jobforge.platform_types() returns setof jobforge.job_types
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'PLATFORM_READ', 'types');
    return query select t.* from jobforge.list_job_types() t;
end
$$;

create or replace function jobforge.platform_type(p_type text) returns jobforge.job_types
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_key_id text := jobforge.require_platform_key();
    v_row jobforge.job_types := jobforge.get_job_type(p_type);
begin
    perform jobforge.note_platform_read(v_key_id, 'PLATFORM_READ', 'type ' || p_type);
    return v_row;
end
$$;

-- p_new: registers a type, and refuses one that is there; else changes one, and NOT_FOUND.
create or replace function jobforge.platform_change_type(p_type text, p_policy jsonb, p_new boolean)
    returns jobforge.job_types
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.job_types;
begin
    perform jobforge.require_platform_key();
    if p_new is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_new is true or false, not NULL', '');
    elsif not p_new then
        perform jobforge.get_job_type(p_type);
    elsif exists (select from jobforge.job_types t where t.type = p_type) then
        perform jobforge.raise_error('VALIDATION_ERROR', format('there is a job type %L already', p_type),
            'Change it instead.');
    end if;
    v_row := jobforge.set_job_type(p_type, p_policy);
    perform jobforge.append_platform_event('System', '00000000-0000-0000-0000-000000000000', 'TYPE_CHANGED',
        jsonb_build_object('type', p_type, 'new', p_new, 'policy',
            coalesce((select jsonb_object_agg(c.key, c.value #>> '{}') from jsonb_each(p_policy) c), '{}')), null);
    return v_row;
end
$$;

-- For a look that is not a function of its own (the doctor's).
create or replace function jobforge.platform_read(p_what text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_length('what is read', p_what, 1, 300);
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'PLATFORM_READ', p_what);
end
$$;

-- A platform key was used where it may not.
create or replace function jobforge.platform_refused(p_route text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_length('a route', p_route, 1, 290);
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'ACCESS_DENIED', p_route);
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['platform_tenants', 'platform_tenant', 'append_tenant_event',
        'platform_add_tenant', 'platform_change_tenant', 'platform_remove_tenant', 'platform_types',
        'platform_type', 'platform_change_type', 'platform_read', 'platform_refused']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_engine', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.platform_tenants, jobforge.platform_tenant, jobforge.platform_add_tenant,
    jobforge.platform_change_tenant, jobforge.platform_remove_tenant, jobforge.platform_types,
    jobforge.platform_type, jobforge.platform_change_type, jobforge.platform_read, jobforge.platform_refused
    to jobforge_gateway;
