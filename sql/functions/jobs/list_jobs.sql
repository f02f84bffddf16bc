-- A page of the tenant's jobs, newest first (ids sort by age). The next page starts before the last
-- id of this one. Filters are optional.
create or replace function jobforge.list_jobs(p_status text default null, p_type text default null,
    p_limit integer default 50, p_before uuid default null, p_error_code text default null,
    p_created_after timestamptz default null, p_created_before timestamptz default null,
    p_tenant_id uuid default null)
    returns table (tenant_id uuid, job_id uuid, type text, status text, priority smallint, attempts integer,
        max_attempts integer, scheduled_at timestamptz, created_at timestamptz, started_at timestamptz,
        completed_at timestamptz, lease_owner text, lease_expires_at timestamptz, idempotency_key text,
        trace_id text, created_by text, last_error jsonb)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
    v_before uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
    if p_limit is null or p_limit not between 1 and 1000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('limit %s is not between 1 and 1000', p_limit), '');
    elsif p_status not in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'DEAD_LETTER') then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%L is not a job status', p_status),
            'QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELLED or DEAD_LETTER.');
    end if;
    return query
    select a.tenant_id, a.job_id, a.type, a.status, a.priority, a.attempts, a.max_attempts, a.scheduled_at,
        a.created_at, a.started_at, a.completed_at, a.lease_owner, a.lease_expires_at, a.idempotency_key,
        a.trace_id, a.created_by, jobforge.readable(a.last_error)
    from (
        (select h.* from jobforge.all_jobs h
         where h.tenant_id = v_tenant_id and h.job_id < v_before and h.completed_at is null
            and (p_status is null or h.status = p_status) and (p_type is null or h.type = p_type)
            and (p_error_code is null or h.last_error ->> 'code' = p_error_code)
            and (p_created_after is null or h.created_at >= p_created_after)
            and (p_created_before is null or h.created_at < p_created_before)
         order by h.job_id desc limit p_limit)
        union all
        (select f.* from jobforge.all_jobs f
         where f.tenant_id = v_tenant_id and f.job_id < v_before and f.completed_at is not null
            and (p_status is null or f.status = p_status) and (p_type is null or f.type = p_type)
            and (p_error_code is null or f.last_error ->> 'code' = p_error_code)
            and (p_created_after is null or f.created_at >= p_created_after)
            and (p_created_before is null or f.created_at < p_created_before)
         order by f.job_id desc limit p_limit)
    ) a
    order by a.job_id desc
    limit p_limit;
end
$$;

-- One job with its payload and result (large ones read back from their artifacts). NOT_FOUND.
drop function if exists jobforge.get_job(uuid, uuid);
create or replace function jobforge.get_job(p_job_id uuid, p_tenant_id uuid default null)
    returns table (tenant_id uuid, job_id uuid, type text, status text, priority smallint, attempts integer,
        max_attempts integer, interrupted boolean, scheduled_at timestamptz, created_at timestamptz,
        started_at timestamptz, completed_at timestamptz, heartbeat_at timestamptz, lease_owner text,
        lease_token bigint, lease_expires_at timestamptz, idempotency_key text, trace_id text, created_by text,
        last_error jsonb, payload jsonb, result jsonb, payload_ref text, result_ref text,
        interruptions smallint)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off
    set enable_seqscan = off as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    return query
    select a.tenant_id, a.job_id, a.type, a.status, a.priority, a.attempts, a.max_attempts, a.interrupted,
        a.scheduled_at, a.created_at, a.started_at, a.completed_at, a.heartbeat_at, a.lease_owner,
        a.lease_token, a.lease_expires_at, a.idempotency_key, a.trace_id, a.created_by,
        jobforge.readable(a.last_error),
        jobforge.readable(case when a.payload_ref is null then a.payload
            else jobforge.load_artifact(a.tenant_id, a.payload_ref) end),
        jobforge.readable(case when a.result_ref is null then a.result
            else jobforge.load_artifact(a.tenant_id, a.result_ref) end),
        encode(a.payload_ref, 'hex'), encode(a.result_ref, 'hex'), a.interruptions
    from jobforge.all_jobs a where a.tenant_id = v_tenant_id and a.job_id = p_job_id;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job %s', p_job_id), '');
    end if;
