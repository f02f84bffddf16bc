-- Puts a job (back) into the queue at a time: from QUEUED, FAILED, DEAD_LETTER or CANCELLED.
-- p_reset_attempts gives a fresh budget; else attempts go on counting, and p_max_attempts must leave
-- room. The lease token goes on growing, whatever happens. A job that had ended counts to the quota again,
-- and its priority is lowered to the tenant's min_priority. Errors: NOT_FOUND, INVALID_TRANSITION,
-- VALIDATION_ERROR, QUOTA_EXCEEDED, FORBIDDEN (also for internal types, see may_repeat_internal),
-- JOB_PAYLOAD_INVALID (an ended job of an older version whose payload would stop every claim of it).
create or replace function jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamptz default null,
    p_reset_attempts boolean default false, p_max_attempts integer default null,
    p_tenant_id uuid default null) returns timestamptz
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant(p_tenant_id);
    v_at timestamptz := coalesce(p_scheduled_at, clock_timestamp());
    v_job jobforge.jobs;
    v_done jobforge.finished_jobs;
    v_fault text;
begin
    perform jobforge.check_enqueue('{}', null, p_max_attempts, p_scheduled_at, null);
    if p_reset_attempts is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_reset_attempts is true or false, not NULL', '');
    end if;
    select j.* into v_job from jobforge.jobs j
    where j.tenant_id = v_tenant_id and j.job_id = p_job_id for update;
    if v_job.status = 'RUNNING' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('cannot reschedule job %s: it is RUNNING', p_job_id), 'Cancel it first.');
    elsif v_job.status = 'QUEUED' then
        perform jobforge.check_may_repeat(v_tenant_id, v_job.type);
        perform jobforge.check_budget(v_job.attempts, coalesce(p_max_attempts, v_job.max_attempts),
            p_reset_attempts);
        update jobforge.jobs j
        set scheduled_at = v_at, max_attempts = coalesce(p_max_attempts, j.max_attempts),
            attempts = case when p_reset_attempts then 0 else j.attempts end,
            interrupted = j.interrupted and not p_reset_attempts,
            interruptions = case when p_reset_attempts then 0 else j.interruptions end
        where j.tenant_id = v_tenant_id and j.job_id = p_job_id;
        perform jobforge.wake_for_moved(v_job.type, p_scheduled_at);
        return v_at;
    end if;

    select f.* into v_done from jobforge.finished_jobs f
    where f.tenant_id = v_tenant_id and f.job_id = p_job_id and f.status <> 'SUCCEEDED' for update;
    if not found then
        perform jobforge.raise_if_finished(v_tenant_id, p_job_id, 'reschedule');
    end if;
    perform jobforge.check_may_repeat(v_tenant_id, v_done.type);
    perform jobforge.check_budget(v_done.attempts, coalesce(p_max_attempts, v_done.max_attempts),
        p_reset_attempts);
    v_fault := jobforge.payload_fault(v_tenant_id, v_done.payload, v_done.payload_ref);
    if v_fault is not null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', format('cannot reschedule job %s: %s', p_job_id, v_fault),
            'Enqueue the work again with a payload that can be sent.');
    end if;
    perform jobforge.quota_take(v_tenant_id, 1, v_done.payload_bytes);
    perform jobforge.put_back(v_done, v_at, p_reset_attempts, p_max_attempts);
    perform jobforge.wake_for_moved(v_done.type, p_scheduled_at);
    return v_at;
end
$$;

-- Refuses what would go over the tenant's quota. (A tenant could enqueue up to it, cancel all, enqueue again
-- and then retry the cancelled ones: twice its quota waited.)
create or replace function jobforge.quota_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_quota record;
begin
    select n.max_waiting_jobs, n.max_waiting_bytes into v_quota
    from jobforge.tenants n where n.tenant_id = p_tenant_id;
    if p_jobs > 0 and num_nonnulls(v_quota.max_waiting_jobs, v_quota.max_waiting_bytes) > 0 then
        perform jobforge.usage_take(p_tenant_id, p_jobs, p_bytes, v_quota.max_waiting_jobs,
            v_quota.max_waiting_bytes);
    end if;
end
$$;

-- Moves an ended job, which the caller has locked and checked, back into the queue.
create or replace function jobforge.put_back(p_done jobforge.finished_jobs, p_at timestamptz, p_reset boolean,
    p_max_attempts integer) returns void
    language plpgsql volatile
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    delete from jobforge.finished_jobs f where f.tenant_id = p_done.tenant_id and f.job_id = p_done.job_id;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, attempts, max_attempts, interrupted,
        interruptions, lease_token, scheduled_at, created_at, started_at, idempotency_key, trace_id, created_by,
        payload, payload_bytes, payload_ref, last_error)
    values (p_done.tenant_id, p_done.job_id, p_done.type,
        greatest(p_done.priority, (select n.min_priority from jobforge.tenants n where n.tenant_id = p_done.tenant_id)),
        case when p_reset then 0 else p_done.attempts end,
        coalesce(p_max_attempts, p_done.max_attempts), p_done.interrupted and not p_reset,
        case when p_reset then 0 else p_done.interruptions end, p_done.lease_token, p_at, p_done.created_at,
        p_done.started_at, p_done.idempotency_key, p_done.trace_id, p_done.created_by, p_done.payload,
        p_done.payload_bytes, p_done.payload_ref, p_done.last_error);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_done.tenant_id, p_done.type, 'requeued', 1, p_done.payload_bytes);
    if p_done.status = 'DEAD_LETTER' then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        values (p_done.tenant_id, p_done.type, 'dead_letters_left', -1);
    end if;
