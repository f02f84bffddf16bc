-- Claims up to p_limit due jobs of these types for a worker: status RUNNING, attempts + 1, a larger
-- lease_token, a new claim_id, a lease of the type's (or p_lease_seconds) length. Answers the jobs in
-- the order in which they should start.
--
-- Called plainly it is complete: it takes back expired leases, finds every lane, and claims. A worker
-- that polls fast passes p_reclaim false, and the lanes it knows if it knows any (from find_lanes,
-- floors moved up by its claims), and does the rest on its own schedule; lanes are a hint about where
-- to look, never about what may run.
--
-- Order: priority; within it tenants take turns, so that a tenant with a million jobs delays another
-- one by about a batch; within a tenant the due time, across types too. p_type_limits caps the jobs
-- per type (the worker's own concurrency). Jobs that lost a worker are in quarantine, by p_slots, the
-- number of jobs this worker runs at once (default: as registered, else p_limit): claim_interrupted.
--
-- p_by_reference: an answer of more than about 256 KiB is one row with claim_id and row_ids only, to be
-- read with read_claimed. A statement whose rows are still being sent has not committed: a worker frozen
-- while it read 64 payloads kept 64 jobs locked, far beyond their lease.
--
-- p_tenant_cap: after the claim the worker holds at most so many jobs of one tenant, counting those in
-- p_held_tenants and p_held_counts, while there is another tenant: long jobs of one must leave slots
-- for the others.
--
-- p_seen: when the caller last looked at all lanes. Back-dated jobs that came later are claimed although
-- they lie below the floors.
drop function if exists jobforge.claim_jobs(text, integer, text[], uuid[], integer, integer[], boolean,
    text[], integer[], uuid[], timestamptz[]);
drop function if exists jobforge.claim_jobs(text, integer, text[], uuid[], integer, integer[], boolean,
    text[], integer[], uuid[], timestamptz[], integer, boolean);
drop function if exists jobforge.claim_jobs(text, integer, text[], uuid[], integer, integer[], boolean,
    text[], integer[], uuid[], timestamptz[], integer, boolean, timestamptz);
create or replace function jobforge.claim_jobs(
    p_worker text,
    p_limit integer,
    p_types text[],
    p_tenants uuid[] default null,
    p_lease_seconds integer default 60,
    p_type_limits integer[] default null,
    p_reclaim boolean default true,
    p_lane_types text[] default null,
    p_lane_priorities integer[] default null,
    p_lane_tenants uuid[] default null,
    p_lane_floors timestamptz[] default null,
    p_slots integer default null,
    p_by_reference boolean default false,
    p_seen timestamptz default null,
    p_tenant_cap integer default null,
    p_held_tenants uuid[] default null,
    p_held_counts integer[] default null)
    returns table (tenant_id uuid, job_id uuid, type text, payload jsonb, attempts integer,
        max_attempts integer, priority smallint, scheduled_at timestamptz, created_at timestamptz,
        started_at timestamptz, lease_token bigint, lease_expires_at timestamptz, interrupted boolean,
        idempotency_key text, trace_id text, created_by text, timeout_seconds integer, claim_id uuid,
        interruptions smallint, row_ids tid[])
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off as $$
#variable_conflict use_column
declare
    v_claim jobforge.claim_order;
    v_lane_types text[] := p_lane_types;
    v_lane_priorities integer[] := p_lane_priorities;
    v_lane_tenants uuid[] := p_lane_tenants;
    v_lane_floors timestamptz[] := p_lane_floors;
    v_rows tid[];
    v_bytes bigint := 0;
    v_got record;
    v_shared boolean := false;  -- the places came from several lanes
    v_waiting jobforge.quarantine_lanes;
    v_quarantine boolean := false;  -- interrupted jobs are due
    v_types text[];
    v_timeouts integer[];
    v_timeout integer;
    v_lease interval;
    v_now timestamptz;
    v_payload bigint;
    v_limit integer;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_claim(p_worker, p_limit, p_types, p_type_limits, p_lease_seconds, p_slots);
    if array_ndims(p_tenants) > 1 or array_position(p_tenants, null) is not null then
        perform jobforge.check_elements(p_tenants, 'p_tenants');
    end if;
    if num_nulls(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors) < 4 then
        perform jobforge.check_lanes(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors);
    end if;
    v_claim := (p_worker, gen_random_uuid(), jobforge.token_floor(), p_lease_seconds, null, null, null, null,
        null, p_held_tenants, p_held_counts);
    if p_tenant_cap is not null then
        perform jobforge.check_held(p_tenant_cap, p_held_tenants, p_held_counts);
        if (select count(*) from (select from jobforge.tenants t where t.status = 'ACTIVE' limit 2) t) > 1 then
            v_claim.tenant_cap := p_tenant_cap;
        end if;
    end if;
    if p_lane_types is null then
        if p_reclaim is not false then
            perform jobforge.reclaim_expired(p_types, 200);
        end if;
        select array_agg(l.type), array_agg(l.priority), array_agg(l.tenant_id), array_agg(l.scheduled_at)
        into v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors
        from jobforge.find_lanes(p_types, p_tenants) l where not l.interrupted;
    else
        select array_agg(j.row_id), array_agg(j.type), array_agg(j.priority), array_agg(j.tenant_id)
        into v_claim.late_rows, v_claim.late_types, v_claim.late_priorities, v_claim.late_tenants
        from (select j.ctid as row_id, j.type, j.priority, j.tenant_id from jobforge.jobs j
            where j.status = 'QUEUED' and not j.interrupted and j.scheduled_at < j.created_at
                and j.created_at >= coalesce(p_seen, '-infinity') and j.type = any(p_types)
                and (p_tenants is null or j.tenant_id = any(p_tenants))
            order by j.created_at limit p_limit) j;
        if v_claim.late_rows is not null then
            select v_lane_types || array_agg(l.type), v_lane_priorities || array_agg(l.priority::integer),
                v_lane_tenants || array_agg(l.tenant_id), v_lane_floors || array_agg(clock_timestamp())
            into v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors
            from (select distinct l.type, l.priority, l.tenant_id
                from unnest(v_claim.late_types, v_claim.late_priorities, v_claim.late_tenants)
                    l(type, priority, tenant_id)
                where not exists (select from unnest(p_lane_types, p_lane_priorities, p_lane_tenants)
                        k(type, priority, tenant_id)
                    where k.type = l.type and k.priority = l.priority and k.tenant_id = l.tenant_id)) l;
        end if;
    end if;
    -- Usually there are none: one look. With some, also in the future, their lanes tell whether any is due.
    if exists (select from jobforge.jobs j
            where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)) then
        v_waiting := jobforge.interrupted_lanes(p_types, p_tenants);
        v_quarantine := (clock_timestamp() >= any(v_waiting.firsts)) is true;
    end if;
    if not v_quarantine and v_claim.late_rows is null and p_type_limits is null
        and cardinality(v_lane_types) = 1
        and jobforge.is_unlimited(v_lane_types[1], v_lane_tenants[1]) then
        -- The usual case: one lane, no limits, nothing to share out. Small ones are answered straight
        -- from their update, which is claim_lane's: by way of the places of the rows a claim of 1,000
        -- took a fifth longer.
        select t.timeout_seconds, coalesce(t.lease_seconds, p_lease_seconds) * interval '1 second'
        into v_timeout, v_lease
        from jobforge.job_types t where t.type = v_lane_types[1] and t.type = any(p_types);
        if not found then
            return;
        end if;
        v_limit := least(p_limit, v_claim.tenant_cap - coalesce(
            p_held_counts[array_position(p_held_tenants, v_lane_tenants[1])], 0));
        if v_limit <= 0 then
            return;
        end if;
        v_now := clock_timestamp();
        with picked as materialized (
            select j.ctid as row_id, j.scheduled_at, j.job_id, j.payload_bytes,
                case when j.payload_bytes <= 1000 then j.payload_bytes
                    else jobforge.answer_bytes(j.payload, j.payload_bytes, j.payload_ref) end as answer_bytes
            from jobforge.jobs j
            where j.status = 'QUEUED' and not j.interrupted and j.type = v_lane_types[1]
                and j.priority = v_lane_priorities[1]::smallint and j.tenant_id = v_lane_tenants[1]
                and j.scheduled_at >= v_lane_floors[1] and j.scheduled_at <= v_now
            order by j.scheduled_at
            limit v_limit
            for update skip locked
        )
        select array_agg(p.row_id order by p.scheduled_at, p.job_id), sum(p.payload_bytes),
            sum(p.answer_bytes) + 210 * count(*) into v_rows, v_payload, v_bytes
        from picked p;
        if v_rows is null then
            return;
        end if;
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
        values (v_lane_tenants[1], v_lane_types[1], 'claimed', cardinality(v_rows), v_payload);
        if not p_by_reference or v_bytes <= 262144 then
            return query
            update jobforge.jobs j
            set status = 'RUNNING', attempts = j.attempts + 1,
                lease_token = greatest(j.lease_token, v_claim.token_floor) + 1, lease_owner = p_worker,
                claim_id = v_claim.claim_id, started_at = v_now, heartbeat_at = v_now,
                lease_expires_at = v_now + v_lease
            from unnest(v_rows) r(row_id) where j.ctid = r.row_id
            returning j.tenant_id, j.job_id, j.type,
                case when j.payload_ref is null then j.payload
                    else jobforge.load_artifact(j.tenant_id, j.payload_ref) end,
                j.attempts, j.max_attempts, j.priority, j.scheduled_at, j.created_at, j.started_at,
                j.lease_token, j.lease_expires_at, j.interrupted, j.idempotency_key, j.trace_id,
                j.created_by, v_timeout, j.claim_id, j.interruptions, null::tid[];
            return;
        end if;
        with taken as (
            update jobforge.jobs j
            set status = 'RUNNING', attempts = j.attempts + 1,
                lease_token = greatest(j.lease_token, v_claim.token_floor) + 1, lease_owner = p_worker,
                claim_id = v_claim.claim_id, started_at = v_now, heartbeat_at = v_now,
                lease_expires_at = v_now + v_lease
            from unnest(v_rows) r(row_id) where j.ctid = r.row_id
            returning j.ctid as row_id
        )
        select array_agg(t.row_id) into v_rows from taken t;
    else
        v_shared := true;
        if v_quarantine then
            select * into v_got from jobforge.claim_beside_quarantine(v_claim, p_limit, p_types, v_waiting,
                p_type_limits, coalesce(p_slots, (select nullif(w.slots, 0) from jobforge.workers w
                    where w.worker_id = p_worker), p_limit),
                v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors);
        elsif v_lane_types is null then
            return;
        else
            select * into v_got from jobforge.claim_from_lanes(v_claim, p_limit, p_types, p_type_limits, v_lane_types,
                v_lane_priorities, v_lane_tenants, v_lane_floors);
        end if;
        v_rows := v_got.row_ids;
        v_bytes := coalesce(v_got.answer_bytes, 0);
    end if;
    if coalesce(cardinality(v_rows), 0) = 0 then
        return;
    elsif v_shared then
        v_rows := jobforge.in_start_order(v_rows);
    end if;
    if p_by_reference and v_bytes > 262144 then
        claim_id := v_claim.claim_id;
        row_ids := v_rows;
        return next;
        return;
    end if;
    -- As in read_claimed, without the cost of its call: a claim of few jobs is read at once.
    select array_agg(t.type), array_agg(t.timeout_seconds) into v_types, v_timeouts
    from jobforge.job_types t where t.timeout_seconds is not null;
    return query
    select c.tenant_id, c.job_id, c.type,
        case when c.payload_ref is null then c.payload
            else jobforge.load_artifact(c.tenant_id, c.payload_ref) end,
        c.attempts, c.max_attempts, c.priority, c.scheduled_at, c.created_at, c.started_at,
        c.lease_token, c.lease_expires_at, c.interrupted, c.idempotency_key, c.trace_id, c.created_by,
        v_timeouts[array_position(v_types, c.type)], c.claim_id, c.interruptions, null::tid[]
    from unnest(v_rows) r(row_id) cross join lateral (
        select j.* from jobforge.jobs j where j.ctid = r.row_id and j.claim_id = v_claim.claim_id offset 0) c;
