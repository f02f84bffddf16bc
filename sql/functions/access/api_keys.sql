-- API keys of the current tenant. The program makes ids and secrets; here is only the mac.

drop function if exists jobforge.key_lock(text);

-- An event in the chain of a key: Actor, under the uuid that its id hashes to. Refusals of several
-- routes and a revocation meet here, and no row is theirs to lock: a turn keeps the chain in line, so
-- that none of them fails with EVENT_VERSION_CONFLICT.
create or replace function jobforge.append_key_event(p_key_id text, p_event_type text, p_payload jsonb,
    p_actor_id text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.take_turn(jobforge.require_tenant(null), 'api_key_events ' || p_key_id);
    perform jobforge.append_event('Actor', jobforge.key_aggregate(p_key_id), p_event_type,
        jsonb_build_object('key_id', p_key_id) || p_payload, p_actor_id);
end
$$;

create or replace function jobforge.key_aggregate(p_key_id text) returns uuid
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select encode(substr(sha256(convert_to('key:' || p_key_id, 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- Adds a row with what was checked, and its event. p_old: the key that it follows, or null.
create or replace function jobforge.insert_api_key(p_row jobforge.api_keys, p_old text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_length('the name of a key', p_row.name, 1, 200);
    if p_row.key_id is null or p_row.key_id !~ '^[a-z2-7]{16}$'
        or octet_length(p_row.secret_mac) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a key has an id of 16 characters and a mac of 32 bytes', 'Use jobforge keys create: it makes them.');
    elsif coalesce(cardinality(p_row.roles), 0) not between 1 and 4 or not p_row.roles
            <@ array['Admin', 'ComplianceOfficer', 'Auditor', 'Operator'] then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key has roles of the four that there are',
            'Known: Admin, ComplianceOfficer, Auditor, Operator.');
    elsif p_row.expires_at <= p_row.created_at then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires in the future', '');
    end if;
    insert into jobforge.api_keys select p_row.* on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('there is a key %s already', p_row.key_id),
            'Use a new id.');
    end if;
    perform jobforge.append_key_event(p_row.key_id, 'KEY_CREATED', jsonb_strip_nulls(jsonb_build_object(
        'name', p_row.name, 'roles', p_row.roles, 'expires_at', jobforge.utc_text(p_row.expires_at),
        'rotated_from', p_old)), p_row.created_by);
end
$$;

create or replace function jobforge.create_api_key(p_key_id text, p_secret_mac bytea, p_name text,
    p_roles text[], p_expires_at timestamptz default null, p_actor_id text default null)
    returns setof jobforge.api_key_states
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.api_keys;
begin
    if p_expires_at > '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires before the year 10000',
            'Give no time to a key that does not expire.');
    end if;
    v_row.tenant_id := jobforge.acting_tenant();
    v_row.key_id := p_key_id;
    v_row.first_key_id := p_key_id;
    v_row.name := p_name;
    v_row.secret_mac := p_secret_mac;
    v_row.roles := array(select distinct r.role from unnest(p_roles) r(role) order by 1);
    v_row.status := 'ACTIVE';
    v_row.version := 1;
    v_row.expires_at := p_expires_at;
    v_row.created_at := clock_timestamp();
    v_row.created_by := jobforge.acting_actor(p_actor_id);
    perform jobforge.insert_api_key(v_row, null);
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_row.tenant_id and k.key_id = p_key_id;
end
$$;

-- The key's row, locked. p_alone: for the end of a key, after every change that it has begun
-- (enter_request shares the row's key until its transaction ends).
create or replace function jobforge.lock_api_key(p_tenant_id uuid, p_key_id text, p_alone boolean)
    returns jobforge.api_keys
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.api_keys;
begin
    perform jobforge.first_key_id(p_tenant_id, p_key_id); -- NOT_FOUND before anybody waits
    if p_alone then
        select k.* into v_row from jobforge.api_keys k
        where k.tenant_id = p_tenant_id and k.key_id = p_key_id for update;
    else
        select k.* into v_row from jobforge.api_keys k
        where k.tenant_id = p_tenant_id and k.key_id = p_key_id for no key update;
    end if;
    return v_row;
end
$$;

-- A new key in place of p_key_id, with its name, roles and length of life. The old one works until
-- p_overlap is over; 0 revokes it (it is known to others). Two rotations at once wait for each other
-- at the old key's row, and the second is refused: no client is left with a key that is not listed.
create or replace function jobforge.rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea,
    p_overlap interval default '24 hours', p_actor_id text default null)
    returns setof jobforge.api_key_states
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_old jobforge.api_keys := jobforge.lock_api_key(v_tenant_id, p_key_id, p_overlap = interval '0');
    v_new jobforge.api_keys := v_old;
    v_now timestamptz := clock_timestamp();
begin
    if p_overlap is null or p_overlap not between interval '0' and interval '30 days' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the overlap of two keys is 0 to 30 days', '');
    elsif v_old.rotated_to is not null then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('key %s was rotated already', p_key_id), format('Its successor is %s.', v_old.rotated_to));
    elsif v_old.status <> 'ACTIVE' or v_old.expires_at <= v_now then
        perform jobforge.raise_error('INVALID_TRANSITION', format('key %s is %s', p_key_id,
            case v_old.status when 'REVOKED' then 'revoked' else 'expired' end), 'Create a new one.');
    end if;
    v_new.key_id := p_new_key_id;
    v_new.secret_mac := p_secret_mac;
    v_new.version := 1;
    v_new.expires_at := v_now + (v_old.expires_at - v_old.created_at);
    v_new.created_at := v_now;
    v_new.created_by := jobforge.acting_actor(p_actor_id);
    v_new.last_used_at := null;
    perform jobforge.insert_api_key(v_new, p_key_id);
    update jobforge.api_keys k
    set rotated_to = p_new_key_id, version = k.version + 1,
        expires_at = case when p_overlap > interval '0' then least(k.expires_at, v_now + p_overlap)
            else k.expires_at end
    where k.tenant_id = v_tenant_id and k.key_id = p_key_id;
    if p_overlap = interval '0' then
        perform jobforge.end_api_key(v_tenant_id, p_key_id, 'rotated', v_new.created_by);
    end if;
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and k.key_id = p_new_key_id;
end
$$;

-- From the commit on, enter_request refuses the key on every node. The caller has locked it alone, so
-- that nothing the key began can be committed later.
create or replace function jobforge.end_api_key(p_tenant_id uuid, p_key_id text, p_reason text,
    p_actor_id text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    update jobforge.api_keys k
    set status = 'REVOKED', revoked_at = clock_timestamp(), revoked_by = p_actor_id, version = k.version + 1
    where k.tenant_id = p_tenant_id and k.key_id = p_key_id;
    perform jobforge.append_key_event(p_key_id, 'KEY_REVOKED',
        jsonb_strip_nulls(jsonb_build_object('reason', nullif(p_reason, ''))), p_actor_id);
end
$$;

-- Revoked already: nothing changes. Also for a suspended tenant, whose keys may still read.
create or replace function jobforge.revoke_api_key(p_key_id text, p_reason text default '',
    p_actor_id text default null) returns setof jobforge.api_key_states
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.api_keys := jobforge.lock_api_key(v_tenant_id, p_key_id, true);
begin
    perform jobforge.check_length('a reason', coalesce(p_reason, ''), 0, 500);
    if v_row.status <> 'REVOKED' then
        perform jobforge.end_api_key(v_tenant_id, p_key_id, p_reason, jobforge.acting_actor(p_actor_id));
    end if;
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and k.key_id = p_key_id;
end
$$;

create or replace function jobforge.get_api_key(p_key_id text) returns setof jobforge.api_key_states
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and k.key_id = p_key_id;
    if not found then
        perform jobforge.raise_not_found('API key', coalesce(p_key_id, 'NULL'));
    end if;
end
$$;

-- Newest first; the next page is before the last key of this one.
create or replace function jobforge.list_api_keys(p_status text default null, p_limit integer default 50,
    p_before text default null) returns setof jobforge.api_key_states
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_before record;
begin
    perform jobforge.check_page(p_limit);
    if p_status is not null then
        perform jobforge.check_one_of('status of a key', p_status, array['ACTIVE', 'REVOKED']);
    end if;
    if p_before is not null then
        select k.created_at, k.key_id into v_before from jobforge.get_api_key(p_before) k;
    else
        select 'infinity'::timestamptz as created_at, '' as key_id into v_before;
    end if;
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and (p_status is null or k.status = p_status)
        and (k.created_at, k.key_id) < (v_before.created_at, v_before.key_id)
    order by k.created_at desc, k.key_id desc limit p_limit;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['append_key_event', 'key_aggregate',
        'insert_api_key', 'create_api_key', 'lock_api_key', 'rotate_api_key', 'end_api_key',
        'revoke_api_key', 'get_api_key', 'list_api_keys']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_definer', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.create_api_key, jobforge.rotate_api_key, jobforge.revoke_api_key,
    jobforge.get_api_key, jobforge.list_api_keys to jobforge_tenant, jobforge_gateway, jobforge_worker;
