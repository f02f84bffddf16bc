-- Ends sessions of workers that hold something for a client that has stopped. Answers how many.
--   A worker's own session that has waited for its client for p_seconds, or half of the shortest lease of
--   a type (at least a second), in the middle of a statement. They never wait long: what they send is
--   in memory, and what they read is small. (Neither statement_timeout nor
--   idle_in_transaction_session_timeout counts that time.) A thread that only reads a large payload holds
--   nothing, and is left alone.
--   A handler's transaction whose connection was lent to the handler, idle or waiting for its client (a
--   COPY), when the job's lease is over: other transactions have a limit on idleness of one lease, which
--   the worker keeps from expiring.
-- Runs with the caller's rights: a worker may end the sessions of its own login.
create or replace function jobforge.end_frozen_sessions(p_seconds integer default 15) returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_count integer;
    v_seconds integer;
begin
    if p_seconds is null or p_seconds not between 0 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'sessions are frozen for 0 to 86400 seconds', '');
    end if;
    v_seconds := least(p_seconds, greatest(1, jobforge.shortest_lease() / 2));
    select count(*) into v_count
    from (
        select pg_terminate_backend(a.pid) from pg_stat_activity a
        where a.datname = current_database() and a.usename = current_user and a.pid <> pg_backend_pid()
            and ((a.application_name like 'jobforge worker %' and a.state = 'active'
                    and (a.application_name <> 'jobforge worker handler' or a.backend_xid is not null)
                    and a.wait_event_type = 'Client' and a.query_start <= clock_timestamp() - v_seconds * interval '1 second')
                or (a.application_name like 'jobforge job %'
                    and (a.state = 'idle in transaction' or (a.state = 'active' and a.wait_event_type = 'Client'))
                    and not jobforge.job_is_leased(substr(a.application_name, 14))))
        offset 0) ended;
    return v_count;
end
$$;

-- The shortest lease that a type has, in seconds; null: none has one of its own.
create or replace function jobforge.shortest_lease() returns integer
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select min(t.lease_seconds) from jobforge.job_types t
$$;

-- Whether a job runs under a lease that has not expired.
create or replace function jobforge.job_is_leased(p_job_id text) returns boolean
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set jit = off
    set enable_seqscan = off as $$
begin
    return exists (select from jobforge.jobs j
        where j.status = 'RUNNING' and j.job_id::text = p_job_id and j.lease_expires_at >= clock_timestamp());
end
$$;
alter function jobforge.end_frozen_sessions owner to jobforge_engine;
alter function jobforge.shortest_lease owner to jobforge_engine;
alter function jobforge.job_is_leased owner to jobforge_engine;
revoke execute on function jobforge.end_frozen_sessions, jobforge.job_is_leased, jobforge.shortest_lease
    from public;
grant execute on function jobforge.end_frozen_sessions, jobforge.job_is_leased, jobforge.shortest_lease
    to jobforge_worker;
