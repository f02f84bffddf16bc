-- Quarantine: how jobs that lost their worker run again.
--
-- A crash is blamed on every job that ran in the process, because it is unknown which one it was.
-- Such jobs run beside all other work, which never waits for them, but few at once in one process:
-- a quarter of its slots (at least one) for those interrupted once, one for all that were interrupted
-- more often. So a second crash implicates at most a quarter of the first one's jobs, and from the
-- third on the job that causes it is alone among the suspects: no neighbour loses more than two
-- attempts to it.
--
-- A tenant with a worker of its own can make interrupted jobs, by letting leases expire: 20,000 of them in
-- a second made each claim of everybody read 20,000 rows. So nothing here reads the jobs one by one. They are
-- found by their lanes, of which a tenant has two for each type and priority, and tenants take turns.

-- The lanes of the interrupted jobs that wait, also of future ones: type, whether they were interrupted more
-- than once (0 or 1), priority, tenant, and when the first is due. NULLs: there are none. A loose index
-- scan over jobs_quarantine, as in find_lanes; types without such jobs cost one look each.
create or replace function jobforge.interrupted_lanes(p_types text[], p_tenants uuid[])
    returns jobforge.quarantine_lanes
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off as $$
declare
    v_type text;
    v_got jobforge.quarantine_lanes;
    v_all jobforge.quarantine_lanes;
begin
    for v_type in
        select t.type from unnest(p_types) t(type) where exists (select from jobforge.jobs j
            where j.interrupted and j.status = 'QUEUED' and j.type = t.type)
    loop
        if p_tenants is null then
            with recursive lane as (
                (select (j.interruptions > 1)::integer as often, j.priority, j.tenant_id, j.scheduled_at
                 from jobforge.jobs j
                 where j.interrupted and j.status = 'QUEUED' and j.type = v_type
                 order by (j.interruptions > 1)::integer, j.priority, j.tenant_id, j.scheduled_at limit 1)
                union all
                select n.often, n.priority, n.tenant_id, n.scheduled_at
                from lane l cross join lateral (
                    select (j.interruptions > 1)::integer as often, j.priority, j.tenant_id, j.scheduled_at
                    from jobforge.jobs j
                    where j.interrupted and j.status = 'QUEUED' and j.type = v_type
                        and ((j.interruptions > 1)::integer, j.priority, j.tenant_id)
                            > (l.often, l.priority, l.tenant_id)
                    order by (j.interruptions > 1)::integer, j.priority, j.tenant_id, j.scheduled_at limit 1) n
            )
            select array_agg(v_type), array_agg(l.often), array_agg(l.priority::integer), array_agg(l.tenant_id),
                array_agg(l.scheduled_at) into v_got from lane l;
        else
            select array_agg(v_type), array_agg(o.often), array_agg(p.priority::integer), array_agg(t.tenant_id),
                array_agg(n.scheduled_at) into v_got
            from generate_series(0, 1) o(often) cross join unnest('{0,1,2,3}'::smallint[]) p(priority)
            cross join unnest(p_tenants) t(tenant_id) cross join lateral (
                select j.scheduled_at from jobforge.jobs j
                where j.interrupted and j.status = 'QUEUED' and j.type = v_type
                    and (j.interruptions > 1)::integer = o.often and j.priority = p.priority
                    and j.tenant_id = t.tenant_id
                order by j.scheduled_at limit 1) n;
        end if;
        v_all := (v_all.types || v_got.types, v_all.often || v_got.often, v_all.priorities || v_got.priorities,
            v_all.tenants || v_got.tenants, v_all.firsts || v_got.firsts);
    end loop;
    return v_all;
end
$$;

-- A claim while interrupted jobs are due: up to p_limit jobs of the lanes and of the interrupted ones.
-- p_waiting: what interrupted_lanes answers.
-- First the tenth that is reserved for tenants with lower priorities (claim_reserve); one place of it,
-- every other time, for an interrupted job (lower_interrupted): a tenant that fills the best priority would
-- keep it waiting for ever. Then strictly by priority: lanes of a better priority first. Of the places that
-- are left interrupted jobs of the next priority get a quarter, at least one; the last place goes by due
-- time. Then come the other lanes, and interrupted jobs again where nothing else is due. Answers as
-- claim_from_lanes.
drop function if exists jobforge.claim_beside_quarantine(jobforge.claim_order, integer, text[], uuid[], integer[],
    integer, text[], integer[], uuid[], timestamptz[]);
