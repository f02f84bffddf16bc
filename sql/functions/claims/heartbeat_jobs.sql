-- Renews the leases of running jobs, all in one statement. Answers those that are not held any more:
-- CANCELLED (by a person) or LOST (expired and taken). The handlers of these must stop.
--
-- jit = off, here and wherever a plan is forced: a forbidden seq scan (of the small job_types) costs
-- 1e10 in the planner's eyes, which compiles the plan at every call: 1 s instead of 70 ms for 2,000 leases.
--
-- A lease is never renewed for less than the claim gave: a shorter lease_seconds of the type holds
-- from the next claim on. The worker's renewals follow the length it was given, so a lease cut short
-- under way would expire before the next one.
--
-- The shape is forced, as in complete_jobs. Rows are locked in key order: two renewals of the same
-- jobs cannot deadlock. A row that another transaction has locked (a cancel in an open transaction) is left
-- for the next renewal: one tenant's open transaction must not cost all others their leases.
drop function if exists jobforge.heartbeat_jobs(text, uuid[], uuid[], bigint[], integer);
create or replace function jobforge.heartbeat_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer default 60,
    p_claim_ids uuid[] default null)
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
declare
    v_now timestamptz := clock_timestamp();
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, null, null);
    perform jobforge.check_length('a worker id', p_worker, 1, 200);
    perform jobforge.check_elements(p_tenants, 'p_tenants');
    perform jobforge.check_elements(p_job_ids, 'p_job_ids');
    perform jobforge.check_elements(p_tokens, 'p_tokens');
    if p_lease_seconds is null or p_lease_seconds not between 1 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a lease lasts 1 to 86400 seconds', '');
    end if;
    return query
    with input as materialized (
        select i.tenant_id, i.job_id, i.token, i.claim_id
        from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids) as i(tenant_id, job_id, token, claim_id)
        order by i.tenant_id, i.job_id
    ), held as materialized (
        select h.row_id, h.span,
            (select t.lease_seconds from jobforge.job_types t where t.type = h.type) as lease_seconds
        from input i cross join lateral (
            select j.ctid as row_id, j.type, j.lease_expires_at - j.heartbeat_at as span
            from jobforge.jobs j
            where j.tenant_id = i.tenant_id and j.job_id = i.job_id
                and j.lease_token = i.token and j.lease_owner = p_worker
                and (i.claim_id is null or j.claim_id = i.claim_id)
            for update skip locked) h
    ), renewed as (
        update jobforge.jobs j
        set heartbeat_at = v_now,
            lease_expires_at = v_now
                + greatest(h.span, coalesce(h.lease_seconds, p_lease_seconds) * interval '1 second')
        from held h where j.ctid = h.row_id
        returning j.tenant_id, j.job_id
    )
    select i.tenant_id, i.job_id, i.token,
        case when (select f.status from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id) = 'CANCELLED'
        then 'CANCELLED' else 'LOST' end
    from input i
    -- NOT IN is answered from a hash table; NOT EXISTS would be a nested loop over all pairs here.
    where (i.tenant_id, i.job_id) not in (select r.tenant_id, r.job_id from renewed r)
        and (select j.status from jobforge.jobs j where j.tenant_id = i.tenant_id
            and j.job_id = i.job_id and j.lease_token = i.token and j.lease_owner = p_worker
            and (i.claim_id is null or j.claim_id = i.claim_id)) is null;
end
$$;
alter function jobforge.heartbeat_jobs owner to jobforge_engine;
revoke execute on function jobforge.heartbeat_jobs from public;
grant execute on function jobforge.heartbeat_jobs to jobforge_worker;

-- What became of a lease whose settlement was sent over a connection that broke: HELD, SETTLED
-- (this very attempt ended: finished, retried, snoozed) or LOST. Waits for a transaction that is
-- still deciding it.
drop function if exists jobforge.lease_state(text, uuid, uuid, bigint);
create or replace function jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint,
    p_claim_id uuid default null) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_lease(p_worker, p_tenant_id, p_job_id, p_token);
    perform from jobforge.lock_lease(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id, false);
    return jobforge.lease_fate(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
end
$$;
alter function jobforge.lease_state owner to jobforge_engine;
revoke execute on function jobforge.lease_state from public;
grant execute on function jobforge.lease_state to jobforge_worker;
