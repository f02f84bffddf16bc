-- Renews the leases of running jobs, all in one statement. Answers those that are not held any more:
-- CANCELLED (by a person) or LOST (expired and taken). The handlers of these must stop.
--
-- jit = off, here and wherever a plan is forced: a forbidden seq scan (of the small job_types) costs
-- 1e10 in the planner's eyes, which compiles the plan at every call: 1 s instead of 70 ms for 2,000 leases.
create or replace function jobforge.heartbeat_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer default 60)
    returns table (tenant_id uuid, job_id uuid, lease_token bigint, state text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
#variable_conflict use_column
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, null, null);
    return query
    with input as materialized (
        select i.tenant_id, i.job_id, i.token
        from unnest(p_tenants, p_job_ids, p_tokens) as i(tenant_id, job_id, token)
    ), held as materialized (
        -- Locked in key order: two renewals of the same jobs cannot deadlock. A row that somebody
        -- else has locked (a cancel in an open transaction) is left for the next renewal: one
        -- tenant's open transaction must not cost all others their leases.
        select j.ctid as row_id, j.tenant_id, j.job_id, j.type
        from input i join jobforge.jobs j on j.tenant_id = i.tenant_id and j.job_id = i.job_id
        where j.lease_token = i.token and j.lease_owner = p_worker
        order by j.tenant_id, j.job_id
        for update of j skip locked
    ), renewed as (
        update jobforge.jobs j
        set heartbeat_at = clock_timestamp(),
            lease_expires_at = clock_timestamp()
                + coalesce(t.lease_seconds, p_lease_seconds) * interval '1 second'
        from held h join jobforge.job_types t on t.type = h.type
        where j.tenant_id = h.tenant_id and j.job_id = h.job_id
        returning j.tenant_id, j.job_id
    )
    select i.tenant_id, i.job_id, i.token,
        case when exists (select from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id and f.status = 'CANCELLED')
        then 'CANCELLED' else 'LOST' end
    from input i
    -- NOT IN is answered from a hash table; NOT EXISTS would be a nested loop over all pairs here.
    where (i.tenant_id, i.job_id) not in (select r.tenant_id, r.job_id from renewed r)
        and not exists (select from jobforge.jobs j where j.tenant_id = i.tenant_id
            and j.job_id = i.job_id and j.lease_token = i.token and j.lease_owner = p_worker);
end
$$;
alter function jobforge.heartbeat_jobs owner to jobforge_engine;
revoke execute on function jobforge.heartbeat_jobs from public;
grant execute on function jobforge.heartbeat_jobs to jobforge_worker;

-- What became of a lease whose settlement was sent over a connection that broke: HELD, SETTLED
-- (this very attempt ended: finished, retried, snoozed) or LOST. Waits for a transaction that is
-- still deciding it.
create or replace function jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint)
    returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform from jobforge.lock_lease(p_worker, p_tenant_id, p_job_id, p_token);
    if found then
        return 'HELD';
    end if;
    if exists (select from jobforge.finished_jobs f where f.tenant_id = p_tenant_id and f.job_id = p_job_id
            and f.lease_token = p_token and f.lease_owner = p_worker)
        or exists (select from jobforge.attempt_records a where a.tenant_id = p_tenant_id
            and a.job_id = p_job_id and a.lease_token = p_token and a.worker_id = p_worker
            and a.outcome <> 'CRASHED') then
        return 'SETTLED';
    end if;
    return 'LOST';
end
$$;
alter function jobforge.lease_state owner to jobforge_engine;
revoke execute on function jobforge.lease_state from public;
grant execute on function jobforge.lease_state to jobforge_worker;
