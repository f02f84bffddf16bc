-- Many jobs of the current tenant in one call, arrays in parallel. Optional arrays may be NULL, and
-- so may their elements. Answers one row per job, in input order (none for empty arrays). All or nothing.
-- Keys are taken in sorted order, so that two batches cannot deadlock on them.
create or replace function jobforge.enqueue_jobs(
    p_types text[],
    p_payloads jsonb[],
    p_priorities integer[] default null,
    p_scheduled_at timestamptz[] default null,
    p_idempotency_keys text[] default null,
    p_max_attempts integer[] default null,
    p_trace_ids text[] default null,
    p_created_by text default null,
    p_tenant_id uuid default null)
    returns table (ordinal bigint, job_id uuid, deduplicated boolean)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_tenant record;
    v_now timestamptz := clock_timestamp();
    v_count integer := cardinality(p_types);
    v_bad text;
    v_row record;
    v_bytes bigint;
    v_type text;
    v_schema jsonb;
    v_internal boolean;
    v_sizes integer[];
    v_better integer;
begin
    select * into v_tenant from jobforge.enqueue_context(p_tenant_id);
    if v_count is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_types is NULL',
            'Give one type and one payload for each job.');
    elsif p_payloads is null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', 'p_payloads is NULL',
            'Give one type and one payload for each job.');
    end if;
    perform jobforge.check_same_length(v_count, cardinality(p_payloads), 'p_payloads');
    perform jobforge.check_same_length(v_count, cardinality(p_priorities), 'p_priorities');
    perform jobforge.check_same_length(v_count, cardinality(p_scheduled_at), 'p_scheduled_at');
    perform jobforge.check_same_length(v_count, cardinality(p_idempotency_keys), 'p_idempotency_keys');
    perform jobforge.check_same_length(v_count, cardinality(p_max_attempts), 'p_max_attempts');
    perform jobforge.check_same_length(v_count, cardinality(p_trace_ids), 'p_trace_ids');
    for v_type in select distinct i.type from unnest(p_types) i(type) loop
        select t.payload_schema, t.internal into v_schema, v_internal
        from jobforge.job_types t where t.type = v_type and t.enabled;
        if not found then
            perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', v_type),
                'Register it: jobforge types set TYPE, or start a worker that has a handler for it.');
        elsif v_internal then
            perform jobforge.raise_internal(v_type);
        elsif v_schema is not null then
            perform jobforge.require_payload(v_type, v_schema, i.payload)
            from unnest(p_types, p_payloads) i(type, payload) where i.type = v_type;
        end if;
    end loop;

    -- A bad element is found by the scan that reads it; only then is the check called.
    perform jobforge.check_enqueue(i.payload, i.priority, i.max_attempts, i.at, null, i.trace_id, p_created_by)
    from unnest(p_payloads, p_priorities, p_scheduled_at, p_max_attempts, p_trace_ids)
        as i(payload, priority, at, max_attempts, trace_id)
    where i.payload is null or jsonb_typeof(i.payload) <> 'object' or i.priority not between 0 and 3
        or i.max_attempts not between 1 and 1000 or length(i.trace_id) > 200
        or length(p_created_by) > 500
        or i.at not between '2000-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00';
    if v_tenant.min_priority > 0 then
        select min(p.priority) into v_better from unnest(p_priorities) p(priority)
        where p.priority < v_tenant.min_priority;
        if v_better is not null then
            perform jobforge.raise_min_priority(v_better, v_tenant.min_priority);
        end if;
    end if;
    v_sizes := array(select case when pg_column_size(p.payload) > 400
            then jobforge.json_bytes(p.payload, 'payload', 16777216) else octet_length(p.payload::text) end
        from unnest(p_payloads) with ordinality p(payload, n) order by p.n);
    -- In a text of up to 400 bytes every number is short.
    if 400 < any(v_sizes) then
        perform jobforge.json_bytes(p.payload, 'payload', 16777216)
        from unnest(p_payloads, v_sizes) p(payload, bytes)
        where p.bytes > 400 and pg_column_size(p.payload) <= 400;
    end if;
    if p_idempotency_keys is not null
        or 262144 < any(v_sizes) then
        -- Rare and row by row: one job at a time through enqueue_job's own steps.
        for v_row in
            select i.* from unnest(p_types, p_payloads, p_priorities, p_scheduled_at, p_idempotency_keys,
                    p_max_attempts, p_trace_ids)
                with ordinality as i(type, payload, priority, at, key, max_attempts, trace_id, n)
            order by i.type collate "C", i.key collate "C" nulls last, i.n
        loop
            ordinal := v_row.n;
            select e.job_id, e.deduplicated into job_id, deduplicated
            from jobforge.enqueue_job(v_row.type, v_row.payload, v_row.priority, v_row.at, v_row.key,
                v_row.max_attempts, v_row.trace_id, p_created_by, p_tenant_id) e;
            return next;
        end loop;
        return;
    end if;

    -- The plain case is one insert.
    if v_tenant.max_waiting_jobs is not null or v_tenant.max_waiting_bytes is not null then
        select sum(p.bytes) into v_bytes from unnest(v_sizes) p(bytes);
        perform jobforge.usage_take(v_tenant.tenant_id, v_count, v_bytes,
            v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes);
    end if;
    -- One microsecond apart: ids and default times keep the input order, without ties. (The clock
    -- itself gives ties, and it is past these times before the rows are in.)
    return query
    with input as materialized (
        select i.*, v_now + (i.n - 1) * interval '1 microsecond' as now
        from unnest(p_types, p_payloads, p_priorities, p_scheduled_at, p_max_attempts, p_trace_ids, v_sizes)
            with ordinality as i(type, payload, priority, at, max_attempts, trace_id, bytes, n)
    ), named as materialized (
        select i.*, jobforge.uuid_v7(i.now) as job_id, t.default_priority, t.max_attempts as default_attempts
        from input i join jobforge.job_types t on t.type = i.type
    ), added as (
        insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
            trace_id, created_by, payload, payload_bytes)
        select v_tenant.tenant_id, i.job_id, i.type,
            greatest(coalesce(i.priority, i.default_priority), v_tenant.min_priority),
            coalesce(i.max_attempts, i.default_attempts), coalesce(i.at, i.now), i.now,
            i.trace_id, p_created_by, i.payload, i.bytes
        from named i
    )
    select i.n, i.job_id, false from named i order by i.n;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    select v_tenant.tenant_id, i.type, 'enqueued', count(*), sum(i.bytes)
    from unnest(p_types, v_sizes) i(type, bytes) group by i.type;
    perform jobforge.wake(i.type) from (select distinct u.type from unnest(p_types) u(type)) i;
end
$$;

create or replace function jobforge.check_same_length(p_expected integer, p_actual integer, p_name text)
    returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_actual <> p_expected then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%s has %s elements where %s were expected', p_name, p_actual, p_expected), '');
    end if;
end
$$;
alter function jobforge.enqueue_jobs owner to jobforge_definer;
alter function jobforge.check_same_length owner to jobforge_definer;
revoke execute on function jobforge.enqueue_jobs, jobforge.check_same_length from public;
grant execute on function jobforge.check_same_length to jobforge_engine;
grant execute on function jobforge.enqueue_jobs to jobforge_tenant, jobforge_gateway, jobforge_worker;
