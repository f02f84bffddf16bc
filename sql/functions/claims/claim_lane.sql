-- Claims up to p_limit due jobs of one lane and answers the places of their rows, in due order, and
-- about how many bytes it takes to send them. Jobs start by this statement and by the one of
-- claim_interrupted. What was claimed is counted out of the tenant's waiting jobs.
--
-- The shape is forced. The CTE takes exactly p_limit rows (a sub-select in WHERE was seen to take
-- all 41 of 41), the update finds them by ctid (a join flipped to a sequential scan on stale
-- statistics; with sequential scans off a lookup by ctid is the only way left), and p_from, the
-- floor, keeps the scan off the dead entries of jobs already claimed.
-- The lease counts from clock_timestamp(): now() is when the transaction began.
-- Back-dated jobs (late) were found by an earlier statement, without a lock. Another job may lie at that
-- place by now, or the same one may be due later: what has been locked is compared once more. Not in the
-- WHERE of the lookup, where it would offer the planner another way to the rows.
-- plpgsql, because it keeps the plan: an SQL function is planned again at every call (0.3 ms).
drop function if exists jobforge.claim_lane(text, text, smallint, uuid, timestamptz, timestamptz, integer, integer);
drop function if exists jobforge.claim_lane(jobforge.claim_order, text, smallint, uuid, timestamptz, timestamptz,
    integer);
create or replace function jobforge.claim_lane(p_claim jobforge.claim_order, p_type text, p_priority smallint,
    p_tenant_id uuid, p_from timestamptz, p_until timestamptz, p_limit integer, out row_ids tid[],
    out answer_bytes bigint)
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off as $$
declare
    v_bytes bigint;
    v_now timestamptz := clock_timestamp();
    v_lease interval;
    v_late tid[];
begin
    select coalesce(t.lease_seconds, p_claim.lease_seconds) * interval '1 second' into v_lease
    from jobforge.job_types t where t.type = p_type;
    if not found then
        return;
    end if;
    if p_claim.late_rows is not null then
        v_late := array(select l.row_id from unnest(p_claim.late_rows, p_claim.late_types,
                p_claim.late_priorities, p_claim.late_tenants) l(row_id, type, priority, tenant_id)
            where l.type = p_type and l.priority = p_priority and l.tenant_id = p_tenant_id);
    end if;
    with late as materialized (
        select j.ctid as row_id, j.scheduled_at, j.job_id, j.type, j.priority, j.tenant_id, j.interrupted
        from unnest(v_late) r(row_id) join jobforge.jobs j on j.ctid = r.row_id
        where j.status = 'QUEUED'
        limit p_limit
        for update of j skip locked
    ), ready as materialized (
        select j.ctid as row_id, j.scheduled_at, j.job_id from jobforge.jobs j
        where j.status = 'QUEUED' and not j.interrupted and j.type = p_type and j.priority = p_priority
            and j.tenant_id = p_tenant_id and j.scheduled_at >= p_from and j.scheduled_at <= p_until
        order by j.scheduled_at
        limit p_limit - (select count(*) from late)
        for update skip locked
    ), picked as (
        select l.row_id, l.scheduled_at, l.job_id from late l
        where l.type = p_type and l.priority = p_priority and l.tenant_id = p_tenant_id
            and not l.interrupted and l.scheduled_at <= p_until
        union select * from ready
    ), taken as (
        update jobforge.jobs j
        set status = 'RUNNING', attempts = j.attempts + 1,
            lease_token = greatest(j.lease_token, p_claim.token_floor) + 1,
            lease_owner = p_claim.worker, claim_id = p_claim.claim_id, started_at = v_now,
            heartbeat_at = v_now, lease_expires_at = v_now + v_lease
        from (select p.row_id from picked p order by p.scheduled_at, p.job_id) p
        where j.ctid = p.row_id and j.status = 'QUEUED'
        returning j.ctid as row_id, j.payload_bytes,
            case when j.payload_bytes <= 1000 then j.payload_bytes
                else jobforge.answer_bytes(j.payload, j.payload_bytes, j.payload_ref) end as answer_bytes
    )
    select array_agg(t.row_id), sum(t.payload_bytes), sum(t.answer_bytes) + 210 * count(*)
    into row_ids, v_bytes, answer_bytes from taken t;
    if row_ids is not null then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
        values (p_tenant_id, p_type, 'claimed', cardinality(row_ids), v_bytes);
    end if;
end
$$;

-- About how many bytes a payload takes in an answer. The text of one that is stored compressed, or
-- apart, may have any length: it counts as more than an answer may hold.
create or replace function jobforge.answer_bytes(p_payload jsonb, p_bytes integer, p_ref bytea) returns bigint
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    return case when p_ref is not null or pg_column_compression(p_payload) is not null then 1048576
        else 2 * p_bytes end;
end
$$;
alter function jobforge.claim_lane owner to jobforge_engine;
alter function jobforge.answer_bytes owner to jobforge_engine;
revoke execute on function jobforge.claim_lane, jobforge.answer_bytes from public;
