-- Ends attempts without counting them: snoozed (the handler asked to come back later) or released
-- (the worker is stopping). Answers the jobs for which nothing was done, each with a state: LOST,
-- SETTLED (this attempt ended before) or, with p_skip_locked, LOCKED (try again). Beside writes of the
-- caller's own SETTLED is an error, as in complete_jobs.
-- p_seconds below 0 are 0, and above a year a year.
drop function if exists jobforge.snooze_jobs(text, uuid[], uuid[], bigint[], double precision[]);
create or replace function jobforge.snooze_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[],
    p_claim_ids uuid[] default null, p_skip_locked boolean default false)
    returns table (tenant_id uuid, job_id uuid, lease_token bigint, state text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_seconds),
        'p_seconds');
    perform jobforge.check_elements(p_seconds, 'p_seconds');
    if 'NaN' = any(p_seconds) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_seconds must be numbers', '');
    end if;
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_seconds, p_claim_ids)
            as i(tenant_id, job_id, token, seconds, claim_id)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if found then
            perform jobforge.requeue_job(v_job, clock_timestamp()
                    + interval '1 second' * least(greatest(v_input.seconds, 0), 31622400),
                'SNOOZED', null, true, false);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            state := jobforge.refusal(p_worker, tenant_id, job_id, lease_token, v_input.claim_id);
            perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
            return next;
        end if;
    end loop;
end
$$;

-- One job, inside the transaction that holds the handler's writes.
drop function if exists jobforge.snooze_job(text, uuid, uuid, bigint, double precision);
create or replace function jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_seconds double precision, p_claim_id uuid default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '5s' as $$
begin
    perform from jobforge.snooze_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token],
        array[p_seconds], array[p_claim_id]);
    if found then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;

-- Gives claimed jobs back unfinished, at their old place in the queue. The attempt is not counted.
drop function if exists jobforge.release_jobs(text, uuid[], uuid[], bigint[]);
create or replace function jobforge.release_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[] default null,
    p_skip_locked boolean default false)
    returns table (tenant_id uuid, job_id uuid, lease_token bigint, state text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_types text[] := '{}';
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, null, null);
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids)
            as i(tenant_id, job_id, token, claim_id)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if found then
            perform jobforge.requeue_job(v_job, v_job.scheduled_at, 'RELEASED', null, true, false);
            if v_job.type <> all(v_types) then
                v_types := v_types || v_job.type;
            end if;
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            state := jobforge.refusal(p_worker, tenant_id, job_id, lease_token, v_input.claim_id);
            perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
            return next;
        end if;
    end loop;
    perform jobforge.wake(t.type) from unnest(v_types) t(type);
end
$$;

-- The handlers' answer Cancelled: the jobs end CANCELLED with the reasons they gave. Answers as above.
create or replace function jobforge.cancel_running_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[] default null,
    p_claim_ids uuid[] default null, p_skip_locked boolean default false)
    returns table (tenant_id uuid, job_id uuid, lease_token bigint, state text)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_errors),
        'p_errors');
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_errors, p_claim_ids)
            as i(tenant_id, job_id, token, error, claim_id)
        order by i.tenant_id, i.job_id
    loop
        if v_input.error is not null then
            perform jobforge.check_error(v_input.error);
            v_input.error := jobforge.bounded_error(v_input.error);
        end if;
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if found then
            perform jobforge.finish_job(v_job, 'CANCELLED', 'CANCELLED', v_input.error, v_job.lease_token);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            state := jobforge.refusal(p_worker, tenant_id, job_id, lease_token, v_input.claim_id);
            perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
            return next;
        end if;
    end loop;
end
$$;

-- One job, inside the transaction that holds the handler's writes.
drop function if exists jobforge.cancel_running_job(text, uuid, uuid, bigint, jsonb);
create or replace function jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid,
    p_token bigint, p_error jsonb default null, p_claim_id uuid default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '5s' as $$
begin
    perform from jobforge.cancel_running_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token],
        array[p_error], array[p_claim_id]);
    if found then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;
alter function jobforge.snooze_jobs owner to jobforge_engine;
alter function jobforge.snooze_job owner to jobforge_engine;
alter function jobforge.release_jobs owner to jobforge_engine;
alter function jobforge.cancel_running_jobs owner to jobforge_engine;
alter function jobforge.cancel_running_job owner to jobforge_engine;
revoke execute on function jobforge.snooze_jobs, jobforge.snooze_job, jobforge.release_jobs,
    jobforge.cancel_running_jobs, jobforge.cancel_running_job from public;
grant execute on function jobforge.snooze_jobs, jobforge.snooze_job, jobforge.release_jobs,
    jobforge.cancel_running_jobs, jobforge.cancel_running_job to jobforge_worker;
