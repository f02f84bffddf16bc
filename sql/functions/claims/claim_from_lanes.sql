-- Spreads one claim over the lanes: a tenth (claim_reserve) to tenants whose best priority is lower, in
-- turns, the rest by priority; what either part leaves goes to the other. p_room is the room per type of p_types
-- that the worker has left (NULL: no limit). Answers the places of the rows, and the room left.
drop function if exists jobforge.claim_from_lanes(jobforge.claim_order, integer, text[], integer[], text[],
    integer[], uuid[], timestamptz[]);
drop function if exists jobforge.claim_tenant(jobforge.claim_order, smallint, uuid, text[], timestamptz[],
    timestamptz, integer, text[], integer[]);
drop function if exists jobforge.claim_from_lanes(text, integer, text[], integer, integer[], text[], integer[],
    uuid[], timestamptz[]);
create or replace function jobforge.claim_from_lanes(p_claim jobforge.claim_order, p_limit integer,
    p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[],
    p_lane_tenants uuid[], p_lane_floors timestamptz[], out row_ids tid[], out room integer[],
    out answer_bytes bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_got record;
begin
    select * into v_got from jobforge.claim_reserve(p_claim, p_limit, p_types, p_room, p_lane_types,
        p_lane_priorities, p_lane_tenants, p_lane_floors);
    row_ids := v_got.row_ids;
    room := v_got.room;
    answer_bytes := coalesce(v_got.answer_bytes, 0);
    if coalesce(cardinality(row_ids), 0) < p_limit then
        select * into v_got from jobforge.claim_shares(v_got.claim,
            p_limit - coalesce(cardinality(row_ids), 0), p_types, room, p_lane_types, p_lane_priorities,
            p_lane_tenants, p_lane_floors);
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
    end if;
end
$$;

-- The share of p_limit (reserved_percent of tenant_defaults, a tenth by default) that goes to tenants whose
-- best priority is lower, whatever p_limit is: of ten claims for one job, one is for them. Answers fewer rows, or none, where they have less to do; and the
-- turn that it took, if it took one.
create or replace function jobforge.claim_reserve(p_claim jobforge.claim_order, p_limit integer,
    p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[],
    p_lane_tenants uuid[], p_lane_floors timestamptz[], out row_ids tid[], out room integer[],
    out answer_bytes bigint, out claim jobforge.claim_order, out turn bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_got record;
    v_low record;
    v_reserve integer;
begin
    room := p_room;
    claim := p_claim;
    if not exists (select from unnest(p_lane_priorities) l(priority) where l.priority <> p_lane_priorities[1]) then
        return;
    end if;
    turn := nextval('jobforge.claim_turn');
    select (turn % 100 + 1) * p_limit * d.reserved_percent / 100 - turn % 100 * p_limit * d.reserved_percent / 100
    into v_reserve from jobforge.tenant_defaults d;
    if coalesce(v_reserve, 0) = 0 then
        return;
    end if;
    -- Claims for one job come here once in ten turns, larger ones in each: both must go round.
    select * into v_low from jobforge.lower_lanes(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors,
        turn / 10 + turn);
    if v_low.types is not null then
        select * into v_got from jobforge.claim_shares(p_claim, v_reserve, p_types, room, v_low.types,
            v_low.priorities, v_low.tenants, v_low.floors);
        row_ids := v_got.row_ids;
        room := v_got.room;
        claim := v_got.claim;
        answer_bytes := v_got.answer_bytes;
    end if;
end
$$;

-- The due lanes of the tenants whose best priority is one of the lower ones: priorities order a tenant's
-- own work, and between tenants they decide most places, not all. (20,000 jobs of priority 0 of one
-- tenant kept another one's default job waiting for more than a minute.) Each of these priorities has its
-- turn: else tenants at 0 and 1 would leave nothing to one at 2.
drop function if exists jobforge.lower_lanes(text[], integer[], uuid[], timestamptz[]);
create or replace function jobforge.lower_lanes(p_types text[], p_priorities integer[], p_tenants uuid[],
    p_floors timestamptz[], p_turn bigint, out types text[], out priorities integer[], out tenants uuid[],
    out floors timestamptz[])
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_until timestamptz := clock_timestamp();
    v_best integer[];  -- of each tenant in v_tenants
    v_tenants uuid[];
    v_levels integer[];
    v_level integer;
begin
    select array_agg(b.tenant_id), array_agg(b.priority), array_agg(distinct b.priority)
    into v_tenants, v_best, v_levels
    from (select l.tenant_id, min(l.priority) as priority
        from unnest(p_priorities, p_tenants, p_floors) l(priority, tenant_id, first)
        where l.first <= v_until group by l.tenant_id) b;
    if coalesce(cardinality(v_levels), 0) < 2 then
        return;
    end if;
    -- array_agg(distinct) sorts; the first level is the best of all.
    v_level := v_levels[2 + p_turn % (cardinality(v_levels) - 1)];
    select array_agg(l.type), array_agg(l.priority), array_agg(l.tenant_id), array_agg(l.first)
    into types, priorities, tenants, floors
    from unnest(p_types, p_priorities, p_tenants, p_floors) l(type, priority, tenant_id, first)
    where l.first <= v_until and l.tenant_id in (select b.tenant_id
        from unnest(v_tenants, v_best) b(tenant_id, priority) where b.priority = v_level);
end
$$;

-- Strictly by priority, within a priority a fair share per tenant, what a tenant leaves going to the
-- others in a next round.
create or replace function jobforge.claim_shares(p_claim jobforge.claim_order, p_limit integer,
    p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[],
    p_lane_tenants uuid[], p_lane_floors timestamptz[], out row_ids tid[], out room integer[],
    out answer_bytes bigint, out claim jobforge.claim_order)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_got record;
    v_until timestamptz := clock_timestamp();
    v_priority integer;
    v_served uuid[];
    v_lanes record;
    v_tenants integer;
    v_share integer;
    v_left integer := p_limit;
    v_want integer;
    v_at integer;
    v_count integer;
begin
    room := p_room;
    claim := p_claim;
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
            -- More tenants than places: a random choice, so that no tenant's turn depends on its id.
            for v_lanes in
                select l.tenant_id, array_agg(l.type) as types, array_agg(l.first) as floors
                from unnest(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors)
                    l(type, priority, tenant_id, first)
                where l.priority = v_priority and l.first <= v_until and l.tenant_id <> all(v_served)
                group by l.tenant_id
                order by case when v_tenants > v_left then random() end, min(l.first)
            loop
                exit when v_left = 0;
                v_at := array_position(claim.held_tenants, v_lanes.tenant_id);
                v_want := least(v_share, v_left,
                    claim.tenant_cap - coalesce(claim.held_counts[v_at], 0));
                if v_want <= 0 then
                    v_served := v_served || v_lanes.tenant_id;
                    continue;
                end if;
                select * into v_got from jobforge.claim_tenant(p_claim, v_priority::smallint,
                    v_lanes.tenant_id, v_lanes.types, v_lanes.floors, v_until, v_want, p_types, room);
                v_count := coalesce(cardinality(v_got.row_ids), 0);
                if v_count < least(v_share, v_left) then
                    v_served := v_served || v_lanes.tenant_id;
                end if;
                if claim.tenant_cap is not null and v_count > 0 then
                    if v_at is null then
                        claim.held_tenants := claim.held_tenants || v_lanes.tenant_id;
                        claim.held_counts := claim.held_counts || v_count;
                    else
                        claim.held_counts[v_at] := claim.held_counts[v_at] + v_count;
                    end if;
                end if;
                v_left := v_left - v_count;
                row_ids := row_ids || v_got.row_ids;
                room := v_got.room;
                answer_bytes := coalesce(answer_bytes, 0) + coalesce(v_got.answer_bytes, 0);
            end loop;
        end loop;
    end loop;
end
$$;

-- A tenant's share at one priority, in due order across its types. With several types a look without
-- locks finds the due time at which the share is full; each type's lane is then claimed up to there.
drop function if exists jobforge.claim_tenant(text, smallint, uuid, text[], timestamptz[], timestamptz, integer,
    integer, text[], integer[], jobforge.jobs[]);
create or replace function jobforge.claim_tenant(p_claim jobforge.claim_order, p_priority smallint,
    p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamptz[], p_until timestamptz,
    p_limit integer, p_types text[], p_room integer[], out row_ids tid[], out room integer[],
    out answer_bytes bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_got record;
    v_until timestamptz := p_until;
    v_lane record;
    v_want integer;
begin
    room := p_room;
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
        select l.type, l.first, array_position(p_types, l.type) as at,
            (t.concurrency_limit is not null or t.tenant_concurrency_limit is not null
                or t.rate_limit_per_minute is not null or t.tenant_rate_limit_per_minute is not null
                or exists (select from jobforge.tenants n
                    where n.tenant_id = p_tenant_id and n.concurrency_limit is not null)) as limited
        from unnest(p_lane_types, p_lane_floors) l(type, first) join jobforge.job_types t on t.type = l.type
        where l.type = any(p_types)
        order by l.first
    loop
        v_want := least(p_limit - coalesce(cardinality(row_ids), 0), coalesce(room[v_lane.at], p_limit));
        continue when v_want <= 0;
        if v_lane.limited then
            v_want := jobforge.claim_allowance(v_lane.type, p_tenant_id, v_want);
            continue when v_want <= 0;
        end if;
        select * into v_got from jobforge.claim_lane(p_claim, v_lane.type, p_priority, p_tenant_id,
            v_lane.first, v_until, v_want);
        if v_lane.limited then
            perform jobforge.take_all_tokens(v_lane.type, p_tenant_id, cardinality(v_got.row_ids));
        end if;
        if room is not null then
            room[v_lane.at] := room[v_lane.at] - coalesce(cardinality(v_got.row_ids), 0);
        end if;
        row_ids := row_ids || v_got.row_ids;
        answer_bytes := coalesce(answer_bytes, 0) + coalesce(v_got.answer_bytes, 0);
    end loop;
end
$$;
alter function jobforge.claim_from_lanes owner to jobforge_engine;
alter function jobforge.claim_reserve owner to jobforge_engine;
alter function jobforge.lower_lanes owner to jobforge_engine;
alter function jobforge.claim_shares owner to jobforge_engine;
alter function jobforge.claim_tenant owner to jobforge_engine;
revoke execute on function jobforge.claim_from_lanes, jobforge.claim_reserve, jobforge.lower_lanes, jobforge.claim_shares,
    jobforge.claim_tenant from public;
