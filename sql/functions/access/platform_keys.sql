-- Platform keys: made and ended by an operator's database login, used by the HTTP API.
--
-- The platform has a trail of its own, under the nil uuid: the same chains, log and signed heads as a
-- tenant's (docs/audit.md). A tenant's trail does not tell what the platform did to it: a tenant that has
-- events cannot be deleted.

-- One writer at a time: the chains of the platform have no row to lock.
create or replace function jobforge.append_platform_event(p_aggregate_type text, p_aggregate_id uuid,
    p_event_type text, p_payload jsonb, p_actor_id text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_platform constant uuid := '00000000-0000-0000-0000-000000000000';
begin
    perform jobforge.take_turn(v_platform, 'platform_events');
    perform jobforge.append_event_of(v_platform, p_aggregate_type, p_aggregate_id, p_event_type, p_payload,
        p_actor_id);
end
$$;

create or replace function jobforge.append_platform_key_event(p_key_id text, p_event_type text,
    p_payload jsonb, p_actor_id text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.append_platform_event('Actor', jobforge.key_aggregate(p_key_id), p_event_type,
        jsonb_build_object('key_id', p_key_id) || p_payload, p_actor_id);
end
$$;

-- All but the mac. Its maker is the login, not an argument.
create or replace function jobforge.create_platform_key(p_key_id text, p_secret_mac bytea, p_name text,
    p_expires_at timestamptz default null) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_actor_id text := 'login:' || session_user;
begin
    perform jobforge.check_length('the name of a key', p_name, 1, 200);
    if p_key_id is null or p_key_id !~ '^[a-z2-7]{16}$' or octet_length(p_secret_mac) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a key has an id of 16 characters and a mac of 32 bytes',
            'Use jobforge keys create --platform: it makes them.');
    elsif p_expires_at <= clock_timestamp() then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires in the future', '');
    elsif p_expires_at > '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires before the year 10000',
            'Give no time to a key that does not expire.');
    end if;
    insert into jobforge.platform_keys (key_id, name, secret_mac, expires_at, created_by)
    values (p_key_id, p_name, p_secret_mac, p_expires_at, v_actor_id) on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('there is a key %s already', p_key_id),
            'Use a new id.');
    end if;
    perform jobforge.append_platform_key_event(p_key_id, 'KEY_CREATED', jsonb_strip_nulls(jsonb_build_object(
        'name', p_name, 'kind', 'platform', 'expires_at', jobforge.utc_text(p_expires_at))), v_actor_id);
    return p_key_id;
end
$$;

-- Newest first. expired is by the database's clock.
create or replace function jobforge.list_platform_keys()
    returns table (key_id text, name text, status text, expires_at timestamptz, expired boolean,
        created_at timestamptz, created_by text, last_used_at timestamptz, revoked_at timestamptz,
        revoked_by text)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select k.key_id, k.name, k.status, k.expires_at, coalesce(k.expires_at <= clock_timestamp(), false),
        k.created_at, k.created_by, k.last_used_at, k.revoked_at, k.revoked_by
    from jobforge.platform_keys k order by k.created_at desc, k.key_id desc
$$;

-- Waits for the changes that the key has begun (enter_platform_request shares its row). Revoked already:
-- nothing changes.
create or replace function jobforge.revoke_platform_key(p_key_id text, p_reason text default '')
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_actor_id text := 'login:' || session_user;
    v_status text;
begin
    perform jobforge.check_length('a reason', coalesce(p_reason, ''), 0, 500);
    select k.status into v_status from jobforge.platform_keys k where k.key_id = p_key_id for update;
    if not found then
        perform jobforge.raise_not_found('platform key', coalesce(p_key_id, 'NULL'));
    elsif v_status = 'REVOKED' then
        return;
    end if;
    update jobforge.platform_keys k
    set status = 'REVOKED', revoked_at = clock_timestamp(), revoked_by = v_actor_id
    where k.key_id = p_key_id;
    perform jobforge.append_platform_key_event(p_key_id, 'KEY_REVOKED',
        jsonb_strip_nulls(jsonb_build_object('reason', nullif(p_reason, ''))), v_actor_id);
end
$$;

-- The first statement of a platform key's request. The gateway computes the mac from the key that it was
-- shown: it cannot read the stored one, so its login alone opens nothing. To the end of the transaction the
-- connection acts for no tenant but the platform. An unknown id and a wrong secret look alike.
create or replace function jobforge.enter_platform_request(p_key_id text, p_secret_mac bytea,
    p_changes boolean default false) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '2s'
    set plan_cache_mode = force_generic_plan as $$
