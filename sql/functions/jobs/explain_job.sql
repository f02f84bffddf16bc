-- Why is this job not running? Sentences for people, the most important first; always at least one.
-- Runs as the tenant's definer for the job itself; what spans tenants (workers, slots, limits of a
-- type) comes from explain_surroundings, which answers counts and no foreign row.
create or replace function jobforge.explain_job(p_job_id uuid, p_tenant_id uuid default null)
    returns text[]
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
    v_now timestamptz := clock_timestamp();
    v_job record;
begin
    select a.* into v_job from jobforge.all_jobs a
    where a.tenant_id = v_tenant_id and a.job_id = p_job_id;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job %s', p_job_id), '');
    end if;
    if v_job.completed_at is not null then
        return array_remove(array[
            format('It is finished: %s after %s of %s attempts, at %s.', v_job.status, v_job.attempts,
                v_job.max_attempts, jobforge.time_text(v_job.completed_at)),
            case when v_job.last_error is not null then format('Its last error: %s: %s',
                v_job.last_error ->> 'code', v_job.last_error ->> 'message') end,
            case when v_job.status in ('FAILED', 'DEAD_LETTER', 'CANCELLED')
                then format('To run it again: jobforge jobs retry %s', p_job_id) end], null);
    end if;
    if v_job.status = 'RUNNING' then
        return jobforge.explain_lease(v_job.lease_owner, v_job.attempts, v_job.max_attempts,
            v_job.started_at, v_job.lease_expires_at)
            || case when v_job.interrupted then array[format(
                'It has lost %s before: it runs in quarantine, few such jobs at once in a worker.',
                jobforge.counted(v_job.interruptions, 'worker', 'workers'))] else '{}' end;
    end if;
    return array_remove(array[
        case when v_job.scheduled_at > v_now then
            format('It is not due yet: it is scheduled for %s, in %s.', jobforge.time_text(v_job.scheduled_at),
                jobforge.age_text(v_job.scheduled_at - v_now)) end,
        case when v_job.scheduled_at > v_now and v_job.last_error is not null then
            format('It waits for its retry: attempt %s of %s ended with %s: %s', v_job.attempts,
                v_job.max_attempts, v_job.last_error ->> 'code', v_job.last_error ->> 'message') end], null)
        || jobforge.explain_surroundings(v_tenant_id, v_job.type)
        || jobforge.explain_place(v_tenant_id, p_job_id, v_job.type, v_job.priority, v_job.scheduled_at,
            v_job.interruptions);
end
$$;

-- The worker that holds the lease of a running job, and when it was last heard of.
create or replace function jobforge.explain_lease(p_worker text, p_attempt integer, p_max_attempts integer,
    p_started_at timestamptz, p_lease_expires_at timestamptz) returns text[]
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_now timestamptz := clock_timestamp();
    v_heard timestamptz;
    v_state text;
begin
    select w.heartbeat_at, w.state into v_heard, v_state from jobforge.workers w where w.worker_id = p_worker;
    return array_remove(array[
        format('It is running: attempt %s of %s on worker %s for %s.', p_attempt, p_max_attempts, p_worker,
            jobforge.age_text(v_now - p_started_at)),
        case when p_lease_expires_at < v_now then
            format('Its lease expired %s ago: the next claim of any worker takes it back.',
                jobforge.age_text(v_now - p_lease_expires_at))
        else format('Its lease ends in %s unless it is renewed.',
            jobforge.age_text(p_lease_expires_at - v_now)) end,
        case when v_heard is null then 'Its worker is not registered.'
            when v_state = 'STOPPED' then 'Its worker has stopped.'
            when v_heard < v_now - interval '60 seconds' then
                format('Its worker has been silent for %s.', jobforge.age_text(v_now - v_heard))
            else format('Its worker is alive: heard of %s ago.', jobforge.age_text(v_now - v_heard)) end],
        null);
end
$$;

-- What keeps every job of this type and tenant waiting: status, workers, slots, limits.
create or replace function jobforge.explain_surroundings(p_tenant_id uuid, p_type text) returns text[]
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_policy jobforge.job_types;
    v_tenant jobforge.tenants;
    v_workers bigint;
    v_free bigint;
begin
    select t.* into v_policy from jobforge.job_types t where t.type = p_type;
    select t.* into v_tenant from jobforge.tenants t where t.tenant_id = p_tenant_id;
    -- How many jobs a worker over HTTP would take is unknown: then the slots are not counted.
    select count(*), case when coalesce(bool_and(w.slots > 0), true)
        then coalesce(sum(greatest(0, w.slots - w.running)), 0) end into v_workers, v_free
    from jobforge.workers w
    where w.state = 'ACTIVE' and p_type = any(w.types)
        and w.heartbeat_at >= clock_timestamp() - interval '60 seconds'
        and coalesce(jobforge.worker_tenant(w.worker_id), p_tenant_id) = p_tenant_id;
    return array_remove(array[
        case when not v_policy.enabled then
            format('The type %s is disabled: nothing new is accepted, but jobs that wait still run.', p_type) end,
        case when v_tenant.status <> 'ACTIVE' then
            format('The tenant is %s: nothing new is accepted, but jobs that wait still run.',
                lower(v_tenant.status)) end,
        case when v_workers = 0 then
            format('No live worker has a handler for %s (live: heard of within 60 s).', p_type)
        when v_free = 0 then
            format('All slots of the %s for %s are busy.',
                jobforge.counted(v_workers, 'live worker', 'live workers'), p_type) end,
        jobforge.explain_limit('of the type ' || p_type, v_policy.concurrency_limit, p_type, null),
        jobforge.explain_limit('of the type ' || p_type || ' for this tenant',
            v_policy.tenant_concurrency_limit, p_type, p_tenant_id),
        jobforge.explain_limit('of this tenant', v_tenant.concurrency_limit, null, p_tenant_id),
        jobforge.explain_rate('of the type ' || p_type, '00000000-0000-0000-0000-000000000000', p_type,
            v_policy.rate_limit_per_minute),
        jobforge.explain_rate('of the type ' || p_type || ' for this tenant', p_tenant_id, p_type,
            v_policy.tenant_rate_limit_per_minute)], null);
