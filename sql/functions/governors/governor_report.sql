-- What came of a call that a governor let go. Answers the state after it; LATE for a generation
-- that has passed (the breaker opened, a later probe began, it was resumed): such a result says
-- nothing about now and changes nothing, its Retry-After included. UNKNOWN: there is no such governor.
--
-- Failures in a row open the breaker at the threshold, for all workers at once; a failed probe opens
-- it again, a good one closes it. p_retry_after_ms pauses (a day at most, whatever a server says)
-- and never shortens a pause.
create or replace function jobforge.governor_report(p_kind text, p_key text, p_generation bigint,
    p_ok boolean, p_retry_after_ms bigint default null) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.governors;
    v_now timestamptz;
begin
    if p_generation is null or p_ok is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a report has the generation of its call and an outcome', '');
    end if;
    select g.* into v_row from jobforge.governors g
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    if not found then
        return 'UNKNOWN';
    elsif v_row.generation <> p_generation then
        return 'LATE';
    elsif p_ok and p_retry_after_ms is null and v_row.state = 'CLOSED' and v_row.failure_streak = 0 then
        perform jobforge.note_healthy(v_row);
        return 'CLOSED';
    end if;
    v_row := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
    if v_row.generation <> p_generation then
        return 'LATE';
    end if;
    v_now := clock_timestamp();
    v_row := case when p_ok then jobforge.after_success(v_row, v_now)
        else jobforge.after_failure(v_row, v_now) end;
    -- LEAST ignores NULLs: without the first condition every result would pause for a day.
    if p_retry_after_ms > 0 and v_now + least(p_retry_after_ms, 86400000) * interval '1 millisecond'
        > coalesce(v_row.paused_until, v_now) then
        v_row.paused_until := v_now + least(p_retry_after_ms, 86400000) * interval '1 millisecond';
        v_row.pause_reason := 'the server asked to wait (Retry-After)';
    end if;
    update jobforge.governors g
    set state = v_row.state, generation = v_row.generation, failure_streak = v_row.failure_streak,
        open_until = v_row.open_until, probe_expires_at = v_row.probe_expires_at, hint_at = v_row.hint_at,
        paused_until = v_row.paused_until, pause_reason = v_row.pause_reason,
        last_success_at = v_row.last_success_at, last_failure_at = v_row.last_failure_at
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    return v_row.state;
end
$$;

-- The time of the last success, of a governor where everything works: once a second at most, and
-- never waiting (a thousand deliveries a second must not queue up for this).
create or replace function jobforge.note_healthy(p_row jobforge.governors) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    if p_row.last_success_at > clock_timestamp() - interval '1 second' then
        return;
    end if;
    perform from jobforge.governors g
    where g.tenant_id = p_row.tenant_id and g.kind = p_row.kind and g.key = p_row.key
    for no key update skip locked;
    if found then
        update jobforge.governors g set last_success_at = clock_timestamp()
        where g.tenant_id = p_row.tenant_id and g.kind = p_row.kind and g.key = p_row.key;
    end if;
end
$$;

create or replace function jobforge.after_success(p_row jobforge.governors, p_now timestamptz)
    returns jobforge.governors
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    p_row.failure_streak := 0;
    p_row.last_success_at := p_now;
    if p_row.state = 'HALF_OPEN' then
        p_row.state := 'CLOSED';
        p_row.generation := p_row.generation + 1;
        p_row.probe_expires_at := null;
        p_row.hint_at := '-infinity';
    end if;
    return p_row;
end
$$;

create or replace function jobforge.after_failure(p_row jobforge.governors, p_now timestamptz)
    returns jobforge.governors
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    p_row.failure_streak := p_row.failure_streak + 1;
    p_row.last_failure_at := p_now;
    if p_row.state = 'HALF_OPEN' or p_row.failure_streak >= p_row.failure_threshold then
        p_row.state := 'OPEN';
        p_row.generation := p_row.generation + 1;
        p_row.open_until := p_now + interval '1 second' * p_row.open_seconds;
        p_row.probe_expires_at := null;
    end if;
    return p_row;
end
$$;
alter function jobforge.governor_report owner to jobforge_definer;
alter function jobforge.note_healthy owner to jobforge_definer;
alter function jobforge.after_success owner to jobforge_definer;
alter function jobforge.after_failure owner to jobforge_definer;
revoke execute on function jobforge.governor_report, jobforge.note_healthy, jobforge.after_success,
    jobforge.after_failure from public;
grant execute on function jobforge.governor_report to jobforge_worker;
