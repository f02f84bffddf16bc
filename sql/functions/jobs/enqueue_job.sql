-- Puts one job into the queue of the current tenant. Acknowledged with the caller's COMMIT.
--
-- p_idempotency_key: the same key and payload return the existing job (deduplicated), another
-- payload is IDEMPOTENCY_CONFLICT. Safe under any race: the key's row is inserted first, and a second
-- caller waits for the first one's transaction.
-- Errors: FORBIDDEN, UNKNOWN_JOB_TYPE, JOB_PAYLOAD_INVALID, VALIDATION_ERROR, IDEMPOTENCY_CONFLICT,
-- QUOTA_EXCEEDED. FORBIDDEN also for the internal types, which belong to use cases, and for a priority
-- better than the tenant's min_priority (a better default of the type is lowered to it).
create or replace function jobforge.enqueue_job(
    p_type text,
    p_payload jsonb default '{}',
    p_priority integer default null,
    p_scheduled_at timestamptz default null,
    p_idempotency_key text default null,
    p_max_attempts integer default null,
    p_trace_id text default null,
    p_created_by text default null,
    p_tenant_id uuid default null,
    out job_id uuid,
    out deduplicated boolean)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant record;
    v_policy record;
    v_now timestamptz := clock_timestamp();
    v_bytes integer;
    v_payload jsonb := p_payload;
    v_payload_ref bytea;
begin
    select * into v_tenant from jobforge.enqueue_context(p_tenant_id);
    select t.default_priority, t.max_attempts, t.payload_schema, t.internal into v_policy
    from jobforge.job_types t where t.type = p_type and t.enabled;
    if not found then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', p_type),
            'Register it: jobforge types set TYPE, or start a worker that has a handler for it.');
    end if;
    if v_policy.internal then
        perform jobforge.raise_internal(p_type);
    end if;
    perform jobforge.check_enqueue(p_payload, p_priority, p_max_attempts, p_scheduled_at, p_idempotency_key,
        p_trace_id, p_created_by);
    if p_priority < v_tenant.min_priority then
        perform jobforge.raise_min_priority(p_priority, v_tenant.min_priority);
    end if;
    v_bytes := jobforge.json_bytes(p_payload, 'payload', 16777216);
    if v_policy.payload_schema is not null then
        perform jobforge.require_payload(p_type, v_policy.payload_schema, p_payload);
    end if;

    job_id := jobforge.uuid_v7(v_now);
    deduplicated := false;
    -- The turn at the quota comes before the key: an enqueue that held a key and waited for its turn
    -- would deadlock with one that has its turn and wants the key.
    if num_nonnulls(v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes) > 0
        and (p_idempotency_key is null
            or jobforge.key_holder(v_tenant.tenant_id, p_type, p_idempotency_key) is null) then
        perform jobforge.usage_take(v_tenant.tenant_id, 1, v_bytes,
            v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes);
    end if;
    if p_idempotency_key is not null then
        job_id := jobforge.take_idempotency_key(v_tenant.tenant_id, p_type, p_idempotency_key, job_id,
            p_payload, v_now);
        if job_id is null then
            job_id := jobforge.key_holder(v_tenant.tenant_id, p_type, p_idempotency_key);
            deduplicated := true;
            return;
        end if;
    end if;

    if v_bytes > 262144 then
        v_payload_ref := jobforge.store_artifact(v_tenant.tenant_id, p_payload);
        v_payload := '{}';
    end if;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
        idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref)
    values (v_tenant.tenant_id, job_id, p_type,
        greatest(coalesce(p_priority, v_policy.default_priority), v_tenant.min_priority),
        coalesce(p_max_attempts, v_policy.max_attempts), coalesce(p_scheduled_at, v_now), v_now,
        p_idempotency_key, p_trace_id, p_created_by, v_payload, v_bytes, v_payload_ref);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (v_tenant.tenant_id, p_type, 'enqueued', 1, v_bytes);
    -- As in wake(), without the cost of the call: this is the path of every single enqueue.
    if pg_sequence_last_value(('jobforge.wake_' || (hashtext(p_type) & 15))::regclass)
        > (date_part('epoch', v_now) * 1000)::bigint then
        perform jobforge.notify_wake(p_type);
    end if;
end
$$;
alter function jobforge.enqueue_job owner to jobforge_definer;
revoke execute on function jobforge.enqueue_job from public;
grant execute on function jobforge.enqueue_job to jobforge_tenant, jobforge_gateway, jobforge_worker;