create or replace function jobforge.claim_beside_quarantine(p_claim jobforge.claim_order, p_limit integer,
    p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_lane_types text[],
    p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamptz[], out row_ids tid[],
    out room integer[], out answer_bytes bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off as $$
declare
    v_first timestamptz;  -- when the first interrupted job of this priority is due
    v_from integer := 0;  -- lanes of better priorities are done
    v_left integer := p_limit;
    v_share integer;
    v_lanes record;
    v_got record;
    v_claim jobforge.claim_order;
    v_turn bigint;
begin
    select * into v_got from jobforge.claim_reserve(p_claim, p_limit, p_types, p_room, p_lane_types,
        p_lane_priorities, p_lane_tenants, p_lane_floors);
    row_ids := v_got.row_ids;
    room := v_got.room;
    v_claim := v_got.claim;
    answer_bytes := coalesce(v_got.answer_bytes, 0);
    v_left := p_limit - coalesce(cardinality(row_ids), 0);
    v_turn := coalesce(v_got.turn, nextval('jobforge.claim_turn'));
    if v_left > 0 and v_turn % greatest(2, 20 / p_limit) = 0 then
        select * into v_got from jobforge.claim_interrupted(v_claim, 1, p_types,
            jobforge.lower_interrupted(p_waiting, v_turn / greatest(2, 20 / p_limit)), room, p_slots,
            '{0,1,2,3}');
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
        v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
    end if;
    for v_priority in 0 .. 4 loop  -- 4: what is left
        select min(l.first) into v_first from unnest(p_waiting.priorities, p_waiting.firsts) l(priority, first)
        where l.priority = v_priority and l.first <= clock_timestamp();
        continue when v_first is null and v_priority < 4;
        select array_agg(l.type) as types, array_agg(l.priority) as priorities,
            array_agg(l.tenant_id) as tenants, array_agg(l.first) as floors into v_lanes
        from unnest(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors)
            l(type, priority, tenant_id, first)
        where l.priority >= v_from and l.priority < v_priority and l.first <= clock_timestamp();
        v_from := v_priority;
        if v_lanes.types is not null then
            select * into v_got from jobforge.claim_shares(v_claim, v_left, p_types, room, v_lanes.types,
                v_lanes.priorities, v_lanes.tenants, v_lanes.floors);
            row_ids := row_ids || v_got.row_ids;
            room := v_got.room;
            v_claim := v_got.claim;
            answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
            v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
        end if;
        exit when v_left = 0;
        v_share := case when v_priority = 4 then v_left
            when v_left > 1 then greatest(1, v_left / 4)
            when exists (select from unnest(p_lane_priorities, p_lane_floors) l(priority, first)
                where l.priority = v_priority and l.first < v_first) then 0
            else 1 end;
        continue when v_share = 0;
        select * into v_got from jobforge.claim_interrupted(v_claim, v_share, p_types, p_waiting, room, p_slots,
            case when v_priority = 4 then '{0,1,2,3}' else array[v_priority] end);
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
        v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
        exit when v_left = 0;
    end loop;
end
$$;

-- The due lanes of the tenants whose best interrupted job has one of the lower priorities, each of these
-- priorities in its turn, as in lower_lanes; all due lanes where there is only one.
create or replace function jobforge.lower_interrupted(p_waiting jobforge.quarantine_lanes, p_turn bigint)
    returns jobforge.quarantine_lanes
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_low record;
    v_lower jobforge.quarantine_lanes;
begin
    select l.tenants into v_low from jobforge.lower_lanes(p_waiting.types, p_waiting.priorities, p_waiting.tenants,
        p_waiting.firsts, p_turn) l;
    if v_low.tenants is null then
        return p_waiting;
    end if;
    select array_agg(l.type), array_agg(l.often), array_agg(l.priority), array_agg(l.tenant_id), array_agg(l.first)
    into v_lower
    from unnest(p_waiting.types, p_waiting.often, p_waiting.priorities, p_waiting.tenants, p_waiting.firsts)
        l(type, often, priority, tenant_id, first)
    where l.tenant_id = any(v_low.tenants);
    return v_lower;
end
$$;

-- Claims up to p_limit interrupted jobs of these priorities, one after the other, as far as the quarantine of
-- this worker and all limits have room. Within a priority tenants take turns, in an order that is new for
-- every claim. p_waiting: what interrupted_lanes answers. p_room is the room per type of p_types that the
-- worker itself has left (NULL: no limit). Answers the places of the rows, and the room that is left.
drop function if exists jobforge.claim_interrupted(jobforge.claim_order, integer, text[], uuid[], integer[], integer);
drop function if exists jobforge.claim_interrupted(jobforge.claim_order, integer, text[], uuid[], integer[], integer,
    smallint);
drop function if exists jobforge.quarantine_share(integer, text[], uuid[], integer[], timestamptz[]);
create or replace function jobforge.claim_interrupted(p_claim jobforge.claim_order, p_limit integer,
    p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_priorities integer[],
    out row_ids tid[], out room integer[], out answer_bytes bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off as $$
declare
    v_room integer[];  -- of the quarantine: for jobs interrupted once, and more often
    v_priority integer;
    v_lanes record;
    v_open boolean[];  -- lanes that may have more
    v_served uuid;
    v_seed text := random()::text;
    v_count integer := 0;
    v_before integer;
    v_at integer;
    v_row tid;
    v_answer bigint;
begin
    room := p_room;
    select array[greatest(1, p_slots / 4) - count(*) filter (where j.interruptions <= 1),
        1 - count(*) filter (where j.interruptions > 1)] into v_room
    from jobforge.jobs j
    where j.interrupted and j.status = 'RUNNING' and j.lease_owner = p_claim.worker;
    foreach v_priority in array p_priorities loop
        exit when 0 >= all(v_room) or v_count = p_limit;
        select array_agg(o.type) as types, array_agg(o.often) as often, array_agg(o.tenant_id) as tenants,
            array_agg(o.first) as firsts, count(*)::integer as count into v_lanes
        from (select l.type, l.often, l.tenant_id, l.first
            from unnest(p_waiting.types, p_waiting.often, p_waiting.priorities, p_waiting.tenants,
                p_waiting.firsts) l(type, often, priority, tenant_id, first)
            where l.priority = v_priority and l.first <= clock_timestamp()
            order by hashtext(v_seed || l.tenant_id), l.tenant_id, l.first) o;
        v_open := array_fill(true, array[v_lanes.count]);
        loop
            v_before := v_count;
            v_served := null;
            for i in 1 .. v_lanes.count loop
                exit when v_count = p_limit;
                continue when not v_open[i] or v_lanes.tenants[i] = v_served;
                v_at := array_position(p_types, v_lanes.types[i]);
                v_row := null;
                if v_room[1 + v_lanes.often[i]] > 0 and coalesce(room[v_at], 1) > 0 then
                    select * into v_row, v_answer from jobforge.claim_one_interrupted(p_claim, v_lanes.types[i],
                        v_lanes.often[i], v_priority, v_lanes.tenants[i], v_lanes.firsts[i]);
                end if;
                if v_row is null then
                    v_open[i] := false;
                    continue;
                end if;
                v_served := v_lanes.tenants[i];
                v_count := v_count + 1;
                row_ids := row_ids || v_row;
                answer_bytes := coalesce(answer_bytes, 0) + v_answer;
                v_room[1 + v_lanes.often[i]] := v_room[1 + v_lanes.often[i]] - 1;
                if room is not null then
                    room[v_at] := room[v_at] - 1;
                end if;
            end loop;
            exit when v_count in (v_before, p_limit);
        end loop;
    end loop;
end
$$;

-- The next due job of one lane of interrupted jobs, if its type and tenant have room. The limits are asked
-- before a row is locked, and one row is locked: those behind it are free for other workers.
create or replace function jobforge.claim_one_interrupted(p_claim jobforge.claim_order, p_type text, p_often integer,
    p_priority integer, p_tenant_id uuid, p_from timestamptz, out row_id tid, out answer_bytes bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off as $$
declare
    v_now timestamptz := clock_timestamp();
    v_row tid;
    v_bytes bigint;
begin
    if jobforge.claim_allowance(p_type, p_tenant_id, 1) < 1 then
        return;
    end if;
    select j.ctid into v_row from jobforge.jobs j
    where j.interrupted and j.status = 'QUEUED' and j.type = p_type
        and (j.interruptions > 1)::integer = p_often and j.priority = p_priority::smallint
        and j.tenant_id = p_tenant_id and j.scheduled_at >= p_from and j.scheduled_at <= v_now
    order by j.scheduled_at limit 1
    for update skip locked;
    if not found then
        return;
    end if;
    update jobforge.jobs j
    set status = 'RUNNING', attempts = j.attempts + 1,
        lease_token = greatest(j.lease_token, p_claim.token_floor) + 1,
        lease_owner = p_claim.worker, claim_id = p_claim.claim_id, started_at = v_now,
        heartbeat_at = v_now,
        lease_expires_at = v_now + coalesce((select t.lease_seconds from jobforge.job_types t
            where t.type = j.type), p_claim.lease_seconds) * interval '1 second'
    where j.ctid = v_row
    returning j.ctid, j.payload_bytes, 210 + jobforge.answer_bytes(j.payload, j.payload_bytes, j.payload_ref)
    into row_id, v_bytes, answer_bytes;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_tenant_id, p_type, 'claimed', 1, v_bytes);
    perform jobforge.take_all_tokens(p_type, p_tenant_id, 1);
end
$$;
drop function if exists jobforge.claim_interrupted(text, text[], uuid[], integer);
drop function if exists jobforge.may_run_alone(text, text[]);
alter function jobforge.interrupted_lanes owner to jobforge_engine;
alter function jobforge.claim_beside_quarantine owner to jobforge_engine;
alter function jobforge.lower_interrupted owner to jobforge_engine;
alter function jobforge.claim_interrupted owner to jobforge_engine;
alter function jobforge.claim_one_interrupted owner to jobforge_engine;
revoke execute on function jobforge.interrupted_lanes, jobforge.claim_beside_quarantine, jobforge.lower_interrupted,
    jobforge.claim_interrupted,
    jobforge.claim_one_interrupted from public;
