-- The next step of work that has begun: like enqueue_job, but neither a quota nor a suspended tenant
-- nor a disabled type stops it. A passport half made should end rather than rot, and a step that
-- could not hand over would fail work that is already done. Answers the job, an existing one for a
-- key that is taken. The caller knows the tenant. Its trace is the one that the handler says for its
-- transaction in app.trace_id.
create or replace function jobforge.enqueue_follow_up(p_tenant_id uuid, p_type text, p_payload jsonb,
    p_priority integer, p_key text) returns uuid
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_now timestamptz := clock_timestamp();
    v_job_id uuid := jobforge.uuid_v7(v_now);
    v_max_attempts integer;
    v_bytes integer := pg_column_size(p_payload);
begin
    select t.max_attempts into v_max_attempts from jobforge.job_types t where t.type = p_type;
    if not found then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', p_type),
            'Run: jobforge migrate.');
    end if;
    if jobforge.take_idempotency_key(p_tenant_id, p_type, p_key, v_job_id, p_payload, v_now) is null then
        return (select k.job_id from jobforge.idempotency_keys k
            where k.tenant_id = p_tenant_id and k.type = p_type and k.idempotency_key = p_key);
    end if;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
        idempotency_key, trace_id, payload, payload_bytes)
    values (p_tenant_id, v_job_id, p_type, p_priority, v_max_attempts, v_now, v_now, p_key,
        nullif(current_setting('app.trace_id', true), ''), p_payload, v_bytes);
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
alter function jobforge.enqueue_follow_up owner to jobforge_definer;
revoke execute on function jobforge.enqueue_follow_up from public;
grant execute on function jobforge.enqueue_follow_up to jobforge_engine;