end
$$;

drop function if exists jobforge.count_claimed(tid[]);
drop function if exists jobforge.claimed_rows(uuid, tid[]);

-- The places of claimed rows, in the order in which the jobs should start. (A lane gives them so.)
create or replace function jobforge.in_start_order(p_rows tid[]) returns tid[]
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off as $$
begin
    return array(select r.row_id from unnest(p_rows) r(row_id) cross join lateral (
            select j.priority, j.scheduled_at, j.job_id from jobforge.jobs j where j.ctid = r.row_id offset 0) c
        order by c.priority, c.scheduled_at, c.job_id);
end
$$;

-- The second half of a claim by reference: its jobs, after the claim has committed. A job that was
-- cancelled meanwhile is left out. Rows keep their place until they are renewed or settled; only a
-- rewrite of the table (VACUUM FULL) moves them, and then they are found by their claim.
--
-- p_inline_bytes: a payload of more bytes, or one that is stored apart, is left out (null), to be read
-- with read_payload by the thread that runs the job: 16 MiB of one tenant, read by the thread that claims,
-- delayed the start of all other jobs by a quarter of a second.
drop function if exists jobforge.read_claimed(uuid, tid[]);
create or replace function jobforge.read_claimed(p_claim_id uuid, p_rows tid[], p_inline_bytes integer default null)
    returns table (tenant_id uuid, job_id uuid, type text, payload jsonb, attempts integer,
        max_attempts integer, priority smallint, scheduled_at timestamptz, created_at timestamptz,
        started_at timestamptz, lease_token bigint, lease_expires_at timestamptz, interrupted boolean,
        idempotency_key text, trace_id text, created_by text, timeout_seconds integer, claim_id uuid,
        interruptions smallint, row_ids tid[])
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
    v_rows tid[] := p_rows;
    v_types text[];
    v_timeouts integer[];