end
$$;

-- A sentence when a concurrency limit is reached, else NULL.
create or replace function jobforge.explain_limit(p_what text, p_limit integer, p_type text, p_tenant_id uuid)
    returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_running bigint;
begin
    if p_limit is null then
        return null;
    end if;
    select count(*) into v_running from jobforge.jobs j
    where j.status = 'RUNNING' and (p_type is null or j.type = p_type)
        and (p_tenant_id is null or j.tenant_id = p_tenant_id);
    if v_running < p_limit then
        return null;
    end if;
    return format('The concurrency limit %s is reached: %s of %s run.', p_what, v_running, p_limit);
end
$$;

-- A sentence when a rate limit has no token left, else NULL.
create or replace function jobforge.explain_rate(p_what text, p_bucket uuid, p_type text, p_per_minute integer)
    returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_tokens double precision;
begin
    if p_per_minute is null then
        return null;
    elsif p_per_minute = 0 then
        return format('The rate limit %s is 0 per minute: nothing starts.', p_what);
    end if;
    select b.tokens + date_part('epoch', clock_timestamp() - b.refilled_at) * p_per_minute / 60.0
    into v_tokens from jobforge.rate_buckets b where b.tenant_id = p_bucket and b.type = p_type;
    if v_tokens is null or v_tokens >= 1 then
        return null;
    end if;
    return format('The rate limit %s (%s per minute) has no token left: the next one comes in %s.', p_what,
        p_per_minute, jobforge.age_text((1 - v_tokens) * 60.0 / p_per_minute * interval '1 second'));
end
$$;

-- Where a waiting job stands. Counting ahead of it stops at 1000: the answer is for people, and a
-- lane may hold a million jobs.
drop function if exists jobforge.explain_place(uuid, uuid, text, integer, timestamptz, boolean);
create or replace function jobforge.explain_place(p_tenant_id uuid, p_job_id uuid, p_type text,
    p_priority integer, p_scheduled_at timestamptz, p_interruptions integer) returns text[]
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_ahead bigint;
begin
    if p_interruptions > 0 then
        return array[format('It lost its worker %s, so it is in quarantine: %s of such jobs run at once in '
            'one worker, beside other work.', case when p_interruptions = 1 then 'once'
                else p_interruptions || ' times' end,
            case when p_interruptions = 1 then 'a quarter of its slots' else 'one' end)];
    elsif p_scheduled_at > clock_timestamp() then
        return '{}';
    end if;
    select count(*) into v_ahead from (
        select from jobforge.jobs j
        where j.status = 'QUEUED' and not j.interrupted and j.type = p_type and j.priority = p_priority
            and j.tenant_id = p_tenant_id and j.scheduled_at < p_scheduled_at
        limit 1000) a;
    return array[format('It has been due for %s; %s ahead of it, of its type and priority.',
        jobforge.age_text(clock_timestamp() - p_scheduled_at), case when v_ahead = 1000
            then '1000 or more jobs are' else jobforge.counted(v_ahead, 'job is', 'jobs are') end)];
end
$$;

create or replace function jobforge.time_text(p_at timestamptz) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $$
    select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
$$;

-- The two largest units of a span, as the command line writes it.
create or replace function jobforge.age_text(p_span interval) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $$
    select case
        when s.seconds < 1 then s.milliseconds || ' ms'
        when s.seconds < 60 then s.seconds || ' s'
        when s.seconds < 3600 then s.seconds / 60 || ' min ' || s.seconds % 60 || ' s'
        when s.seconds < 86400 then s.seconds / 3600 || ' h ' || s.seconds % 3600 / 60 || ' min'
        else s.seconds / 86400 || ' d ' || s.seconds % 86400 / 3600 || ' h' end
    from (select floor(greatest(0, date_part('epoch', p_span)))::bigint as seconds,
        floor(greatest(0, date_part('epoch', p_span)) * 1000)::bigint as milliseconds) s
$$;
alter function jobforge.explain_job owner to jobforge_definer;
alter function jobforge.explain_lease owner to jobforge_engine;
alter function jobforge.explain_surroundings owner to jobforge_engine;
alter function jobforge.explain_limit owner to jobforge_engine;
alter function jobforge.explain_rate owner to jobforge_engine;
alter function jobforge.explain_place owner to jobforge_definer;
alter function jobforge.time_text owner to jobforge_owner;
alter function jobforge.age_text owner to jobforge_owner;
revoke execute on function jobforge.explain_job, jobforge.explain_lease, jobforge.explain_surroundings,
    jobforge.explain_limit, jobforge.explain_rate, jobforge.explain_place, jobforge.time_text,
    jobforge.age_text from public;
grant execute on function jobforge.explain_lease, jobforge.explain_surroundings to jobforge_definer;
grant execute on function jobforge.time_text, jobforge.age_text to jobforge_definer, jobforge_engine;
grant execute on function jobforge.explain_job to jobforge_tenant, jobforge_gateway, jobforge_worker;
