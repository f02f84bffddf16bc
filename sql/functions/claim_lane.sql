-- Claims up to p_limit due jobs of one lane. Jobs start by this statement, by its twin in claim_jobs
-- (the short way for one lane without limits) and by the one for a job that runs alone, below.
--
-- The shape is forced. The CTE takes exactly p_limit rows (a sub-select in WHERE was seen to take
-- all 41 of 41), the update finds them by ctid (a join flipped to a sequential scan on stale
-- statistics), and p_from, the floor, keeps the scan off the dead entries of jobs already claimed.
-- started_at and the lease use clock_timestamp(): now() is when the transaction began.
-- plpgsql, because it keeps the plan: an SQL function is planned again at every call (0.3 ms).
create or replace function jobforge.claim_lane(p_worker text, p_type text, p_priority smallint,
    p_tenant_id uuid, p_from timestamptz, p_until timestamptz, p_limit integer, p_lease_seconds integer)
    returns setof jobforge.jobs
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off as $$
begin
    return query
    with picked as materialized (
        select j.ctid as row_id from jobforge.jobs j
        where j.status = 'QUEUED' and not j.interrupted and j.type = p_type and j.priority = p_priority
            and j.tenant_id = p_tenant_id and j.scheduled_at >= p_from and j.scheduled_at <= p_until
        order by j.scheduled_at
        limit p_limit
        for update skip locked
    )
    update jobforge.jobs j
    set status = 'RUNNING', attempts = j.attempts + 1, lease_token = j.lease_token + 1,
        lease_owner = p_worker, started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
        lease_expires_at = clock_timestamp() + p_lease_seconds * interval '1 second'
    where j.ctid = any(array(select p.row_id from picked p)) and j.status = 'QUEUED'
    returning j.*;
end
$$;

-- The same for one job that must run alone.
create or replace function jobforge.claim_interrupted(p_worker text, p_types text[], p_tenants uuid[],
    p_lease_seconds integer) returns setof jobforge.jobs
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_job record;
begin
    for v_job in
        select j.ctid as row_id, j.type, j.tenant_id from jobforge.jobs j
        where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)
            and j.scheduled_at <= clock_timestamp()
            and (p_tenants is null or j.tenant_id = any(p_tenants))
        order by j.priority, j.scheduled_at
        for update skip locked
    loop
        continue when jobforge.claim_allowance(v_job.type, v_job.tenant_id, 1) < 1;
        return query
        update jobforge.jobs j
        set status = 'RUNNING', attempts = j.attempts + 1, lease_token = j.lease_token + 1,
            lease_owner = p_worker, started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
            lease_expires_at = clock_timestamp() + coalesce((select t.lease_seconds
                from jobforge.job_types t where t.type = j.type), p_lease_seconds) * interval '1 second'
        where j.ctid = v_job.row_id and j.status = 'QUEUED'
        returning j.*;
        return;
    end loop;
end
$$;
alter function jobforge.claim_lane owner to jobforge_engine;
alter function jobforge.claim_interrupted owner to jobforge_engine;
revoke execute on function jobforge.claim_lane, jobforge.claim_interrupted from public;