begin
    if p_claim_id is null or p_rows is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a claim is read by its claim_id and row_ids', '');
    end if;
    perform jobforge.check_elements(p_rows, 'p_rows');
    if exists (select from unnest(p_rows) r(row_id)
            where (select j.status from jobforge.jobs j where j.ctid = r.row_id and j.claim_id = p_claim_id)
                is null) then
        v_rows := array(select j.ctid from jobforge.jobs j
            where j.status = 'RUNNING' and j.claim_id = p_claim_id);
    end if;
    -- Few types have a time limit: looked up once, not for every row.
    select array_agg(t.type), array_agg(t.timeout_seconds) into v_types, v_timeouts
    from jobforge.job_types t where t.timeout_seconds is not null;
    return query
    select c.tenant_id, c.job_id, c.type,
        case when p_inline_bytes is not null and (c.payload_ref is not null or c.payload_bytes > p_inline_bytes)
                then null
            when c.payload_ref is null then c.payload
            else jobforge.load_artifact(c.tenant_id, c.payload_ref) end,
        c.attempts, c.max_attempts, c.priority, c.scheduled_at, c.created_at, c.started_at,
        c.lease_token, c.lease_expires_at, c.interrupted, c.idempotency_key, c.trace_id, c.created_by,
        v_timeouts[array_position(v_types, c.type)], c.claim_id, c.interruptions, null::tid[]
    from unnest(v_rows) r(row_id) cross join lateral (
        select j.* from jobforge.jobs j where j.ctid = r.row_id and j.claim_id = p_claim_id offset 0) c;
