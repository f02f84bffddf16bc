-- Ends running jobs with success: out of jobs, into finished_jobs with their results, counted.
-- Answers the jobs for which this call did nothing, each with a state: SETTLED (this attempt ended
-- before: the call is a repetition), LOST (reclaimed or cancelled meanwhile) or, with p_skip_locked,
-- LOCKED (another transaction has the row locked: try again). Without p_skip_locked it waits for such rows.
-- With p_skip_locked large results stay in the row: the insert of an artifact would wait for an open
-- transaction that stores the same bytes, which a tenant can bring about.
-- REFUSED: the result cannot be stored (more than 16 MiB as text, or a number of more than 400
-- digits); the job still runs, to be settled with fail_jobs. Another job's result is not concerned.
--
-- The batch form is for outcomes without writes of the caller's own, so a repetition is harmless and
-- only reported. In a transaction that has written something it is refused with SETTLED: the writes
-- would be committed twice (refuse_beside_writes). A handler's transaction uses complete_job.
--
-- The fence is owner, token and claim_id (NULL: not compared). status is not asked: a row with an
-- owner is RUNNING (CHECK), and the predicate would send the planner to the partial lease index and
-- its dead entries (7,000 instead of 50,000 jobs/s). The shape is forced: the tenant is compared by ANY of
-- an array of one, which a lookup in the index serves and an ordered scan of the whole index does not.
-- With plain equality the planner could begin with the table, and did so where it was tiny when it was
-- analysed: 150 jobs/s. (tests/sql/plan_test.cc)
drop function if exists jobforge.complete_jobs(text, uuid[], uuid[], bigint[], jsonb[]);
create or replace function jobforge.complete_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[] default null,
    p_claim_ids uuid[] default null, p_skip_locked boolean default false)
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
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
    v_now timestamptz := clock_timestamp();  -- also tells the rows of this call from earlier ones
    v_free bigint[];
    v_done integer;
    v_sizes integer[];
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_results),
        'p_results');
    if p_results is not null then
        v_sizes := jobforge.result_sizes(p_results);
    end if;
    if p_skip_locked then
        select coalesce(array_agg(i.n), '{}') into v_free
        from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids)
                with ordinality as i(tenant_id, job_id, token, claim_id, n)
            cross join lateral jobforge.lock_lease(p_worker, i.tenant_id, i.job_id, i.token, i.claim_id, true);
    end if;
    with gone as (
        delete from jobforge.jobs j
        using unnest(p_tenants, p_job_ids, p_tokens, p_results, p_claim_ids, v_sizes)
            with ordinality as i(tenant_id, job_id, token, result, claim_id, bytes, n)
        where j.tenant_id = any(array[i.tenant_id]) and j.job_id = i.job_id
            and j.lease_token = i.token and j.lease_owner = p_worker
            and (i.claim_id is null or j.claim_id = i.claim_id)
            and (v_free is null or i.n = any(v_free)) and (i.bytes is null or i.bytes >= 0)
        returning j.*, i.result, i.bytes as result_bytes
    ), counted as (
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        select g.tenant_id, g.type, 'succeeded', count(*) from gone g group by g.tenant_id, g.type
    )
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, interruptions, lease_token, scheduled_at, created_at, started_at, completed_at,
        lease_owner, idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, result,
        result_ref, last_error)
    select g.tenant_id, g.job_id, g.type, 'SUCCEEDED', g.priority, g.attempts, g.max_attempts,
        g.interrupted, g.interruptions, g.lease_token, g.scheduled_at, g.created_at, g.started_at,
        v_now, g.lease_owner, g.idempotency_key, g.trace_id, g.created_by, g.payload,
        g.payload_bytes, g.payload_ref,
        case when g.result_bytes > 262144 and not p_skip_locked then null else g.result end,
        case when g.result_bytes > 262144 and not p_skip_locked
            then jobforge.store_artifact(g.tenant_id, g.result) end,
        g.last_error
    from gone g;
    get diagnostics v_done = row_count;
    if v_done = cardinality(p_job_ids) then
        return;
    end if;
    for tenant_id, job_id, lease_token, state in
        select i.tenant_id, i.job_id, i.token,
            replace(jobforge.refusal(p_worker, i.tenant_id, i.job_id, i.token, i.claim_id),
                case when i.bytes < 0 then 'LOCKED' else '' end, case when i.bytes < 0 then 'REFUSED' else '' end)
        from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids, v_sizes)
            as i(tenant_id, job_id, token, claim_id, bytes)
        where (select f.completed_at from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id and f.lease_token = i.token
                and f.lease_owner = p_worker) is distinct from v_now
    loop
        perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
        return next;
    end loop;
