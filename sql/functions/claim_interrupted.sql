-- Quarantine: how jobs that lost their worker run again.
--
-- A crash is blamed on every job that ran in the process, because nobody can tell which one it was.
-- Such jobs run beside all other work, which never waits for them, but few at once in one process:
-- a quarter of its slots (at least one) for those interrupted once, one for all that were interrupted
-- more often. So a second crash implicates at most a quarter of the first one's jobs, and from the
-- third on the job that causes it is alone among the suspects: no neighbour loses more than two
-- attempts to it.

-- A claim while interrupted jobs are due: up to p_limit jobs of the lanes and of the interrupted ones.
-- First the tenth that is reserved for tenants with lower priorities (claim_reserve); one place of it,
-- every other time, for the interrupted job that is due the longest: a tenant that fills the best
-- priority would keep it waiting for ever. Then strictly by priority: lanes of a better priority first.
-- Of the places that are left interrupted
-- jobs of the next priority get a quarter, at least one; the last place goes by due time. Then come the
-- other lanes, and interrupted jobs again where nothing else is due. Answers as claim_from_lanes.
create or replace function jobforge.claim_beside_quarantine(p_claim jobforge.claim_order, p_limit integer,
    p_types text[], p_tenants uuid[], p_room integer[], p_slots integer, p_lane_types text[],
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
begin
    select * into v_got from jobforge.claim_reserve(p_claim, p_limit, p_types, p_room, p_lane_types,
        p_lane_priorities, p_lane_tenants, p_lane_floors);
    row_ids := v_got.row_ids;
    room := v_got.room;
    v_claim := v_got.claim;
    answer_bytes := coalesce(v_got.answer_bytes, 0);
    v_left := p_limit - coalesce(cardinality(row_ids), 0);
    if v_left > 0 and coalesce(v_got.turn, nextval('jobforge.claim_turn')) % greatest(2, 20 / p_limit) = 0 then
        select * into v_got from jobforge.claim_interrupted(v_claim, 1, p_types, p_tenants, room, p_slots, null);
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
        v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
    end if;
    for v_priority in 0 .. 4 loop  -- 4: what is left
        select min(j.scheduled_at) into v_first from jobforge.jobs j
        where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types) and j.priority = v_priority
            and j.scheduled_at <= clock_timestamp()
            and (p_tenants is null or j.tenant_id = any(p_tenants));
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
        select * into v_got from jobforge.claim_interrupted(v_claim, v_share, p_types, p_tenants, room, p_slots,
            nullif(v_priority, 4)::smallint);
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
        v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
        exit when v_left = 0;
    end loop;
end
$$;

-- Claims up to p_limit interrupted jobs (of p_priority, NULL: of all), as far as the quarantine of this
-- worker and all limits have room. p_room is the room per type of p_types that the worker itself has
-- left (NULL: no limit). Answers the places of the rows, and the room that is left.
--
-- Rows are locked one by one, when they are wanted: a locking loop locks ahead of what it takes. The
-- count names no status (an owner implies RUNNING), but every type: else it read the leases of all
-- workers (2,081 rows where one job was interrupted), or the whole primary key.
drop function if exists jobforge.claim_interrupted(jobforge.claim_order, integer, text[], uuid[], integer[], integer);
drop function if exists jobforge.quarantine_share(integer, text[], uuid[], integer[], timestamptz[]);
create or replace function jobforge.claim_interrupted(p_claim jobforge.claim_order, p_limit integer,
    p_types text[], p_tenants uuid[], p_room integer[], p_slots integer, p_priority smallint,
    out row_ids tid[], out room integer[], out answer_bytes bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off as $$
declare
    v_all_types text[] := array(select t.type from jobforge.job_types t);
    v_once integer;
    v_often integer;
    v_job record;
    v_at integer;
    v_row tid;
    v_bytes bigint;
    v_answer bigint;
    v_now timestamptz;
    v_lane text;
    v_full text[] := '{}';  -- types and tenants whose limits have no room
begin
    room := p_room;
    select greatest(1, p_slots / 4) - count(*) filter (where j.interruptions <= 1),
        1 - count(*) filter (where j.interruptions > 1) into v_once, v_often
    from jobforge.jobs j
    where j.interrupted and j.type = any(v_all_types) and j.lease_owner = p_claim.worker;
    if v_once <= 0 and v_often <= 0 then
        return;
    end if;
    for v_job in
        select j.ctid as row_id, j.job_id, j.type, j.tenant_id, j.interruptions from jobforge.jobs j
        where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)
            and j.scheduled_at <= clock_timestamp()
            and (p_tenants is null or j.tenant_id = any(p_tenants))
            and (p_priority is null or j.priority = p_priority)
            and case when j.interruptions <= 1 then v_once > 0 else v_often > 0 end
        order by j.priority, j.scheduled_at
    loop
        exit when coalesce(cardinality(row_ids), 0) >= p_limit or (v_once <= 0 and v_often <= 0);
        continue when (v_job.interruptions <= 1 and v_once <= 0) or (v_job.interruptions > 1 and v_often <= 0);
        v_at := array_position(p_types, v_job.type);
        continue when room[v_at] <= 0;
        v_lane := v_job.type || ' ' || v_job.tenant_id;
        continue when v_lane = any(v_full);
        perform from jobforge.jobs j
        where j.ctid = v_job.row_id and j.job_id = v_job.job_id and j.status = 'QUEUED'
        for update skip locked;
        continue when not found;
        if jobforge.claim_allowance(v_job.type, v_job.tenant_id, 1) < 1 then
            v_full := v_full || v_lane;
            continue;
        end if;
        v_now := clock_timestamp();
        update jobforge.jobs j
        set status = 'RUNNING', attempts = j.attempts + 1,
            lease_token = greatest(j.lease_token, p_claim.token_floor) + 1,
            lease_owner = p_claim.worker, claim_id = p_claim.claim_id, started_at = v_now,
            heartbeat_at = v_now,
            lease_expires_at = v_now + coalesce((select t.lease_seconds from jobforge.job_types t
                where t.type = j.type), p_claim.lease_seconds) * interval '1 second'
        where j.ctid = v_job.row_id
        returning j.ctid, j.payload_bytes, jobforge.answer_bytes(j.payload, j.payload_bytes, j.payload_ref)
        into v_row, v_bytes, v_answer;
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
        values (v_job.tenant_id, v_job.type, 'claimed', 1, v_bytes);
        answer_bytes := coalesce(answer_bytes, 0) + 210 + v_answer;
        perform jobforge.take_all_tokens(v_job.type, v_job.tenant_id, 1);
        row_ids := row_ids || v_row;
        if room is not null then
            room[v_at] := room[v_at] - 1;
        end if;
        if v_job.interruptions <= 1 then
            v_once := v_once - 1;
        else
            v_often := v_often - 1;
        end if;
    end loop;
end
$$;
drop function if exists jobforge.claim_interrupted(text, text[], uuid[], integer);
drop function if exists jobforge.may_run_alone(text, text[]);
alter function jobforge.claim_beside_quarantine owner to jobforge_engine;
alter function jobforge.claim_interrupted owner to jobforge_engine;
revoke execute on function jobforge.claim_beside_quarantine, jobforge.claim_interrupted from public;
