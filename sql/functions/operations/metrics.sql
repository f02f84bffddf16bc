-- Numbers for monitoring, over all tenants and without anybody's data.
create or replace function jobforge.metric_counters()
    returns table (tenant_id uuid, type text, counter text, value bigint)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select c.tenant_id, c.type, c.counter, sum(c.value)::bigint
    from (select t.tenant_id, t.type, t.counter, t.value from jobforge.counter_totals t
          union all
          select d.tenant_id, d.type, d.counter, d.delta from jobforge.counter_deltas d) c
    where c.counter not in ('claimed', 'requeued', 'withdrawn')
    group by c.tenant_id, c.type, c.counter
$$;

create or replace function jobforge.metric_running()
    returns table (tenant_id uuid, type text, running bigint)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select j.tenant_id, j.type, count(*) from jobforge.jobs j
    where j.status = 'RUNNING' group by j.tenant_id, j.type
$$;

-- How long the oldest due job of each type has been waiting.
create or replace function jobforge.metric_oldest()
    returns table (type text, seconds double precision)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select l.type, max(date_part('epoch', clock_timestamp() - l.scheduled_at))
    from jobforge.find_lanes(array(select t.type from jobforge.job_types t)) l
    where l.scheduled_at <= clock_timestamp()
    group by l.type
$$;
alter function jobforge.metric_counters owner to jobforge_engine;
alter function jobforge.metric_running owner to jobforge_engine;
alter function jobforge.metric_oldest owner to jobforge_engine;
revoke execute on function jobforge.metric_counters, jobforge.metric_running, jobforge.metric_oldest from public;
grant execute on function jobforge.metric_counters, jobforge.metric_running, jobforge.metric_oldest
    to jobforge_observer, jobforge_worker, jobforge_gateway, jobforge_owner;
