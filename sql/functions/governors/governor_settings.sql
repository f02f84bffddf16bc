-- What people do with governors: set limits, pause, resume, look.

-- Sets what p_settings names; an unknown member is VALIDATION_ERROR. A change of pace forgets the
-- times to come back that were handed out at the old one: a caller that queues behind those waits for a
-- minute at a limit of a millisecond.
create or replace function jobforge.governor_configure(p_kind text, p_key text, p_settings jsonb)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.governors := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
begin
    perform jobforge.check_members('a governor', p_settings,
        array['rate_per_minute', 'burst', 'failure_threshold', 'open_seconds', 'probe_seconds']);
    v_row := jsonb_populate_record(v_row, p_settings);
    update jobforge.governors g
    set rate_per_minute = v_row.rate_per_minute, burst = v_row.burst,
        failure_threshold = v_row.failure_threshold, open_seconds = v_row.open_seconds,
        probe_seconds = v_row.probe_seconds,
        hint_at = case when (g.rate_per_minute, g.burst) is distinct from (v_row.rate_per_minute, v_row.burst)
            then '-infinity' else g.hint_at end
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('governor %s %s: %s', p_kind, p_key,
        jobforge.refusal_text(sqlerrm, v_row, p_settings)),
        'docs/sources.md has the range of every setting.');
end
$$;

-- Until a time, or 'infinity': until resumed. Replaces the pause there was.
create or replace function jobforge.governor_pause(p_kind text, p_key text,
    p_until timestamptz default 'infinity', p_reason text default '') returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.check_length('the reason of a pause', coalesce(p_reason, ''), 0, 500);
    if p_until is null or p_until <= clock_timestamp()
        or (isfinite(p_until) and p_until > '9999-12-31 23:59:59.999999+00') then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a pause ends in the future, before the year 10000',
            'Give a later time, or none to pause until it is resumed.');
    end if;
    perform jobforge.lock_governor(v_tenant_id, p_kind, p_key);
    update jobforge.governors g set paused_until = p_until, pause_reason = coalesce(p_reason, '')
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
end
$$;

-- "Go on now": ends a pause and closes the breaker, and what waits for it is due from now on, one
-- interval apart. Calls that are under way are from before: their results come late.
create or replace function jobforge.governor_resume(p_kind text, p_key text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.governors := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
begin
    update jobforge.governors g
    set paused_until = null, pause_reason = null, state = 'CLOSED', generation = g.generation + 1,
        failure_streak = 0, open_until = null, probe_expires_at = null, hint_at = '-infinity'
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    if p_key !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
        return;  -- a host, or what no source and no endpoint has
    elsif p_kind = 'source' then
        perform jobforge.pull_forward(v_tenant_id, 'COLLECT_PRICES', array(
            select c.job_id from jobforge.collections c
            where c.tenant_id = v_tenant_id and c.source_id = p_key::uuid), v_row.rate_per_minute, v_row.burst);
    elsif p_kind = 'endpoint' then
        perform jobforge.pull_forward(v_tenant_id, 'DELIVER_WEBHOOK', array(
            select d.job_id from jobforge.webhook_deliveries d
            where d.tenant_id = v_tenant_id and d.webhook_endpoint_id = p_key::uuid
                and d.status = 'PENDING'), v_row.rate_per_minute, v_row.burst);
    end if;
end
$$;

-- Those of the jobs that wait for a later time: due from now on, one interval of the rate apart. A
-- job that a worker is just taking needs no help.
create or replace function jobforge.pull_forward(p_tenant_id uuid, p_type text, p_job_ids uuid[],
    p_rate integer, p_burst integer) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_step interval := coalesce((jobforge.governor_pace(p_rate, p_burst)).step, interval '10 milliseconds');
    v_at timestamptz := clock_timestamp();
    v_job record;
begin
    for v_job in
        select j.job_id, j.scheduled_at from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = any(p_job_ids) and j.status = 'QUEUED'
            and j.scheduled_at > v_at
        order by j.scheduled_at, j.job_id
        for no key update skip locked
    loop
        update jobforge.jobs j set scheduled_at = least(v_at, v_job.scheduled_at)
        where j.tenant_id = p_tenant_id and j.job_id = v_job.job_id;
        v_at := v_at + v_step;
    end loop;
    perform jobforge.wake(p_type);
end
$$;

-- A pause that is over is none.
create or replace function jobforge.list_governors(p_kind text default null)
    returns table (kind text, key text, rate_per_minute integer, burst integer, state text,
        generation bigint, failure_streak integer, failure_threshold integer, open_seconds integer,
        probe_seconds integer, open_until timestamptz, probe_expires_at timestamptz,
        paused_until timestamptz, pause_reason text, last_success_at timestamptz,
        last_failure_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_now timestamptz := clock_timestamp();
begin
    perform jobforge.check_filter('kind of governor', p_kind, array['source', 'endpoint', 'host']);
    return query
    select g.kind, g.key, g.rate_per_minute, g.burst, g.state, g.generation, g.failure_streak,
        g.failure_threshold, g.open_seconds, g.probe_seconds, g.open_until, g.probe_expires_at,
        case when g.paused_until > v_now then g.paused_until end,
        case when g.paused_until > v_now then g.pause_reason end, g.last_success_at, g.last_failure_at
    from jobforge.governors g
    where g.tenant_id = v_tenant_id and (p_kind is null or g.kind = p_kind)
    order by g.kind, g.key;
end
$$;

-- Refuses members that a jsonb argument must not have: a typing error must not pass silently.
create or replace function jobforge.check_members(p_what text, p_value jsonb, p_known text[]) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_bad text;
begin
    if p_value is null or jsonb_typeof(p_value) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%s is a JSON object', p_what), '');
    end if;
    select k into v_bad from jsonb_object_keys(p_value) k where k <> all(p_known) limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%s has no member %L', p_what, v_bad),
            'Known: ' || array_to_string(p_known, ', ') || '.');
    end if;
    -- Workers and lists read them: without a bound a source of 40 KB was half a gigabyte as text.
    perform jobforge.json_bytes(p_value, 'JSON of ' || p_what, 262144);
end
$$;
alter function jobforge.governor_configure owner to jobforge_definer;
alter function jobforge.governor_pause owner to jobforge_definer;
alter function jobforge.governor_resume owner to jobforge_definer;
alter function jobforge.pull_forward owner to jobforge_definer;
alter function jobforge.list_governors owner to jobforge_definer;
alter function jobforge.check_members owner to jobforge_definer;
revoke execute on function jobforge.governor_configure, jobforge.governor_pause, jobforge.governor_resume,
    jobforge.pull_forward, jobforge.list_governors, jobforge.check_members from public;
grant execute on function jobforge.governor_configure, jobforge.governor_pause, jobforge.governor_resume,
    jobforge.list_governors to jobforge_tenant, jobforge_gateway, jobforge_worker;