end
$$;

-- The runs of a job, oldest first. p_limit: at most so many, NULL for all (each error may be 64 KiB, and
-- every snooze adds a row). The next page starts after the last lease_token of this one.
drop function if exists jobforge.list_attempts(uuid, uuid);
create or replace function jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid default null,
    p_limit integer default null, p_after bigint default null)
    returns table (attempt_no integer, lease_token bigint, worker_id text, started_at timestamptz,
        ended_at timestamptz, outcome text, error jsonb)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set jit = off
    set enable_seqscan = off as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    if p_limit is not null then
        perform jobforge.check_page(p_limit, 1000);
    end if;
    return query
    select a.attempt_no, a.lease_token, a.worker_id, a.started_at, a.ended_at, a.outcome,
        jobforge.readable(a.error)
    from jobforge.job_attempts a where a.tenant_id = v_tenant_id and a.job_id = p_job_id
        and a.lease_token > coalesce(p_after, -1)
    order by a.lease_token limit p_limit;
end
$$;

-- The tenant's numbers per type: what waits and runs now, and all that ever was (from counters:
-- history is never counted row by row).
create or replace function jobforge.job_stats(p_tenant_id uuid default null)
    returns table (type text, queued bigint, due bigint, running bigint, oldest_due_at timestamptz,
        enqueued bigint, succeeded bigint, failed bigint, cancelled bigint, dead_letter bigint,
        dead_letters_left bigint)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    return query
    with hot as (
        select j.type, count(*) filter (where j.status = 'QUEUED') as queued,
            count(*) filter (where j.status = 'QUEUED' and j.scheduled_at <= clock_timestamp()) as due,
            count(*) filter (where j.status = 'RUNNING') as running,
            min(j.scheduled_at) filter (where j.status = 'QUEUED' and j.scheduled_at <= clock_timestamp())
                as oldest_due_at
        from jobforge.jobs j where j.tenant_id = v_tenant_id group by j.type
    ), ever as (
        select c.type, sum(c.value) filter (where c.counter = 'enqueued') as enqueued,
            sum(c.value) filter (where c.counter = 'succeeded') as succeeded,
            sum(c.value) filter (where c.counter = 'failed') as failed,
            sum(c.value) filter (where c.counter = 'cancelled') as cancelled,
            sum(c.value) filter (where c.counter = 'dead_letter') as dead_letter,
            sum(c.value) filter (where c.counter = 'dead_letters_left') as dead_letters_left
        from (select t.type, t.counter, t.value from jobforge.counter_totals t
                where t.tenant_id = v_tenant_id
              union all
              select d.type, d.counter, d.delta from jobforge.counter_deltas d
                where d.tenant_id = v_tenant_id) c
        group by c.type
    )
    select coalesce(h.type, e.type), coalesce(h.queued, 0), coalesce(h.due, 0), coalesce(h.running, 0),
        h.oldest_due_at, coalesce(e.enqueued, 0)::bigint, coalesce(e.succeeded, 0)::bigint,
        coalesce(e.failed, 0)::bigint, coalesce(e.cancelled, 0)::bigint, coalesce(e.dead_letter, 0)::bigint,
        coalesce(e.dead_letters_left, 0)::bigint
    from hot h full join ever e on e.type = h.type
    order by 1;
end
$$;
alter function jobforge.list_jobs owner to jobforge_definer;
alter function jobforge.get_job owner to jobforge_definer;
alter function jobforge.list_attempts owner to jobforge_definer;
alter function jobforge.job_stats owner to jobforge_definer;
revoke execute on function jobforge.list_jobs, jobforge.get_job, jobforge.list_attempts, jobforge.job_stats
    from public;
grant execute on function jobforge.list_jobs, jobforge.get_job, jobforge.list_attempts, jobforge.job_stats
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
