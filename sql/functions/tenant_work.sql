-- Workers of one tenant, over HTTP: claim, renew and settle for the tenant of an API key.
--
-- The worker's id gets the tenant's in front ("<tenant>/<id>"), so that no key can speak for a worker
-- of another tenant. Internal types are refused (they act with the rights of their use cases), and a
-- suspended tenant does nothing (acting_tenant). Granted to gateways, not to tenants' own logins: what
-- a key may do has been decided before.

create or replace function jobforge.tenant_worker(p_worker text, out tenant_id uuid, out worker_id text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    tenant_id := jobforge.acting_tenant();
    if p_worker is null or p_worker !~ '^[!-.0-~]{1,100}$' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a worker id has 1 to 100 visible ASCII characters without a slash', '');
    end if;
    worker_id := tenant_id || '/' || p_worker;
end
$$;

create or replace function jobforge.tenant_claim_jobs(p_worker text, p_limit integer, p_types text[],
    p_lease_seconds integer default 60)
    returns table (tenant_id uuid, job_id uuid, type text, payload jsonb, attempts integer,
        max_attempts integer, priority smallint, scheduled_at timestamptz, created_at timestamptz,
        started_at timestamptz, lease_token bigint, lease_expires_at timestamptz, interrupted boolean,
        idempotency_key text, trace_id text, created_by text, timeout_seconds integer, claim_id uuid,
        interruptions smallint)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_worker record := jobforge.tenant_worker(p_worker);
    v_internal text;
begin
    select t.type into v_internal from jobforge.job_types t where t.internal and t.type = any(p_types) limit 1;
    if found then
        perform jobforge.raise_error('FORBIDDEN', format('jobs of type %s run on the platform''s workers only',
            v_internal), 'Claim types of your own.');
    end if;
    return query
    select c.tenant_id, c.job_id, c.type, c.payload, c.attempts, c.max_attempts, c.priority, c.scheduled_at,
        c.created_at, c.started_at, c.lease_token, c.lease_expires_at, c.interrupted, c.idempotency_key,
        c.trace_id, c.created_by, c.timeout_seconds, c.claim_id, c.interruptions
    from jobforge.claim_jobs(v_worker.worker_id, p_limit, p_types, array[v_worker.tenant_id],
        p_lease_seconds) c;
end
$$;

-- Answers the leases that are lost or cancelled.
create or replace function jobforge.tenant_heartbeat_jobs(p_worker text, p_job_ids uuid[], p_tokens bigint[],
    p_lease_seconds integer default 60, p_claim_ids uuid[] default null)
    returns table (job_id uuid, lease_token bigint, state text)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_elements(p_job_ids, 'p_job_ids');
    return query
    select h.job_id, h.lease_token, h.state from jobforge.heartbeat_jobs(v_worker.worker_id,
        array_fill(v_worker.tenant_id, array[cardinality(p_job_ids)]), p_job_ids, p_tokens, p_lease_seconds,
        p_claim_ids) h;
end
$$;

-- One job, in the transaction that may hold the caller's writes: SETTLED and LEASE_LOST are errors, as in
-- complete_job. The HTTP API has no writes of its clients' in the transaction of a request, and says so
-- (jobforge.only_settles): it is answered the state instead, so that a client may repeat a request whose
-- answer was lost. state: DONE, SETTLED (a repetition), LOST or REFUSED (the result cannot be stored).
create or replace function jobforge.tenant_complete_job(p_worker text, p_job_id uuid, p_token bigint,
    p_claim_id uuid, p_result jsonb, out state text)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_open_job(v_worker.tenant_id, p_job_id);
    select c.state into state from jobforge.complete_jobs(v_worker.worker_id, array[v_worker.tenant_id],
        array[p_job_id], array[p_token], array[p_result], array[p_claim_id]) c;
    perform jobforge.refuse_beside_writes(true, state, v_worker.worker_id, v_worker.tenant_id, p_job_id, p_token);
    state := coalesce(state, 'DONE');
end
$$;

-- status: the job's new state, or LEASE_LOST, SETTLED.
create or replace function jobforge.tenant_fail_job(p_worker text, p_job_id uuid, p_token bigint,
    p_claim_id uuid, p_error jsonb, p_retry_after double precision, out status text,
    out scheduled_at timestamptz)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_open_job(v_worker.tenant_id, p_job_id);
    perform jobforge.check_error(p_error);
    select f.status, f.scheduled_at into status, scheduled_at
    from jobforge.fail_jobs(v_worker.worker_id, array[v_worker.tenant_id], array[p_job_id], array[p_token],
        array[p_error], array[p_retry_after], array[p_claim_id]) f;
    perform jobforge.refuse_beside_writes(true, status, v_worker.worker_id, v_worker.tenant_id, p_job_id, p_token);
end
$$;

create or replace function jobforge.tenant_snooze_job(p_worker text, p_job_id uuid, p_token bigint,
    p_claim_id uuid, p_seconds double precision, out state text)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_open_job(v_worker.tenant_id, p_job_id);
    select s.state into state from jobforge.snooze_jobs(v_worker.worker_id, array[v_worker.tenant_id],
        array[p_job_id], array[p_token], array[p_seconds], array[p_claim_id]) s;
    perform jobforge.refuse_beside_writes(true, state, v_worker.worker_id, v_worker.tenant_id, p_job_id, p_token);
    state := coalesce(state, 'DONE');
end
$$;

-- Refuses to settle a job of an internal type for a tenant's worker.
create or replace function jobforge.check_open_job(p_tenant_id uuid, p_job_id uuid) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off as $$
declare
    v_type text;
begin
    select t.type into v_type from jobforge.jobs j join jobforge.job_types t on t.type = j.type and t.internal
    where j.tenant_id = p_tenant_id and j.job_id = p_job_id;
    if found then
        perform jobforge.raise_error('FORBIDDEN', format('jobs of type %s are settled by the platform''s workers '
            'only', v_type), '');
    end if;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['tenant_worker', 'tenant_claim_jobs', 'tenant_heartbeat_jobs',
        'tenant_complete_job', 'tenant_fail_job', 'tenant_snooze_job', 'check_open_job']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_engine', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.tenant_claim_jobs, jobforge.tenant_heartbeat_jobs, jobforge.tenant_complete_job,
    jobforge.tenant_fail_job, jobforge.tenant_snooze_job to jobforge_gateway;
