-- Moves one running or waiting job row into finished_jobs without success, with its attempt and
-- its counters. The caller has locked the row and checked the fence.
create or replace function jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text,
    p_error jsonb, p_token bigint) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    delete from jobforge.jobs j where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, interruptions, lease_token, scheduled_at, created_at, started_at, completed_at,
        lease_owner, idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, last_error)
    values (p_job.tenant_id, p_job.job_id, p_job.type, p_status, p_job.priority, p_job.attempts,
        p_job.max_attempts, p_job.interrupted, p_job.interruptions, p_token, p_job.scheduled_at, p_job.created_at,
        p_job.started_at, clock_timestamp(), p_job.lease_owner, p_job.idempotency_key, p_job.trace_id,
        p_job.created_by, p_job.payload, p_job.payload_bytes, p_job.payload_ref,
        coalesce(p_error, p_job.last_error));
    if p_job.status = 'RUNNING' then
        perform jobforge.record_attempt(p_job, p_outcome, p_error);
    else
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
        values (p_job.tenant_id, p_job.type, 'withdrawn', 1, p_job.payload_bytes);
    end if;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
    values (p_job.tenant_id, p_job.type, lower(p_status), 1);
    if p_status = 'DEAD_LETTER' then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        values (p_job.tenant_id, p_job.type, 'dead_letters_left', 1);
    end if;
end
$$;

-- Puts a running job back into the queue. p_uncount gives the attempt back (snooze, release);
-- p_crashed says that its worker was lost during it.
create or replace function jobforge.requeue_job(p_job jobforge.jobs, p_at timestamptz, p_outcome text,
    p_error jsonb, p_uncount boolean, p_crashed boolean) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    update jobforge.jobs j
    set status = 'QUEUED', lease_owner = null, lease_expires_at = null, heartbeat_at = null, claim_id = null,
        scheduled_at = p_at, last_error = coalesce(p_error, j.last_error),
        interrupted = j.interrupted or p_crashed,
        interruptions = least(j.interruptions::integer + case when p_crashed then 1 else 0 end, 1000)::smallint,
        attempts = j.attempts - case when p_uncount then 1 else 0 end
    where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    perform jobforge.record_attempt(p_job, p_outcome, p_error);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_job.tenant_id, p_job.type, 'requeued', 1, p_job.payload_bytes);
end
$$;

create or replace function jobforge.record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    insert into jobforge.attempt_records (tenant_id, job_id, lease_token, attempt_no, type, worker_id,
        started_at, ended_at, outcome, error)
    values (p_job.tenant_id, p_job.job_id, p_job.lease_token, p_job.attempts, p_job.type,
        p_job.lease_owner, p_job.started_at, clock_timestamp(), p_outcome, p_error);
end
$$;

-- The row of a job held under this lease, locked; no row when the lease is lost. p_skip_locked: no
-- row either when another transaction has it locked. A claim_id of NULL is not compared.
-- plpgsql: a function in SQL is planned again at every call (0.15 ms).
drop function if exists jobforge.lock_lease(text, uuid, uuid, bigint);
create or replace function jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint,
    p_claim_id uuid, p_skip_locked boolean) returns setof jobforge.jobs
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    if p_skip_locked then
        return query
        select j.* from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)
        for update skip locked;
    else
        return query
        select j.* from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)
        for update;
    end if;
end
$$;

-- What became of a lease that a settling call did not find, without waiting: HELD (its row is there,
-- so another transaction has locked it), SETTLED (its worker has ended this very attempt: finished, retried,
-- snoozed, released) or LOST (others ended it: a cancel, or a reclaim, also into the dead letter). A
-- job ends CANCELLED with its own token by its handler, and with the next one by anybody else. What has
-- ended is kept without its claim_id: in a database that was restored from a copy, the end of another claim
-- with the same worker and token is taken for this one's (SETTLED). Nothing is done then, either.
create or replace function jobforge.lease_fate(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_claim_id uuid) returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    if exists (select from jobforge.jobs j where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)) then
        return 'HELD';
    elsif exists (select from jobforge.finished_jobs f where f.tenant_id = p_tenant_id
            and f.job_id = p_job_id and f.lease_token = p_token and f.lease_owner = p_worker
            and f.status in ('SUCCEEDED', 'CANCELLED'))
        or exists (select from jobforge.attempt_records a where a.tenant_id = p_tenant_id
            and a.job_id = p_job_id and a.lease_token = p_token and a.worker_id = p_worker
            and a.outcome not in ('CRASHED', 'CANCELLED')) then
        return 'SETTLED';
    end if;
    return 'LOST';
