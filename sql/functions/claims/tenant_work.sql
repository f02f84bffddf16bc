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

-- A claim ends at 16 MiB of payload, or after its first job: 64 jobs of 16 MiB were over a gigabyte in the
-- API, which the same tenant could ask for again by letting its leases end. What does not fit has not
-- been claimed: the claim is taken back and repeated for fewer jobs.
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
    v_limit integer := p_limit;
    v_fit integer;
    v_job record;
begin
    perform jobforge.check_own_types(p_types);
    perform jobforge.note_tenant_worker(v_worker.worker_id, p_types);
    if p_limit between 1 and 10000 then
        v_limit := least(p_limit, jobforge.leases_left(v_worker.tenant_id));
    end if;
    loop
        begin
            for v_job in
                select c.* from jobforge.claim_jobs(v_worker.worker_id, v_limit, p_types,
                    array[v_worker.tenant_id], p_lease_seconds, p_by_reference => true) c
            loop
                if v_job.row_ids is null then  -- small: the claim has answered with its jobs
                    tenant_id := v_job.tenant_id;
                    job_id := v_job.job_id;
                    type := v_job.type;
                    payload := v_job.payload;
                    attempts := v_job.attempts;
                    max_attempts := v_job.max_attempts;
                    priority := v_job.priority;
                    scheduled_at := v_job.scheduled_at;
                    created_at := v_job.created_at;
                    started_at := v_job.started_at;
                    lease_token := v_job.lease_token;
                    lease_expires_at := v_job.lease_expires_at;
                    interrupted := v_job.interrupted;
                    idempotency_key := v_job.idempotency_key;
                    trace_id := v_job.trace_id;
                    created_by := v_job.created_by;
                    timeout_seconds := v_job.timeout_seconds;
                    claim_id := v_job.claim_id;
                    interruptions := v_job.interruptions;
                    return next;
                    continue;
                end if;
                v_fit := greatest(1, jobforge.rows_that_fit(v_job.row_ids, 16777216));
                if v_fit < cardinality(v_job.row_ids) then
                    raise exception using errcode = 'JFFIT';
                end if;
                return query
                select r.tenant_id, r.job_id, r.type, r.payload, r.attempts, r.max_attempts, r.priority,
                    r.scheduled_at, r.created_at, r.started_at, r.lease_token, r.lease_expires_at,
                    r.interrupted, r.idempotency_key, r.trace_id, r.created_by, r.timeout_seconds,
                    r.claim_id, r.interruptions
                from jobforge.read_claimed(v_job.claim_id, v_job.row_ids) r;
            end loop;
            return;
        exception when sqlstate 'JFFIT' then
            v_limit := v_fit;  -- less than before
        end;
    end loop;
end
$$;

-- How many more jobs the tenant's workers over HTTP may claim. QUOTA_EXCEEDED: none.
--
-- A claimed job counts to no other quota, and a lease that expires is work for the workers of all tenants:
-- without a bound a tenant claims jobs faster than they are taken back, and the jobs of a worker that
-- really died wait behind them. Claims at the same moment may go over it by what they take.
create or replace function jobforge.leases_left(p_tenant_id uuid) returns integer
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off as $$
declare
    v_most integer := (select t.max_leased_jobs from jobforge.tenants t where t.tenant_id = p_tenant_id);
    v_held integer;
begin
    select count(*) into v_held from jobforge.jobs j
    where j.tenant_id::text = p_tenant_id::text and j.status = 'RUNNING'
        and j.lease_owner like '________-____-____-____-____________/%';
    if v_held >= v_most then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the workers of this tenant may hold %s jobs over HTTP, and hold %s', v_most, v_held),
            'Settle some, or ask the operator to raise max_leased_jobs.');
    end if;
    return v_most - v_held;
end
$$;

-- How many of these rows, from the first, have payloads of p_bytes together.
create or replace function jobforge.rows_that_fit(p_rows tid[], p_bytes bigint) returns integer
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off as $$
begin
    return (select count(*) from (
        select sum(j.payload_bytes) over (order by r.n) as bytes
        from unnest(p_rows) with ordinality r(row_id, n) cross join lateral (
            select c.payload_bytes from jobforge.jobs c where c.ctid = r.row_id offset 0) j) s
    where s.bytes <= p_bytes);
end
$$;

create or replace function jobforge.check_own_types(p_types text[]) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_internal text;
begin
    select t.type into v_internal from jobforge.job_types t where t.internal and t.type = any(p_types) limit 1;
    if found then
        perform jobforge.raise_error('FORBIDDEN', format('jobs of type %s run on the platform''s workers only',
            v_internal), 'Claim types of your own.');
    end if;
end
$$;

-- For a claim over HTTP that could not be sent: ends the tenant's own jobs that are to blame.
create or replace function jobforge.tenant_end_unreadable_jobs(p_worker text, p_types text[]) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_own_types(p_types);
    return jobforge.end_unreadable_jobs(p_types, p_tenants => array[v_worker.tenant_id]);
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
    perform jobforge.note_tenant_worker(v_worker.worker_id, null);
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
        'tenant_complete_job', 'tenant_fail_job', 'tenant_snooze_job', 'check_open_job', 'check_own_types',
        'rows_that_fit', 'leases_left', 'tenant_end_unreadable_jobs']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_engine', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.tenant_claim_jobs, jobforge.tenant_heartbeat_jobs, jobforge.tenant_complete_job,
    jobforge.tenant_fail_job, jobforge.tenant_snooze_job, jobforge.tenant_end_unreadable_jobs
    to jobforge_gateway;
