-- Which lanes (type, priority, tenant) have waiting jobs, and when the first of each is due. Also
-- future ones, so that a worker knows when to wake up. interrupted marks jobs that lost their worker:
-- these have lanes of their own (interrupted_lanes). (solo: the name that workers of the version
-- before read.)
--
-- A loose index scan: one descent of jobs_ready per lane. It passes over dead index entries, which
-- is expensive while an old snapshot keeps them; a worker therefore remembers its lanes, claims from
-- there, and looks again only as often as its last look was cheap (src/engine/PROTOCOL.md).
drop function if exists jobforge.find_lanes(text[], uuid[]);
create or replace function jobforge.find_lanes(p_types text[], p_tenants uuid[] default null)
    returns table (type text, priority smallint, tenant_id uuid, scheduled_at timestamptz, solo boolean,
        interrupted boolean)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off as $$
#variable_conflict use_column
declare
    v_type text;
    v_waiting jobforge.quarantine_lanes;
begin
    -- In place: each call of a checking function costs a look 5 of its 40 us.
    if p_types is null or array_ndims(p_types) > 1 or array_position(p_types, null) is not null then
        perform jobforge.check_elements(p_types, 'p_types');
    elsif array_ndims(p_tenants) > 1 or array_position(p_tenants, null) is not null then
        perform jobforge.check_elements(p_tenants, 'p_tenants');
    end if;
    foreach v_type in array p_types loop
        if p_tenants is null then
            return query
            with recursive lane as (
                (select j.priority, j.tenant_id, j.scheduled_at from jobforge.jobs j
                 where j.status = 'QUEUED' and not j.interrupted and j.type = v_type
                 order by j.priority, j.tenant_id, j.scheduled_at limit 1)
                union all
                select n.priority, n.tenant_id, n.scheduled_at
                from lane l cross join lateral (
                    select j.priority, j.tenant_id, j.scheduled_at from jobforge.jobs j
                    where j.status = 'QUEUED' and not j.interrupted and j.type = v_type
                        and (j.priority, j.tenant_id) > (l.priority, l.tenant_id)
                    order by j.priority, j.tenant_id, j.scheduled_at limit 1) n
            )
            select v_type, l.priority, l.tenant_id, l.scheduled_at, false, false from lane l;
        else
            return query
            select v_type, p.priority, n.tenant_id, n.scheduled_at, false, false
            from unnest('{0,1,2,3}'::smallint[]) p(priority)
            cross join unnest(p_tenants) t(tenant_id) cross join lateral (
                select j.tenant_id, j.scheduled_at from jobforge.jobs j
                where j.status = 'QUEUED' and not j.interrupted and j.type = v_type
                    and j.priority = p.priority and j.tenant_id = t.tenant_id
                order by j.scheduled_at limit 1) n;
        end if;
    end loop;
    v_waiting := jobforge.interrupted_lanes(p_types, p_tenants);
    return query
    select l.type, l.priority::smallint, l.tenant_id, l.first, true, true
    from unnest(v_waiting.types, v_waiting.priorities, v_waiting.tenants, v_waiting.firsts)
        l(type, priority, tenant_id, first);
end
$$;
alter function jobforge.find_lanes owner to jobforge_engine;
revoke execute on function jobforge.find_lanes from public;
grant execute on function jobforge.find_lanes to jobforge_worker;