declare
    v_platform constant uuid := '00000000-0000-0000-0000-000000000000';
    v_key record;
begin
    if p_changes then
        perform from jobforge.platform_keys k
        where k.key_id = p_key_id and k.secret_mac = p_secret_mac for key share;
    end if;
    select k.status, k.expires_at <= clock_timestamp() as expired,
        coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as unused
    into v_key
    from jobforge.platform_keys k where k.key_id = p_key_id and k.secret_mac = p_secret_mac;
    if not found then
        perform jobforge.raise_error('UNAUTHORIZED', 'this API key is not known',
            'Look at the whole key, or ask for a new one.');
    elsif v_key.status <> 'ACTIVE' then
        perform jobforge.raise_error('API_KEY_REVOKED', 'this API key was revoked', 'Ask for a new one.');
    elsif v_key.expired then
        perform jobforge.raise_error('UNAUTHORIZED', 'this API key has expired', 'Ask for a new one.');
    end if;
    perform set_config('app.tenant_id', v_platform::text, true),
        set_config('app.actor_id', 'platform:' || p_key_id, true),
        set_config('app.platform_key', p_key_id, true),
        set_config('app.platform_mac', encode(p_secret_mac, 'hex'), true);
    if jobforge.current_tenant() is distinct from v_platform then
        perform jobforge.raise_error('FORBIDDEN', 'the login of this server may not act for all tenants',
            'It needs jobforge_gateway, and must be bound to no tenant.');
    end if;
    if v_key.unused then
        update jobforge.platform_keys k set last_used_at = clock_timestamp()
        where k.key_id in (select u.key_id from jobforge.platform_keys u
            where u.key_id = p_key_id for no key update skip locked);
    end if;
    return v_platform;
end
$$;

-- The platform key that entered in this transaction, asked again: a setting can be written by every login,
-- the mac beside it can be known only from the key.
create or replace function jobforge.require_platform_key() returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_key_id text;
begin
    select k.key_id into v_key_id from jobforge.platform_keys k
    where k.key_id = current_setting('app.platform_key', true)
        and encode(k.secret_mac, 'hex') = current_setting('app.platform_mac', true)
        and k.status = 'ACTIVE' and coalesce(k.expires_at > clock_timestamp(), true);
    if not found then
        perform jobforge.raise_error('FORBIDDEN', 'only a platform key may do this',
            'An operator makes one: jobforge keys create NAME --platform.');
    end if;
    return v_key_id;
end
$$;

-- The trail names what a key looked at or was refused, at most once a minute.
create or replace function jobforge.note_platform_read(p_key_id text, p_event_type text, p_what text)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    insert into jobforge.platform_reads as r (key_id, what, noted_at)
    values (p_key_id, left(p_what, 300), clock_timestamp())
    on conflict (key_id, what) do update set noted_at = excluded.noted_at
        where r.noted_at <= excluded.noted_at - interval '1 minute';
    if found then
        perform jobforge.append_platform_key_event(p_key_id, p_event_type,
            jsonb_build_object('what', left(p_what, 300)), 'platform:' || p_key_id);
    end if;
end
$$;

-- What a platform key is never changes; REVOKED is the end.
create or replace function jobforge.guard_platform_key() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if (new.key_id, new.name, new.secret_mac, new.expires_at, new.created_at, new.created_by)
        is distinct from (old.key_id, old.name, old.secret_mac, old.expires_at, old.created_at, old.created_by)
        or (old.status = 'REVOKED' and (new.status, new.revoked_at, new.revoked_by)
            is distinct from (old.status, old.revoked_at, old.revoked_by)) then
        perform jobforge.raise_transition('platform key', old.key_id, old.status, new.status);
    end if;
    return new;
end
$$;
create or replace trigger platform_keys_guard before update on jobforge.platform_keys
    for each row execute function jobforge.guard_platform_key();
create or replace trigger platform_keys_never_deleted before delete or truncate on jobforge.platform_keys
    for each statement execute function jobforge.refuse_change();
alter function jobforge.guard_platform_key owner to jobforge_owner;
revoke execute on function jobforge.guard_platform_key from public;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['append_platform_event', 'append_platform_key_event',
        'create_platform_key', 'list_platform_keys', 'revoke_platform_key', 'enter_platform_request',
        'require_platform_key', 'note_platform_read']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_engine', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.key_aggregate to jobforge_engine;
grant execute on function jobforge.create_platform_key, jobforge.list_platform_keys,
    jobforge.revoke_platform_key to jobforge_owner;
grant execute on function jobforge.enter_platform_request to jobforge_gateway;
