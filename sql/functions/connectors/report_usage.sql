-- The use by tenants (report_job_analytics.sql says what all reports have in common).

-- What a tenant uses: jobs, connectors, storage, webhooks. Jobs and deliveries are those of the
-- period; storage and endpoints are what is there now, whenever it came.
create or replace function jobforge.report_tenant_usage(p_from timestamptz, p_to timestamptz,
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
        select r.type, r.status, r.day, r.at, r.attempts, r.run_us
        from jobforge.report_jobs(v_tenant_id, p_from, p_to) r limit p_max_rows + 1
    ), types as materialized (
        select r.type, count(*) as jobs, count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status in ('FAILED', 'DEAD_LETTER')) as failed,
            sum(r.attempts) as attempts, coalesce(sum(r.run_us), 0)::bigint as run_us,
            max(r.at) as last_at
        from all_of r group by r.type
    ), days as (
        select r.day, count(*) as jobs, count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status in ('FAILED', 'DEAD_LETTER')) as failed
        from all_of r group by r.day
    ), deliveries as materialized (
        select w.webhook_endpoint_id, count(*) as deliveries,
            count(*) filter (where w.status = 'DELIVERED') as delivered,
            count(*) filter (where w.status = 'FAILED') as failed,
            count(*) filter (where w.status = 'PENDING') as pending, sum(w.attempts) as attempts
        from jobforge.webhook_deliveries w
        where w.tenant_id = v_tenant_id and w.created_at >= p_from and w.created_at < p_to
        group by w.webhook_endpoint_id
    )
    select json_build_object(
        'totals', (select json_build_object('jobs', coalesce(sum(t.jobs), 0),
                'succeeded', coalesce(sum(t.succeeded), 0), 'failed', coalesce(sum(t.failed), 0),
                'attempts', coalesce(sum(t.attempts), 0),
                'run_ms', jobforge.report_ms(coalesce(sum(t.run_us), 0)::bigint),
                'job_types', count(*),
                'connector_jobs', coalesce(sum(t.jobs) filter (where t.type like 'connector.%'), 0))
            from types t),
        'storage', json_build_object(
            'waiting_jobs', (select count(*) from jobforge.jobs j where j.tenant_id = v_tenant_id),
            'waiting_payload_bytes', (select coalesce(sum(j.payload_bytes), 0)
                from jobforge.jobs j where j.tenant_id = v_tenant_id),
            'documents', (select count(*) from jobforge.documents d where d.tenant_id = v_tenant_id),
            'document_bytes', (select coalesce(sum(d.size_bytes), 0)
                from jobforge.document_versions d where d.tenant_id = v_tenant_id),
            'artifacts', (select count(*) from jobforge.artifacts a where a.tenant_id = v_tenant_id),
            'artifact_bytes', (select coalesce(sum(octet_length(a.content)), 0)
                from jobforge.artifacts a where a.tenant_id = v_tenant_id)),
        'webhooks', (select json_build_object(
                'endpoints_active', (select count(*) from jobforge.webhook_endpoints e
                    where e.tenant_id = v_tenant_id and e.status = 'ACTIVE'),
                'endpoints_disabled', (select count(*) from jobforge.webhook_endpoints e
                    where e.tenant_id = v_tenant_id and e.status = 'DISABLED'),
                'deliveries', coalesce(sum(w.deliveries), 0), 'delivered', coalesce(sum(w.delivered), 0),
                'failed', coalesce(sum(w.failed), 0), 'pending', coalesce(sum(w.pending), 0),
                'attempts', coalesce(sum(w.attempts), 0))
            from deliveries w),
        'by_day', (select json_agg(json_build_object('day', d.day, 'jobs', coalesce(n.jobs, 0),
                'succeeded', coalesce(n.succeeded, 0), 'failed', coalesce(n.failed, 0),
                'other', coalesce(n.jobs - n.succeeded - n.failed, 0)) order by d.day)
            from jobforge.report_days(p_from, p_to) d left join days n on n.day = d.day),
        'by_type', (select coalesce(json_agg(json_build_object('type', t.type, 'jobs', t.jobs,
                'succeeded', t.succeeded, 'failed', t.failed, 'attempts', t.attempts,
                'run_ms', jobforge.report_ms(t.run_us)) order by t.jobs desc, t.type), '[]') from types t),
        'connectors', (select coalesce(json_agg(json_build_object('type', t.type, 'jobs', t.jobs,
                'succeeded', t.succeeded, 'failed', t.failed, 'attempts', t.attempts,
                'last_at', jobforge.utc_text(t.last_at)) order by t.jobs desc, t.type), '[]')
            from types t where t.type like 'connector.%'),
        'webhook_endpoints', (select coalesce(json_agg(json_build_object('url', e.url, 'status', e.status,
                'deliveries', e.deliveries, 'delivered', e.delivered, 'failed', e.failed,
                'pending', e.pending) order by e.deliveries desc, e.webhook_endpoint_id), '[]')
            from (select n.webhook_endpoint_id, n.url, n.status, coalesce(w.deliveries, 0) as deliveries,
                    coalesce(w.delivered, 0) as delivered, coalesce(w.failed, 0) as failed,
                    coalesce(w.pending, 0) as pending
                from jobforge.webhook_endpoints n left join deliveries w using (webhook_endpoint_id)
                where n.tenant_id = v_tenant_id
                order by deliveries desc, n.webhook_endpoint_id limit p_top_n) e))
    into v_report;
    perform jobforge.check_report_rows((v_report -> 'totals' ->> 'jobs')::bigint, p_max_rows);
    return v_report;