end
$$;

-- The payload of a claimed job that read_claimed left out. Null: the claim no longer has the job.
-- JOB_PAYLOAD_INVALID: it was stored apart and is gone, so no attempt can ever read it.
create or replace function jobforge.read_payload(p_tenant_id uuid, p_job_id uuid, p_claim_id uuid) returns jsonb
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_job record;
    v_payload jsonb;
begin
    if num_nulls(p_tenant_id, p_job_id, p_claim_id) > 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a payload is read by tenant_id, job_id and claim_id', '');
    end if;
    -- By the primary key: with the status in the same query it may be the index of the leases.
    select j.payload, j.payload_ref into v_job from (select j.* from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id offset 0) j
    where j.claim_id = p_claim_id and j.status = 'RUNNING';
    if not found then
        return null;
    elsif v_job.payload_ref is null then
        return v_job.payload;
    end if;
    v_payload := jobforge.load_artifact(p_tenant_id, v_job.payload_ref);
    if v_payload is null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', 'the stored payload is gone', '');
    end if;
    return v_payload;
end
$$;

-- The least token of a claim on this timeline, minus one. Tokens grow by one; the first claim after a
-- promotion jumps beyond all that the lost timeline can have issued, so that (job, owner, token) is
-- not issued twice even to callers that do not pass the claim_id. Timelines are counted from 1.
create or replace function jobforge.token_floor() returns bigint
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    return (('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint - 1) << 32;
end
$$;

-- Whether nothing bounds the claims of this type and tenant.
create or replace function jobforge.is_unlimited(p_type text, p_tenant_id uuid) returns boolean
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    return not exists (select from jobforge.job_types t where t.type = p_type
            and (t.concurrency_limit is not null or t.tenant_concurrency_limit is not null
                or t.rate_limit_per_minute is not null or t.tenant_rate_limit_per_minute is not null))
        and not exists (select from jobforge.tenants n
            where n.tenant_id = p_tenant_id and n.concurrency_limit is not null);
end
$$;

drop function if exists jobforge.check_claim(text, integer, text[], integer[], integer);
create or replace function jobforge.check_claim(p_worker text, p_limit integer, p_types text[],
    p_type_limits integer[], p_lease_seconds integer, p_slots integer) returns void
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
    elsif p_slots not between 1 and 10000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('slots %s is not between 1 and 10000', p_slots), '');
    elsif not (0 <= all(p_type_limits)) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_type_limits are 0 or more, or NULL for no limit', '');
    elsif array_ndims(p_type_limits) > 1 or array_lower(p_type_limits, 1) <> 1 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'p_type_limits must be an array of one dimension, counted from 1', '');
    elsif array_ndims(p_types) > 1 or array_lower(p_types, 1) <> 1 or array_position(p_types, null) is not null then
        perform jobforge.check_elements(p_types, 'p_types');
    elsif cardinality(p_type_limits) <> cardinality(p_types) then
        perform jobforge.check_same_length(cardinality(p_types), cardinality(p_type_limits), 'p_type_limits');
    end if;
