-- Tells sleeping workers that a job of this type is there, at commit. Costs a busy queue nothing:
-- NOTIFY takes a lock on the whole database at commit (measured: 1,967 inserts/s fell to 698), so it
-- is sent only while some worker has said, in wake_<slot>, that it sleeps. src/engine/PROTOCOL.md
-- has the race this leaves and the polls that close it.
create or replace function jobforge.wake(p_type text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if pg_sequence_last_value(jobforge.wake_slot(p_type))
        > (date_part('epoch', clock_timestamp()) * 1000)::bigint then
        perform jobforge.notify_wake(p_type);
    end if;
end
$$;

-- The channels say "look", and nothing else: every login of the server may LISTEN, so a payload would
-- tell it other tenants' job types and ids.
create or replace function jobforge.notify_wake(p_type text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.notify_workers('jobforge_wake');
end
$$;

-- A transaction that has executed NOTIFY cannot be prepared for a two-phase commit. On a server that
-- allows prepared transactions the request is therefore a row whose deferred trigger sends the
-- NOTIFY, but not in a PREPARE TRANSACTION: such a job is found by the workers' polls, within their
-- poll interval of COMMIT PREPARED, and a cancelled one by the next renewal. Where none can be
-- prepared (the default) it is sent at once.
create or replace function jobforge.notify_workers(p_channel text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if current_setting('max_prepared_transactions') = '0' then
        perform jobforge.notify_now(p_channel);
    else
        insert into jobforge.wake_requests (type, channel) values ('', p_channel);
    end if;
end
$$;

-- The queue of notifications is one for the whole server, and every login may fill it: it LISTENs, keeps
-- a transaction open and sends 8 GB. Then each COMMIT with a NOTIFY in it fails. So nothing is sent
-- once it is half full; polls and renewals find the work as they do after a lost message. (Looking costs
-- a tenth of a microsecond, and only where a message would be sent: 1,000,000 looks took 0.37 s, an
-- empty function 0.26 s.)
create or replace function jobforge.notify_now(p_channel text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if pg_notification_queue_usage() < jobforge.notify_limit() then
        perform pg_notify(p_channel, '');
    end if;
end
$$;

-- Which part of the queue may be full. A function of its own so that a test can set it lower.
create or replace function jobforge.notify_limit() returns double precision
    language sql immutable as $$ select 0.5::double precision $$;

-- A definer function: a deferred trigger runs with the rights of the session that commits.
create or replace function jobforge.send_wake() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if coalesce(current_query(), '') !~* '\mprepare(\s|/\*.*?\*/|--[^\n]*\n)+transaction\M' then
        perform jobforge.notify_now(new.channel);
    end if;
    return null;
end
$$;
drop trigger if exists wake_requests_send on jobforge.wake_requests;
create constraint trigger wake_requests_send after insert on jobforge.wake_requests
    deferrable initially deferred for each row execute function jobforge.send_wake();

-- Deletes the requests that have been sent.
create or replace function jobforge.prune_wake_requests() returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_count integer;
begin
    delete from jobforge.wake_requests w;
    get diagnostics v_count = row_count;
    return v_count;
end
$$;

-- plpgsql: an SQL function with settings of its own is parsed and planned at every call.
create or replace function jobforge.wake_slot(p_type text) returns regclass
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    return ('jobforge.wake_' || (hashtext(p_type) & 15))::regclass;
end
$$;

-- A worker that is about to sleep says so, then looks once more, then sleeps. Written two seconds
-- ahead of what was asked, so that a worker that naps again and again only reads: a write costs a
-- flush of the log, which every job's latency would pay. A queue that turns busy is notified for
-- those two seconds longer. At most a minute ahead: more is cut to it.
create or replace function jobforge.ask_for_wake(p_types text[], p_milliseconds integer) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_until bigint := (date_part('epoch', clock_timestamp()) * 1000)::bigint
        + least(p_milliseconds, 60000);
    v_slot regclass;
begin
    perform jobforge.check_elements(p_types, 'p_types');
    if p_milliseconds is null or p_milliseconds < 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_milliseconds must be 0 or more', '');
    end if;
    for v_slot in select distinct jobforge.wake_slot(t.type) from unnest(p_types) t(type) loop
        if coalesce(pg_sequence_last_value(v_slot), 0) < v_until then
            perform setval(v_slot, v_until + 2000);
        end if;
    end loop;
end
$$;
alter function jobforge.wake owner to jobforge_definer;
alter function jobforge.notify_wake owner to jobforge_definer;
alter function jobforge.notify_workers owner to jobforge_definer;
alter function jobforge.notify_now owner to jobforge_definer;
alter function jobforge.notify_limit owner to jobforge_definer;
alter function jobforge.send_wake owner to jobforge_definer;
alter function jobforge.prune_wake_requests owner to jobforge_engine;
alter function jobforge.wake_slot owner to jobforge_definer;
alter function jobforge.ask_for_wake owner to jobforge_engine;
revoke execute on function jobforge.wake, jobforge.notify_wake, jobforge.notify_workers, jobforge.notify_now,
    jobforge.notify_limit, jobforge.send_wake, jobforge.wake_slot, jobforge.ask_for_wake, jobforge.prune_wake_requests
    from public;
grant execute on function jobforge.wake, jobforge.notify_wake, jobforge.notify_workers, jobforge.notify_now,
    jobforge.notify_limit, jobforge.wake_slot to jobforge_engine;
grant execute on function jobforge.ask_for_wake, jobforge.prune_wake_requests to jobforge_worker;