end
$$;

-- What happened: audit events by type and day, and who acted. active_keys: API keys made before the
-- period's end and used since it began (a key remembers its last use only).
create or replace function jobforge.report_usage_summary(p_from timestamptz, p_to timestamptz,
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
        select e.event_type, e.aggregate_type, e.aggregate_id, e.actor_id, e.occurred_at,
            (e.occurred_at at time zone 'UTC')::date as day
        from jobforge.events e
        where e.tenant_id = v_tenant_id and e.occurred_at >= p_from and e.occurred_at < p_to
        limit p_max_rows + 1
    ), actors as materialized (
        select e.actor_id, count(*) as events, max(e.occurred_at) as last_at
        from all_of e where e.actor_id is not null group by e.actor_id
    )
    select json_build_object(
        'totals', (select json_build_object('events', count(*), 'event_types', count(distinct e.event_type),
                'aggregates', count(distinct (e.aggregate_type, e.aggregate_id)),
                'active_actors', (select count(*) from actors),
                'active_keys', (select count(*) from jobforge.api_keys k
                    where k.tenant_id = v_tenant_id and k.created_at < p_to and k.last_used_at >= p_from))
            from all_of e),
        'by_day', (select json_agg(json_build_object('day', d.day, 'events', coalesce(n.events, 0))
                order by d.day)
            from jobforge.report_days(p_from, p_to) d
                left join (select e.day, count(*) as events from all_of e group by e.day) n
                on n.day = d.day),
        'by_type', (select coalesce(json_agg(json_build_object('event_type', n.event_type,
                'events', n.events, 'last_at', jobforge.utc_text(n.last_at))
                order by n.events desc, n.event_type), '[]')
            from (select e.event_type, count(*) as events, max(e.occurred_at) as last_at
                from all_of e group by e.event_type) n),
        'by_type_and_day', (select coalesce(json_agg(json_build_object('day', n.day,
                'event_type', n.event_type, 'events', n.events) order by n.day, n.event_type), '[]')
            from (select e.day, e.event_type, count(*) as events
                from all_of e group by e.day, e.event_type) n),
        'actors', (select coalesce(json_agg(json_build_object('actor', n.actor_id, 'events', n.events,
                'last_at', jobforge.utc_text(n.last_at)) order by n.events desc, n.actor_id), '[]')
            from (select a.* from actors a order by a.events desc, a.actor_id limit p_top_n) n))
    into v_report;
    perform jobforge.check_report_rows((v_report -> 'totals' ->> 'events')::bigint, p_max_rows);
    return v_report;
