-- Ends attempts without counting them: snoozed (the handler asked to come back later) or released
-- (the worker is stopping). Answers the leases that were lost; for those nothing was done.
create or replace function jobforge.snooze_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[])
    returns table (tenant_id uuid, job_id uuid, lease_token bigint)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, cardinality(p_seconds), 'p_seconds');
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_seconds) as i(tenant_id, job_id, token, seconds)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id, v_input.token);
        if found then
            perform jobforge.requeue_job(v_job, clock_timestamp()
                    + interval '1 second' * least(greatest(coalesce(v_input.seconds, 0), 0), 31622400),
                'SNOOZED', null, true, v_job.interrupted);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            return next;
        end if;
    end loop;
end
$$;

create or replace function jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_seconds double precision) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform from jobforge.snooze_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token],
        array[p_seconds]);
    if found then
        perform jobforge.raise_lease_lost(p_job_id, p_token);
    end if;
end
$$;

-- Gives claimed jobs back unfinished, at their old place in the queue. The attempt is not counted.
create or replace function jobforge.release_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[])
    returns table (tenant_id uuid, job_id uuid, lease_token bigint)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, null, null);
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens) as i(tenant_id, job_id, token)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id, v_input.token);
        if found then
            perform jobforge.requeue_job(v_job, v_job.scheduled_at, 'RELEASED', null, true, v_job.interrupted);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            return next;
        end if;
    end loop;
    perform jobforge.wake(t.type) from (select distinct j.type from jobforge.jobs j
        join unnest(p_tenants, p_job_ids) as i(tenant_id, job_id)
            on j.tenant_id = i.tenant_id and j.job_id = i.job_id) t;
end
$$;

-- The handler's answer Cancelled: the job ends CANCELLED with the reason it gave.
create or replace function jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_error jsonb default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_job jobforge.jobs;
begin
    select * into v_job from jobforge.lock_lease(p_worker, p_tenant_id, p_job_id, p_token);
    if not found then
        perform jobforge.raise_lease_lost(p_job_id, p_token);
    end if;
    perform jobforge.finish_job(v_job, 'CANCELLED', 'CANCELLED', p_error, v_job.lease_token);
end
$$;
alter function jobforge.snooze_jobs owner to jobforge_engine;
alter function jobforge.snooze_job owner to jobforge_engine;
alter function jobforge.release_jobs owner to jobforge_engine;
alter function jobforge.cancel_running_job owner to jobforge_engine;
revoke execute on function jobforge.snooze_jobs, jobforge.snooze_job, jobforge.release_jobs,
    jobforge.cancel_running_job from public;
grant execute on function jobforge.snooze_jobs, jobforge.snooze_job, jobforge.release_jobs,
    jobforge.cancel_running_job to jobforge_worker;