end
$$;

create or replace function jobforge.check_held(p_cap integer, p_tenants uuid[], p_counts integer[]) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_cap < 1 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('p_tenant_cap is 1 or more, not %s', p_cap), '');
    elsif coalesce(cardinality(p_tenants), 0) <> coalesce(cardinality(p_counts), 0)
        or array_ndims(p_tenants) > 1 or array_ndims(p_counts) > 1
        or array_lower(p_tenants, 1) <> 1 or array_lower(p_counts, 1) <> 1
        or array_position(p_tenants, null) is not null or (0 <= all(p_counts)) is false
        or array_position(p_counts, null) is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_held_tenants and p_held_counts have the same '
            'length, without NULL, counted from 1, and no count is negative', '');
    end if;
end
$$;

-- Lanes are given whole: type, priority, tenant and floor of each. In place, as in find_lanes.
create or replace function jobforge.check_lanes(p_types text[], p_priorities integer[], p_tenants uuid[],
    p_floors timestamptz[]) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if num_nulls(p_types, p_priorities, p_tenants, p_floors) > 0
        or array_ndims(p_types) > 1 or array_ndims(p_tenants) > 1 or array_ndims(p_floors) > 1
        or array_ndims(p_priorities) > 1 or array_lower(p_types, 1) <> 1 or array_lower(p_priorities, 1) <> 1
        or array_lower(p_tenants, 1) <> 1 or array_lower(p_floors, 1) <> 1
        or cardinality(p_priorities) <> cardinality(p_types) or cardinality(p_tenants) <> cardinality(p_types)
        or cardinality(p_floors) <> cardinality(p_types) or array_position(p_types, null) is not null
        or array_position(p_tenants, null) is not null or array_position(p_floors, null) is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'each lane has a type, a priority, a tenant and a '
            'floor: four arrays of the same length, without NULL, counted from 1', 'Take them from find_lanes.');
    elsif (0 <= all(p_priorities) and 3 >= all(p_priorities)) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a lane has a priority 0, 1, 2 or 3', '');
    end if;
end
$$;
alter function jobforge.claim_jobs owner to jobforge_engine;
alter function jobforge.in_start_order owner to jobforge_engine;
alter function jobforge.read_claimed owner to jobforge_engine;
alter function jobforge.read_payload owner to jobforge_engine;
alter function jobforge.token_floor owner to jobforge_engine;
alter function jobforge.is_unlimited owner to jobforge_engine;
alter function jobforge.check_claim owner to jobforge_engine;
alter function jobforge.check_lanes owner to jobforge_engine;
alter function jobforge.check_held owner to jobforge_engine;
revoke execute on function jobforge.claim_jobs, jobforge.in_start_order,
    jobforge.read_claimed, jobforge.read_payload, jobforge.token_floor, jobforge.is_unlimited,
    jobforge.check_claim, jobforge.check_lanes, jobforge.check_held from public;
grant execute on function jobforge.claim_jobs, jobforge.read_claimed, jobforge.read_payload to jobforge_worker;