end
$$;

-- A time of a payload: a date is its first moment, everything is UTC. JOB_PAYLOAD_INVALID.
create or replace function jobforge.report_time(p_name text, p_text text) returns timestamptz
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    return translate(p_text, 'TZ', ' ')::timestamp at time zone 'UTC';
exception when data_exception then
    perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
        format('period.%s: there is no time %s', p_name, p_text), 'Such as 2026-01-31 or 2026-01-31T12:00:00Z.');
    return null;
end
$$;

create or replace function jobforge.report_top_n(p_text text) returns integer
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    return p_text::integer;
exception when data_exception then
    perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
        format('options.top_n: %s is not a whole number from 1 to 1000', left(p_text, 100)), '');
    return null;
end
$$;

-- The report of a payload {"report_type", "period", "options"}, and {"metadata"}. Without a period:
-- the 30 days that end now, the first of them whole. Limits are those of the tenant's configuration.
create or replace function jobforge.generate_report(p_payload jsonb) returns json
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_now timestamptz := clock_timestamp();
    v_period jsonb := p_payload -> 'period';
    v_from timestamptz := coalesce(jobforge.report_time('from', v_period ->> 'from'),
        (date_trunc('day', v_now at time zone 'UTC') - interval '29 days') at time zone 'UTC');
    v_to timestamptz := coalesce(jobforge.report_time('to', v_period ->> 'to'), v_now);
    v_top_n integer := coalesce(jobforge.report_top_n(p_payload -> 'options' ->> 'top_n'), 10);
    v_config jsonb := jobforge.get_connector_config('connector.report.generate');
    v_max_days integer := coalesce((v_config ->> 'max_period_days')::integer, 366);
    v_max_rows bigint := coalesce((v_config ->> 'max_rows')::bigint, 1000000);
    v_data json := case p_payload ->> 'report_type'
        when 'job-analytics' then jobforge.report_job_analytics(v_from, v_to, v_top_n, v_max_days, v_max_rows)
        when 'tenant-usage' then jobforge.report_tenant_usage(v_from, v_to, v_top_n, v_max_days, v_max_rows)
        when 'usage-summary' then jobforge.report_usage_summary(v_from, v_to, v_top_n, v_max_days, v_max_rows)
        end;
begin
    if v_data is null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', 'report_type: there is no such report',
            'Known: job-analytics, tenant-usage, usage-summary.');
    end if;
    return json_build_object('report_type', p_payload ->> 'report_type',
        'metadata', json_build_object(
            'period', json_build_object('from', jobforge.utc_text(v_from), 'to', jobforge.utc_text(v_to)),
            'generated_at', jobforge.utc_text(v_now),
            'rows', coalesce(v_data -> 'totals' -> 'jobs', v_data -> 'totals' -> 'events')),
        'data', v_data);
end
$$;
alter function jobforge.report_tenant_usage owner to jobforge_definer;
alter function jobforge.report_usage_summary owner to jobforge_definer;
alter function jobforge.report_time owner to jobforge_definer;
alter function jobforge.report_top_n owner to jobforge_definer;
alter function jobforge.generate_report owner to jobforge_definer;
revoke execute on function jobforge.report_tenant_usage, jobforge.report_usage_summary,
    jobforge.report_time, jobforge.report_top_n, jobforge.generate_report from public;
grant execute on function jobforge.report_tenant_usage, jobforge.report_usage_summary,
    jobforge.generate_report to jobforge_tenant, jobforge_gateway, jobforge_worker;
