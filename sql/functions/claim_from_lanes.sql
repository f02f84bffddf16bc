-- Spreads one claim over the lanes: strictly by priority, within a priority a fair share per tenant,
-- what a tenant leaves going to the others in a next round.
create or replace function jobforge.claim_from_lanes(p_worker text, p_limit integer, p_types text[],
    p_lease_seconds integer, p_type_limits integer[], p_lane_types text[], p_lane_priorities integer[],
    p_lane_tenants uuid[], p_lane_floors timestamptz[]) returns jobforge.jobs[]
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_jobs jobforge.jobs[] := '{}';
    v_got jobforge.jobs[];
    v_until timestamptz := clock_timestamp();
    v_priority integer;
    v_served uuid[];
    v_lanes record;
    v_tenants integer;
    v_share integer;
    v_left integer := p_limit;
begin
    for v_priority in
        select distinct l.priority from unnest(p_lane_priorities, p_lane_floors) l(priority, first)
        where l.first <= v_until order by l.priority
    loop
        v_served := '{}';
        loop
            select count(distinct l.tenant_id) into v_tenants
            from unnest(p_lane_priorities, p_lane_tenants, p_lane_floors) l(priority, tenant_id, first)
            where l.priority = v_priority and l.first <= v_until and l.tenant_id <> all(v_served);
            exit when v_tenants = 0 or v_left = 0;
            v_share := ceil(v_left::numeric / v_tenants)::integer;
            -- More tenants than places: a random choice, so that nobody's turn depends on its id.
            for v_lanes in
                select l.tenant_id, array_agg(l.type) as types, array_agg(l.first) as floors
                from unnest(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors)
                    l(type, priority, tenant_id, first)
                where l.priority = v_priority and l.first <= v_until and l.tenant_id <> all(v_served)
                group by l.tenant_id
                order by case when v_tenants > v_left then random() end, min(l.first)
            loop
                exit when v_left = 0;
                v_got := jobforge.claim_tenant(p_worker, v_priority::smallint, v_lanes.tenant_id, v_lanes.types,
                    v_lanes.floors, v_until, least(v_share, v_left), p_lease_seconds, p_types,
                    p_type_limits, v_jobs);
                if cardinality(v_got) < least(v_share, v_left) then
                    v_served := v_served || v_lanes.tenant_id;
                end if;
                v_left := v_left - cardinality(v_got);
                v_jobs := v_jobs || v_got;
            end loop;
        end loop;
    end loop;
    return v_jobs;
end
$$;

-- A tenant's share at one priority, in due order across its types. With several types a look without
-- locks finds the due time at which the share is full; each type's lane is then claimed up to there.
create or replace function jobforge.claim_tenant(p_worker text, p_priority smallint, p_tenant_id uuid,
    p_lane_types text[], p_lane_floors timestamptz[], p_until timestamptz, p_limit integer,
    p_lease_seconds integer, p_types text[], p_type_limits integer[], p_claimed jobforge.jobs[])
    returns jobforge.jobs[]
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_jobs jobforge.jobs[] := '{}';
    v_got jobforge.jobs[];
    v_until timestamptz := p_until;
    v_lane record;
    v_want integer;
begin
    if cardinality(p_lane_types) > 1 then
        select max(m.scheduled_at) into v_until from (
            select h.scheduled_at
            from unnest(p_lane_types, p_lane_floors) l(type, first) cross join lateral (
                select j.scheduled_at from jobforge.jobs j
                where j.status = 'QUEUED' and not j.interrupted and j.type = l.type
                    and j.priority = p_priority and j.tenant_id = p_tenant_id
                    and j.scheduled_at >= l.first and j.scheduled_at <= p_until
                order by j.scheduled_at limit p_limit) h
            order by h.scheduled_at limit p_limit) m;
    end if;
    for v_lane in
        select l.type, l.first, t.lease_seconds, t.rate_limit_per_minute, t.tenant_rate_limit_per_minute,
            p_type_limits[array_position(p_types, l.type)] as own_limit,
            (t.concurrency_limit is not null or t.tenant_concurrency_limit is not null
                or t.rate_limit_per_minute is not null or t.tenant_rate_limit_per_minute is not null
                or exists (select from jobforge.tenants n
                    where n.tenant_id = p_tenant_id and n.concurrency_limit is not null)) as limited
        from unnest(p_lane_types, p_lane_floors) l(type, first) join jobforge.job_types t on t.type = l.type
        order by l.first
    loop
        v_want := p_limit - cardinality(v_jobs);
        if v_lane.own_limit is not null then
            v_want := least(v_want, v_lane.own_limit - (
                select count(*) from unnest(p_claimed || v_jobs) j where j.type = v_lane.type));
        end if;
        continue when v_want <= 0;
        if v_lane.limited then
            v_want := jobforge.claim_allowance(v_lane.type, p_tenant_id, v_want);
            continue when v_want <= 0;
        end if;
        select coalesce(array_agg(c), '{}') into v_got
        from jobforge.claim_lane(p_worker, v_lane.type, p_priority, p_tenant_id, v_lane.first, v_until,
            v_want, coalesce(v_lane.lease_seconds, p_lease_seconds)) c;
        if v_lane.limited then
            perform jobforge.take_tokens('00000000-0000-0000-0000-000000000000', v_lane.type,
                v_lane.rate_limit_per_minute, cardinality(v_got));
            perform jobforge.take_tokens(p_tenant_id, v_lane.type,
                v_lane.tenant_rate_limit_per_minute, cardinality(v_got));
        end if;
        v_jobs := v_jobs || v_got;
    end loop;
    return v_jobs;
end
$$;

create or replace function jobforge.check_claim(p_worker text, p_limit integer, p_types text[],
    p_type_limits integer[], p_lease_seconds integer) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if coalesce(p_worker, '') = '' or length(p_worker) > 200 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a worker id has 1 to 200 characters', '');
    elsif p_limit is null or p_limit not between 1 and 10000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('limit %s is not between 1 and 10000', p_limit), '');
    elsif coalesce(cardinality(p_types), 0) = 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a claim names the job types it has handlers for', '');
    elsif p_lease_seconds is null or p_lease_seconds not between 1 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a lease lasts 1 to 86400 seconds', '');
    end if;
    perform jobforge.check_same_length(cardinality(p_types), cardinality(p_type_limits), 'p_type_limits');
end
$$;

-- A worker may run an interrupted job when it runs nothing else.
create or replace function jobforge.may_run_alone(p_worker text, p_types text[]) returns boolean
    language sql stable set search_path = pg_catalog, pg_temp as $$
    select exists (select from jobforge.jobs j
            where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)
                and j.scheduled_at <= clock_timestamp())
        and not exists (select from jobforge.jobs j where j.status = 'RUNNING' and j.lease_owner = p_worker)
$$;
alter function jobforge.claim_from_lanes owner to jobforge_engine;
alter function jobforge.claim_tenant owner to jobforge_engine;
alter function jobforge.check_claim owner to jobforge_engine;
alter function jobforge.may_run_alone owner to jobforge_engine;
revoke execute on function jobforge.claim_from_lanes, jobforge.claim_tenant, jobforge.check_claim,
    jobforge.may_run_alone from public;
