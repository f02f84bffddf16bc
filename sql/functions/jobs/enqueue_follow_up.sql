-- The next step of work that has begun: like enqueue_job, but neither a quota nor a suspended tenant
-- nor a disabled type stops it. A passport that is half made should be finished, and a step that
-- could not hand over would fail work that is already done. Answers the job, an existing one for a
-- key that is taken. The caller knows the tenant. Its trace is the one that the handler says for its
-- transaction in app.trace_id, unless one is given; its creator is that of the job before (acting_actor).
drop function if exists jobforge.enqueue_follow_up(uuid, text, jsonb, integer, text);
create or replace function jobforge.enqueue_follow_up(p_tenant_id uuid, p_type text, p_payload jsonb,
    p_priority integer, p_key text, p_scheduled_at timestamptz default null, p_trace_id text default null,
    p_created_by text default null) returns uuid
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_now timestamptz := clock_timestamp();
    v_job_id uuid := jobforge.uuid_v7(v_now);
    v_policy record;
    v_bytes integer := octet_length(p_payload::text);
begin
    select t.max_attempts, t.default_priority into v_policy from jobforge.job_types t where t.type = p_type;
    if not found then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', p_type),
            'Run: jobforge migrate.');
    end if;
    if p_key is not null
        and jobforge.take_idempotency_key(p_tenant_id, p_type, p_key, v_job_id, p_payload, v_now) is null then
        return jobforge.key_holder(p_tenant_id, p_type, p_key);
    end if;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
        idempotency_key, trace_id, created_by, payload, payload_bytes)
    values (p_tenant_id, v_job_id, p_type, greatest(coalesce(p_priority, v_policy.default_priority),
            (select n.min_priority from jobforge.tenants n where n.tenant_id = p_tenant_id)),
        v_policy.max_attempts, coalesce(p_scheduled_at, v_now), v_now, p_key,
        coalesce(p_trace_id, nullif(left(current_setting('app.trace_id', true), 200), '')),
        jobforge.acting_actor(p_created_by), p_payload, v_bytes);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_tenant_id, p_type, 'enqueued', 1, v_bytes);
    -- As in wake(), without the cost of the call: every step of a passport comes by here.
    if pg_sequence_last_value(('jobforge.wake_' || (hashtext(p_type) & 15))::regclass)
        > (date_part('epoch', v_now) * 1000)::bigint then
        perform jobforge.notify_wake(p_type);
    end if;
    return v_job_id;
end
$$;

-- The first step of a use case: a job of an internal type, within the tenant's quota and only while
-- the type is enabled. The use case has checked the tenant (acting_tenant) and what is asked for.
create or replace function jobforge.enqueue_step(p_tenant_id uuid, p_type text, p_payload jsonb,
    p_priority integer, p_key text, p_scheduled_at timestamptz, p_trace_id text, p_created_by text) returns uuid
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_quota record;
begin
    if not exists (select from jobforge.job_types t where t.type = p_type and t.enabled) then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not enabled', p_type),
            'Enable it: jobforge types set TYPE enabled=true.');
    end if;
    perform jobforge.check_enqueue(p_payload, p_priority, null, p_scheduled_at, p_key, p_trace_id, p_created_by);
    select n.max_waiting_jobs, n.max_waiting_bytes into v_quota
    from jobforge.tenants n where n.tenant_id = p_tenant_id;
    -- A repeated request answers with its first job, also when the queue is full.
    if num_nonnulls(v_quota.max_waiting_jobs, v_quota.max_waiting_bytes) > 0
        and (p_key is null or jobforge.key_holder(p_tenant_id, p_type, p_key) is null) then
        perform jobforge.usage_take(p_tenant_id, 1, octet_length(p_payload::text),
            v_quota.max_waiting_jobs, v_quota.max_waiting_bytes);
    end if;
    return jobforge.enqueue_follow_up(p_tenant_id, p_type, p_payload, p_priority, p_key, p_scheduled_at,
        p_trace_id, p_created_by);
end
$$;
alter function jobforge.enqueue_step owner to jobforge_definer;
revoke execute on function jobforge.enqueue_step from public;
alter function jobforge.enqueue_follow_up owner to jobforge_definer;
revoke execute on function jobforge.enqueue_follow_up from public;
grant execute on function jobforge.enqueue_follow_up to jobforge_engine;