end
$$;

-- The bytes of each result as text; -1 for one that cannot be stored. Short texts hold no long number.
create or replace function jobforge.result_sizes(p_results jsonb[]) returns integer[]
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_sizes integer[] := array(select case when pg_column_size(r.result) > 2000
                and (pg_column_size(r.result) > 16777216 or jobforge.has_long_number(r.result)) then -1
            else octet_length(r.result::text) end
        from unnest(p_results) with ordinality r(result, n) order by r.n);
begin
    if 400 >= all(v_sizes) then
        return v_sizes;
    end if;
    return array(select case when r.bytes > 16777216 or (r.bytes > 400 and jobforge.has_long_number(r.result))
            then -1 else r.bytes end
        from unnest(p_results, v_sizes) with ordinality r(result, bytes, n) order by r.n);
end
$$;

-- Why a batch did nothing for a job: LOCKED, SETTLED or LOST.
create or replace function jobforge.refusal(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint,
    p_claim_id uuid) returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_lease(p_worker, p_tenant_id, p_job_id, p_token);
    return replace(jobforge.lease_fate(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id), 'HELD', 'LOCKED');
end
$$;

-- One job, for use inside the transaction that holds the handler's writes. It waits five seconds at most
-- for a lock on the job's row (an open cancel), then ends with 55P03. LEASE_LOST: cancelled, or
-- another worker has it. SETTLED: this attempt ended before, as it does when a client repeats a
-- transaction whose COMMIT was not answered. Both roll the writes back.
-- Not by way of the arrays above: without them it took 0.17 to 0.24 ms instead of 0.26 to 0.29 (3,000
-- calls, twice, on a busy machine), three times a passport. The price is the list of columns again.
drop function if exists jobforge.complete_job(text, uuid, uuid, bigint, jsonb);
create or replace function jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_result jsonb default null, p_claim_id uuid default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '5s'
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_bytes integer;
begin
    perform jobforge.require_read_committed();
    if p_result is not null then
        v_bytes := jobforge.json_bytes(p_result, 'result', 16777216);
    end if;
    with gone as (
        delete from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)
        returning j.*
    ), counted as (
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        select g.tenant_id, g.type, 'succeeded', 1 from gone g
    )
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, interruptions, lease_token, scheduled_at, created_at, started_at, completed_at,
        lease_owner, idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, result,
        result_ref, last_error)
    select g.tenant_id, g.job_id, g.type, 'SUCCEEDED', g.priority, g.attempts, g.max_attempts,
        g.interrupted, g.interruptions, g.lease_token, g.scheduled_at, g.created_at, g.started_at,
        clock_timestamp(), g.lease_owner, g.idempotency_key, g.trace_id, g.created_by, g.payload,
        g.payload_bytes, g.payload_ref,
        case when v_bytes > 262144 then null else p_result end,
        case when v_bytes > 262144 then jobforge.store_artifact(g.tenant_id, p_result) end,
        g.last_error
    from gone g;
    if not found then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;

-- The arrays of a settling call. NULLs in them match no row and are refused where the row is missed
-- (check_lease), so that good batches do not pay for the search.
drop function if exists jobforge.check_settle(uuid[], uuid[], bigint[], integer, text);
create or replace function jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[],
    p_claim_ids uuid[], p_more integer, p_more_name text) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_tenants is null or p_job_ids is null or p_tokens is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_tenants, p_job_ids and p_tokens must be given', '');
    end if;
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tenants), 'p_tenants');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tokens), 'p_tokens');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_claim_ids), 'p_claim_ids');
    perform jobforge.check_same_length(cardinality(p_job_ids), p_more, p_more_name);
end
$$;
drop function if exists jobforge.raise_lease_lost(uuid, bigint);
alter function jobforge.complete_jobs owner to jobforge_engine;
alter function jobforge.complete_job owner to jobforge_engine;
alter function jobforge.result_sizes owner to jobforge_engine;
alter function jobforge.refusal owner to jobforge_engine;
alter function jobforge.check_settle owner to jobforge_engine;
revoke execute on function jobforge.complete_jobs, jobforge.complete_job, jobforge.result_sizes, jobforge.refusal,
    jobforge.check_settle from public;
grant execute on function jobforge.complete_jobs, jobforge.complete_job to jobforge_worker;
