-- Governors: may this source, endpoint or host be called now? One answer for all workers, exact,
-- in the database. Asked and told in short transactions of their own: the row's lock orders the
-- callers, and a 'go' counts when its transaction commits.
--
-- Order: a pause, then the breaker, then the limiter (a call that the breaker refuses takes no
-- token). A refused caller gets a time of its own to come back, one interval after the last one
-- handed out (hint_at): a thousand waiting jobs return one by one, not all at once.

-- The limiter's numbers. GCRA with an interval of 60 s / (rate - burst + 1): `burst` calls at once
-- and then one an interval is at most `rate` in any half-open minute, from any state of the row,
-- so also from the moment a rate was changed. Rounded up: a shorter interval would admit more.
-- Without a burst a caller that comes late would lose what it came late by; a twelfth of the rate
-- (five seconds' worth) leaves 56 of 60 a minute steady and forgives a worker's poll.
create or replace function jobforge.governor_pace(p_rate integer, p_burst integer, out step interval,
    out slack interval)
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_burst integer := least(p_rate, coalesce(p_burst, greatest(1, p_rate / 12)));
begin
    step := ceil(60000000.0 / (p_rate - v_burst + 1)) * interval '1 microsecond';
    slack := (v_burst - 1) * step;
end
$$;

-- Why a governor refuses at p_now, and until when; no row when nothing but the limiter can.
create or replace function jobforge.governor_obstacle(p_row jobforge.governors, p_now timestamptz)
    returns table (verdict text, free_at timestamptz, reason text)
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    if p_row.paused_until > p_now then
        return query select 'paused', p_row.paused_until, case when isfinite(p_row.paused_until)
            then format('paused until %s', jobforge.time_text(p_row.paused_until)) else 'paused until resumed' end
            || coalesce(nullif(': ' || p_row.pause_reason, ': '), '');
    elsif p_row.state = 'OPEN' and p_now < p_row.open_until then
        return query select 'wait', p_row.open_until, format('%s in a row, the last at %s; next try at %s',
            jobforge.counted(p_row.failure_streak, 'failure', 'failures'), jobforge.time_text(p_row.last_failure_at), jobforge.time_text(p_row.open_until));
    elsif p_row.state = 'HALF_OPEN' and p_now < p_row.probe_expires_at then
        -- A probe is usually over soon; its timeout is only the latest it can be.
        return query select 'wait', least(p_row.probe_expires_at, p_now + interval '2 seconds'),
            'one call is trying whether it works again'::text;
    end if;
end
$$;

-- May the caller go? Creates the governor where it is missing. p_rate_per_minute: NULL leaves the
-- row's limit, a number makes it the row's limit, 0 lifts it.
-- go: report with this generation; probe: this call decides for all. wait, paused: come back after
-- wait_ms (at most an hour: what resumes early is seen then at the latest).
create or replace function jobforge.governor_enter(p_kind text, p_key text,
    p_rate_per_minute integer default null, out verdict text, out wait_ms bigint, out generation bigint,
    out probe boolean, out reason text, out decided_at timestamptz)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.governors;
    v_pace record;
    v_refusal record;
begin
    if p_rate_per_minute not between 0 and 60000 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a rate of %s calls a minute is not between 0 and 60000', p_rate_per_minute), '');
    end if;
    verdict := 'go';
    wait_ms := 0;
    probe := false;
    reason := '';
    select g.* into v_row from jobforge.governors g
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    if found then
        generation := v_row.generation;
        decided_at := clock_timestamp();
        -- Healthy and without a limit: nothing to write, no lock to wait for. The report that opens the
        -- breaker at this moment came after this call; its report will be late.
        if v_row.state = 'CLOSED' and v_row.rate_per_minute is null and coalesce(p_rate_per_minute, 0) = 0
            and coalesce(v_row.paused_until <= decided_at, true) then
            return;
        end if;
    end if;
    v_row := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
    decided_at := clock_timestamp();
    generation := v_row.generation;
    if nullif(p_rate_per_minute, 0) is distinct from v_row.rate_per_minute and p_rate_per_minute is not null then
        v_row.rate_per_minute := nullif(p_rate_per_minute, 0);
        v_row.hint_at := '-infinity';
        update jobforge.governors g set rate_per_minute = v_row.rate_per_minute, hint_at = v_row.hint_at
        where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    end if;
    v_pace := jobforge.governor_pace(v_row.rate_per_minute, v_row.burst);
    select o.* into v_refusal from jobforge.governor_obstacle(v_row, decided_at) o;
    if not found and decided_at < v_row.next_free_at - v_pace.slack then
        select 'wait' as verdict, v_row.next_free_at - v_pace.slack as free_at,
            format('the limit of %s calls a minute', v_row.rate_per_minute) as reason into v_refusal;
    end if;
    if v_refusal.verdict is not null then
        verdict := v_refusal.verdict;
        reason := v_refusal.reason;
        wait_ms := jobforge.governor_wait_ms(v_row, v_refusal.free_at, decided_at,
            coalesce(v_pace.step, interval '50 milliseconds'));
        return;
    end if;
    -- A caller that comes when the breaker is due, or the probe before it has timed out, is the probe.
    probe := v_row.state <> 'CLOSED';
    generation := v_row.generation + probe::integer;
    update jobforge.governors g
    set next_free_at = coalesce(greatest(g.next_free_at, decided_at) + v_pace.step, g.next_free_at),
        generation = governor_enter.generation,
        state = case when probe then 'HALF_OPEN' else 'CLOSED' end, open_until = null,
        probe_expires_at = case when probe then decided_at + interval '1 second' * g.probe_seconds end
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
end
$$;

-- The row, locked, made where it was missing.
create or replace function jobforge.lock_governor(p_tenant_id uuid, p_kind text, p_key text)
    returns jobforge.governors
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_row jobforge.governors;
begin
    loop
        select g.* into v_row from jobforge.governors g
        where g.tenant_id = p_tenant_id and g.kind = p_kind and g.key = p_key
        for no key update;
        if found then
            return v_row;
        end if;
        perform jobforge.check_one_of('kind of governor', p_kind, array['source', 'endpoint', 'host']);
        perform jobforge.check_length('the key of a governor', p_key, 1, 500);
        insert into jobforge.governors (tenant_id, kind, key) values (p_tenant_id, p_kind, p_key)
        on conflict do nothing;
    end loop;
end
$$;

-- Hands out the next time to come back. At most five minutes after free_at: times that were handed
-- out are not taken back when their jobs are cancelled, and no caller should wait for those.
create or replace function jobforge.governor_wait_ms(p_row jobforge.governors, p_free_at timestamptz,
    p_now timestamptz, p_step interval) returns bigint
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_free_at timestamptz := least(p_free_at, p_now + interval '55 minutes');
    v_at timestamptz := greatest(v_free_at, p_row.hint_at + p_step);
begin
    if v_at > v_free_at + interval '5 minutes' then
        v_at := v_free_at + random() * interval '5 minutes';
    else
        update jobforge.governors g set hint_at = v_at
        where g.tenant_id = p_row.tenant_id and g.kind = p_row.kind and g.key = p_row.key;
    end if;
    return greatest(1, ceil(extract(epoch from v_at - p_now) * 1000))::bigint;
end
$$;
alter function jobforge.governor_pace owner to jobforge_definer;
alter function jobforge.governor_obstacle owner to jobforge_definer;
alter function jobforge.governor_enter owner to jobforge_definer;
alter function jobforge.lock_governor owner to jobforge_definer;
alter function jobforge.governor_wait_ms owner to jobforge_definer;
revoke execute on function jobforge.governor_pace, jobforge.governor_obstacle, jobforge.governor_enter,
    jobforge.lock_governor, jobforge.governor_wait_ms from public;
grant execute on function jobforge.governor_enter to jobforge_worker;
