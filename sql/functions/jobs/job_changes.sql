-- Jobs of the tenant that were written since a snapshot: the stream of job changes asks every moment,
-- so nothing is written for it, and it reads what it can find by the indexes that are there anyway.
--
-- p_since, p_at: pg_current_snapshot() and the time of the look before; p_running: jobs that were
-- running then, as far as the asker knows. A row is new if the transaction that wrote it is not
-- visible in p_since: no commit is missed, however transactions overlap. Which rows are looked at:
--   created, finished or due since a minute before p_at    (so long may a transaction stay open)
--   running, interrupted or named in p_running             (few)
-- Of a job that changed twice, only what it is now. A renewed lease counts as a change.
create or replace function jobforge.job_changes(p_since pg_snapshot, p_at timestamptz, p_running uuid[],
    p_limit integer)
    returns table (job_id uuid, type text, status text, lease_token bigint, job json)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    -- Compared as text where the primary key must not be tempting: it would lead through all of the
    -- tenant's waiting jobs.
    v_tenant text := v_tenant_id;
    v_from timestamptz;
    v_first_id uuid;
    v_types text[] := array(select t.type from jobforge.job_types t);
    v_next bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
begin
    perform jobforge.check_page(p_limit, 100000);
    if p_since is null or p_at is null
        or p_at not between '1970-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'p_since is the snapshot of the last look, and p_at its time, between the years 1970 and 9999', '');
    end if;
    v_from := p_at - interval '1 minute';
    v_first_id := (lpad(to_hex((date_part('epoch', v_from) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
    return query
    with written as (
        select j.job_id, j.xmin as xid from jobforge.jobs j
        where j.tenant_id = v_tenant_id and j.job_id >= v_first_id
        union all
        select j.job_id, j.xmin from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = any(v_types) and j.tenant_id::text = v_tenant
        union all
        select j.job_id, j.xmin from jobforge.jobs j
        where j.interrupted and j.tenant_id::text = v_tenant
        union all
        select q.job_id, q.xid from unnest(v_types) t(type), generate_series(0, 3) p(priority),
            lateral (select j.job_id, j.xmin as xid from jobforge.jobs j
                where j.status = 'QUEUED' and not j.interrupted and j.type = t.type
                    and j.priority = p.priority::smallint and j.tenant_id = v_tenant_id
                    and j.scheduled_at >= v_from
                order by j.scheduled_at) q
        union all
        select j.job_id, j.xmin from unnest(p_running) r(job_id)
            join jobforge.jobs j on j.tenant_id = v_tenant_id and j.job_id = r.job_id
        union all
        select f.job_id, f.xmin from jobforge.finished_jobs f
        where f.completed_at >= v_from and f.tenant_id::text = v_tenant
    ), changed as (
        select distinct w.job_id from written w
        where not pg_visible_in_snapshot(jobforge.full_xid(w.xid, v_next), p_since)
        limit p_limit
    )
    select a.job_id, a.type, a.status, a.lease_token, row_to_json(a.*) from changed c,
        lateral (select h.tenant_id, h.job_id, h.type, h.status, h.priority, h.attempts, h.max_attempts,
                h.scheduled_at, h.created_at, h.started_at, h.completed_at, h.lease_owner,
                h.lease_expires_at, h.idempotency_key, h.trace_id, h.created_by, jobforge.readable(h.last_error) as last_error,
                h.lease_token
            from jobforge.all_jobs h where h.tenant_id = v_tenant_id and h.job_id = c.job_id) a
    order by coalesce(a.completed_at, a.started_at, a.created_at), a.job_id;
end
$$;

-- The 64 bits of a row's xmin, which are never ahead of p_next. Inlined (no SET): asked for every row.
create or replace function jobforge.full_xid(p_xid xid, p_next bigint) returns xid8
    language sql immutable as $$
    select greatest(pg_catalog.int8mi(p_next, (p_next - p_xid::text::bigint) & 4294967295), 3)::text::xid8
$$;
alter function jobforge.job_changes owner to jobforge_engine;
alter function jobforge.full_xid owner to jobforge_engine;
revoke execute on function jobforge.job_changes, jobforge.full_xid from public;
grant execute on function jobforge.job_changes to jobforge_gateway;
