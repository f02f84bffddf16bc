-- Ends running jobs with success: out of jobs, into finished_jobs with their results, counted.
-- Answers the leases that were lost meanwhile (reclaimed, cancelled): for those nothing was done.
--
-- The fence is owner and token. status is not asked: a row with an owner is RUNNING (CHECK), and the
-- predicate would send the planner to the partial lease index and its dead entries (7,000 instead of
-- 50,000 jobs/s). Joins are pinned to the primary key for the same reason.
create or replace function jobforge.complete_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[] default null)
    returns table (tenant_id uuid, job_id uuid, lease_token bigint)
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
    v_done integer;
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, cardinality(p_results), 'p_results');
    with gone as (
        delete from jobforge.jobs j
        using unnest(p_tenants, p_job_ids, p_tokens, p_results) as i(tenant_id, job_id, token, result)
        where j.tenant_id = i.tenant_id and j.job_id = i.job_id
            and j.lease_token = i.token and j.lease_owner = p_worker
        returning j.*, i.result
    ), counted as (
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        select g.tenant_id, g.type, 'succeeded', count(*) from gone g group by g.tenant_id, g.type
    )
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, lease_token, scheduled_at, created_at, started_at, completed_at, lease_owner,
        idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, result, result_ref,
        last_error)
    select g.tenant_id, g.job_id, g.type, 'SUCCEEDED', g.priority, g.attempts, g.max_attempts,
        g.interrupted, g.lease_token, g.scheduled_at, g.created_at, g.started_at, clock_timestamp(),
        g.lease_owner, g.idempotency_key, g.trace_id, g.created_by, g.payload, g.payload_bytes,
        g.payload_ref,
        case when pg_column_size(g.result) > 262144 then null else g.result end,
        case when pg_column_size(g.result) > 262144
            then jobforge.store_artifact(g.tenant_id, g.result) end,
        g.last_error
    from gone g;
    get diagnostics v_done = row_count;
    if v_done < cardinality(p_job_ids) then
        return query
        select i.tenant_id, i.job_id, i.token
        from unnest(p_tenants, p_job_ids, p_tokens) as i(tenant_id, job_id, token)
        where not exists (select from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id and f.lease_token = i.token
                and f.lease_owner = p_worker and f.status = 'SUCCEEDED');
    end if;
end
$$;

-- One job, for use inside the transaction that holds the handler's writes: LEASE_LOST rolls it back.
-- Not by way of the arrays above: without them it took 0.17 to 0.24 ms instead of 0.26 to 0.29 (3,000
-- calls, twice, on a busy machine), three times a passport. The price is the list of columns again.
create or replace function jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_result jsonb default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    with gone as (
        delete from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
        returning j.*
    ), counted as (
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        select g.tenant_id, g.type, 'succeeded', 1 from gone g
    )
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, lease_token, scheduled_at, created_at, started_at, completed_at, lease_owner,
        idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, result, result_ref,
        last_error)
    select g.tenant_id, g.job_id, g.type, 'SUCCEEDED', g.priority, g.attempts, g.max_attempts,
        g.interrupted, g.lease_token, g.scheduled_at, g.created_at, g.started_at, clock_timestamp(),
        g.lease_owner, g.idempotency_key, g.trace_id, g.created_by, g.payload, g.payload_bytes,
        g.payload_ref,
        case when pg_column_size(p_result) > 262144 then null else p_result end,
        case when pg_column_size(p_result) > 262144 then jobforge.store_artifact(g.tenant_id, p_result) end,
        g.last_error
    from gone g;
    if not found and not exists (select from jobforge.finished_jobs f
            where f.tenant_id = p_tenant_id and f.job_id = p_job_id and f.lease_token = p_token
                and f.lease_owner = p_worker and f.status = 'SUCCEEDED') then
        perform jobforge.raise_lease_lost(p_job_id, p_token);
    end if;
end
$$;

create or replace function jobforge.raise_lease_lost(p_job_id uuid, p_token bigint) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('LEASE_LOST',
        format('job %s is no longer held under lease token %s', p_job_id, p_token),
        'It was cancelled, or its lease expired and another worker has it. Roll back; do not retry.');
end
$$;

create or replace function jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[],
    p_more integer, p_more_name text) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tenants), 'p_tenants');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tokens), 'p_tokens');
    perform jobforge.check_same_length(cardinality(p_job_ids), p_more, p_more_name);
end
$$;
alter function jobforge.complete_jobs owner to jobforge_engine;
alter function jobforge.complete_job owner to jobforge_engine;
alter function jobforge.raise_lease_lost owner to jobforge_engine;
alter function jobforge.check_settle owner to jobforge_engine;
revoke execute on function jobforge.complete_jobs, jobforge.complete_job, jobforge.raise_lease_lost,
    jobforge.check_settle from public;
grant execute on function jobforge.complete_jobs, jobforge.complete_job to jobforge_worker;
