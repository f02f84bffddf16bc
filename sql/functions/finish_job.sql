-- Moves one running or waiting job row into finished_jobs without success, with its attempt and
-- its counters. The caller has locked the row and checked the fence.
create or replace function jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text,
    p_error jsonb, p_token bigint) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    delete from jobforge.jobs j where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, lease_token, scheduled_at, created_at, started_at, completed_at, lease_owner,
        idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, last_error)
    values (p_job.tenant_id, p_job.job_id, p_job.type, p_status, p_job.priority, p_job.attempts,
        p_job.max_attempts, p_job.interrupted, p_token, p_job.scheduled_at, p_job.created_at,
        p_job.started_at, clock_timestamp(), p_job.lease_owner, p_job.idempotency_key, p_job.trace_id,
        p_job.created_by, p_job.payload, p_job.payload_bytes, p_job.payload_ref,
        coalesce(p_error, p_job.last_error));
    if p_job.status = 'RUNNING' then
        perform jobforge.record_attempt(p_job, p_outcome, p_error);
    else
        perform jobforge.usage_add(p_job.tenant_id, -1, -p_job.payload_bytes);
    end if;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
    values (p_job.tenant_id, p_job.type, lower(p_status), 1);
    if p_status = 'DEAD_LETTER' then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        values (p_job.tenant_id, p_job.type, 'dead_letters_left', 1);
    end if;
end
$$;

-- Puts a running job back into the queue; p_uncount gives the attempt back (snooze, release).
create or replace function jobforge.requeue_job(p_job jobforge.jobs, p_at timestamptz, p_outcome text,
    p_error jsonb, p_uncount boolean, p_interrupted boolean) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    update jobforge.jobs j
    set status = 'QUEUED', lease_owner = null, lease_expires_at = null, heartbeat_at = null,
        scheduled_at = p_at, interrupted = p_interrupted, last_error = coalesce(p_error, j.last_error),
        attempts = j.attempts - case when p_uncount then 1 else 0 end
    where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    perform jobforge.record_attempt(p_job, p_outcome, p_error);
    perform jobforge.usage_add(p_job.tenant_id, 1, p_job.payload_bytes);
end
$$;

create or replace function jobforge.record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb)
    returns void
    language sql volatile set search_path = pg_catalog, pg_temp as $$
    insert into jobforge.attempt_records (tenant_id, job_id, lease_token, attempt_no, type, worker_id,
        started_at, ended_at, outcome, error)
    values (p_job.tenant_id, p_job.job_id, p_job.lease_token, p_job.attempts, p_job.type,
        p_job.lease_owner, p_job.started_at, clock_timestamp(), p_outcome, p_error)
$$;

-- The row of a job held under this lease, locked; no row when the lease is lost.
create or replace function jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint)
    returns setof jobforge.jobs
    language sql volatile set search_path = pg_catalog, pg_temp as $$
    select j.* from jobforge.jobs j
    where j.tenant_id = p_tenant_id and j.job_id = p_job_id
        and j.lease_token = p_token and j.lease_owner = p_worker
    for update
$$;
-- Owned by the tenants' definer and granted to the engine: both cancel and settle use them, each
-- under its own policies (they are not definer functions).
alter function jobforge.finish_job owner to jobforge_definer;
alter function jobforge.requeue_job owner to jobforge_definer;
alter function jobforge.record_attempt owner to jobforge_definer;
alter function jobforge.lock_lease owner to jobforge_engine;
revoke execute on function jobforge.finish_job, jobforge.requeue_job, jobforge.record_attempt,
    jobforge.lock_lease from public;
grant execute on function jobforge.finish_job, jobforge.requeue_job, jobforge.record_attempt to jobforge_engine;
