-- Ends sessions of workers that hold something for a client that has stopped. Answers how many. Runs with
-- the caller's rights: a worker ends sessions of its own login only.
--
--   A session that waits for its client in the middle of a statement and holds locks (it has a transaction
--   id): a worker's own, and one of the HTTP API, after p_seconds, or half of the shortest lease of a type
--   (at least a second); a handler's after the longest lease, because a handler that reads a long answer
--   is slow for good reasons.
--   A worker's own that is sending an answer and holds no more than a snapshot: after the longest lease,
--   too. A session that holds nothing yet (a batch is still being sent to it) does no harm. (Neither statement_timeout nor
--   idle_in_transaction_session_timeout counts that time.)
--   A client that reads or writes slowly is seen waiting at many moments, too. So a session is ended only if
--   every one of eleven looks, a tenth of a second apart, finds it waiting in the same statement.
--
--   A handler's transaction whose connection was lent to the handler, idle or waiting for its client (a
--   COPY), when the job's lease is over: other transactions have a limit on idleness of one lease, which
--   the worker keeps from expiring. The lease tells, so one look is enough.
create or replace function jobforge.end_frozen_sessions(p_seconds integer default 15) returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_count integer;
    v_seconds integer;
    v_waits text[];  -- process and begin of the statement
begin
    if p_seconds is null or p_seconds not between 0 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'sessions are frozen for 0 to 86400 seconds', '');
    end if;
    v_seconds := least(p_seconds, greatest(1, jobforge.shortest_lease() / 2));
    for v_look in 0 .. 10 loop
        if v_look > 0 then
            perform pg_sleep(0.1), pg_stat_clear_snapshot();
        end if;
        select array_agg(a.pid || ' ' || a.query_start) into v_waits from pg_stat_activity a
        where a.datname = current_database() and a.usename = current_user and a.pid <> pg_backend_pid()
            and (a.application_name like 'jobforge worker %' or a.application_name = 'jobforge api')
            and a.state = 'active' and a.wait_event_type = 'Client'
            and a.query_start <= clock_timestamp() - v_seconds * interval '1 second'
            and (a.backend_xid is not null or (a.application_name <> 'jobforge worker handler'
                and a.backend_xmin is not null and a.wait_event = 'ClientWrite'))
            and (v_look = 0 or a.pid || ' ' || a.query_start = any(v_waits))
            and case when a.application_name = 'jobforge worker handler' or a.backend_xid is null
                then a.query_start <= clock_timestamp() - jobforge.longest_lease() else true end;
        exit when v_waits is null;
    end loop;
    select count(*) into v_count
    from (
        select pg_terminate_backend(a.pid) from pg_stat_activity a
        where a.datname = current_database() and a.usename = current_user and a.pid <> pg_backend_pid()
            and (a.pid || ' ' || a.query_start = any(v_waits)
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

-- The longest lease that a type has (60 seconds where it names none) or that a running job has got. Not
-- counted are workers over HTTP (tenant_worker): they choose their leases, up to a day, and have no session here.
create or replace function jobforge.longest_lease() returns interval
    language sql stable security definer set search_path = pg_catalog, pg_temp
    set enable_seqscan = off as $$
    select greatest((select max(coalesce(t.lease_seconds, 60)) from jobforge.job_types t) * interval '1 second',
        (select max(j.lease_expires_at - j.heartbeat_at) from jobforge.jobs j where j.status = 'RUNNING'
            and j.lease_owner not like '________-____-____-____-____________/%'))
$$;

-- Whether a session that was lent to a job's handler has a lease that has not expired. Its name is a hash
-- of claim and job (CompletionTransaction::native): every login of the server reads the names of
-- sessions, and the claim is known to its worker only. Workers of the version before name the job.
drop function if exists jobforge.job_is_leased(text);
create or replace function jobforge.job_is_leased(p_session text) returns boolean
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set jit = off
    set enable_seqscan = off as $$
begin
    return exists (select from jobforge.jobs j
        where j.status = 'RUNNING' and j.lease_expires_at >= clock_timestamp()
            and (left(encode(sha256(convert_to(j.claim_id::text || j.job_id, 'UTF8')), 'hex'), 32) = p_session
                or j.job_id::text = p_session));
end
$$;
alter function jobforge.end_frozen_sessions owner to jobforge_engine;
alter function jobforge.shortest_lease owner to jobforge_engine;
alter function jobforge.longest_lease owner to jobforge_engine;
alter function jobforge.job_is_leased owner to jobforge_engine;
revoke execute on function jobforge.end_frozen_sessions, jobforge.job_is_leased, jobforge.shortest_lease,
    jobforge.longest_lease from public;
grant execute on function jobforge.end_frozen_sessions, jobforge.job_is_leased, jobforge.shortest_lease,
    jobforge.longest_lease to jobforge_worker;
