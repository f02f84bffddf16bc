-- Takes back running jobs whose lease has expired: back to their old place in the queue, in quarantine
-- (claim_interrupted), or, after their last attempt, into DEAD_LETTER with error LEASE_EXPIRED. A crash
-- counts as an attempt. Any number of callers at once: each takes what the others have not locked.
-- Answers how many.
create or replace function jobforge.reclaim_expired(p_types text[] default null, p_limit integer default 200)
    returns integer
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set jit = off
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_types text[] := p_types;
    v_now timestamptz := clock_timestamp();  -- a constant bounds the scan, clock_timestamp() reads every lease
    v_job jobforge.jobs;
    v_error jsonb;
    v_count integer := 0;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_page(p_limit, 10000);
    if v_types is null then
        select array_agg(t.type) into v_types from jobforge.job_types t;
    else
        perform jobforge.check_elements(v_types, 'p_types');
    end if;
    for v_job in
        select j.* from unnest(v_types) t(type) cross join lateral (
            select c.* from jobforge.jobs c
            where c.status = 'RUNNING' and c.type = t.type and c.lease_expires_at < v_now
            order by c.lease_expires_at
            limit p_limit
            for update skip locked) j
        limit p_limit
    loop
        v_error := jsonb_build_object('code', 'LEASE_EXPIRED', 'retryable', true,
            'message', format('worker %s stopped renewing its lease during attempt %s', v_job.lease_owner,
                v_job.attempts));
        if v_job.attempts >= v_job.max_attempts then
            perform jobforge.finish_job(v_job, 'DEAD_LETTER', 'CRASHED', v_error, v_job.lease_token);
        else
            perform jobforge.requeue_job(v_job, v_job.scheduled_at, 'CRASHED', v_error, false, true);
            perform jobforge.wake(v_job.type);
        end if;
        v_count := v_count + 1;
    end loop;
    return v_count;
end
$$;
alter function jobforge.reclaim_expired owner to jobforge_engine;
revoke execute on function jobforge.reclaim_expired from public;
grant execute on function jobforge.reclaim_expired to jobforge_worker;
