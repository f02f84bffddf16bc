-- Every job, waiting or finished, as one relation. security_invoker: the reader's own policies apply.
create or replace view jobforge.all_jobs with (security_invoker = true) as
    select j.tenant_id, j.job_id, j.type, j.status, j.priority, j.attempts, j.max_attempts, j.interrupted,
        j.lease_token, j.lease_owner, j.lease_expires_at, j.heartbeat_at, j.scheduled_at, j.created_at,
        j.started_at, null::timestamptz as completed_at, j.idempotency_key, j.trace_id, j.created_by,
        j.payload, j.payload_bytes, j.payload_ref, null::jsonb as result, null::bytea as result_ref,
        j.last_error, j.interruptions
    from jobforge.jobs j
    union all
    select f.tenant_id, f.job_id, f.type, f.status, f.priority, f.attempts, f.max_attempts, f.interrupted,
        f.lease_token, f.lease_owner, null, null, f.scheduled_at, f.created_at,
        f.started_at, f.completed_at, f.idempotency_key, f.trace_id, f.created_by,
        f.payload, f.payload_bytes, f.payload_ref, f.result, f.result_ref, f.last_error,
        f.interruptions
    from jobforge.finished_jobs f;

-- A row per attempt. A plain success needs no row of its own: it is the finished job; an attempt
-- that runs now is the running job.
create or replace view jobforge.job_attempts with (security_invoker = true) as
    select a.tenant_id, a.job_id, a.lease_token, a.attempt_no, a.type, a.worker_id, a.started_at,
        a.ended_at, a.outcome, a.error
    from jobforge.attempt_records a
    union all
    select f.tenant_id, f.job_id, f.lease_token, f.attempts, f.type, f.lease_owner, f.started_at,
        f.completed_at, 'SUCCEEDED', null
    from jobforge.finished_jobs f where f.status = 'SUCCEEDED'
    union all
    select j.tenant_id, j.job_id, j.lease_token, j.attempts, j.type, j.lease_owner, j.started_at,
        null, 'RUNNING', null
    from jobforge.jobs j where j.status = 'RUNNING';

create or replace view jobforge.job_results with (security_invoker = true) as
    select f.tenant_id, f.job_id, f.type, f.result, f.result_ref as artifact_ref, f.completed_at
    from jobforge.finished_jobs f where f.status = 'SUCCEEDED';
alter view jobforge.all_jobs owner to jobforge_owner;
alter view jobforge.job_attempts owner to jobforge_owner;
alter view jobforge.job_results owner to jobforge_owner;
