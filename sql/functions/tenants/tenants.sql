-- Administration of tenants, for members of jobforge_owner.

-- A name belongs to one tenant: commands take the name for the id, and twins cannot be told apart in a
-- list. Not a unique index, because databases of earlier releases may have twins, which keep their names.
create or replace function jobforge.claim_tenant_name(p_name text, p_tenant_id uuid) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_other uuid;
begin
    -- Two callers take turns, by a row of the engine's own: a lock on the table would make every change of
    -- any tenant, a suspension too, wait behind one open transaction, and two such callers deadlock.
    -- At a higher isolation level the second would not see what the first has committed.
    perform jobforge.require_read_committed();
    perform jobforge.take_turn('00000000-0000-0000-0000-000000000000', 'tenant_names');
    select t.tenant_id into v_other from jobforge.tenants t
    where t.name = p_name and t.tenant_id <> p_tenant_id limit 1;
    if found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('there is a tenant %L already: %s', p_name, v_other), 'Choose another name.');
    end if;
end
$$;

-- A new tenant has the quotas of tenant_defaults.
create or replace function jobforge.create_tenant(p_name text, p_tenant_id uuid default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := coalesce(p_tenant_id, gen_random_uuid());
begin
    perform jobforge.check_length('a tenant name', p_name, 1, 200);
    if v_tenant_id = '00000000-0000-0000-0000-000000000000' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'the nil uuid is not a tenant: rate_buckets keeps the rates of job types under it', '');
    end if;
    perform jobforge.claim_tenant_name(p_name, v_tenant_id);
    insert into jobforge.tenants (tenant_id, name, max_waiting_jobs, max_waiting_bytes)
    select v_tenant_id, p_name, d.max_waiting_jobs, d.max_waiting_bytes from jobforge.tenant_defaults d
    on conflict (tenant_id) do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('tenant %s exists already', v_tenant_id), '');
    end if;
    -- Made now, so that the keepers of its event log, and its claims, never wait for each other to make them.
    insert into jobforge.turns (tenant_id, what) values (v_tenant_id, 'event_log'), (v_tenant_id, 'claims')
    on conflict do nothing;
    return v_tenant_id;
end
$$;

-- Changes status, quota or limits; members of p_changes: status, max_waiting_jobs, max_waiting_bytes,
-- concurrency_limit, min_priority, max_leased_jobs, name. null removes a limit.
create or replace function jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) returns jobforge.tenants
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.tenants;
    v_bad text;
begin
    if p_changes is null or jsonb_typeof(p_changes) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the changes of a tenant are a JSON object', '');
    end if;
    select k into v_bad from jsonb_object_keys(p_changes) k
    where k not in ('name', 'status', 'max_waiting_jobs', 'max_waiting_bytes', 'concurrency_limit',
        'min_priority', 'max_leased_jobs') limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('a tenant has no setting %L', v_bad),
            'Known: name, status, max_waiting_jobs, max_waiting_bytes, concurrency_limit, min_priority, '
            'max_leased_jobs.');
    end if;
    -- Not for update: a tenant that has made an API key in an open transaction shares the key of this row
    -- (foreign keys), and could not be suspended.
    select t.* into v_row from jobforge.tenants t where t.tenant_id = p_tenant_id for no key update;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no tenant %s', p_tenant_id), '');
    end if;
    if p_changes ->> 'name' <> v_row.name then
        perform jobforge.claim_tenant_name(p_changes ->> 'name', p_tenant_id);
    end if;
    v_row := jsonb_populate_record(v_row, p_changes);
    update jobforge.tenants t
    set name = v_row.name, status = v_row.status, max_waiting_jobs = v_row.max_waiting_jobs,
        max_waiting_bytes = v_row.max_waiting_bytes, concurrency_limit = v_row.concurrency_limit,
        min_priority = v_row.min_priority, max_leased_jobs = v_row.max_leased_jobs
    where t.tenant_id = p_tenant_id;
    -- Of a tenant that was made before create_tenant did so.
    insert into jobforge.turns (tenant_id, what) values (p_tenant_id, 'claims') on conflict do nothing;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('tenant %s: %s', p_tenant_id,
        jobforge.refusal_text(sqlerrm, v_row, p_changes)), '');
end
$$;

-- The quotas that new tenants get; members of p_changes: max_waiting_jobs, max_waiting_bytes, null for
-- none. Without members it only answers them.
create or replace function jobforge.set_tenant_defaults(p_changes jsonb default '{}')
    returns jobforge.tenant_defaults
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.tenant_defaults;
    v_bad text;