end
$$;

-- A job that is moved into the past lies below the floors of workers that are busy with its lane, and
-- the index of back-dated jobs goes by created_at, which does not move. Its wake-up is therefore sent
-- also where no worker sleeps: a busy one looks at all lanes when it gets one. Moves are rare.
create or replace function jobforge.wake_for_moved(p_type text, p_scheduled_at timestamptz) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if p_scheduled_at < clock_timestamp() then
        perform jobforge.notify_wake(p_type);
    else
        perform jobforge.wake(p_type);
    end if;
end
$$;

create or replace function jobforge.check_budget(p_attempts integer, p_max_attempts integer,
    p_reset boolean) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if not p_reset and p_attempts >= p_max_attempts then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('the job has used %s of its %s attempts', p_attempts, p_max_attempts),
            'Reset its attempts, or raise max_attempts.');
    end if;
end
$$;

-- Reschedules every job that matches, at most p_limit, oldest first. Answers their ids. All or nothing: one
-- that has no attempt left, or a quota that has no room for all of them, is an error. Jobs of an older
-- version whose payload cannot be sent match nothing: they are left out and do not count to p_limit.
create or replace function jobforge.retry_jobs(p_status text default null, p_type text default null,
    p_error_code text default null, p_finished_after timestamptz default null,
    p_finished_before timestamptz default null, p_scheduled_at timestamptz default null,
    p_reset_attempts boolean default true, p_limit integer default 1000,
    p_tenant_id uuid default null) returns setof uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant(p_tenant_id);
    v_closed text[];
    v_jobs uuid[];
    v_types text[] := '{}';
    v_job jobforge.finished_jobs;
begin
    if p_status not in ('FAILED', 'DEAD_LETTER', 'CANCELLED') then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('jobs that are %s cannot be retried', p_status),
            'Choose FAILED, DEAD_LETTER or CANCELLED; with none, FAILED and DEAD_LETTER are retried.');
    elsif p_reset_attempts is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_reset_attempts is true or false, not NULL', '');
    end if;
    perform jobforge.check_enqueue('{}', null, null, p_scheduled_at, null);
    perform jobforge.check_page(p_limit, 100000);
    if p_type is not null then
        perform jobforge.check_may_repeat(v_tenant_id, p_type);
    end if;
    v_closed := array(select t.type from jobforge.job_types t
        where t.internal and not jobforge.may_repeat_internal(v_tenant_id));
    v_jobs := array(
        select f.job_id from jobforge.finished_jobs f
        where f.tenant_id = v_tenant_id
            and f.status = any(case when p_status is null then array['FAILED', 'DEAD_LETTER']
                else array[p_status] end) and f.status <> 'SUCCEEDED'
            and (p_type is null or f.type = p_type) and f.type <> all(v_closed)
            and (p_error_code is null or f.last_error ->> 'code' = p_error_code)
            and (p_finished_after is null or f.completed_at >= p_finished_after)
            and (p_finished_before is null or f.completed_at < p_finished_before)
            and jobforge.payload_fault(v_tenant_id, f.payload, f.payload_ref) is null
        order by f.job_id
        limit p_limit
        for update skip locked);
    perform jobforge.quota_take(v_tenant_id, cardinality(v_jobs), (select sum(f.payload_bytes)
        from jobforge.finished_jobs f where f.tenant_id = v_tenant_id and f.job_id = any(v_jobs)));
    for v_job in
        select f.* from unnest(v_jobs) with ordinality i(job_id, n)
            join jobforge.finished_jobs f on f.tenant_id = v_tenant_id and f.job_id = i.job_id
        order by i.n
    loop
        perform jobforge.check_budget(v_job.attempts, v_job.max_attempts, p_reset_attempts);
        perform jobforge.put_back(v_job, coalesce(p_scheduled_at, clock_timestamp()), p_reset_attempts, null);
        if v_job.type <> all(v_types) then
            v_types := v_types || v_job.type;
        end if;
        return next v_job.job_id;
    end loop;
    perform jobforge.wake_for_moved(t.type, p_scheduled_at) from unnest(v_types) t(type);
end
$$;
alter function jobforge.reschedule_job owner to jobforge_definer;
alter function jobforge.quota_take owner to jobforge_definer;
alter function jobforge.put_back owner to jobforge_definer;
alter function jobforge.wake_for_moved owner to jobforge_definer;
alter function jobforge.check_budget owner to jobforge_definer;
alter function jobforge.retry_jobs owner to jobforge_definer;
revoke execute on function jobforge.reschedule_job, jobforge.quota_take, jobforge.put_back, jobforge.wake_for_moved,
    jobforge.check_budget, jobforge.retry_jobs from public;
grant execute on function jobforge.reschedule_job, jobforge.retry_jobs
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
