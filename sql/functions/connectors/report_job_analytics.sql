-- Reports are one statement each: a stable function sees one snapshot, so the numbers of a report
-- fit each other whatever happens meanwhile. All of them read the current tenant's rows only, for a
-- period [p_from, p_to), with days in UTC, and answer json (its members keep their order).
-- Sections are objects of numbers or arrays of flat objects; the renderers rely on that.

-- Refuses what is not a period, and what is longer than `p_max_days`.
drop function if exists jobforge.check_report(timestamptz, timestamptz, integer, integer);
create or replace function jobforge.check_report(p_from timestamptz, p_to timestamptz, p_top_n integer,
    p_max_days integer, p_max_rows bigint) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_max_days is null or p_max_days < 1 or p_max_rows is null
        or p_max_rows not between 1 and 1000000000000 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a report spans at least a day and reads at least a row', '');
    elsif p_from is null or p_to is null or not isfinite(p_from) or not isfinite(p_to) or p_from >= p_to then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a period begins before it ends',
            'from is the first moment of it, to the first one after it.');
    elsif p_to - p_from > interval '1 day' * p_max_days then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a report spans at most %s days here', p_max_days),
            'Ask for several shorter periods, or raise max_period_days of connector.report.generate.');
    elsif p_top_n is null or p_top_n not between 1 and 1000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('top_n %s is not between 1 and 1000', p_top_n), '');
    end if;
end
$$;

-- More rows than a report may read: the tenant's own limit, so that no job waits for what cannot end.
create or replace function jobforge.check_report_rows(p_rows bigint, p_max_rows bigint) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_rows > p_max_rows then
        perform jobforge.raise_error('PAYLOAD_LIMIT',
            format('the period has more than the %s rows that a report may read', p_max_rows),
            'Ask for a shorter period, or raise max_rows of connector.report.generate.');
    end if;
end
$$;

-- The days of a period, of which the first and the last one may not be whole.
create or replace function jobforge.report_days(p_from timestamptz, p_to timestamptz)
    returns table (day date)
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select d::date from generate_series(date_trunc('day', p_from at time zone 'UTC'),
        (p_to at time zone 'UTC') - interval '1 microsecond', interval '1 day') d
$$;

-- Milliseconds, exact to the microsecond and without zeros behind.
create or replace function jobforge.report_ms(p_us bigint) returns numeric
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select trim_scale(p_us / 1000::numeric)
$$;

-- The tenant's jobs of a period. A job belongs to the moment of its end; one that has not ended, to
-- that of its enqueue. run_us and wait_us are those of its last attempt: how long it took, and how
-- long the job was due before; null for what never ran or was cancelled.
-- The range on completed_at is what finished_jobs_by_age can use: 1 of 30 days is a thirtieth of
-- the reading.
create or replace function jobforge.report_jobs(p_tenant_id uuid, p_from timestamptz, p_to timestamptz)
    returns table (job_id uuid, type text, status text, day date, at timestamptz, attempts integer,
        run_us bigint, wait_us bigint, last_error jsonb)
    language sql stable as $$
    select f.job_id, f.type, f.status, (f.completed_at at time zone 'UTC')::date, f.completed_at, f.attempts,
        case when f.status <> 'CANCELLED' then greatest(0, 1000000 * extract(epoch
            from f.completed_at - f.started_at))::bigint end,
        case when f.status <> 'CANCELLED' then greatest(0, 1000000 * extract(epoch
            from f.started_at - f.scheduled_at))::bigint end,
        case when f.status in ('FAILED', 'DEAD_LETTER') then f.last_error end
    from jobforge.finished_jobs f
    where f.tenant_id = p_tenant_id and f.completed_at >= p_from and f.completed_at < p_to
    union all
    select j.job_id, j.type, j.status, (j.created_at at time zone 'UTC')::date, j.created_at, j.attempts,
        null, null, null
    from jobforge.jobs j
    where j.tenant_id = p_tenant_id and j.created_at >= p_from and j.created_at < p_to
$$;