begin
    if p_changes is null or jsonb_typeof(p_changes) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the defaults of tenants are a JSON object', '');
    end if;
    select k into v_bad from jsonb_object_keys(p_changes) k
    where k not in ('max_waiting_jobs', 'max_waiting_bytes', 'reserved_percent') limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('tenants have no default for %L', v_bad),
            'Known: max_waiting_jobs, max_waiting_bytes, reserved_percent.');
    end if;
    select d.* into v_row from jobforge.tenant_defaults d for update;
    v_row := jsonb_populate_record(v_row, p_changes);
    update jobforge.tenant_defaults d
    set max_waiting_jobs = v_row.max_waiting_jobs, max_waiting_bytes = v_row.max_waiting_bytes,
        reserved_percent = v_row.reserved_percent;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
    or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', 'a quota is a whole number, 0 or more, or null; '
        'reserved_percent is 1 to 50', '');
end
$$;

-- Binds an existing database login to a tenant. The login needs jobforge_tenant and must have none of
-- the roles that span tenants: with them the binding would protect nothing. `jobforge tenants bind-login`
-- also grants jobforge_tenant, which a function cannot.
create or replace function jobforge.bind_login(p_tenant_id uuid, p_login name) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not exists (select from jobforge.tenants t where t.tenant_id = p_tenant_id) then
        perform jobforge.raise_error('NOT_FOUND', format('there is no tenant %s', p_tenant_id), '');
    elsif p_login is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_login is NULL', 'Name a database role.');
    elsif not exists (select from pg_roles r where r.rolname = p_login) then
        perform jobforge.raise_error('NOT_FOUND', format('there is no database role %I', p_login),
            'Create it first: create role NAME login password ... in role jobforge_tenant.');
    elsif jobforge.spans_tenants(p_login) is not null then
        perform jobforge.raise_error('FORBIDDEN',
            format('login %I has %s, which spans all tenants', p_login, jobforge.spans_tenants(p_login)),
            'Use a login that has only jobforge_tenant.');
    end if;
    insert into jobforge.tenant_logins (tenant_id, login_role) values (p_tenant_id, p_login)
    on conflict (login_role) do nothing;
    if not exists (select from jobforge.tenant_logins l
        where l.login_role = p_login and l.tenant_id = p_tenant_id) then
        perform jobforge.raise_error('FORBIDDEN', format('login %I belongs to another tenant', p_login), '');
    end if;
end
$$;

-- Which right of a login reaches beyond one tenant, if any.
create or replace function jobforge.spans_tenants(p_login name) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $$
    select case when r.rolsuper then 'superuser' when r.rolbypassrls then 'bypassrls'
        else (select m.name from unnest(array['jobforge_owner', 'jobforge_worker', 'jobforge_gateway',
                'jobforge_engine', 'jobforge_definer', 'jobforge_observer']) m(name)
            where pg_has_role(r.oid, m.name::name, 'member') limit 1) end
    from pg_roles r where r.rolname = p_login
$$;

drop function if exists jobforge.list_tenants();
create or replace function jobforge.list_tenants()
    returns table (tenant_id uuid, name text, status text, max_waiting_jobs bigint, max_waiting_bytes bigint,
        concurrency_limit integer, created_at timestamptz, logins text[], min_priority smallint)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select t.tenant_id, t.name, t.status, t.max_waiting_jobs, t.max_waiting_bytes, t.concurrency_limit,
        t.created_at, array(select l.login_role::text from jobforge.tenant_logins l
            where l.tenant_id = t.tenant_id order by 1), t.min_priority
    from jobforge.tenants t order by t.created_at
$$;
alter function jobforge.claim_tenant_name owner to jobforge_engine;
alter function jobforge.create_tenant owner to jobforge_engine;
alter function jobforge.set_tenant owner to jobforge_engine;
alter function jobforge.set_tenant_defaults owner to jobforge_engine;
alter function jobforge.spans_tenants owner to jobforge_engine;
alter function jobforge.bind_login owner to jobforge_engine;
alter function jobforge.list_tenants owner to jobforge_engine;
revoke execute on function jobforge.claim_tenant_name, jobforge.create_tenant, jobforge.set_tenant, jobforge.set_tenant_defaults,
    jobforge.spans_tenants, jobforge.bind_login, jobforge.list_tenants from public;
grant execute on function jobforge.create_tenant, jobforge.set_tenant, jobforge.set_tenant_defaults,
    jobforge.bind_login, jobforge.list_tenants to jobforge_owner;
