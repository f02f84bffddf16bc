-- The registry of workers: what each works on, and when it was last heard of.
create or replace function jobforge.register_worker(p_worker text, p_host text, p_pid integer,
    p_version text, p_types text[], p_slots integer) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_length('a worker id', p_worker, 1, 200);
    perform jobforge.check_length('a host name', p_host, 0, 255);
    perform jobforge.check_length('a version', p_version, 0, 100);
    perform jobforge.check_elements(p_types, 'p_types');
    if p_slots is null or p_slots not between 1 and 10000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('slots %s is not between 1 and 10000', p_slots), '');
    elsif p_pid is null or p_pid < 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%s is not a process id', coalesce(p_pid::text,
            'NULL')), '');
    end if;
    insert into jobforge.workers as w (worker_id, host, pid, version, types, slots)
    values (p_worker, p_host, p_pid, p_version, p_types, p_slots)
    on conflict (worker_id) do update
        set host = excluded.host, pid = excluded.pid, version = excluded.version, types = excluded.types,
            slots = excluded.slots, state = 'ACTIVE', running = 0, started_at = clock_timestamp(),
            heartbeat_at = clock_timestamp();
    -- A type that is not registered yet gets the default policy.
    insert into jobforge.job_types (type) select t.type from unnest(p_types) t(type)
    on conflict do nothing;
exception when check_violation then
    perform jobforge.raise_error('VALIDATION_ERROR', format('worker %s: %s', p_worker, jobforge.refusal_text(sqlerrm)),
        'A job type is a letter, then letters, digits, "_", ".", ":" or "-", at most 100 in all.');
end
$$;

create or replace function jobforge.worker_heartbeat(p_worker text, p_running integer, p_state text)
    returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_length('a worker id', p_worker, 1, 200);
    perform jobforge.check_one_of('state of a worker', p_state, array['ACTIVE', 'DRAINING', 'STOPPED']);
    if p_running is null or p_running < 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_running is the number of running jobs, 0 or more', '');
    end if;
    update jobforge.workers w set running = p_running, state = p_state, heartbeat_at = clock_timestamp()
    where w.worker_id = p_worker;
    return found;
end
$$;

-- The tenant of a worker that came through the API: tenant_worker puts its id in front. NULL: a worker
-- of the platform, which serves all tenants.
create or replace function jobforge.worker_tenant(p_worker text) returns uuid
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select case when p_worker ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then left(p_worker, 36)::uuid end
$$;

-- A worker over HTTP is put on the list by what it asks for; it does not register. p_types: what it
-- claims, or NULL for a sign of life.
--
-- Written at most every five seconds, and never waiting: a locked row is being written for the same
-- reason. A tenant has at most 100 on the list (ids that differ from call to call would fill it); one
-- that has been silent for a minute makes room.
create or replace function jobforge.note_tenant_worker(p_worker text, p_types text[]) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_prefix text := left(p_worker, 37);
    v_now timestamptz := clock_timestamp();
    v_known record;
    v_types text[] := array(select distinct t.type from unnest(p_types) t(type)
        where length(t.type) <= 100 order by 1 limit 100);
    v_count integer;
begin
    select w.types, w.heartbeat_at < v_now - interval '60 seconds' as silent,
        w.heartbeat_at < v_now - interval '5 seconds' or not w.types @> coalesce(p_types, '{}') as changed
    into v_known from jobforge.workers w where w.worker_id = p_worker;
    if found then
        if v_known.changed then
            -- It may ask for one type after the other: the list has those of the last minute.
            v_types := array(select distinct t.type
                from unnest(case when v_known.silent and p_types is not null then p_types
                    else v_known.types || p_types end) t(type)
                where length(t.type) <= 100 order by 1 limit 100);
            update jobforge.workers w set heartbeat_at = v_now, types = v_types
            where w.ctid = (select l.ctid from jobforge.workers l where l.worker_id = p_worker
                for update skip locked);
        end if;
        return;
    end if;
    select count(*) into v_count from jobforge.workers w where left(w.worker_id, 37) = v_prefix;
    if v_count >= 100 then
        delete from jobforge.workers w where w.ctid = (select l.ctid from jobforge.workers l
            where left(l.worker_id, 37) = v_prefix and l.heartbeat_at < v_now - interval '60 seconds'
            order by l.heartbeat_at limit 1 for update skip locked);
        if not found then
            return;
        end if;
    end if;
    insert into jobforge.workers (worker_id, host, types) values (p_worker, 'over HTTP', v_types)
    on conflict do nothing;
end
$$;

-- state: as the worker said it, or SILENT when it has not been heard of for a minute. slots: NULL for a
-- worker over HTTP, which says with each claim how many jobs it takes.
create or replace function jobforge.list_workers()
    returns table (worker_id text, host text, pid integer, version text, state text, types text[],
        slots integer, running integer, started_at timestamptz, heartbeat_at timestamptz,
        seconds_silent double precision)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with held as (
        select j.lease_owner, count(*)::integer as jobs from jobforge.jobs j
        where j.status = 'RUNNING'
            and exists (select from jobforge.workers w where jobforge.worker_tenant(w.worker_id) is not null)
        group by j.lease_owner)
    select w.worker_id, w.host, w.pid, w.version,
        case when w.state <> 'STOPPED' and w.heartbeat_at < clock_timestamp() - interval '60 seconds'
            then 'SILENT' else w.state end,
        w.types, nullif(w.slots, 0),
        case when jobforge.worker_tenant(w.worker_id) is null then w.running else coalesce(h.jobs, 0) end,
        w.started_at, w.heartbeat_at, date_part('epoch', clock_timestamp() - w.heartbeat_at)
    from jobforge.workers w left join held h on h.lease_owner = w.worker_id
    order by w.heartbeat_at desc
$$;
alter function jobforge.register_worker owner to jobforge_engine;
alter function jobforge.worker_heartbeat owner to jobforge_engine;
alter function jobforge.worker_tenant owner to jobforge_engine;
alter function jobforge.note_tenant_worker owner to jobforge_engine;
alter function jobforge.list_workers owner to jobforge_engine;
revoke execute on function jobforge.register_worker, jobforge.worker_heartbeat, jobforge.worker_tenant,
    jobforge.note_tenant_worker, jobforge.list_workers from public;
grant execute on function jobforge.register_worker, jobforge.worker_heartbeat to jobforge_worker;
grant execute on function jobforge.list_workers to jobforge_worker, jobforge_observer, jobforge_gateway, jobforge_owner;
