-- Ends an attempt with an error {"code", "message", "retryable", "details"?}. retryable false: FAILED
-- at once, also on the last attempt. Else the job waits for its type's backoff, and p_retry_after
-- (seconds, a server's Retry-After, at most a year) wins when it is later; after the last attempt it is
-- a DEAD_LETTER.
-- Answers each job's new state, or why nothing was done for it: LEASE_LOST, SETTLED (this attempt ended
-- before) or, with p_skip_locked, LOCKED (another session has the row locked: try again). Beside writes
-- of the caller's own SETTLED is an error, as in complete_jobs.
drop function if exists jobforge.fail_jobs(text, uuid[], uuid[], bigint[], jsonb[], double precision[]);
create or replace function jobforge.fail_jobs(
    p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[],
    p_retry_after double precision[] default null, p_claim_ids uuid[] default null,
    p_skip_locked boolean default false)
    returns table (tenant_id uuid, job_id uuid, lease_token bigint, status text, scheduled_at timestamptz)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_policy record;
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_errors),
        'p_errors');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_retry_after), 'p_retry_after');
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_errors, p_retry_after, p_claim_ids)
            as i(tenant_id, job_id, token, error, retry_after, claim_id)
        order by i.tenant_id, i.job_id
    loop
        tenant_id := v_input.tenant_id;
        job_id := v_input.job_id;
        lease_token := v_input.token;
        scheduled_at := null;
        perform jobforge.check_error(v_input.error);
        v_input.error := jobforge.bounded_error(v_input.error);
        if v_input.retry_after = 'NaN' then
            perform jobforge.raise_error('VALIDATION_ERROR', 'p_retry_after must be a number', '');
        end if;
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if not found then
            status := replace(jobforge.refusal(p_worker, v_input.tenant_id, v_input.job_id, v_input.token,
                v_input.claim_id), 'LOST', 'LEASE_LOST');
            perform jobforge.refuse_beside_writes(v_wrote, status, p_worker, tenant_id, job_id, lease_token);
        elsif v_input.error ->> 'retryable' = 'false' then
            status := 'FAILED';
            perform jobforge.finish_job(v_job, status, 'FAILED', v_input.error, v_job.lease_token);
        elsif v_job.attempts >= v_job.max_attempts then
            status := 'DEAD_LETTER';
            perform jobforge.finish_job(v_job, status, 'FAILED', v_input.error, v_job.lease_token);
        else
            select t.backoff, t.backoff_base_seconds, t.backoff_jitter into v_policy
            from jobforge.job_types t where t.type = v_job.type;
            status := 'QUEUED';
            scheduled_at := clock_timestamp() + interval '1 second' * greatest(
                jobforge.backoff_seconds(v_policy.backoff, v_job.attempts, v_policy.backoff_base_seconds)
                    * (1 + random() * v_policy.backoff_jitter::double precision),
                least(coalesce(v_input.retry_after, 0), 31622400));
            perform jobforge.requeue_job(v_job, scheduled_at, 'RETRY', v_input.error, false, false);
        end if;
        return next;
    end loop;
end
$$;

-- One job, inside the transaction that holds the handler's writes. LEASE_LOST and SETTLED as in
-- complete_job.
drop function if exists jobforge.fail_job(text, uuid, uuid, bigint, jsonb, double precision);
create or replace function jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint,
    p_error jsonb, p_retry_after double precision default null, p_claim_id uuid default null,
    out status text, out scheduled_at timestamptz)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '5s' as $$
begin
    select f.status, f.scheduled_at into status, scheduled_at
    from jobforge.fail_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token], array[p_error],
        array[p_retry_after], array[p_claim_id]) f;
    if status in ('LEASE_LOST', 'SETTLED') then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;

create or replace function jobforge.check_error(p_error jsonb) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_error is null or jsonb_typeof(p_error) <> 'object' or p_error ->> 'code' is null
        or p_error ->> 'message' is null or jsonb_typeof(p_error -> 'retryable') not in ('boolean', 'null') then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an error is a JSON object with at least code and '
            'message; its member retryable is true or false', '');
    end if;
end
$$;
-- An error as it can be stored: at most 64 KiB as text and no number of more than 400 digits. A larger
-- one loses its details, and its message is cut: one job's error must not fail a batch.
create or replace function jobforge.bounded_error(p_error jsonb) returns jsonb
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if pg_column_size(p_error) <= 65536 and not (pg_column_size(p_error) > 2000 and jobforge.has_long_number(p_error))
        and octet_length(p_error::text) <= 65536
        and not (octet_length(p_error::text) > 400 and jobforge.has_long_number(p_error)) then
        return p_error;
    end if;
    return jsonb_build_object('code', left(p_error ->> 'code', 100), 'message', left(p_error ->> 'message', 2000),
        'retryable', p_error -> 'retryable', 'truncated', true);
end
$$;
alter function jobforge.bounded_error owner to jobforge_engine;
revoke execute on function jobforge.bounded_error from public;
alter function jobforge.fail_jobs owner to jobforge_engine;
alter function jobforge.fail_job owner to jobforge_engine;
alter function jobforge.check_error owner to jobforge_engine;
revoke execute on function jobforge.fail_jobs, jobforge.fail_job, jobforge.check_error from public;
grant execute on function jobforge.fail_jobs, jobforge.fail_job to jobforge_worker;
