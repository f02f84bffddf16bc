-- The door of the HTTP API, for gateways. Runs as the engine: a key is named before anybody knows
-- its tenant.

-- All that a node keeps of a key: what its secret hashes to, what it may, and the versions of both.
-- No row: that id does not exist. Policies are those for all keys, for the key's roles and for its line,
-- in the order in which they decide.
create or replace function jobforge.find_api_key(p_key_id text)
    returns table (tenant_id uuid, secret_mac bytea, roles text[], status text, expired boolean,
        version bigint, access_version bigint, policies json)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.tenant_id, k.secret_mac, k.roles, k.status,
        coalesce(k.expires_at <= clock_timestamp(), false), k.version, coalesce(v.version, 0),
        (select coalesce(json_agg(json_build_object('policy_id', p.policy_id, 'effect', p.effect,
                'priority', p.priority, 'method', p.method, 'path_pattern', p.path_pattern)
                order by p.priority desc, p.effect = 'allow', p.policy_id), '[]')
            from jobforge.access_policies p
            where p.tenant_id = k.tenant_id and (p.role is null or p.role = any(k.roles))
                and (p.key_id is null or p.key_id = k.first_key_id))
    from jobforge.api_keys k left join jobforge.access_versions v on v.tenant_id = k.tenant_id
    where k.key_id = p_key_id;
end
$$;

-- The first statement of every request: the key is still what the node took it for, and from here to
-- the end of the transaction the connection acts for its tenant. API_KEY_REVOKED; UNAUTHORIZED;
-- ACCESS_CHANGED: the node's copy is out of date, it asks find_api_key and decides again.
--
-- With p_changes a revocation waits for the end of this transaction: both lock the key's row, this one
-- shared (end_api_key). A request that waited for a revocation sees it. It waits for two seconds at
-- most: a tenant may leave the transaction open that revokes its own key.
create or replace function jobforge.enter_request(p_key_id text, p_key_version bigint,
    p_access_version bigint, p_changes boolean default false) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '2s'
    set plan_cache_mode = force_generic_plan as $$
declare
    v_key record;
begin
    if p_changes then
        perform from jobforge.api_keys k where k.key_id = p_key_id for key share;
    end if;
    select k.tenant_id, k.status, k.version, k.expires_at <= clock_timestamp() as expired,
        coalesce(v.version, 0) as access_version,
        coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as unused
    into v_key
    from jobforge.api_keys k left join jobforge.access_versions v on v.tenant_id = k.tenant_id
    where k.key_id = p_key_id;
    if not found then
        perform jobforge.raise_error('UNAUTHORIZED', 'there is no such API key', '');
    elsif v_key.status <> 'ACTIVE' then
        perform jobforge.raise_error('API_KEY_REVOKED', 'this API key was revoked', 'Ask for a new one.');
    elsif v_key.expired then
        perform jobforge.raise_error('UNAUTHORIZED', 'this API key has expired', 'Ask for a new one.');
    elsif v_key.version is distinct from p_key_version
        or v_key.access_version is distinct from p_access_version then
        perform jobforge.raise_error('ACCESS_CHANGED', 'the rights of this API key have just changed',
            'Try again.');
    end if;
    perform set_config('app.tenant_id', v_key.tenant_id::text, true),
        set_config('app.actor_id', 'key:' || p_key_id, true);
    -- A login that is bound to a tenant would answer every key with that tenant's rows.
    if jobforge.current_tenant() is distinct from v_key.tenant_id then
        perform jobforge.raise_error('FORBIDDEN', 'the login of this server may not act for all tenants',
            'It needs jobforge_gateway, and must be bound to no tenant.');
    end if;
    if v_key.unused then
        -- Once a minute; a busy row is left alone: another request updates it.
        update jobforge.api_keys k set last_used_at = clock_timestamp()
        where (k.tenant_id, k.key_id) in (select u.tenant_id, u.key_id from jobforge.api_keys u
            where u.tenant_id = v_key.tenant_id and u.key_id = p_key_id for no key update skip locked);
    end if;
    return v_key.tenant_id;
end
$$;
alter function jobforge.find_api_key owner to jobforge_engine;
alter function jobforge.enter_request owner to jobforge_engine;
revoke execute on function jobforge.find_api_key, jobforge.enter_request from public;
grant execute on function jobforge.find_api_key, jobforge.enter_request to jobforge_gateway;
