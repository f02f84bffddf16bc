-- What `jobforge doctor` must know across tenants: counts and ages per type and per worker, no tenant's
-- data.
create or replace function jobforge.doctor_types()
    returns table (type text, enabled boolean, live_workers bigint, oldest_due_at timestamptz,
        expired_leases bigint, oldest_expired_at timestamptz, dead_letters bigint)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select t.type, t.enabled,
        (select count(*) from jobforge.workers w
            where t.type = any(w.types) and w.state = 'ACTIVE'
                and w.heartbeat_at >= clock_timestamp() - interval '60 seconds'),
        (select min(l.scheduled_at) from jobforge.find_lanes(array[t.type]) l
            where l.scheduled_at <= clock_timestamp()),
        e.leases, e.oldest,
        (select coalesce(sum(c.value), 0)::bigint
            from (select s.value from jobforge.counter_totals s
                    where s.type = t.type and s.counter = 'dead_letters_left'
                  union all
                  select d.delta from jobforge.counter_deltas d
                    where d.type = t.type and d.counter = 'dead_letters_left') c)
    from jobforge.job_types t
    cross join lateral (
        select count(*) as leases, min(j.lease_expires_at) as oldest from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = t.type and j.lease_expires_at < clock_timestamp()) e
    order by t.type
$$;

-- Workers that are not STOPPED and have been silent for a minute, with the jobs they still hold.
create or replace function jobforge.doctor_workers()
    returns table (worker_id text, host text, pid integer, state text, heartbeat_at timestamptz, held bigint)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select w.worker_id, w.host, w.pid, w.state, w.heartbeat_at,
        (select count(*) from jobforge.jobs j where j.status = 'RUNNING' and j.lease_owner = w.worker_id)
    from jobforge.workers w
    where w.state <> 'STOPPED' and w.heartbeat_at < clock_timestamp() - interval '60 seconds'
    order by w.heartbeat_at desc
$$;
-- Logins that are bound to a tenant and have a right that reaches beyond it.
create or replace function jobforge.doctor_logins() returns table (login text, tenant_id uuid, spans text)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select l.login_role::text, l.tenant_id, jobforge.spans_tenants(l.login_role) from jobforge.tenant_logins l
    where jobforge.spans_tenants(l.login_role) is not null order by 1
$$;
alter function jobforge.doctor_logins owner to jobforge_engine;
alter function jobforge.doctor_types owner to jobforge_engine;
alter function jobforge.doctor_workers owner to jobforge_engine;
revoke execute on function jobforge.doctor_types, jobforge.doctor_workers, jobforge.doctor_logins from public;
grant execute on function jobforge.doctor_types, jobforge.doctor_workers, jobforge.doctor_logins
    to jobforge_owner, jobforge_observer, jobforge_worker, jobforge_gateway;