end
$$;

-- Refuses a lease that cannot be one. Asked only where no row matched: NULL never matches.
create or replace function jobforge.check_lease(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if coalesce(p_worker, '') = '' or length(p_worker) > 200 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a worker id has 1 to 200 characters', '');
    elsif p_tenant_id is null or p_job_id is null or p_token is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a lease is named by worker, tenant, job and lease token; none may be NULL', '');
    end if;
end
$$;

-- Refuses a settlement inside a handler's transaction. SETTLED has its own error: a client that did
-- not get the answer of its COMMIT and repeats the transaction must not commit its writes again.
create or replace function jobforge.raise_refused(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_claim_id uuid) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_lease(p_worker, p_tenant_id, p_job_id, p_token);
    if jobforge.lease_fate(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id) = 'SETTLED' then
        perform jobforge.raise_error('SETTLED',
            format('this attempt of job %s (lease token %s) has already ended', p_job_id, p_token),
            'An earlier transaction of yours committed. Roll back this one; the work is done.');
    end if;
    perform jobforge.raise_error('LEASE_LOST',
        format('job %s is no longer held under lease token %s', p_job_id, p_token),
        'It was cancelled, or its lease expired and another worker has it. Roll back; do not retry.');
end
$$;

-- Refuses what a batch could not settle if the transaction had written something before the call
-- (p_wrote). SETTLED: a client that repeats "insert the effect, settle, commit" after a lost answer would
-- commit its effect twice. LOST: it would commit an effect beside the one of the job's next worker. The
-- completer's transaction is several batch calls, which write themselves, and a request of the HTTP
-- API keeps its books: these say so at their start, where nothing else is written yet, by the setting
-- jobforge.only_settles (sql/statements/settle/begin_settling.sql, access/enter_request.sql).
create or replace function jobforge.refuse_beside_writes(p_wrote boolean, p_state text, p_worker text,
    p_tenant_id uuid, p_job_id uuid, p_token bigint) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    if p_wrote and p_state in ('SETTLED', 'LOST', 'LEASE_LOST')
        and current_setting('jobforge.only_settles', true) is distinct from 'true' then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, null);
    end if;
end
$$;

-- Limits are counted and rows are locked at READ COMMITTED: at a higher level a count sees an old
-- snapshot (a limit of 5 had 7 running), and a completion conflicts with its own lease renewals.
create or replace function jobforge.require_read_committed() returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('this function runs at the isolation level read committed, not %s',
                current_setting('transaction_isolation')),
            'Begin with "begin isolation level read committed", or set default_transaction_isolation '
            'for the role or the database.');
    end if;
end
$$;
-- Owned by the tenants' definer and granted to the engine: both cancel and settle use them, each
-- under its own policies (they are not definer functions).
alter function jobforge.finish_job owner to jobforge_definer;
alter function jobforge.requeue_job owner to jobforge_definer;
alter function jobforge.record_attempt owner to jobforge_definer;
alter function jobforge.lock_lease owner to jobforge_engine;
alter function jobforge.lease_fate owner to jobforge_engine;
alter function jobforge.check_lease owner to jobforge_engine;
alter function jobforge.raise_refused owner to jobforge_engine;
alter function jobforge.refuse_beside_writes owner to jobforge_engine;
alter function jobforge.require_read_committed owner to jobforge_engine;
revoke execute on function jobforge.finish_job, jobforge.requeue_job, jobforge.record_attempt,
    jobforge.lock_lease, jobforge.lease_fate, jobforge.check_lease, jobforge.raise_refused,
    jobforge.refuse_beside_writes, jobforge.require_read_committed from public;
grant execute on function jobforge.finish_job, jobforge.requeue_job, jobforge.record_attempt to jobforge_engine;
