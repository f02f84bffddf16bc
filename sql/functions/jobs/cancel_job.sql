-- Ends a waiting or running job as CANCELLED, at once. The token grows, so whatever the running
-- handler still sends is refused; its worker is told by NOTIFY, and by its next renewal in any case.
-- Cancelling a cancelled job changes nothing. Errors: NOT_FOUND, INVALID_TRANSITION, FORBIDDEN (also
-- for internal types, see may_repeat_internal).
create or replace function jobforge.cancel_job(p_job_id uuid, p_reason text default null,
    p_tenant_id uuid default null) returns text
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant(p_tenant_id);
    v_job jobforge.jobs;
    v_error jsonb;
begin
    select j.* into v_job from jobforge.jobs j
    where j.tenant_id = v_tenant_id and j.job_id = p_job_id for update;
    if not found then
        perform jobforge.raise_if_finished(v_tenant_id, p_job_id, 'cancel', 'CANCELLED');
        return 'CANCELLED';
    end if;
    perform jobforge.check_may_repeat(v_tenant_id, v_job.type, 'cancelled');
    v_error := jsonb_build_object('code', 'CANCELLED', 'retryable', false,
        'message', coalesce(left(p_reason, 2000), 'cancelled on request'));
    perform jobforge.finish_job(v_job, 'CANCELLED', 'CANCELLED', v_error, v_job.lease_token + 1);
    if v_job.status = 'RUNNING' then
        perform jobforge.notify_workers('jobforge_cancel');
    end if;
    return 'CANCELLED';
end
$$;

-- NOT_FOUND for an unknown job, INVALID_TRANSITION for a finished one, unless it is in p_fine.
create or replace function jobforge.raise_if_finished(p_tenant_id uuid, p_job_id uuid, p_verb text,
    p_fine text default null) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_status text;
begin
    select f.status into v_status from jobforge.finished_jobs f
    where f.tenant_id = p_tenant_id and f.job_id = p_job_id;
    if v_status is null then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job %s', p_job_id), '');
    elsif v_status is distinct from p_fine then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('cannot %s job %s: it is %s', p_verb, p_job_id, v_status), '');
    end if;
end
$$;

-- Many jobs by id. Answers one row each: CANCELLED, NOT_FOUND, INVALID_TRANSITION or FORBIDDEN.
create or replace function jobforge.cancel_jobs(p_job_ids uuid[], p_reason text default null,
    p_tenant_id uuid default null) returns table (job_id uuid, status text)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
    perform jobforge.acting_tenant(p_tenant_id);
    if p_job_ids is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_job_ids is NULL', '');
    end if;
    for job_id in select distinct i.id from unnest(p_job_ids) i(id) order by i.id loop
        begin
            status := jobforge.cancel_job(job_id, p_reason, p_tenant_id);
        exception when sqlstate 'JF005' then
            status := 'NOT_FOUND';
        when sqlstate 'JF011' then
            status := 'INVALID_TRANSITION';
        when sqlstate 'JF004' then
            status := 'FORBIDDEN';
        end;
        return next;
    end loop;
end
$$;
alter function jobforge.cancel_job owner to jobforge_definer;
alter function jobforge.cancel_jobs owner to jobforge_definer;
alter function jobforge.raise_if_finished owner to jobforge_definer;
revoke execute on function jobforge.cancel_job, jobforge.cancel_jobs, jobforge.raise_if_finished from public;
grant execute on function jobforge.cancel_job, jobforge.cancel_jobs
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
