-- The registry of workers: who works, on what, and when it was last heard of.
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
    -- A type nobody has registered yet gets the default policy.
    insert into jobforge.job_types (type) select t.type from unnest(p_types) t(type)
    on conflict do nothing;
exception when check_violation then
    perform jobforge.raise_error('VALIDATION_ERROR', format('worker %s: %s', p_worker, sqlerrm),
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

create or replace function jobforge.list_workers()
    returns table (worker_id text, host text, pid integer, version text, state text, types text[],
        slots integer, running integer, started_at timestamptz, heartbeat_at timestamptz,
        seconds_silent double precision)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select w.worker_id, w.host, w.pid, w.version, w.state, w.types, w.slots, w.running, w.started_at,
        w.heartbeat_at, date_part('epoch', clock_timestamp() - w.heartbeat_at)
    from jobforge.workers w order by w.heartbeat_at desc
$$;
alter function jobforge.register_worker owner to jobforge_engine;
alter function jobforge.worker_heartbeat owner to jobforge_engine;
alter function jobforge.list_workers owner to jobforge_engine;
revoke execute on function jobforge.register_worker, jobforge.worker_heartbeat, jobforge.list_workers from public;
grant execute on function jobforge.register_worker, jobforge.worker_heartbeat to jobforge_worker;
grant execute on function jobforge.list_workers to jobforge_worker, jobforge_observer, jobforge_gateway, jobforge_owner;
