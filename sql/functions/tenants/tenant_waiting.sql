-- What a tenant has waiting, and its quota.
--
-- The numbers are sums of differences: each transaction that puts a job into the queue or takes one
-- out appends a row to counter_deltas. Appending never waits, so a tenant's open transaction holds up
-- no claim; the sum is exact whenever it is read, also while a quota is being switched on.

-- Waiting jobs and bytes of a tenant. Runs with the caller's rights and policies.
create or replace function jobforge.tenant_waiting(p_tenant_id uuid, out jobs bigint, out bytes bigint)
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    select coalesce(sum(case when c.counter in ('enqueued', 'requeued') then c.jobs
                when c.counter in ('claimed', 'withdrawn') then -c.jobs end), 0),
        coalesce(sum(case when c.counter in ('enqueued', 'requeued') then c.bytes
                when c.counter in ('claimed', 'withdrawn') then -c.bytes end), 0)
    into jobs, bytes
    from (select t.counter, t.value as jobs, t.bytes from jobforge.counter_totals t
            where t.tenant_id = p_tenant_id
          union all
          select d.counter, d.delta, d.bytes from jobforge.counter_deltas d
            where d.tenant_id = p_tenant_id) c;
end
$$;

-- Refuses an enqueue that would go over the tenant's quota.
--
-- Every new tenant has a quota, so the usual case must cost next to nothing and wait for nothing. For
-- a quota of at least 500,000 jobs and 512 MiB, a count of the last second that is below half of it is
-- enough for a transaction that has added few jobs (how many is the server's own statistic, which no
-- client can set). The other half has room for a second of enqueues (100,000 were seen) and for what
-- transactions that are still open have added, up to a hundredth of the quota each.
--
-- Otherwise enqueues of the tenant take turns (the row of tenant_usage is locked until they commit),
-- so that two cannot both see the last place. Nothing else locks that row.
create or replace function jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint,
    p_max_jobs bigint, p_max_bytes bigint) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_most_jobs bigint := coalesce(p_max_jobs, 9223372036854775807);
    v_most_bytes bigint := coalesce(p_max_bytes, 9223372036854775807);
    v_waiting record;
begin
    if v_most_jobs >= 500000 and v_most_bytes >= 536870912 and p_bytes <= v_most_bytes / 100
        and v_most_jobs / 100
            > p_jobs + pg_stat_get_xact_tuples_inserted('jobforge.jobs'::regclass) then
        select m.jobs, m.bytes into v_waiting from jobforge.tenant_measures m
        where m.tenant_id = p_tenant_id and m.measured_at > clock_timestamp() - interval '1 second'
        order by m.measured_at desc limit 1;
        if not found then
            select * into v_waiting from jobforge.tenant_waiting(p_tenant_id);
            insert into jobforge.tenant_measures (tenant_id, measured_at, jobs, bytes)
            values (p_tenant_id, clock_timestamp(), v_waiting.jobs, v_waiting.bytes);
        end if;
        if v_waiting.jobs <= v_most_jobs / 2 and v_waiting.bytes <= v_most_bytes / 2 then
            return;
        end if;
    end if;
    insert into jobforge.tenant_usage as u (tenant_id) values (p_tenant_id)
    on conflict (tenant_id) do update set tenant_id = excluded.tenant_id;
    select * into v_waiting from jobforge.tenant_waiting(p_tenant_id);
    if v_waiting.jobs + p_jobs > p_max_jobs then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the tenant may have %s waiting jobs and has %s', p_max_jobs, v_waiting.jobs),
            'Wait until jobs have run, or raise max_waiting_jobs.');
    elsif v_waiting.bytes + p_bytes > p_max_bytes then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the tenant may have %s waiting payload bytes and has %s', p_max_bytes, v_waiting.bytes),
            'Wait until jobs have run, or raise max_waiting_bytes.');
    end if;
end
$$;
drop function if exists jobforge.usage_add(uuid, bigint, bigint);
alter function jobforge.tenant_waiting owner to jobforge_definer;
alter function jobforge.usage_take owner to jobforge_definer;
revoke execute on function jobforge.tenant_waiting, jobforge.usage_take from public;

-- Once, when this version's functions replace those that kept the count in tenant_usage: what has
-- been claimed so far is what was enqueued and does not wait. In the transaction that replaces the
-- functions, with the queue locked, so that no call moves a job by the old rules after the count.
do $$
begin
    if not exists (select from pg_catalog.pg_attribute a
            where a.attrelid = 'jobforge.tenant_usage'::regclass and a.attname = 'waiting_jobs') then
        return;
    end if;
    lock table jobforge.jobs in share row exclusive mode;
    insert into jobforge.counter_totals as t (tenant_id, type, counter, value, bytes)
    select coalesce(e.tenant_id, w.tenant_id), coalesce(e.type, w.type), 'claimed',
        coalesce(e.jobs, 0) - coalesce(w.jobs, 0), coalesce(e.bytes, 0) - coalesce(w.bytes, 0)
    from (select c.tenant_id, c.type, pg_catalog.sum(c.jobs) as jobs, pg_catalog.sum(c.bytes) as bytes
          from (select s.tenant_id, s.type, s.value as jobs, s.bytes from jobforge.counter_totals s
                    where s.counter = 'enqueued'
                union all
                select d.tenant_id, d.type, d.delta, d.bytes from jobforge.counter_deltas d
                    where d.counter = 'enqueued') c
          group by c.tenant_id, c.type) e
    full join (select j.tenant_id, j.type, pg_catalog.count(*) as jobs, pg_catalog.sum(j.payload_bytes) as bytes
          from jobforge.jobs j where j.status = 'QUEUED' group by j.tenant_id, j.type) w
        on w.tenant_id = e.tenant_id and w.type = e.type;
    alter table jobforge.tenant_usage drop column waiting_jobs, drop column waiting_bytes;
end
$$;