-- How the tenant's jobs went. success_rate: SUCCEEDED of all that ended by themselves (cancelled
-- ones did not); null if none did. Percentiles are those of real jobs (discrete), not interpolated.
create or replace function jobforge.report_job_analytics(p_from timestamptz, p_to timestamptz,
    p_top_n integer default 10, p_max_days integer default 366, p_max_rows bigint default 1000000)
    returns json
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set work_mem = '32MB' set jit = off as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_report json;
begin
    perform jobforge.check_report(p_from, p_to, p_top_n, p_max_days, p_max_rows);
    with all_of as materialized (
        select r.* from jobforge.report_jobs(v_tenant_id, p_from, p_to) r limit p_max_rows + 1
    ), sums as materialized (
        select grouping(r.type) = 1 as overall, r.type, count(*) as jobs,
            count(*) filter (where r.status = 'QUEUED') as queued,
            count(*) filter (where r.status = 'RUNNING') as running,
            count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status = 'FAILED') as failed,
            count(*) filter (where r.status = 'CANCELLED') as cancelled,
            count(*) filter (where r.status = 'DEAD_LETTER') as dead_letter,
            coalesce(sum(r.attempts), 0) as attempts, coalesce(max(r.attempts), 0) as most_attempts,
            count(*) filter (where r.attempts > 1) as retried, count(r.run_us) as ran,
            percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.run_us) as run_us,
            percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.wait_us) as wait_us
        from all_of r group by grouping sets ((), (r.type))
    ), rated as (
        select s.*, trim_scale(round(s.succeeded::numeric
            / nullif(s.succeeded + s.failed + s.dead_letter, 0), 4)) as success_rate
        from sums s
    ), errors as (
        select r.last_error ->> 'code' as code, count(*) as jobs, count(distinct r.type) as types,
            max(r.at) as last_at,
            (array_agg(r.last_error ->> 'message' order by r.at desc, r.job_id))[1] as message
        from all_of r where r.last_error is not null group by 1
        order by jobs desc, code limit p_top_n
    ), dead as (
        select r.* from all_of r where r.status = 'DEAD_LETTER' order by r.at desc, r.job_id limit p_top_n
    ), days as (
        select r.day, count(*) as jobs, count(*) filter (where r.status = 'QUEUED') as queued,
            count(*) filter (where r.status = 'RUNNING') as running,
            count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status = 'FAILED') as failed,
            count(*) filter (where r.status = 'CANCELLED') as cancelled,
            count(*) filter (where r.status = 'DEAD_LETTER') as dead_letter
        from all_of r group by r.day
    )
    select json_build_object(
        'totals', (select json_build_object('jobs', s.jobs, 'queued', s.queued, 'running', s.running,
                'succeeded', s.succeeded, 'failed', s.failed, 'cancelled', s.cancelled,
                'dead_letter', s.dead_letter, 'success_rate', s.success_rate)
            from rated s where s.overall),
        'attempts', (select json_build_object('total', s.attempts,
                'mean', trim_scale(round(s.attempts::numeric / nullif(s.jobs, 0), 3)), 'most', s.most_attempts,
                'retried_jobs', s.retried)
            from sums s where s.overall),
        'duration_ms', (select json_build_object('jobs', s.ran, 'p50', jobforge.report_ms(s.run_us[1]),
                'p95', jobforge.report_ms(s.run_us[2]), 'p99', jobforge.report_ms(s.run_us[3]))
            from sums s where s.overall),
        'wait_ms', (select json_build_object('jobs', s.ran, 'p50', jobforge.report_ms(s.wait_us[1]),
                'p95', jobforge.report_ms(s.wait_us[2]), 'p99', jobforge.report_ms(s.wait_us[3]))
            from sums s where s.overall),
        'by_day', (select json_agg(json_build_object('day', d.day, 'jobs', coalesce(n.jobs, 0),
                'queued', coalesce(n.queued, 0), 'running', coalesce(n.running, 0),
                'succeeded', coalesce(n.succeeded, 0), 'failed', coalesce(n.failed, 0),
                'cancelled', coalesce(n.cancelled, 0), 'dead_letter', coalesce(n.dead_letter, 0))
                order by d.day)
            from jobforge.report_days(p_from, p_to) d left join days n on n.day = d.day),
        'by_type', (select coalesce(json_agg(json_build_object('type', s.type, 'jobs', s.jobs,
                'queued', s.queued, 'running', s.running, 'succeeded', s.succeeded, 'failed', s.failed,
                'cancelled', s.cancelled, 'dead_letter', s.dead_letter, 'success_rate', s.success_rate,
                'attempts', s.attempts, 'duration_p50_ms', jobforge.report_ms(s.run_us[1]),
                'duration_p95_ms', jobforge.report_ms(s.run_us[2]),
                'duration_p99_ms', jobforge.report_ms(s.run_us[3]),
                'wait_p50_ms', jobforge.report_ms(s.wait_us[1]),
                'wait_p95_ms', jobforge.report_ms(s.wait_us[2]),
                'wait_p99_ms', jobforge.report_ms(s.wait_us[3])) order by s.jobs desc, s.type), '[]')
            from rated s where not s.overall),
        'slowest_types', (select coalesce(json_agg(json_build_object('type', s.type, 'jobs', s.ran,
                'p50_ms', jobforge.report_ms(s.run_us[1]), 'p95_ms', jobforge.report_ms(s.run_us[2]),
                'p99_ms', jobforge.report_ms(s.run_us[3])) order by s.run_us[2] desc, s.type), '[]')
            from (select t.* from sums t where not t.overall and t.ran > 0
                order by t.run_us[2] desc, t.type limit p_top_n) s),
        'top_errors', (select coalesce(json_agg(json_build_object('code', e.code, 'jobs', e.jobs,
                'types', e.types, 'last_at', jobforge.utc_text(e.last_at),
                'message', left(e.message, 300)) order by e.jobs desc, e.code), '[]') from errors e),
        'dead_letters', (select coalesce(json_agg(json_build_object('job_id', d.job_id, 'type', d.type,
                'attempts', d.attempts, 'completed_at', jobforge.utc_text(d.at),
                'code', d.last_error ->> 'code', 'message', left(d.last_error ->> 'message', 300))
                order by d.at desc, d.job_id), '[]') from dead d))
    into v_report;
    perform jobforge.check_report_rows((v_report -> 'totals' ->> 'jobs')::bigint, p_max_rows);
    return v_report;
end
$$;
alter function jobforge.check_report owner to jobforge_definer;
alter function jobforge.check_report_rows owner to jobforge_definer;
alter function jobforge.report_days owner to jobforge_definer;
alter function jobforge.report_ms owner to jobforge_definer;
alter function jobforge.report_jobs owner to jobforge_definer;
alter function jobforge.report_job_analytics owner to jobforge_definer;
revoke execute on function jobforge.check_report, jobforge.check_report_rows, jobforge.report_days,
    jobforge.report_ms, jobforge.report_jobs, jobforge.report_job_analytics from public;
grant execute on function jobforge.report_job_analytics
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
