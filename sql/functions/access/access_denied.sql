-- Refused access is an audit event, at most one a minute per key and route with a count of all that
-- were meant: a client that is refused a thousand times a second must not fill the chain.

-- One event for all refusals that none tells of yet. The caller holds the row.
create or replace function jobforge.tell_access_denied(p_row jobforge.access_denials) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.append_key_event(p_row.key_id, 'ACCESS_DENIED', jsonb_build_object(
        'route', p_row.route, 'reason', p_row.reason, 'count', p_row.pending), 'key:' || p_row.key_id);
    update jobforge.access_denials d set pending = 0, noted_at = clock_timestamp()
    where d.tenant_id = p_row.tenant_id and d.key_id = p_row.key_id and d.route = p_row.route;
end
$$;

-- The first of a minute is told at once; the others wait for the next, or for flush_access_denied.
create or replace function jobforge.count_access_denied(p_key_id text, p_route text, p_reason text)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_now timestamptz := clock_timestamp();
    v_row jobforge.access_denials;
begin
    insert into jobforge.access_denials as d (tenant_id, key_id, route, reason, pending, last_at)
    values (v_tenant_id, p_key_id, left(p_route, 300), left(p_reason, 100), 1, v_now)
    on conflict (tenant_id, key_id, route) do update
        set reason = excluded.reason, pending = d.pending + 1, last_at = excluded.last_at
    returning d.* into v_row;
    if v_row.noted_at <= v_now - interval '1 minute' then
        begin
            perform jobforge.tell_access_denied(v_row);
        exception when lock_not_available then
            null; -- another transaction holds the key's chain: flush_access_denied tells of it
        end;
    end if;
end
$$;

-- For gateways; acts for the key's tenant to the end of the transaction. An id that does not exist has
-- no tenant whose log could tell of it: nothing. It waits a tenth of a second at most: a tenant may leave
-- the revocation of its key open, and one thread of the API notes the refusals of all tenants.
create or replace function jobforge.note_access_denied(p_key_id text, p_route text, p_reason text)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '100ms' as $$
declare
    v_tenant_id uuid;
begin
    if coalesce(p_route, '') = '' or coalesce(p_reason, '') = '' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a refusal has a route and a reason', '');
    end if;
    select k.tenant_id into v_tenant_id from jobforge.api_keys k where k.key_id = p_key_id;
    if found then
        perform set_config('app.tenant_id', v_tenant_id::text, true);
        perform jobforge.count_access_denied(p_key_id, p_route, p_reason);
    end if;
end
$$;

-- Housekeeping: tells of what still waits after its minute, and forgets what is an hour old. How
-- many events. If another transaction holds the chain of a key (an open revocation), that key is left for
-- the next run: this function serves all tenants, and the same thread takes back the jobs of dead workers.
create or replace function jobforge.flush_access_denied(p_limit integer default 100) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.access_denials;
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 100000);
    for v_row in
        select d.* from jobforge.access_denials d
        where d.pending > 0 and d.noted_at <= clock_timestamp() - interval '1 minute'
        order by d.tenant_id, d.key_id, d.route limit p_limit for update skip locked
    loop
        continue when not jobforge.try_turn(v_row.tenant_id, 'api_key_events ' || v_row.key_id);
        perform set_config('app.tenant_id', v_row.tenant_id::text, true);
        perform jobforge.tell_access_denied(v_row);
        v_count := v_count + 1;
    end loop;
    perform set_config('app.tenant_id', '', true);
    delete from jobforge.access_denials d where (d.tenant_id, d.key_id, d.route) in (
        select o.tenant_id, o.key_id, o.route from jobforge.access_denials o
        where o.pending = 0 and o.last_at <= clock_timestamp() - interval '1 hour'
        limit 1000 for update skip locked);
    return v_count;
end
$$;
alter function jobforge.tell_access_denied owner to jobforge_definer;
alter function jobforge.count_access_denied owner to jobforge_definer;
alter function jobforge.note_access_denied owner to jobforge_engine;
alter function jobforge.flush_access_denied owner to jobforge_engine;
revoke execute on function jobforge.tell_access_denied, jobforge.count_access_denied,
    jobforge.note_access_denied, jobforge.flush_access_denied from public;
grant execute on function jobforge.tell_access_denied, jobforge.count_access_denied to jobforge_engine;
grant execute on function jobforge.note_access_denied to jobforge_gateway;
grant execute on function jobforge.flush_access_denied to jobforge_worker;
