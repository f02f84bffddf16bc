--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: jobforge; Type: SCHEMA; Schema: -; Owner: jobforge_owner
--

CREATE SCHEMA jobforge;

ALTER SCHEMA jobforge OWNER TO jobforge_owner;

--
-- Name: age_text(interval); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.age_text(p_span interval) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case
        when s.seconds < 1 then s.milliseconds || ' ms'
        when s.seconds < 60 then s.seconds || ' s'
        when s.seconds < 3600 then s.seconds / 60 || ' min ' || s.seconds % 60 || ' s'
        when s.seconds < 86400 then s.seconds / 3600 || ' h ' || s.seconds % 3600 / 60 || ' min'
        else s.seconds / 86400 || ' d ' || s.seconds % 86400 / 3600 || ' h' end
    from (select floor(greatest(0, date_part('epoch', p_span)))::bigint as seconds,
        floor(greatest(0, date_part('epoch', p_span)) * 1000)::bigint as milliseconds) s
$$;

ALTER FUNCTION jobforge.age_text(p_span interval) OWNER TO jobforge_owner;

--
-- Name: ask_for_wake(text[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_until bigint := (date_part('epoch', clock_timestamp()) * 1000)::bigint
        + least(greatest(p_milliseconds, 0), 60000);
    v_slot regclass;
begin
    for v_slot in select distinct jobforge.wake_slot(t.type) from unnest(p_types) t(type) loop
        if coalesce(pg_sequence_last_value(v_slot), 0) < v_until then
            perform setval(v_slot, v_until + 2000);
        end if;
    end loop;
end
$$;

ALTER FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) OWNER TO jobforge_engine;

--
-- Name: backoff_seconds(text, integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer DEFAULT 300) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case p_backoff
        when 'bpc' then least(1024, power(2, least(greatest(p_attempts, 0), 10)))
        when 'source' then least(86400,
            p_base_seconds * power(2, least(greatest(p_attempts::bigint - 1, 0), 20)))
        else least(3600, power(2, least(greatest(p_attempts::bigint - 1, 0), 12)))
    end
$$;

ALTER FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) OWNER TO jobforge_engine;

--
-- Name: bind_login(uuid, name); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.bind_login(p_tenant_id uuid, p_login name) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not exists (select from jobforge.tenants t where t.tenant_id = p_tenant_id) then
        perform jobforge.raise_error('NOT_FOUND', format('there is no tenant %s', p_tenant_id), '');
    elsif not exists (select from pg_roles r where r.rolname = p_login) then
        perform jobforge.raise_error('NOT_FOUND', format('there is no database role %I', p_login),
            'Create it first: create role NAME login password ... in role jobforge_tenant.');
    end if;
    insert into jobforge.tenant_logins (tenant_id, login_role) values (p_tenant_id, p_login)
    on conflict (login_role) do nothing;
    if not exists (select from jobforge.tenant_logins l
        where l.login_role = p_login and l.tenant_id = p_tenant_id) then
        perform jobforge.raise_error('FORBIDDEN', format('login %I belongs to another tenant', p_login), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.bind_login(p_tenant_id uuid, p_login name) OWNER TO jobforge_engine;

--
-- Name: cancel_job(uuid, text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.cancel_job(p_job_id uuid, p_reason text DEFAULT NULL::text, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
    v_job jobforge.jobs;
    v_error jsonb;
begin
    select j.* into v_job from jobforge.jobs j
    where j.tenant_id = v_tenant_id and j.job_id = p_job_id for update;
    if not found then
        perform jobforge.raise_if_finished(v_tenant_id, p_job_id, 'cancel', 'CANCELLED');
        return 'CANCELLED';
    end if;
    v_error := jsonb_build_object('code', 'CANCELLED', 'retryable', false,
        'message', coalesce(p_reason, 'cancelled on request'));
    perform jobforge.finish_job(v_job, 'CANCELLED', 'CANCELLED', v_error, v_job.lease_token + 1);
    if v_job.status = 'RUNNING' then
        perform pg_notify('jobforge_cancel', json_build_object('worker_id', v_job.lease_owner,
            'job_id', v_job.job_id, 'lease_token', v_job.lease_token)::text);
    end if;
    return 'CANCELLED';
end
$$;

ALTER FUNCTION jobforge.cancel_job(p_job_id uuid, p_reason text, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: cancel_jobs(uuid[], text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.cancel_jobs(p_job_ids uuid[], p_reason text DEFAULT NULL::text, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(job_id uuid, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
begin
    perform jobforge.require_tenant(p_tenant_id);
    for job_id in select distinct i.id from unnest(p_job_ids) i(id) order by i.id loop
        begin
            status := jobforge.cancel_job(job_id, p_reason, p_tenant_id);
        exception when sqlstate 'JF005' then
            status := 'NOT_FOUND';
        when sqlstate 'JF011' then
            status := 'INVALID_TRANSITION';
        end;
        return next;
    end loop;
end
$$;

ALTER FUNCTION jobforge.cancel_jobs(p_job_ids uuid[], p_reason text, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: cancel_running_job(text, uuid, uuid, bigint, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb DEFAULT NULL::jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_job jobforge.jobs;
begin
    select * into v_job from jobforge.lock_lease(p_worker, p_tenant_id, p_job_id, p_token);
    if not found then
        perform jobforge.raise_lease_lost(p_job_id, p_token);
    end if;
    perform jobforge.finish_job(v_job, 'CANCELLED', 'CANCELLED', p_error, v_job.lease_token);
end
$$;

ALTER FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb) OWNER TO jobforge_engine;

--
-- Name: check_budget(integer, integer, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_budget(p_attempts integer, p_max_attempts integer, p_reset boolean) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not p_reset and p_attempts >= p_max_attempts then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('the job has used %s of its %s attempts', p_attempts, p_max_attempts),
            'Reset its attempts, or raise max_attempts.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_budget(p_attempts integer, p_max_attempts integer, p_reset boolean) OWNER TO jobforge_definer;

--
-- Name: check_claim(text, integer, text[], integer[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if coalesce(p_worker, '') = '' or length(p_worker) > 200 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a worker id has 1 to 200 characters', '');
    elsif p_limit is null or p_limit not between 1 and 10000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('limit %s is not between 1 and 10000', p_limit), '');
    elsif coalesce(cardinality(p_types), 0) = 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a claim names the job types it has handlers for', '');
    elsif p_lease_seconds is null or p_lease_seconds not between 1 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a lease lasts 1 to 86400 seconds', '');
    end if;
    perform jobforge.check_same_length(cardinality(p_types), cardinality(p_type_limits), 'p_type_limits');
end
$$;

ALTER FUNCTION jobforge.check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer) OWNER TO jobforge_engine;

--
-- Name: check_enqueue(jsonb, integer, integer, timestamp with time zone, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_payload is null or jsonb_typeof(p_payload) <> 'object' then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
            format('the payload must be a JSON object, not %s', coalesce(jsonb_typeof(p_payload), 'NULL')),
            'Wrap the value: {"value": ...}.');
    elsif pg_column_size(p_payload) > 16777216 then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', 'the payload is larger than 16 MiB',
            'Store the data elsewhere and put a reference into the payload.');
    elsif p_priority not between 0 and 3 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('priority %s is not 0, 1, 2 or 3', p_priority), '');
    elsif p_max_attempts not between 1 and 1000 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('max_attempts %s is not between 1 and 1000', p_max_attempts), '');
    elsif not isfinite(p_scheduled_at) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'scheduled_at must be a finite time', '');
    elsif length(p_idempotency_key) not between 1 and 500 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('an idempotency key has 1 to 500 characters, not %s', length(p_idempotency_key)), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text) OWNER TO jobforge_definer;

--
-- Name: check_error(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_error(p_error jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_error is null or jsonb_typeof(p_error) <> 'object' or p_error ->> 'code' is null
        or p_error ->> 'message' is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'an error is a JSON object with at least code and message', '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_error(p_error jsonb) OWNER TO jobforge_engine;

--
-- Name: check_same_length(integer, integer, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_same_length(p_expected integer, p_actual integer, p_name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_actual <> p_expected then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%s has %s elements where %s were expected', p_name, p_actual, p_expected), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_same_length(p_expected integer, p_actual integer, p_name text) OWNER TO jobforge_definer;

--
-- Name: check_settle(uuid[], uuid[], bigint[], integer, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_more integer, p_more_name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tenants), 'p_tenants');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tokens), 'p_tokens');
    perform jobforge.check_same_length(cardinality(p_job_ids), p_more, p_more_name);
end
$$;

ALTER FUNCTION jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_more integer, p_more_name text) OWNER TO jobforge_engine;

--
-- Name: claim_allowance(text, uuid, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_allowance(p_type text, p_tenant_id uuid, p_want integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_policy record;
    v_tenant_limit integer;
    v_allowed bigint := p_want;
begin
    select t.concurrency_limit, t.tenant_concurrency_limit, t.rate_limit_per_minute,
        t.tenant_rate_limit_per_minute into v_policy
    from jobforge.job_types t where t.type = p_type;
    select t.concurrency_limit into v_tenant_limit
    from jobforge.tenants t where t.tenant_id = p_tenant_id and t.concurrency_limit is not null;

    if v_policy.concurrency_limit is not null or v_policy.tenant_concurrency_limit is not null
        or v_policy.rate_limit_per_minute is not null
        or v_policy.tenant_rate_limit_per_minute is not null then
        if not pg_try_advisory_xact_lock(hashtextextended('jobforge.type.' || p_type, 0)) then
            return 0;
        end if;
    end if;
    if v_tenant_limit is not null then
        if not pg_try_advisory_xact_lock(hashtextextended('jobforge.tenant.' || p_tenant_id, 0)) then
            return 0;
        end if;
        select least(v_allowed, v_tenant_limit - count(*)) into v_allowed from jobforge.jobs j
        where j.status = 'RUNNING' and j.tenant_id = p_tenant_id;
    end if;
    if v_policy.concurrency_limit is not null then
        select least(v_allowed, v_policy.concurrency_limit - count(*)) into v_allowed from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = p_type;
    end if;
    if v_policy.tenant_concurrency_limit is not null then
        select least(v_allowed, v_policy.tenant_concurrency_limit - count(*)) into v_allowed
        from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = p_type and j.tenant_id = p_tenant_id;
    end if;
    v_allowed := greatest(0, v_allowed);
    v_allowed := jobforge.peek_tokens('00000000-0000-0000-0000-000000000000', p_type,
        v_policy.rate_limit_per_minute, v_allowed::integer);
    return jobforge.peek_tokens(p_tenant_id, p_type, v_policy.tenant_rate_limit_per_minute,
        v_allowed::integer);
end
$$;

ALTER FUNCTION jobforge.claim_allowance(p_type text, p_tenant_id uuid, p_want integer) OWNER TO jobforge_engine;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: jobs; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.jobs (
    tenant_id uuid NOT NULL,
    job_id uuid NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'QUEUED'::text NOT NULL,
    priority smallint DEFAULT 2 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    interrupted boolean DEFAULT false NOT NULL,
    lease_token bigint DEFAULT 0 NOT NULL,
    scheduled_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    heartbeat_at timestamp with time zone,
    lease_expires_at timestamp with time zone,
    lease_owner text,
    idempotency_key text,
    trace_id text,
    created_by text,
    payload jsonb NOT NULL,
    payload_bytes integer DEFAULT 0 NOT NULL,
    payload_ref bytea,
    last_error jsonb,
    CONSTRAINT jobs_attempts_not_negative CHECK ((attempts >= 0)),
    CONSTRAINT jobs_max_attempts_positive CHECK ((max_attempts >= 1)),
    CONSTRAINT jobs_payload_is_object CHECK ((jsonb_typeof(payload) = 'object'::text)),
    CONSTRAINT jobs_priority_range CHECK (((priority >= 0) AND (priority <= 3))),
    CONSTRAINT jobs_running_has_lease CHECK ((((status = 'RUNNING'::text) = (lease_owner IS NOT NULL)) AND ((status = 'RUNNING'::text) = (lease_expires_at IS NOT NULL)))),
    CONSTRAINT jobs_running_was_claimed CHECK (((status <> 'RUNNING'::text) OR ((lease_token > 0) AND (attempts > 0)))),
    CONSTRAINT jobs_status_known CHECK ((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text])))
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000', autovacuum_analyze_scale_factor='0.1', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY jobforge.jobs FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.jobs OWNER TO jobforge_owner;

--
-- Name: claim_from_lanes(text, integer, text[], integer, integer[], text[], integer[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_from_lanes(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer, p_type_limits integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]) RETURNS jobforge.jobs[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_jobs jobforge.jobs[] := '{}';
    v_got jobforge.jobs[];
    v_until timestamptz := clock_timestamp();
    v_priority integer;
    v_served uuid[];
    v_lanes record;
    v_tenants integer;
    v_share integer;
    v_left integer := p_limit;
begin
    for v_priority in
        select distinct l.priority from unnest(p_lane_priorities, p_lane_floors) l(priority, first)
        where l.first <= v_until order by l.priority
    loop
        v_served := '{}';
        loop
            select count(distinct l.tenant_id) into v_tenants
            from unnest(p_lane_priorities, p_lane_tenants, p_lane_floors) l(priority, tenant_id, first)
            where l.priority = v_priority and l.first <= v_until and l.tenant_id <> all(v_served);
            exit when v_tenants = 0 or v_left = 0;
            v_share := ceil(v_left::numeric / v_tenants)::integer;
            -- More tenants than places: a random choice, so that nobody's turn depends on its id.
            for v_lanes in
                select l.tenant_id, array_agg(l.type) as types, array_agg(l.first) as floors
                from unnest(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors)
                    l(type, priority, tenant_id, first)
                where l.priority = v_priority and l.first <= v_until and l.tenant_id <> all(v_served)
                group by l.tenant_id
                order by case when v_tenants > v_left then random() end, min(l.first)
            loop
                exit when v_left = 0;
                v_got := jobforge.claim_tenant(p_worker, v_priority::smallint, v_lanes.tenant_id, v_lanes.types,
                    v_lanes.floors, v_until, least(v_share, v_left), p_lease_seconds, p_types,
                    p_type_limits, v_jobs);
                if cardinality(v_got) < least(v_share, v_left) then
                    v_served := v_served || v_lanes.tenant_id;
                end if;
                v_left := v_left - cardinality(v_got);
                v_jobs := v_jobs || v_got;
            end loop;
        end loop;
    end loop;
    return v_jobs;
end
$$;

ALTER FUNCTION jobforge.claim_from_lanes(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer, p_type_limits integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]) OWNER TO jobforge_engine;

--
-- Name: claim_interrupted(text, text[], uuid[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_interrupted(p_worker text, p_types text[], p_tenants uuid[], p_lease_seconds integer) RETURNS SETOF jobforge.jobs
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_job record;
begin
    for v_job in
        select j.ctid as row_id, j.type, j.tenant_id from jobforge.jobs j
        where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)
            and j.scheduled_at <= clock_timestamp()
            and (p_tenants is null or j.tenant_id = any(p_tenants))
        order by j.priority, j.scheduled_at
        for update skip locked
    loop
        continue when jobforge.claim_allowance(v_job.type, v_job.tenant_id, 1) < 1;
        return query
        update jobforge.jobs j
        set status = 'RUNNING', attempts = j.attempts + 1, lease_token = j.lease_token + 1,
            lease_owner = p_worker, started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
            lease_expires_at = clock_timestamp() + coalesce((select t.lease_seconds
                from jobforge.job_types t where t.type = j.type), p_lease_seconds) * interval '1 second'
        where j.ctid = v_job.row_id and j.status = 'QUEUED'
        returning j.*;
        return;
    end loop;
end
$$;

ALTER FUNCTION jobforge.claim_interrupted(p_worker text, p_types text[], p_tenants uuid[], p_lease_seconds integer) OWNER TO jobforge_engine;

--
-- Name: claim_jobs(text, integer, text[], uuid[], integer, integer[], boolean, text[], integer[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[] DEFAULT NULL::uuid[], p_lease_seconds integer DEFAULT 60, p_type_limits integer[] DEFAULT NULL::integer[], p_solo boolean DEFAULT NULL::boolean, p_lane_types text[] DEFAULT NULL::text[], p_lane_priorities integer[] DEFAULT NULL::integer[], p_lane_tenants uuid[] DEFAULT NULL::uuid[], p_lane_floors timestamp with time zone[] DEFAULT NULL::timestamp with time zone[]) RETURNS TABLE(tenant_id uuid, job_id uuid, type text, payload jsonb, attempts integer, max_attempts integer, priority smallint, scheduled_at timestamp with time zone, created_at timestamp with time zone, started_at timestamp with time zone, lease_token bigint, lease_expires_at timestamp with time zone, interrupted boolean, idempotency_key text, trace_id text, created_by text, timeout_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
#variable_conflict use_column
declare
    v_jobs jobforge.jobs[] := '{}';
    v_lane_types text[] := p_lane_types;
    v_lane_priorities integer[] := p_lane_priorities;
    v_lane_tenants uuid[] := p_lane_tenants;
    v_lane_floors timestamptz[] := p_lane_floors;
begin
    perform jobforge.check_claim(p_worker, p_limit, p_types, p_type_limits, p_lease_seconds);
    if p_lane_types is null then
        if p_solo is null then
            perform jobforge.reclaim_expired(p_types, 200);
        end if;
        if p_solo is not true then
            select array_agg(l.type), array_agg(l.priority), array_agg(l.tenant_id), array_agg(l.scheduled_at)
            into v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors
            from jobforge.find_lanes(p_types, p_tenants) l where not l.solo;
            if v_lane_types is null and p_solo is false then
                return;
            end if;
        end if;
    end if;
    -- A claim's usual case is one lane, which has no limits: straight from the update to the answer.
    -- Through arrays of rows, as below, each job costs half as much again.
    if cardinality(v_lane_types) = 1 and p_solo is false and p_type_limits is null
        and jobforge.is_unlimited(v_lane_types[1], v_lane_tenants[1]) then
        return query
        select j.tenant_id, j.job_id, j.type,
            case when j.payload_ref is null then j.payload
                else jobforge.load_artifact(j.tenant_id, j.payload_ref) end,
            j.attempts, j.max_attempts, j.priority, j.scheduled_at, j.created_at, j.started_at,
            j.lease_token, j.lease_expires_at, j.interrupted, j.idempotency_key, j.trace_id, j.created_by,
            t.timeout_seconds
        from jobforge.job_types t cross join lateral jobforge.claim_lane(p_worker, t.type,
            v_lane_priorities[1]::smallint, v_lane_tenants[1], v_lane_floors[1], clock_timestamp(),
            p_limit, coalesce(t.lease_seconds, p_lease_seconds)) j
        where t.type = v_lane_types[1] and t.type = any(p_types)
        order by j.scheduled_at, j.job_id;
        return;
    end if;
    if p_solo is distinct from false then
        if p_solo or jobforge.may_run_alone(p_worker, p_types) then
            select coalesce(array_agg(c), '{}') into v_jobs
            from jobforge.claim_interrupted(p_worker, p_types, p_tenants, p_lease_seconds) c;
        end if;
        if p_solo is null and v_jobs = '{}' and exists (
            select from jobforge.jobs j
            where j.interrupted and j.status = 'RUNNING' and j.lease_owner = p_worker) then
            return;
        end if;
    end if;
    if v_jobs = '{}' and p_solo is not true then
        v_jobs := jobforge.claim_from_lanes(p_worker, p_limit, p_types, p_lease_seconds, p_type_limits,
            v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors);
    end if;
    if cardinality(v_jobs) > 0 and exists (select from jobforge.tenant_usage) then
        perform jobforge.usage_add(u.tenant_id, -u.jobs, -u.bytes)
        from (select j.tenant_id, count(*) as jobs, sum(j.payload_bytes) as bytes
              from unnest(v_jobs) j group by j.tenant_id order by j.tenant_id) u;
    end if;
    return query
    select j.tenant_id, j.job_id, j.type,
        case when j.payload_ref is null then j.payload
            else jobforge.load_artifact(j.tenant_id, j.payload_ref) end,
        j.attempts, j.max_attempts, j.priority, j.scheduled_at, j.created_at, j.started_at,
        j.lease_token, j.lease_expires_at, j.interrupted, j.idempotency_key, j.trace_id, j.created_by,
        t.timeout_seconds
    from unnest(v_jobs) j join jobforge.job_types t on t.type = j.type
    order by j.priority, j.scheduled_at, j.job_id;
end
$$;

ALTER FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_solo boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]) OWNER TO jobforge_engine;

--
-- Name: claim_lane(text, text, smallint, uuid, timestamp with time zone, timestamp with time zone, integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_lane(p_worker text, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, p_lease_seconds integer) RETURNS SETOF jobforge.jobs
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
begin
    return query
    with picked as materialized (
        select j.ctid as row_id from jobforge.jobs j
        where j.status = 'QUEUED' and not j.interrupted and j.type = p_type and j.priority = p_priority
            and j.tenant_id = p_tenant_id and j.scheduled_at >= p_from and j.scheduled_at <= p_until
        order by j.scheduled_at
        limit p_limit
        for update skip locked
    )
    update jobforge.jobs j
    set status = 'RUNNING', attempts = j.attempts + 1, lease_token = j.lease_token + 1,
        lease_owner = p_worker, started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
        lease_expires_at = clock_timestamp() + p_lease_seconds * interval '1 second'
    where j.ctid = any(array(select p.row_id from picked p)) and j.status = 'QUEUED'
    returning j.*;
end
$$;

ALTER FUNCTION jobforge.claim_lane(p_worker text, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, p_lease_seconds integer) OWNER TO jobforge_engine;

--
-- Name: claim_tenant(text, smallint, uuid, text[], timestamp with time zone[], timestamp with time zone, integer, integer, text[], integer[], jobforge.jobs[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_tenant(p_worker text, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_lease_seconds integer, p_types text[], p_type_limits integer[], p_claimed jobforge.jobs[]) RETURNS jobforge.jobs[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
    v_jobs jobforge.jobs[] := '{}';
    v_got jobforge.jobs[];
    v_until timestamptz := p_until;
    v_lane record;
    v_want integer;
begin
    if cardinality(p_lane_types) > 1 then
        select max(m.scheduled_at) into v_until from (
            select h.scheduled_at
            from unnest(p_lane_types, p_lane_floors) l(type, first) cross join lateral (
                select j.scheduled_at from jobforge.jobs j
                where j.status = 'QUEUED' and not j.interrupted and j.type = l.type
                    and j.priority = p_priority and j.tenant_id = p_tenant_id
                    and j.scheduled_at >= l.first and j.scheduled_at <= p_until
                order by j.scheduled_at limit p_limit) h
            order by h.scheduled_at limit p_limit) m;
    end if;
    for v_lane in
        select l.type, l.first, t.lease_seconds, t.rate_limit_per_minute, t.tenant_rate_limit_per_minute,
            p_type_limits[array_position(p_types, l.type)] as own_limit,
            (t.concurrency_limit is not null or t.tenant_concurrency_limit is not null
                or t.rate_limit_per_minute is not null or t.tenant_rate_limit_per_minute is not null
                or exists (select from jobforge.tenants n
                    where n.tenant_id = p_tenant_id and n.concurrency_limit is not null)) as limited
        from unnest(p_lane_types, p_lane_floors) l(type, first) join jobforge.job_types t on t.type = l.type
        order by l.first
    loop
        v_want := p_limit - cardinality(v_jobs);
        if v_lane.own_limit is not null then
            v_want := least(v_want, v_lane.own_limit - (
                select count(*) from unnest(p_claimed || v_jobs) j where j.type = v_lane.type));
        end if;
        continue when v_want <= 0;
        if v_lane.limited then
            v_want := jobforge.claim_allowance(v_lane.type, p_tenant_id, v_want);
            continue when v_want <= 0;
        end if;
        select coalesce(array_agg(c), '{}') into v_got
        from jobforge.claim_lane(p_worker, v_lane.type, p_priority, p_tenant_id, v_lane.first, v_until,
            v_want, coalesce(v_lane.lease_seconds, p_lease_seconds)) c;
        if v_lane.limited then
            perform jobforge.take_tokens('00000000-0000-0000-0000-000000000000', v_lane.type,
                v_lane.rate_limit_per_minute, cardinality(v_got));
            perform jobforge.take_tokens(p_tenant_id, v_lane.type,
                v_lane.tenant_rate_limit_per_minute, cardinality(v_got));
        end if;
        v_jobs := v_jobs || v_got;
    end loop;
    return v_jobs;
end
$$;

ALTER FUNCTION jobforge.claim_tenant(p_worker text, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_lease_seconds integer, p_types text[], p_type_limits integer[], p_claimed jobforge.jobs[]) OWNER TO jobforge_engine;

--
-- Name: complete_job(text, uuid, uuid, bigint, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb DEFAULT NULL::jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform from jobforge.complete_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token],
        array[p_result]);
    if found then
        perform jobforge.raise_lease_lost(p_job_id, p_token);
    end if;
end
$$;

ALTER FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb) OWNER TO jobforge_engine;

--
-- Name: complete_jobs(text, uuid[], uuid[], bigint[], jsonb[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[] DEFAULT NULL::jsonb[]) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
declare
    v_done integer;
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, cardinality(p_results), 'p_results');
    with input as materialized (
        select i.tenant_id, i.job_id, i.token, i.result
        from unnest(p_tenants, p_job_ids, p_tokens, p_results) as i(tenant_id, job_id, token, result)
    ), gone as (
        delete from jobforge.jobs j using input i
        where j.tenant_id = i.tenant_id and j.job_id = i.job_id
            and j.lease_token = i.token and j.lease_owner = p_worker
        returning j.*, i.result
    ), kept as (
        insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
            interrupted, lease_token, scheduled_at, created_at, started_at, completed_at, lease_owner,
            idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, result, result_ref,
            last_error)
        select g.tenant_id, g.job_id, g.type, 'SUCCEEDED', g.priority, g.attempts, g.max_attempts,
            g.interrupted, g.lease_token, g.scheduled_at, g.created_at, g.started_at, clock_timestamp(),
            g.lease_owner, g.idempotency_key, g.trace_id, g.created_by, g.payload, g.payload_bytes,
            g.payload_ref,
            case when pg_column_size(g.result) > 262144 then null else g.result end,
            case when pg_column_size(g.result) > 262144
                then jobforge.store_artifact(g.tenant_id, g.result) end,
            g.last_error
        from gone g
    ), counted as (
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        select g.tenant_id, g.type, 'succeeded', count(*) from gone g group by g.tenant_id, g.type
    )
    select count(*) into v_done from gone;
    if v_done < cardinality(p_job_ids) then
        return query
        select i.tenant_id, i.job_id, i.token
        from unnest(p_tenants, p_job_ids, p_tokens) as i(tenant_id, job_id, token)
        where not exists (select from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id and f.lease_token = i.token
                and f.lease_owner = p_worker and f.status = 'SUCCEEDED');
    end if;
end
$$;

ALTER FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[]) OWNER TO jobforge_engine;

--
-- Name: create_tenant(text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.create_tenant(p_name text, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_tenant_id uuid := coalesce(p_tenant_id, gen_random_uuid());
begin
    insert into jobforge.tenants (tenant_id, name) values (v_tenant_id, p_name)
    on conflict (tenant_id) do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('tenant %s exists already', v_tenant_id), '');
    end if;
    return v_tenant_id;
exception when check_violation then
    perform jobforge.raise_error('VALIDATION_ERROR', 'a tenant name has 1 to 200 characters', '');
end
$$;

ALTER FUNCTION jobforge.create_tenant(p_name text, p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: current_tenant(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.current_tenant() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_tenant_id uuid;
begin
    select l.tenant_id into v_tenant_id
    from jobforge.tenant_logins l where l.login_role = session_user;
    if found then
        return v_tenant_id;
    end if;
    if pg_has_role(session_user, 'jobforge_gateway', 'member')
        or pg_has_role(session_user, 'jobforge_worker', 'member') then
        return nullif(current_setting('app.tenant_id', true), '')::uuid;
    end if;
    return null;
end
$$;

ALTER FUNCTION jobforge.current_tenant() OWNER TO jobforge_engine;

--
-- Name: doctor_types(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.doctor_types() RETURNS TABLE(type text, enabled boolean, live_workers bigint, oldest_due_at timestamp with time zone, expired_leases bigint, oldest_expired_at timestamp with time zone, dead_letters bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION jobforge.doctor_types() OWNER TO jobforge_engine;

--
-- Name: doctor_workers(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.doctor_workers() RETURNS TABLE(worker_id text, host text, pid integer, state text, heartbeat_at timestamp with time zone, held bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select w.worker_id, w.host, w.pid, w.state, w.heartbeat_at,
        (select count(*) from jobforge.jobs j where j.status = 'RUNNING' and j.lease_owner = w.worker_id)
    from jobforge.workers w
    where w.state <> 'STOPPED' and w.heartbeat_at < clock_timestamp() - interval '60 seconds'
    order by w.heartbeat_at desc
$$;

ALTER FUNCTION jobforge.doctor_workers() OWNER TO jobforge_engine;

--
-- Name: enqueue_context(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_status text;
begin
    tenant_id := jobforge.current_tenant();
    if tenant_id is null or p_tenant_id <> tenant_id then
        perform jobforge.require_tenant(p_tenant_id); -- says what is wrong
    end if;
    select t.status, t.max_waiting_jobs, t.max_waiting_bytes
    into v_status, max_waiting_jobs, max_waiting_bytes
    from jobforge.tenants t where t.tenant_id = enqueue_context.tenant_id;
    if v_status is null then
        perform jobforge.raise_error('FORBIDDEN', format('there is no tenant %s', tenant_id),
            'Create it first: jobforge tenants create NAME.');
    elsif v_status <> 'ACTIVE' then
        perform jobforge.raise_error('FORBIDDEN', format('tenant %s is %s', tenant_id, lower(v_status)), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: enqueue_job(text, jsonb, integer, timestamp with time zone, text, integer, text, text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.enqueue_job(p_type text, p_payload jsonb DEFAULT '{}'::jsonb, p_priority integer DEFAULT NULL::integer, p_scheduled_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_idempotency_key text DEFAULT NULL::text, p_max_attempts integer DEFAULT NULL::integer, p_trace_id text DEFAULT NULL::text, p_created_by text DEFAULT NULL::text, p_tenant_id uuid DEFAULT NULL::uuid, OUT job_id uuid, OUT deduplicated boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_tenant record;
    v_policy record;
    v_now timestamptz := clock_timestamp();
    v_bytes integer := pg_column_size(p_payload);
    v_payload jsonb := p_payload;
    v_payload_ref bytea;
begin
    select * into v_tenant from jobforge.enqueue_context(p_tenant_id);
    select t.default_priority, t.max_attempts into v_policy
    from jobforge.job_types t where t.type = p_type and t.enabled;
    if not found then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', p_type),
            'Register it: jobforge types set TYPE, or start a worker that has a handler for it.');
    end if;
    perform jobforge.check_enqueue(p_payload, p_priority, p_max_attempts, p_scheduled_at, p_idempotency_key);

    job_id := jobforge.uuid_v7(v_now);
    deduplicated := false;
    if p_idempotency_key is not null then
        job_id := jobforge.take_idempotency_key(v_tenant.tenant_id, p_type, p_idempotency_key, job_id,
            p_payload, v_now);
        if job_id is null then
            select k.job_id into job_id from jobforge.idempotency_keys k
            where k.tenant_id = v_tenant.tenant_id and k.type = p_type
                and k.idempotency_key = p_idempotency_key;
            deduplicated := true;
            return;
        end if;
    end if;

    if v_bytes > 262144 then
        v_payload_ref := jobforge.store_artifact(v_tenant.tenant_id, p_payload);
        v_payload := '{}';
    end if;
    if v_tenant.max_waiting_jobs is not null or v_tenant.max_waiting_bytes is not null then
        perform jobforge.usage_take(v_tenant.tenant_id, 1, v_bytes,
            v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes);
    end if;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
        idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref)
    values (v_tenant.tenant_id, job_id, p_type, coalesce(p_priority, v_policy.default_priority),
        coalesce(p_max_attempts, v_policy.max_attempts), coalesce(p_scheduled_at, v_now), v_now,
        p_idempotency_key, p_trace_id, p_created_by, v_payload, v_bytes, v_payload_ref);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
    values (v_tenant.tenant_id, p_type, 'enqueued', 1);
    -- As in wake(), without the cost of the call: this is the path of every single enqueue.
    if pg_sequence_last_value(('jobforge.wake_' || (hashtext(p_type) & 15))::regclass)
        > (date_part('epoch', v_now) * 1000)::bigint then
        perform pg_notify('jobforge_wake', p_type);
    end if;
end
$$;

ALTER FUNCTION jobforge.enqueue_job(p_type text, p_payload jsonb, p_priority integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_max_attempts integer, p_trace_id text, p_created_by text, p_tenant_id uuid, OUT job_id uuid, OUT deduplicated boolean) OWNER TO jobforge_definer;

--
-- Name: enqueue_jobs(text[], jsonb[], integer[], timestamp with time zone[], text[], integer[], text[], text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[] DEFAULT NULL::integer[], p_scheduled_at timestamp with time zone[] DEFAULT NULL::timestamp with time zone[], p_idempotency_keys text[] DEFAULT NULL::text[], p_max_attempts integer[] DEFAULT NULL::integer[], p_trace_ids text[] DEFAULT NULL::text[], p_created_by text DEFAULT NULL::text, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(ordinal bigint, job_id uuid, deduplicated boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
    v_tenant record;
    v_now timestamptz := clock_timestamp();
    v_count integer := cardinality(p_types);
    v_bad text;
    v_row record;
    v_bytes bigint;
    v_type text;
begin
    select * into v_tenant from jobforge.enqueue_context(p_tenant_id);
    perform jobforge.check_same_length(v_count, cardinality(p_payloads), 'p_payloads');
    perform jobforge.check_same_length(v_count, cardinality(p_priorities), 'p_priorities');
    perform jobforge.check_same_length(v_count, cardinality(p_scheduled_at), 'p_scheduled_at');
    perform jobforge.check_same_length(v_count, cardinality(p_idempotency_keys), 'p_idempotency_keys');
    perform jobforge.check_same_length(v_count, cardinality(p_max_attempts), 'p_max_attempts');
    perform jobforge.check_same_length(v_count, cardinality(p_trace_ids), 'p_trace_ids');
    for v_type in select distinct i.type from unnest(p_types) i(type) loop
        if not exists (select from jobforge.job_types t where t.type = v_type and t.enabled) then
            perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', v_type),
                'Register it: jobforge types set TYPE, or start a worker that has a handler for it.');
        end if;
    end loop;

    if p_idempotency_keys is not null
        or exists (select from unnest(p_payloads) p(payload) where pg_column_size(p.payload) > 262144) then
        -- Rare and row by row: one job at a time through enqueue_job's own steps.
        for v_row in
            select i.* from unnest(p_types, p_payloads, p_priorities, p_scheduled_at, p_idempotency_keys,
                    p_max_attempts, p_trace_ids)
                with ordinality as i(type, payload, priority, at, key, max_attempts, trace_id, n)
            order by i.type collate "C", i.key collate "C" nulls last, i.n
        loop
            ordinal := v_row.n;
            select e.job_id, e.deduplicated into job_id, deduplicated
            from jobforge.enqueue_job(v_row.type, v_row.payload, v_row.priority, v_row.at, v_row.key,
                v_row.max_attempts, v_row.trace_id, p_created_by, p_tenant_id) e;
            return next;
        end loop;
        return;
    end if;

    -- The plain case is one insert. A bad element is found by the same scan that reads it.
    perform jobforge.check_enqueue(i.payload, i.priority, i.max_attempts, i.at, null)
    from unnest(p_payloads, p_priorities, p_scheduled_at, p_max_attempts) as i(payload, priority, at, max_attempts)
    where i.payload is null or jsonb_typeof(i.payload) <> 'object' or i.priority not between 0 and 3
        or i.max_attempts not between 1 and 1000 or not isfinite(i.at);
    if v_tenant.max_waiting_jobs is not null or v_tenant.max_waiting_bytes is not null then
        select sum(pg_column_size(p.payload)) into v_bytes from unnest(p_payloads) p(payload);
        perform jobforge.usage_take(v_tenant.tenant_id, v_count, v_bytes,
            v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes);
    end if;
    -- One microsecond apart: ids and default times keep the input order, without ties. (The clock
    -- itself gives ties, and it is past these times before the rows are in.)
    return query
    with input as materialized (
        select i.*, v_now + (i.n - 1) * interval '1 microsecond' as now
        from unnest(p_types, p_payloads, p_priorities, p_scheduled_at, p_max_attempts, p_trace_ids)
            with ordinality as i(type, payload, priority, at, max_attempts, trace_id, n)
    ), named as materialized (
        select i.*, jobforge.uuid_v7(i.now) as job_id, t.default_priority, t.max_attempts as default_attempts
        from input i join jobforge.job_types t on t.type = i.type
    ), added as (
        insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
            trace_id, created_by, payload, payload_bytes)
        select v_tenant.tenant_id, i.job_id, i.type, coalesce(i.priority, i.default_priority),
            coalesce(i.max_attempts, i.default_attempts), coalesce(i.at, i.now), i.now,
            i.trace_id, p_created_by, i.payload, pg_column_size(i.payload)
        from named i
    )
    select i.n, i.job_id, false from named i order by i.n;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
    select v_tenant.tenant_id, i.type, 'enqueued', count(*) from unnest(p_types) i(type) group by i.type;
    perform jobforge.wake(i.type) from (select distinct u.type from unnest(p_types) u(type)) i;
end
$$;

ALTER FUNCTION jobforge.enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[], p_scheduled_at timestamp with time zone[], p_idempotency_keys text[], p_max_attempts integer[], p_trace_ids text[], p_created_by text, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: error_sqlstate(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.error_sqlstate(p_code text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case p_code
        when 'CONFIG_MISSING' then 'JF001'
        when 'UNAUTHORIZED' then 'JF002'
        when 'API_KEY_REVOKED' then 'JF003'
        when 'FORBIDDEN' then 'JF004'
        when 'NOT_FOUND' then 'JF005'
        when 'VALIDATION_ERROR' then 'JF006'
        when 'JOB_PAYLOAD_INVALID' then 'JF007'
        when 'IDEMPOTENCY_CONFLICT' then 'JF008'
        when 'UNKNOWN_JOB_TYPE' then 'JF009'
        when 'UNSUPPORTED_JOB_TYPE' then 'JF010'
        when 'INVALID_TRANSITION' then 'JF011'
        when 'LEASE_LOST' then 'JF012'
        when 'LEASE_EXPIRED' then 'JF013'
        when 'QUOTA_EXCEEDED' then 'JF014'
        when 'RATE_LIMITED' then 'JF015'
        when 'EVENT_VERSION_CONFLICT' then 'JF016'
        when 'DB_UNAVAILABLE' then 'JF017'
        when 'QUEUE_UNAVAILABLE' then 'JF018'
        when 'TIMEOUT' then 'JF019'
        when 'PAYLOAD_LIMIT' then 'JF020'
        when 'INTERNAL_ERROR' then 'JF021'
        when 'RULE_PARSE_ERROR' then 'JF022'
        when 'RULE_TYPE_ERROR' then 'JF023'
        when 'UNIT_MISMATCH' then 'JF024'
        when 'RULE_CYCLE_DETECTED' then 'JF025'
        when 'RULE_TESTS_FAILED' then 'JF026'
        when 'RULE_PKG_NOT_PUBLISHED' then 'JF027'
        when 'DIVISION_BY_ZERO' then 'JF028'
        when 'NUMBER_OVERFLOW' then 'JF029'
        when 'BUDGET_EXCEEDED' then 'JF030'
        when 'PAYLOAD_TOO_LARGE' then 'JF031'
        when 'PROOF_TOO_LARGE' then 'JF032'
        when 'RECEIPT_TOO_LARGE' then 'JF033'
        when 'SIGNING_KEY_MISSING' then 'JF034'
        when 'INVALID_SIGNING_KEY' then 'JF035'
        when 'SIGNATURE_INVALID' then 'JF036'
        when 'REPLAY_MISMATCH' then 'JF037'
        when 'SNAPSHOT_SEALED' then 'JF038'
        when 'SNAPSHOT_NOT_READY' then 'JF039'
        when 'SNAPSHOT_NOT_SEALED' then 'JF040'
        when 'DOCUMENT_REJECTED' then 'JF041'
        when 'UNSUPPORTED_DOCUMENT_KIND' then 'JF042'
        when 'INVALID_PASSPORT_STATUS' then 'JF043'
        when 'QR_ENCODE_FAILED' then 'JF044'
        when 'WEBHOOK_TIMEOUT' then 'JF045'
        when 'WEBHOOK_DELIVERY_FAILED' then 'JF046'
        when 'WEBHOOK_NON_2XX' then 'JF047'
        when 'SSRF_BLOCKED' then 'JF048'
        when 'SECRET_NOT_FOUND' then 'JF049'
        when 'SOURCE_PAUSED' then 'JF050'
        when 'SOURCE_DISABLED' then 'JF051'
        when 'CANONICAL_NUMBER_NOT_ALLOWED' then 'JF052'
        when 'FACT_SHAPE' then 'JF053'
        when 'CONNECTION_FAILED' then 'JF054'
        else 'JF021' end
$$;

ALTER FUNCTION jobforge.error_sqlstate(p_code text) OWNER TO jobforge_owner;

--
-- Name: explain_job(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
    v_now timestamptz := clock_timestamp();
    v_job record;
begin
    select a.* into v_job from jobforge.all_jobs a
    where a.tenant_id = v_tenant_id and a.job_id = p_job_id;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job %s', p_job_id), '');
    end if;
    if v_job.completed_at is not null then
        return array_remove(array[
            format('It is finished: %s after %s of %s attempts, at %s.', v_job.status, v_job.attempts,
                v_job.max_attempts, jobforge.time_text(v_job.completed_at)),
            case when v_job.last_error is not null then format('Its last error: %s: %s',
                v_job.last_error ->> 'code', v_job.last_error ->> 'message') end,
            case when v_job.status in ('FAILED', 'DEAD_LETTER', 'CANCELLED')
                then format('To run it again: jobforge jobs retry %s', p_job_id) end], null);
    end if;
    if v_job.status = 'RUNNING' then
        return jobforge.explain_lease(v_job.lease_owner, v_job.attempts, v_job.max_attempts,
            v_job.started_at, v_job.lease_expires_at);
    end if;
    return array_remove(array[
        case when v_job.scheduled_at > v_now then
            format('It is not due yet: it is scheduled for %s, in %s.', jobforge.time_text(v_job.scheduled_at),
                jobforge.age_text(v_job.scheduled_at - v_now)) end,
        case when v_job.scheduled_at > v_now and v_job.last_error is not null then
            format('It waits for its retry: attempt %s of %s ended with %s: %s', v_job.attempts,
                v_job.max_attempts, v_job.last_error ->> 'code', v_job.last_error ->> 'message') end], null)
        || jobforge.explain_surroundings(v_tenant_id, v_job.type)
        || jobforge.explain_place(v_tenant_id, p_job_id, v_job.type, v_job.priority, v_job.scheduled_at,
            v_job.interrupted);
end
$$;

ALTER FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: explain_lease(text, integer, integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.explain_lease(p_worker text, p_attempt integer, p_max_attempts integer, p_started_at timestamp with time zone, p_lease_expires_at timestamp with time zone) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_now timestamptz := clock_timestamp();
    v_heard timestamptz;
    v_state text;
begin
    select w.heartbeat_at, w.state into v_heard, v_state from jobforge.workers w where w.worker_id = p_worker;
    return array_remove(array[
        format('It is running: attempt %s of %s on worker %s for %s.', p_attempt, p_max_attempts, p_worker,
            jobforge.age_text(v_now - p_started_at)),
        case when p_lease_expires_at < v_now then
            format('Its lease expired %s ago: the next claim of any worker takes it back.',
                jobforge.age_text(v_now - p_lease_expires_at))
        else format('Its lease ends in %s unless it is renewed.',
            jobforge.age_text(p_lease_expires_at - v_now)) end,
        case when v_heard is null then 'Its worker is not registered.'
            when v_state = 'STOPPED' then 'Its worker has stopped.'
            when v_heard < v_now - interval '60 seconds' then
                format('Its worker has been silent for %s.', jobforge.age_text(v_now - v_heard))
            else format('Its worker is alive: heard of %s ago.', jobforge.age_text(v_now - v_heard)) end],
        null);
end
$$;

ALTER FUNCTION jobforge.explain_lease(p_worker text, p_attempt integer, p_max_attempts integer, p_started_at timestamp with time zone, p_lease_expires_at timestamp with time zone) OWNER TO jobforge_engine;

--
-- Name: explain_limit(text, integer, text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.explain_limit(p_what text, p_limit integer, p_type text, p_tenant_id uuid) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_running bigint;
begin
    if p_limit is null then
        return null;
    end if;
    select count(*) into v_running from jobforge.jobs j
    where j.status = 'RUNNING' and (p_type is null or j.type = p_type)
        and (p_tenant_id is null or j.tenant_id = p_tenant_id);
    if v_running < p_limit then
        return null;
    end if;
    return format('The concurrency limit %s is reached: %s of %s run.', p_what, v_running, p_limit);
end
$$;

ALTER FUNCTION jobforge.explain_limit(p_what text, p_limit integer, p_type text, p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: explain_place(uuid, uuid, text, integer, timestamp with time zone, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interrupted boolean) RETURNS text[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_ahead bigint;
begin
    if p_interrupted then
        return array['An earlier attempt lost its worker, so it runs alone: it waits for a worker that '
            'has nothing else to do.'];
    elsif p_scheduled_at > clock_timestamp() then
        return '{}';
    end if;
    select count(*) into v_ahead from (
        select from jobforge.jobs j
        where j.status = 'QUEUED' and not j.interrupted and j.type = p_type and j.priority = p_priority
            and j.tenant_id = p_tenant_id and j.scheduled_at < p_scheduled_at
        limit 1000) a;
    return array[format('It has been due for %s; %s job(s) of its type and priority are ahead of it.',
        jobforge.age_text(clock_timestamp() - p_scheduled_at),
        case when v_ahead = 1000 then '1000 or more' else v_ahead::text end)];
end
$$;

ALTER FUNCTION jobforge.explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interrupted boolean) OWNER TO jobforge_definer;

--
-- Name: explain_rate(text, uuid, text, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.explain_rate(p_what text, p_bucket uuid, p_type text, p_per_minute integer) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_tokens double precision;
begin
    if p_per_minute is null then
        return null;
    elsif p_per_minute = 0 then
        return format('The rate limit %s is 0 per minute: nothing starts.', p_what);
    end if;
    select b.tokens + date_part('epoch', clock_timestamp() - b.refilled_at) * p_per_minute / 60.0
    into v_tokens from jobforge.rate_buckets b where b.tenant_id = p_bucket and b.type = p_type;
    if v_tokens is null or v_tokens >= 1 then
        return null;
    end if;
    return format('The rate limit %s (%s per minute) has no token left: the next one comes in %s.', p_what,
        p_per_minute, jobforge.age_text((1 - v_tokens) * 60.0 / p_per_minute * interval '1 second'));
end
$$;

ALTER FUNCTION jobforge.explain_rate(p_what text, p_bucket uuid, p_type text, p_per_minute integer) OWNER TO jobforge_engine;

--
-- Name: explain_surroundings(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.explain_surroundings(p_tenant_id uuid, p_type text) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_policy jobforge.job_types;
    v_tenant jobforge.tenants;
    v_workers bigint;
    v_free bigint;
begin
    select t.* into v_policy from jobforge.job_types t where t.type = p_type;
    select t.* into v_tenant from jobforge.tenants t where t.tenant_id = p_tenant_id;
    select count(*), coalesce(sum(greatest(0, w.slots - w.running)), 0) into v_workers, v_free
    from jobforge.workers w
    where w.state = 'ACTIVE' and p_type = any(w.types)
        and w.heartbeat_at >= clock_timestamp() - interval '60 seconds';
    return array_remove(array[
        case when not v_policy.enabled then
            format('The type %s is disabled: nothing new is accepted, but jobs that wait still run.', p_type) end,
        case when v_tenant.status <> 'ACTIVE' then
            format('The tenant is %s: nothing new is accepted, but jobs that wait still run.',
                lower(v_tenant.status)) end,
        case when v_workers = 0 then
            format('No live worker has a handler for %s (live: heard of within 60 s).', p_type)
        when v_free = 0 then
            format('All slots of the %s live worker(s) for %s are busy.', v_workers, p_type) end,
        jobforge.explain_limit('of the type ' || p_type, v_policy.concurrency_limit, p_type, null),
        jobforge.explain_limit('of the type ' || p_type || ' for this tenant',
            v_policy.tenant_concurrency_limit, p_type, p_tenant_id),
        jobforge.explain_limit('of this tenant', v_tenant.concurrency_limit, null, p_tenant_id),
        jobforge.explain_rate('of the type ' || p_type, '00000000-0000-0000-0000-000000000000', p_type,
            v_policy.rate_limit_per_minute),
        jobforge.explain_rate('of the type ' || p_type || ' for this tenant', p_tenant_id, p_type,
            v_policy.tenant_rate_limit_per_minute)], null);
end
$$;

ALTER FUNCTION jobforge.explain_surroundings(p_tenant_id uuid, p_type text) OWNER TO jobforge_engine;

--
-- Name: fail_job(text, uuid, uuid, bigint, jsonb, double precision); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision DEFAULT NULL::double precision, OUT status text, OUT scheduled_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    select f.status, f.scheduled_at into status, scheduled_at
    from jobforge.fail_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token], array[p_error],
        array[p_retry_after]) f;
    if status = 'LEASE_LOST' then
        perform jobforge.raise_lease_lost(p_job_id, p_token);
    end if;
end
$$;

ALTER FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone) OWNER TO jobforge_engine;

--
-- Name: fail_jobs(text, uuid[], uuid[], bigint[], jsonb[], double precision[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[] DEFAULT NULL::double precision[]) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, status text, scheduled_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_policy record;
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, cardinality(p_errors), 'p_errors');
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_errors, p_retry_after)
            as i(tenant_id, job_id, token, error, retry_after)
        order by i.tenant_id, i.job_id
    loop
        tenant_id := v_input.tenant_id;
        job_id := v_input.job_id;
        lease_token := v_input.token;
        scheduled_at := null;
        perform jobforge.check_error(v_input.error);
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id, v_input.token);
        if not found then
            status := 'LEASE_LOST';
        elsif v_input.error ->> 'retryable' = 'false' then
            status := 'FAILED';
            perform jobforge.finish_job(v_job, status, 'FAILED', v_input.error, v_job.lease_token);
        elsif v_job.attempts >= v_job.max_attempts then
            status := 'DEAD_LETTER';
            perform jobforge.finish_job(v_job, status, 'FAILED', v_input.error, v_job.lease_token);
        else
            select t.backoff, t.backoff_base_seconds, t.backoff_jitter into v_policy
            from jobforge.job_types t where t.type = v_job.type;
            status := 'QUEUED';
            scheduled_at := clock_timestamp() + interval '1 second' * greatest(
                jobforge.backoff_seconds(v_policy.backoff, v_job.attempts, v_policy.backoff_base_seconds)
                    * (1 + random() * v_policy.backoff_jitter::double precision),
                least(coalesce(v_input.retry_after, 0), 31622400));
            perform jobforge.requeue_job(v_job, scheduled_at, 'RETRY', v_input.error, false, v_job.interrupted);
        end if;
        return next;
    end loop;
end
$$;

ALTER FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[]) OWNER TO jobforge_engine;

--
-- Name: find_lanes(text[], uuid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[] DEFAULT NULL::uuid[]) RETURNS TABLE(type text, priority smallint, tenant_id uuid, scheduled_at timestamp with time zone, solo boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
#variable_conflict use_column
declare
    v_type text;
begin
    foreach v_type in array p_types loop
        if p_tenants is null then
            return query
            with recursive lane as (
                (select j.priority, j.tenant_id, j.scheduled_at from jobforge.jobs j
                 where j.status = 'QUEUED' and not j.interrupted and j.type = v_type
                 order by j.priority, j.tenant_id, j.scheduled_at limit 1)
                union all
                select n.priority, n.tenant_id, n.scheduled_at
                from lane l cross join lateral (
                    select j.priority, j.tenant_id, j.scheduled_at from jobforge.jobs j
                    where j.status = 'QUEUED' and not j.interrupted and j.type = v_type
                        and (j.priority, j.tenant_id) > (l.priority, l.tenant_id)
                    order by j.priority, j.tenant_id, j.scheduled_at limit 1) n
            )
            select v_type, l.priority, l.tenant_id, l.scheduled_at, false from lane l;
        else
            return query
            select v_type, p.priority, n.tenant_id, n.scheduled_at, false
            from unnest('{0,1,2,3}'::smallint[]) p(priority)
            cross join unnest(p_tenants) t(tenant_id) cross join lateral (
                select j.tenant_id, j.scheduled_at from jobforge.jobs j
                where j.status = 'QUEUED' and not j.interrupted and j.type = v_type
                    and j.priority = p.priority and j.tenant_id = t.tenant_id
                order by j.scheduled_at limit 1) n;
        end if;
    end loop;
    return query
    select j.type, j.priority, j.tenant_id, j.scheduled_at, true from jobforge.jobs j
    where j.interrupted and j.type = any(p_types) and j.status = 'QUEUED'
        and (p_tenants is null or j.tenant_id = any(p_tenants))
    limit 1000;
end
$$;

ALTER FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[]) OWNER TO jobforge_engine;

--
-- Name: finish_job(jobforge.jobs, text, text, jsonb, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    delete from jobforge.jobs j where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, lease_token, scheduled_at, created_at, started_at, completed_at, lease_owner,
        idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, last_error)
    values (p_job.tenant_id, p_job.job_id, p_job.type, p_status, p_job.priority, p_job.attempts,
        p_job.max_attempts, p_job.interrupted, p_token, p_job.scheduled_at, p_job.created_at,
        p_job.started_at, clock_timestamp(), p_job.lease_owner, p_job.idempotency_key, p_job.trace_id,
        p_job.created_by, p_job.payload, p_job.payload_bytes, p_job.payload_ref,
        coalesce(p_error, p_job.last_error));
    if p_job.status = 'RUNNING' then
        perform jobforge.record_attempt(p_job, p_outcome, p_error);
    else
        perform jobforge.usage_add(p_job.tenant_id, -1, -p_job.payload_bytes);
    end if;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
    values (p_job.tenant_id, p_job.type, lower(p_status), 1);
    if p_status = 'DEAD_LETTER' then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        values (p_job.tenant_id, p_job.type, 'dead_letters_left', 1);
    end if;
end
$$;

ALTER FUNCTION jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint) OWNER TO jobforge_definer;

--
-- Name: fold_counters(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.fold_counters() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_rows integer;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('jobforge.fold_counters', 0)) then
        return 0;
    end if;
    with taken as (
        delete from jobforge.counter_deltas d returning d.tenant_id, d.type, d.counter, d.delta
    ), added as (
        insert into jobforge.counter_totals as t (tenant_id, type, counter, value)
        select d.tenant_id, d.type, d.counter, sum(d.delta) from taken d
        group by d.tenant_id, d.type, d.counter
        on conflict (tenant_id, type, counter) do update set value = t.value + excluded.value
    )
    select count(*) into v_rows from taken;
    return v_rows;
end
$$;

ALTER FUNCTION jobforge.fold_counters() OWNER TO jobforge_engine;

--
-- Name: get_job(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(tenant_id uuid, job_id uuid, type text, status text, priority smallint, attempts integer, max_attempts integer, interrupted boolean, scheduled_at timestamp with time zone, created_at timestamp with time zone, started_at timestamp with time zone, completed_at timestamp with time zone, heartbeat_at timestamp with time zone, lease_owner text, lease_token bigint, lease_expires_at timestamp with time zone, idempotency_key text, trace_id text, created_by text, last_error jsonb, payload jsonb, result jsonb, payload_ref text, result_ref text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    return query
    select a.tenant_id, a.job_id, a.type, a.status, a.priority, a.attempts, a.max_attempts, a.interrupted,
        a.scheduled_at, a.created_at, a.started_at, a.completed_at, a.heartbeat_at, a.lease_owner,
        a.lease_token, a.lease_expires_at, a.idempotency_key, a.trace_id, a.created_by, a.last_error,
        case when a.payload_ref is null then a.payload
            else jobforge.load_artifact(a.tenant_id, a.payload_ref) end,
        case when a.result_ref is null then a.result
            else jobforge.load_artifact(a.tenant_id, a.result_ref) end,
        encode(a.payload_ref, 'hex'), encode(a.result_ref, 'hex')
    from jobforge.all_jobs a where a.tenant_id = v_tenant_id and a.job_id = p_job_id;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job %s', p_job_id), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: heartbeat_jobs(text, uuid[], uuid[], bigint[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer DEFAULT 60) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
#variable_conflict use_column
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, null, null);
    return query
    with input as materialized (
        select i.tenant_id, i.job_id, i.token
        from unnest(p_tenants, p_job_ids, p_tokens) as i(tenant_id, job_id, token)
    ), held as materialized (
        -- Locked in key order: two renewals of the same jobs cannot deadlock. A row that somebody
        -- else has locked (a cancel in an open transaction) is left for the next renewal: one
        -- tenant's open transaction must not cost all others their leases.
        select j.ctid as row_id, j.tenant_id, j.job_id, j.type
        from input i join jobforge.jobs j on j.tenant_id = i.tenant_id and j.job_id = i.job_id
        where j.lease_token = i.token and j.lease_owner = p_worker
        order by j.tenant_id, j.job_id
        for update of j skip locked
    ), renewed as (
        update jobforge.jobs j
        set heartbeat_at = clock_timestamp(),
            lease_expires_at = clock_timestamp()
                + coalesce(t.lease_seconds, p_lease_seconds) * interval '1 second'
        from held h join jobforge.job_types t on t.type = h.type
        where j.tenant_id = h.tenant_id and j.job_id = h.job_id
        returning j.tenant_id, j.job_id
    )
    select i.tenant_id, i.job_id, i.token,
        case when exists (select from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id and f.status = 'CANCELLED')
        then 'CANCELLED' else 'LOST' end
    from input i
    -- NOT IN is answered from a hash table; NOT EXISTS would be a nested loop over all pairs here.
    where (i.tenant_id, i.job_id) not in (select r.tenant_id, r.job_id from renewed r)
        and not exists (select from jobforge.jobs j where j.tenant_id = i.tenant_id
            and j.job_id = i.job_id and j.lease_token = i.token and j.lease_owner = p_worker);
end
$$;

ALTER FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer) OWNER TO jobforge_engine;

--
-- Name: is_unlimited(text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.is_unlimited(p_type text, p_tenant_id uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    return not exists (select from jobforge.job_types t where t.type = p_type
            and (t.concurrency_limit is not null or t.tenant_concurrency_limit is not null
                or t.rate_limit_per_minute is not null or t.tenant_rate_limit_per_minute is not null))
        and not exists (select from jobforge.tenants n
            where n.tenant_id = p_tenant_id and n.concurrency_limit is not null)
        and not exists (select from jobforge.tenant_usage u where u.tenant_id = p_tenant_id);
end
$$;

ALTER FUNCTION jobforge.is_unlimited(p_type text, p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: job_stats(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.job_stats(p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(type text, queued bigint, due bigint, running bigint, oldest_due_at timestamp with time zone, enqueued bigint, succeeded bigint, failed bigint, cancelled bigint, dead_letter bigint, dead_letters_left bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    return query
    with hot as (
        select j.type, count(*) filter (where j.status = 'QUEUED') as queued,
            count(*) filter (where j.status = 'QUEUED' and j.scheduled_at <= clock_timestamp()) as due,
            count(*) filter (where j.status = 'RUNNING') as running,
            min(j.scheduled_at) filter (where j.status = 'QUEUED' and j.scheduled_at <= clock_timestamp())
                as oldest_due_at
        from jobforge.jobs j where j.tenant_id = v_tenant_id group by j.type
    ), ever as (
        select c.type, sum(c.value) filter (where c.counter = 'enqueued') as enqueued,
            sum(c.value) filter (where c.counter = 'succeeded') as succeeded,
            sum(c.value) filter (where c.counter = 'failed') as failed,
            sum(c.value) filter (where c.counter = 'cancelled') as cancelled,
            sum(c.value) filter (where c.counter = 'dead_letter') as dead_letter,
            sum(c.value) filter (where c.counter = 'dead_letters_left') as dead_letters_left
        from (select t.type, t.counter, t.value from jobforge.counter_totals t
                where t.tenant_id = v_tenant_id
              union all
              select d.type, d.counter, d.delta from jobforge.counter_deltas d
                where d.tenant_id = v_tenant_id) c
        group by c.type
    )
    select coalesce(h.type, e.type), coalesce(h.queued, 0), coalesce(h.due, 0), coalesce(h.running, 0),
        h.oldest_due_at, coalesce(e.enqueued, 0)::bigint, coalesce(e.succeeded, 0)::bigint,
        coalesce(e.failed, 0)::bigint, coalesce(e.cancelled, 0)::bigint, coalesce(e.dead_letter, 0)::bigint,
        coalesce(e.dead_letters_left, 0)::bigint
    from hot h full join ever e on e.type = h.type
    order by 1;
end
$$;

ALTER FUNCTION jobforge.job_stats(p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: lease_state(text, uuid, uuid, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform from jobforge.lock_lease(p_worker, p_tenant_id, p_job_id, p_token);
    if found then
        return 'HELD';
    end if;
    if exists (select from jobforge.finished_jobs f where f.tenant_id = p_tenant_id and f.job_id = p_job_id
            and f.lease_token = p_token and f.lease_owner = p_worker)
        or exists (select from jobforge.attempt_records a where a.tenant_id = p_tenant_id
            and a.job_id = p_job_id and a.lease_token = p_token and a.worker_id = p_worker
            and a.outcome <> 'CRASHED') then
        return 'SETTLED';
    end if;
    return 'LOST';
end
$$;

ALTER FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) OWNER TO jobforge_engine;

--
-- Name: list_attempts(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(attempt_no integer, lease_token bigint, worker_id text, started_at timestamp with time zone, ended_at timestamp with time zone, outcome text, error jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    return query
    select a.attempt_no, a.lease_token, a.worker_id, a.started_at, a.ended_at, a.outcome, a.error
    from jobforge.job_attempts a where a.tenant_id = v_tenant_id and a.job_id = p_job_id
    order by a.lease_token;
end
$$;

ALTER FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: job_types; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.job_types (
    type text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    backoff text DEFAULT 'jobforge'::text NOT NULL,
    backoff_base_seconds integer DEFAULT 300 NOT NULL,
    backoff_jitter numeric DEFAULT 0.1 NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    lease_seconds integer,
    timeout_seconds integer,
    default_priority smallint DEFAULT 2 NOT NULL,
    concurrency_limit integer,
    tenant_concurrency_limit integer,
    rate_limit_per_minute integer,
    tenant_rate_limit_per_minute integer,
    retention_days integer DEFAULT 30 NOT NULL,
    failure_retention_days integer DEFAULT 180 NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT job_types_backoff_base_range CHECK (((backoff_base_seconds >= 1) AND (backoff_base_seconds <= 86400))),
    CONSTRAINT job_types_backoff_known CHECK ((backoff = ANY (ARRAY['bpc'::text, 'source'::text, 'jobforge'::text]))),
    CONSTRAINT job_types_concurrency_positive CHECK (((concurrency_limit >= 0) AND (tenant_concurrency_limit >= 0))),
    CONSTRAINT job_types_jitter_range CHECK (((backoff_jitter >= (0)::numeric) AND (backoff_jitter <= 0.1))),
    CONSTRAINT job_types_lease_range CHECK (((lease_seconds >= 1) AND (lease_seconds <= 86400))),
    CONSTRAINT job_types_max_attempts_range CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
    CONSTRAINT job_types_priority_range CHECK (((default_priority >= 0) AND (default_priority <= 3))),
    CONSTRAINT job_types_rate_positive CHECK (((rate_limit_per_minute >= 0) AND (tenant_rate_limit_per_minute >= 0))),
    CONSTRAINT job_types_retention_range CHECK ((((retention_days >= 0) AND (retention_days <= 36500)) AND ((failure_retention_days >= 0) AND (failure_retention_days <= 36500)))),
    CONSTRAINT job_types_timeout_range CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 604800))),
    CONSTRAINT job_types_type_is_a_name CHECK ((type ~ '^[A-Za-z][A-Za-z0-9_.:-]{0,99}$'::text))
);

ALTER TABLE jobforge.job_types OWNER TO jobforge_owner;

--
-- Name: list_job_types(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.list_job_types() RETURNS SETOF jobforge.job_types
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select t.* from jobforge.job_types t order by t.type
$$;

ALTER FUNCTION jobforge.list_job_types() OWNER TO jobforge_engine;

--
-- Name: list_jobs(text, text, integer, uuid, text, timestamp with time zone, timestamp with time zone, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_jobs(p_status text DEFAULT NULL::text, p_type text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid, p_error_code text DEFAULT NULL::text, p_created_after timestamp with time zone DEFAULT NULL::timestamp with time zone, p_created_before timestamp with time zone DEFAULT NULL::timestamp with time zone, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(tenant_id uuid, job_id uuid, type text, status text, priority smallint, attempts integer, max_attempts integer, scheduled_at timestamp with time zone, created_at timestamp with time zone, started_at timestamp with time zone, completed_at timestamp with time zone, lease_owner text, lease_expires_at timestamp with time zone, idempotency_key text, trace_id text, created_by text, last_error jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
    v_before uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
    if p_limit is null or p_limit not between 1 and 1000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('limit %s is not between 1 and 1000', p_limit), '');
    elsif p_status not in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'DEAD_LETTER') then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%L is not a job status', p_status),
            'QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELLED or DEAD_LETTER.');
    end if;
    return query
    select a.tenant_id, a.job_id, a.type, a.status, a.priority, a.attempts, a.max_attempts, a.scheduled_at,
        a.created_at, a.started_at, a.completed_at, a.lease_owner, a.lease_expires_at, a.idempotency_key,
        a.trace_id, a.created_by, a.last_error
    from (
        (select h.* from jobforge.all_jobs h
         where h.tenant_id = v_tenant_id and h.job_id < v_before and h.completed_at is null
            and (p_status is null or h.status = p_status) and (p_type is null or h.type = p_type)
            and (p_error_code is null or h.last_error ->> 'code' = p_error_code)
            and (p_created_after is null or h.created_at >= p_created_after)
            and (p_created_before is null or h.created_at < p_created_before)
         order by h.job_id desc limit p_limit)
        union all
        (select f.* from jobforge.all_jobs f
         where f.tenant_id = v_tenant_id and f.job_id < v_before and f.completed_at is not null
            and (p_status is null or f.status = p_status) and (p_type is null or f.type = p_type)
            and (p_error_code is null or f.last_error ->> 'code' = p_error_code)
            and (p_created_after is null or f.created_at >= p_created_after)
            and (p_created_before is null or f.created_at < p_created_before)
         order by f.job_id desc limit p_limit)
    ) a
    order by a.job_id desc
    limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_jobs(p_status text, p_type text, p_limit integer, p_before uuid, p_error_code text, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: list_tenants(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.list_tenants() RETURNS TABLE(tenant_id uuid, name text, status text, max_waiting_jobs bigint, max_waiting_bytes bigint, concurrency_limit integer, created_at timestamp with time zone, logins text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select t.tenant_id, t.name, t.status, t.max_waiting_jobs, t.max_waiting_bytes, t.concurrency_limit,
        t.created_at, array(select l.login_role::text from jobforge.tenant_logins l
            where l.tenant_id = t.tenant_id order by 1)
    from jobforge.tenants t order by t.created_at
$$;

ALTER FUNCTION jobforge.list_tenants() OWNER TO jobforge_engine;

--
-- Name: list_workers(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.list_workers() RETURNS TABLE(worker_id text, host text, pid integer, version text, state text, types text[], slots integer, running integer, started_at timestamp with time zone, heartbeat_at timestamp with time zone, seconds_silent double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select w.worker_id, w.host, w.pid, w.version, w.state, w.types, w.slots, w.running, w.started_at,
        w.heartbeat_at, date_part('epoch', clock_timestamp() - w.heartbeat_at)
    from jobforge.workers w order by w.heartbeat_at desc
$$;

ALTER FUNCTION jobforge.list_workers() OWNER TO jobforge_engine;

--
-- Name: load_artifact(uuid, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.load_artifact(p_tenant_id uuid, p_sha256 bytea) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select convert_from(a.content, 'UTF8')::jsonb from jobforge.artifacts a
    where a.tenant_id = p_tenant_id and a.sha256 = p_sha256
$$;

ALTER FUNCTION jobforge.load_artifact(p_tenant_id uuid, p_sha256 bytea) OWNER TO jobforge_definer;

--
-- Name: lock_lease(text, uuid, uuid, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) RETURNS SETOF jobforge.jobs
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select j.* from jobforge.jobs j
    where j.tenant_id = p_tenant_id and j.job_id = p_job_id
        and j.lease_token = p_token and j.lease_owner = p_worker
    for update
$$;

ALTER FUNCTION jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) OWNER TO jobforge_engine;

--
-- Name: may_run_alone(text, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.may_run_alone(p_worker text, p_types text[]) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select exists (select from jobforge.jobs j
            where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)
                and j.scheduled_at <= clock_timestamp())
        and not exists (select from jobforge.jobs j where j.status = 'RUNNING' and j.lease_owner = p_worker)
$$;

ALTER FUNCTION jobforge.may_run_alone(p_worker text, p_types text[]) OWNER TO jobforge_engine;

--
-- Name: metric_counters(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.metric_counters() RETURNS TABLE(tenant_id uuid, type text, counter text, value bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select c.tenant_id, c.type, c.counter, sum(c.value)::bigint
    from (select t.tenant_id, t.type, t.counter, t.value from jobforge.counter_totals t
          union all
          select d.tenant_id, d.type, d.counter, d.delta from jobforge.counter_deltas d) c
    group by c.tenant_id, c.type, c.counter
$$;

ALTER FUNCTION jobforge.metric_counters() OWNER TO jobforge_engine;

--
-- Name: metric_oldest(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.metric_oldest() RETURNS TABLE(type text, seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select l.type, max(date_part('epoch', clock_timestamp() - l.scheduled_at))
    from jobforge.find_lanes(array(select t.type from jobforge.job_types t)) l
    where l.scheduled_at <= clock_timestamp()
    group by l.type
$$;

ALTER FUNCTION jobforge.metric_oldest() OWNER TO jobforge_engine;

--
-- Name: metric_running(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.metric_running() RETURNS TABLE(tenant_id uuid, type text, running bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select j.tenant_id, j.type, count(*) from jobforge.jobs j
    where j.status = 'RUNNING' group by j.tenant_id, j.type
$$;

ALTER FUNCTION jobforge.metric_running() OWNER TO jobforge_engine;

--
-- Name: peek_tokens(uuid, text, integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when p_per_minute is null then p_want
        else least(p_want, floor(coalesce((
            select least(greatest(1, p_per_minute / 60.0), b.tokens
                + date_part('epoch', clock_timestamp() - b.refilled_at) * p_per_minute / 60.0)
            from jobforge.rate_buckets b where b.tenant_id = p_tenant_id and b.type = p_type),
            greatest(1, p_per_minute / 60.0)))::integer) end
$$;

ALTER FUNCTION jobforge.peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer) OWNER TO jobforge_engine;

--
-- Name: prune_finished(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.prune_finished(p_limit integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_job record;
    v_count integer := 0;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('jobforge.prune_finished', 0)) then
        return 0;
    end if;
    for v_job in
        select f.tenant_id, f.job_id, f.type, f.status, f.idempotency_key, f.payload_ref, f.result_ref
        from jobforge.job_types t join jobforge.finished_jobs f on f.type = t.type
        where f.completed_at < clock_timestamp() - interval '1 day'
                * case when f.status = 'SUCCEEDED' then t.retention_days else t.failure_retention_days end
            and f.completed_at < clock_timestamp() - interval '1 day'
                * (select min(least(m.retention_days, m.failure_retention_days)) from jobforge.job_types m)
        limit p_limit
        for update of f skip locked
    loop
        delete from jobforge.finished_jobs f where f.tenant_id = v_job.tenant_id and f.job_id = v_job.job_id;
        delete from jobforge.attempt_records a
        where a.tenant_id = v_job.tenant_id and a.job_id = v_job.job_id;
        delete from jobforge.idempotency_keys k
        where k.tenant_id = v_job.tenant_id and k.type = v_job.type
            and k.idempotency_key = v_job.idempotency_key and k.job_id = v_job.job_id;
        if v_job.status = 'DEAD_LETTER' then
            insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
            values (v_job.tenant_id, v_job.type, 'dead_letters_left', -1);
        end if;
        delete from jobforge.artifacts a
        where a.tenant_id = v_job.tenant_id and a.sha256 in (v_job.payload_ref, v_job.result_ref)
            and not exists (select from jobforge.jobs j
                where j.tenant_id = a.tenant_id and j.payload_ref = a.sha256)
            and not exists (select from jobforge.finished_jobs f
                where f.tenant_id = a.tenant_id and f.payload_ref = a.sha256)
            and not exists (select from jobforge.finished_jobs f
                where f.tenant_id = a.tenant_id and f.result_ref = a.sha256);
        v_count := v_count + 1;
    end loop;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.prune_finished(p_limit integer) OWNER TO jobforge_engine;

--
-- Name: prune_workers(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.prune_workers() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_count integer;
begin
    with gone as (
        delete from jobforge.workers w where w.worker_id in (
            select d.worker_id from jobforge.workers d
            where d.heartbeat_at < clock_timestamp()
                - case when d.state = 'STOPPED' then interval '1 hour' else interval '1 day' end
            for update skip locked)
        returning 1)
    select count(*) into v_count from gone;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.prune_workers() OWNER TO jobforge_engine;

--
-- Name: raise_error(text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text DEFAULT ''::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    raise exception using
        errcode = jobforge.error_sqlstate(p_code),
        message = p_message,
        detail = json_build_object('code', p_code)::text,
        hint = p_hint;
end
$$;

ALTER FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text) OWNER TO jobforge_owner;

--
-- Name: raise_if_finished(uuid, uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.raise_if_finished(p_tenant_id uuid, p_job_id uuid, p_verb text, p_fine text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_status text;
begin
    select f.status into v_status from jobforge.finished_jobs f
    where f.tenant_id = p_tenant_id and f.job_id = p_job_id;
    if v_status is null then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job %s', p_job_id), '');
    elsif v_status is distinct from p_fine then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('cannot %s job %s: it is %s', p_verb, p_job_id, v_status), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.raise_if_finished(p_tenant_id uuid, p_job_id uuid, p_verb text, p_fine text) OWNER TO jobforge_definer;

--
-- Name: raise_lease_lost(uuid, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.raise_lease_lost(p_job_id uuid, p_token bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('LEASE_LOST',
        format('job %s is no longer held under lease token %s', p_job_id, p_token),
        'It was cancelled, or its lease expired and another worker has it. Roll back; do not retry.');
end
$$;

ALTER FUNCTION jobforge.raise_lease_lost(p_job_id uuid, p_token bigint) OWNER TO jobforge_engine;

--
-- Name: reclaim_expired(text[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.reclaim_expired(p_types text[] DEFAULT NULL::text[], p_limit integer DEFAULT 200) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
    v_types text[] := p_types;
    v_job jobforge.jobs;
    v_error jsonb;
    v_count integer := 0;
begin
    if v_types is null then
        select array_agg(t.type) into v_types from jobforge.job_types t;
    end if;
    for v_job in
        select j.* from unnest(v_types) t(type) cross join lateral (
            select c.* from jobforge.jobs c
            where c.status = 'RUNNING' and c.type = t.type and c.lease_expires_at < clock_timestamp()
            order by c.lease_expires_at
            limit p_limit
            for update skip locked) j
        limit p_limit
    loop
        v_error := jsonb_build_object('code', 'LEASE_EXPIRED', 'retryable', true,
            'message', format('worker %s stopped renewing its lease during attempt %s', v_job.lease_owner,
                v_job.attempts));
        if v_job.attempts >= v_job.max_attempts then
            perform jobforge.finish_job(v_job, 'DEAD_LETTER', 'CRASHED', v_error, v_job.lease_token);
        else
            perform jobforge.requeue_job(v_job, clock_timestamp(), 'CRASHED', v_error, false, true);
            perform jobforge.wake(v_job.type);
        end if;
        v_count := v_count + 1;
    end loop;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.reclaim_expired(p_types text[], p_limit integer) OWNER TO jobforge_engine;

--
-- Name: record_attempt(jobforge.jobs, text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    insert into jobforge.attempt_records (tenant_id, job_id, lease_token, attempt_no, type, worker_id,
        started_at, ended_at, outcome, error)
    values (p_job.tenant_id, p_job.job_id, p_job.lease_token, p_job.attempts, p_job.type,
        p_job.lease_owner, p_job.started_at, clock_timestamp(), p_outcome, p_error)
$$;

ALTER FUNCTION jobforge.record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb) OWNER TO jobforge_definer;

--
-- Name: refuse_transition(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.refuse_transition() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('%s of job %s (%s) is not allowed', lower(tg_op), old.job_id, old.status),
        'Use the functions of schema jobforge; docs/jobs.md has the table of transitions.');
    return null;
end
$$;

ALTER FUNCTION jobforge.refuse_transition() OWNER TO jobforge_owner;

--
-- Name: register_worker(text, text, integer, text, text[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.register_worker(p_worker text, p_host text, p_pid integer, p_version text, p_types text[], p_slots integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into jobforge.workers as w (worker_id, host, pid, version, types, slots)
    values (p_worker, p_host, p_pid, p_version, p_types, p_slots)
    on conflict (worker_id) do update
        set host = excluded.host, pid = excluded.pid, version = excluded.version, types = excluded.types,
            slots = excluded.slots, state = 'ACTIVE', running = 0, started_at = clock_timestamp(),
            heartbeat_at = clock_timestamp();
    -- A type nobody has registered yet gets the default policy.
    insert into jobforge.job_types (type) select t.type from unnest(p_types) t(type)
    on conflict do nothing;
end
$$;

ALTER FUNCTION jobforge.register_worker(p_worker text, p_host text, p_pid integer, p_version text, p_types text[], p_slots integer) OWNER TO jobforge_engine;

--
-- Name: release_jobs(text, uuid[], uuid[], bigint[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[]) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, null, null);
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens) as i(tenant_id, job_id, token)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id, v_input.token);
        if found then
            perform jobforge.requeue_job(v_job, v_job.scheduled_at, 'RELEASED', null, true, v_job.interrupted);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            return next;
        end if;
    end loop;
    perform jobforge.wake(t.type) from (select distinct j.type from jobforge.jobs j
        join unnest(p_tenants, p_job_ids) as i(tenant_id, job_id)
            on j.tenant_id = i.tenant_id and j.job_id = i.job_id) t;
end
$$;

ALTER FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[]) OWNER TO jobforge_engine;

--
-- Name: requeue_job(jobforge.jobs, timestamp with time zone, text, jsonb, boolean, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_interrupted boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    update jobforge.jobs j
    set status = 'QUEUED', lease_owner = null, lease_expires_at = null, heartbeat_at = null,
        scheduled_at = p_at, interrupted = p_interrupted, last_error = coalesce(p_error, j.last_error),
        attempts = j.attempts - case when p_uncount then 1 else 0 end
    where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    perform jobforge.record_attempt(p_job, p_outcome, p_error);
    perform jobforge.usage_add(p_job.tenant_id, 1, p_job.payload_bytes);
end
$$;

ALTER FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_interrupted boolean) OWNER TO jobforge_definer;

--
-- Name: require_tenant(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.require_tenant(p_tenant_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_tenant_id uuid := jobforge.current_tenant();
begin
    if v_tenant_id is null then
        perform jobforge.raise_error('FORBIDDEN', 'this connection acts for no tenant',
            'Set app.tenant_id in the transaction (gateway or worker login), or bind the login to a tenant.');
    end if;
    if p_tenant_id is distinct from v_tenant_id and p_tenant_id is not null then
        perform jobforge.raise_error('FORBIDDEN', 'p_tenant_id differs from the tenant of this connection',
            'Leave p_tenant_id out, or connect as that tenant.');
    end if;
    return v_tenant_id;
end
$$;

ALTER FUNCTION jobforge.require_tenant(p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: reschedule_job(uuid, timestamp with time zone, boolean, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_reset_attempts boolean DEFAULT false, p_max_attempts integer DEFAULT NULL::integer, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
    v_at timestamptz := coalesce(p_scheduled_at, clock_timestamp());
    v_job jobforge.jobs;
    v_done jobforge.finished_jobs;
begin
    perform jobforge.check_enqueue('{}', null, p_max_attempts, p_scheduled_at, null);
    select j.* into v_job from jobforge.jobs j
    where j.tenant_id = v_tenant_id and j.job_id = p_job_id for update;
    if v_job.status = 'RUNNING' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('cannot reschedule job %s: it is RUNNING', p_job_id), 'Cancel it first.');
    elsif v_job.status = 'QUEUED' then
        perform jobforge.check_budget(v_job.attempts, coalesce(p_max_attempts, v_job.max_attempts),
            p_reset_attempts);
        update jobforge.jobs j
        set scheduled_at = v_at, max_attempts = coalesce(p_max_attempts, j.max_attempts),
            attempts = case when p_reset_attempts then 0 else j.attempts end,
            interrupted = j.interrupted and not p_reset_attempts
        where j.tenant_id = v_tenant_id and j.job_id = p_job_id;
        perform jobforge.wake(v_job.type);
        return v_at;
    end if;

    select f.* into v_done from jobforge.finished_jobs f
    where f.tenant_id = v_tenant_id and f.job_id = p_job_id and f.status <> 'SUCCEEDED' for update;
    if not found then
        perform jobforge.raise_if_finished(v_tenant_id, p_job_id, 'reschedule');
    end if;
    perform jobforge.check_budget(v_done.attempts, coalesce(p_max_attempts, v_done.max_attempts),
        p_reset_attempts);
    delete from jobforge.finished_jobs f where f.tenant_id = v_tenant_id and f.job_id = p_job_id;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, attempts, max_attempts, interrupted,
        lease_token, scheduled_at, created_at, started_at, idempotency_key, trace_id, created_by,
        payload, payload_bytes, payload_ref, last_error)
    values (v_tenant_id, p_job_id, v_done.type, v_done.priority,
        case when p_reset_attempts then 0 else v_done.attempts end,
        coalesce(p_max_attempts, v_done.max_attempts), v_done.interrupted and not p_reset_attempts,
        v_done.lease_token, v_at, v_done.created_at, v_done.started_at, v_done.idempotency_key,
        v_done.trace_id, v_done.created_by, v_done.payload, v_done.payload_bytes, v_done.payload_ref,
        v_done.last_error);
    perform jobforge.usage_add(v_tenant_id, 1, v_done.payload_bytes);
    if v_done.status = 'DEAD_LETTER' then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        values (v_tenant_id, v_done.type, 'dead_letters_left', -1);
    end if;
    perform jobforge.wake(v_done.type);
    return v_at;
end
$$;

ALTER FUNCTION jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_max_attempts integer, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: retry_jobs(text, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, boolean, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.retry_jobs(p_status text DEFAULT NULL::text, p_type text DEFAULT NULL::text, p_error_code text DEFAULT NULL::text, p_finished_after timestamp with time zone DEFAULT NULL::timestamp with time zone, p_finished_before timestamp with time zone DEFAULT NULL::timestamp with time zone, p_scheduled_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_reset_attempts boolean DEFAULT true, p_limit integer DEFAULT 1000, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
    v_job_id uuid;
begin
    if p_status not in ('FAILED', 'DEAD_LETTER', 'CANCELLED') then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('jobs that are %s cannot be retried', p_status),
            'Choose FAILED, DEAD_LETTER or CANCELLED; with none, FAILED and DEAD_LETTER are retried.');
    end if;
    for v_job_id in
        select f.job_id from jobforge.finished_jobs f
        where f.tenant_id = v_tenant_id
            and f.status = any(case when p_status is null then array['FAILED', 'DEAD_LETTER']
                else array[p_status] end) and f.status <> 'SUCCEEDED'
            and (p_type is null or f.type = p_type)
            and (p_error_code is null or f.last_error ->> 'code' = p_error_code)
            and (p_finished_after is null or f.completed_at >= p_finished_after)
            and (p_finished_before is null or f.completed_at < p_finished_before)
        order by f.job_id
        limit least(greatest(p_limit, 1), 100000)
        for update skip locked
    loop
        perform jobforge.reschedule_job(v_job_id, p_scheduled_at, p_reset_attempts, null, p_tenant_id);
        return next v_job_id;
    end loop;
end
$$;

ALTER FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: run_schedules(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.run_schedules(p_limit integer DEFAULT 100) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_due record;
    v_now timestamptz;
    v_job_id uuid;
    v_policy record;
    v_count integer := 0;
begin
    for v_due in
        select s.* from jobforge.schedules s
        where s.enabled and s.next_run_at <= clock_timestamp()
        order by s.next_run_at limit p_limit for update skip locked
    loop
        v_now := clock_timestamp();
        select t.default_priority, t.max_attempts into v_policy
        from jobforge.job_types t where t.type = v_due.type and t.enabled;
        if found then
            v_job_id := jobforge.uuid_v7(v_now);
            insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at,
                created_at, created_by, payload, payload_bytes)
            values (v_due.tenant_id, v_job_id, v_due.type, coalesce(v_due.priority, v_policy.default_priority),
                v_policy.max_attempts, v_due.next_run_at, v_now, 'schedule:' || v_due.name, v_due.payload,
                pg_column_size(v_due.payload));
            insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
            values (v_due.tenant_id, v_due.type, 'enqueued', 1);
            perform jobforge.usage_add(v_due.tenant_id, 1, pg_column_size(v_due.payload));
            perform jobforge.wake(v_due.type);
            v_count := v_count + 1;
        end if;
        update jobforge.schedules s
        set last_run_at = v_now, last_job_id = coalesce(v_job_id, s.last_job_id),
            next_run_at = s.next_run_at + interval '1 second' * s.every_seconds * (1 + floor(
                date_part('epoch', v_now - s.next_run_at) / s.every_seconds))
        where s.tenant_id = v_due.tenant_id and s.schedule_id = v_due.schedule_id;
    end loop;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.run_schedules(p_limit integer) OWNER TO jobforge_engine;

--
-- Name: schema_version(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_version() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select m.name from jobforge.migrations m order by m.name collate "C" desc limit 1
$$;

ALTER FUNCTION jobforge.schema_version() OWNER TO jobforge_owner;

--
-- Name: set_job_type(text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb DEFAULT '{}'::jsonb) RETURNS jobforge.job_types
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_known text[] := array['description', 'backoff', 'backoff_base_seconds', 'backoff_jitter',
        'max_attempts', 'lease_seconds', 'timeout_seconds', 'default_priority', 'concurrency_limit',
        'tenant_concurrency_limit', 'rate_limit_per_minute', 'tenant_rate_limit_per_minute',
        'retention_days', 'failure_retention_days', 'enabled'];
    v_row jobforge.job_types;
    v_bad text;
begin
    select k into v_bad from jsonb_object_keys(p_policy) k where k <> all(v_known) limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('a job type has no setting %L', v_bad),
            'Known: ' || array_to_string(v_known, ', '));
    end if;
    insert into jobforge.job_types (type) values (p_type) on conflict do nothing;
    select t.* into v_row from jobforge.job_types t where t.type = p_type for update;
    v_row := jsonb_populate_record(v_row, p_policy);
    update jobforge.job_types t
    set description = v_row.description, backoff = v_row.backoff,
        backoff_base_seconds = v_row.backoff_base_seconds, backoff_jitter = v_row.backoff_jitter,
        max_attempts = v_row.max_attempts, lease_seconds = v_row.lease_seconds,
        timeout_seconds = v_row.timeout_seconds, default_priority = v_row.default_priority,
        concurrency_limit = v_row.concurrency_limit,
        tenant_concurrency_limit = v_row.tenant_concurrency_limit,
        rate_limit_per_minute = v_row.rate_limit_per_minute,
        tenant_rate_limit_per_minute = v_row.tenant_rate_limit_per_minute,
        retention_days = v_row.retention_days, failure_retention_days = v_row.failure_retention_days,
        enabled = v_row.enabled, updated_at = clock_timestamp()
    where t.type = p_type returning t.* into v_row;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('job type %s: %s', p_type, sqlerrm),
        'docs/jobs.md has the range of every setting.');
end
$$;

ALTER FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb) OWNER TO jobforge_engine;

--
-- Name: tenants; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.tenants (
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    max_waiting_jobs bigint,
    max_waiting_bytes bigint,
    concurrency_limit integer,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT tenants_concurrency_positive CHECK ((concurrency_limit >= 0)),
    CONSTRAINT tenants_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT tenants_quota_positive CHECK (((max_waiting_jobs >= 0) AND (max_waiting_bytes >= 0))),
    CONSTRAINT tenants_status_known CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'SUSPENDED'::text])))
);

ALTER TABLE ONLY jobforge.tenants FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.tenants OWNER TO jobforge_owner;

--
-- Name: set_tenant(uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) RETURNS jobforge.tenants
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_row jobforge.tenants;
    v_bad text;
begin
    select k into v_bad from jsonb_object_keys(p_changes) k
    where k not in ('name', 'status', 'max_waiting_jobs', 'max_waiting_bytes', 'concurrency_limit') limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('a tenant has no setting %L', v_bad),
            'Known: name, status, max_waiting_jobs, max_waiting_bytes, concurrency_limit.');
    end if;
    select t.* into v_row from jobforge.tenants t where t.tenant_id = p_tenant_id for update;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no tenant %s', p_tenant_id), '');
    end if;
    v_row := jsonb_populate_record(v_row, p_changes);
    update jobforge.tenants t
    set name = v_row.name, status = v_row.status, max_waiting_jobs = v_row.max_waiting_jobs,
        max_waiting_bytes = v_row.max_waiting_bytes, concurrency_limit = v_row.concurrency_limit
    where t.tenant_id = p_tenant_id;
    if v_row.max_waiting_jobs is null and v_row.max_waiting_bytes is null then
        delete from jobforge.tenant_usage u where u.tenant_id = p_tenant_id;
    else
        -- Count once, with enqueues shut out, so that the count kept from here on is exact.
        lock table jobforge.jobs in share row exclusive mode;
        insert into jobforge.tenant_usage (tenant_id, waiting_jobs, waiting_bytes)
        select p_tenant_id, count(*), coalesce(sum(j.payload_bytes), 0) from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.status = 'QUEUED'
        on conflict (tenant_id) do update
            set waiting_jobs = excluded.waiting_jobs, waiting_bytes = excluded.waiting_bytes;
    end if;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('tenant %s: %s', p_tenant_id, sqlerrm), '');
end
$$;

ALTER FUNCTION jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) OWNER TO jobforge_engine;

--
-- Name: snooze_job(text, uuid, uuid, bigint, double precision); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform from jobforge.snooze_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token],
        array[p_seconds]);
    if found then
        perform jobforge.raise_lease_lost(p_job_id, p_token);
    end if;
end
$$;

ALTER FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision) OWNER TO jobforge_engine;

--
-- Name: snooze_jobs(text, uuid[], uuid[], bigint[], double precision[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[]) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
begin
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, cardinality(p_seconds), 'p_seconds');
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_seconds) as i(tenant_id, job_id, token, seconds)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id, v_input.token);
        if found then
            perform jobforge.requeue_job(v_job, clock_timestamp()
                    + interval '1 second' * least(greatest(coalesce(v_input.seconds, 0), 0), 31622400),
                'SNOOZED', null, true, v_job.interrupted);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            return next;
        end if;
    end loop;
end
$$;

ALTER FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[]) OWNER TO jobforge_engine;

--
-- Name: store_artifact(uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) RETURNS bytea
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_content bytea := convert_to(p_value::text, 'UTF8');
    v_sha256 bytea := sha256(v_content);
begin
    insert into jobforge.artifacts (tenant_id, sha256, content) values (p_tenant_id, v_sha256, v_content)
    on conflict do nothing;
    return v_sha256;
end
$$;

ALTER FUNCTION jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) OWNER TO jobforge_definer;

--
-- Name: take_idempotency_key(uuid, text, text, uuid, jsonb, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_hash bytea := sha256(convert_to(p_payload::text, 'UTF8'));
    v_held record;
begin
    loop
        insert into jobforge.idempotency_keys (tenant_id, type, idempotency_key, job_id, payload_hash, created_at)
        values (p_tenant_id, p_type, p_key, p_job_id, v_hash, p_now)
        on conflict do nothing;
        if found then
            return p_job_id;
        end if;
        select k.payload_hash, k.job_id into v_held from jobforge.idempotency_keys k
        where k.tenant_id = p_tenant_id and k.type = p_type and k.idempotency_key = p_key;
        if found then
            if v_held.payload_hash <> v_hash then
                perform jobforge.raise_error('IDEMPOTENCY_CONFLICT',
                    format('idempotency key %L of type %s belongs to job %s, which has another payload',
                        p_key, p_type, v_held.job_id),
                    'Use a new key for new work, or send the same payload.');
            end if;
            return null;
        end if;
    end loop;
end
$$;

ALTER FUNCTION jobforge.take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: take_tokens(uuid, text, integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.take_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_used integer) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    insert into jobforge.rate_buckets as b (tenant_id, type, tokens, refilled_at)
    select p_tenant_id, p_type, greatest(1, p_per_minute / 60.0) - p_used, clock_timestamp()
    where p_per_minute is not null and p_used > 0
    on conflict (tenant_id, type) do update
        set tokens = least(greatest(1, p_per_minute / 60.0), b.tokens
                + date_part('epoch', excluded.refilled_at - b.refilled_at) * p_per_minute / 60.0) - p_used,
            refilled_at = excluded.refilled_at
$$;

ALTER FUNCTION jobforge.take_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_used integer) OWNER TO jobforge_engine;

--
-- Name: time_text(timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.time_text(p_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
$$;

ALTER FUNCTION jobforge.time_text(p_at timestamp with time zone) OWNER TO jobforge_owner;

--
-- Name: usage_add(uuid, bigint, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.usage_add(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    update jobforge.tenant_usage u
    set waiting_jobs = greatest(0, u.waiting_jobs + p_jobs),
        waiting_bytes = greatest(0, u.waiting_bytes + p_bytes)
    where u.tenant_id = p_tenant_id
$$;

ALTER FUNCTION jobforge.usage_add(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) OWNER TO jobforge_definer;

--
-- Name: usage_take(uuid, bigint, bigint, bigint, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_usage record;
begin
    insert into jobforge.tenant_usage as u (tenant_id, waiting_jobs, waiting_bytes)
    values (p_tenant_id, p_jobs, p_bytes)
    on conflict (tenant_id) do update
        set waiting_jobs = u.waiting_jobs + excluded.waiting_jobs,
            waiting_bytes = u.waiting_bytes + excluded.waiting_bytes
    returning u.waiting_jobs, u.waiting_bytes into v_usage;
    if v_usage.waiting_jobs > p_max_jobs then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the tenant may have %s waiting jobs and has %s', p_max_jobs, v_usage.waiting_jobs - p_jobs),
            'Wait until jobs have run, or raise max_waiting_jobs.');
    elsif v_usage.waiting_bytes > p_max_bytes then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the tenant may have %s waiting payload bytes and has %s', p_max_bytes,
                v_usage.waiting_bytes - p_bytes),
            'Wait until jobs have run, or raise max_waiting_bytes.');
    end if;
end
$$;

ALTER FUNCTION jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint) OWNER TO jobforge_definer;

--
-- Name: uuid_v7(timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
    select pg_catalog.encode(pg_catalog.overlay(
        pg_catalog.overlay(pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
            pg_catalog.substring(pg_catalog.int8send(
                (pg_catalog.date_part('epoch', p_at) * 1000000)::bigint / 1000), 3), 1),
        pg_catalog.int2send((28672
            + ((pg_catalog.date_part('epoch', p_at) * 1000000)::bigint % 1000) * 4)::smallint), 7),
        'hex')::uuid
$$;

ALTER FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) OWNER TO jobforge_owner;

--
-- Name: wake(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.wake(p_type text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if pg_sequence_last_value(jobforge.wake_slot(p_type))
        > (date_part('epoch', clock_timestamp()) * 1000)::bigint then
        perform pg_notify('jobforge_wake', p_type);
    end if;
end
$$;

ALTER FUNCTION jobforge.wake(p_type text) OWNER TO jobforge_definer;

--
-- Name: wake_slot(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.wake_slot(p_type text) RETURNS regclass
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select ('jobforge.wake_' || (hashtext(p_type) & 15))::regclass
$$;

ALTER FUNCTION jobforge.wake_slot(p_type text) OWNER TO jobforge_definer;

--
-- Name: worker_heartbeat(text, integer, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.worker_heartbeat(p_worker text, p_running integer, p_state text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    update jobforge.workers w set running = p_running, state = p_state, heartbeat_at = clock_timestamp()
    where w.worker_id = p_worker;
    return found;
end
$$;

ALTER FUNCTION jobforge.worker_heartbeat(p_worker text, p_running integer, p_state text) OWNER TO jobforge_engine;

--
-- Name: finished_jobs; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.finished_jobs (
    tenant_id uuid NOT NULL,
    job_id uuid NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    priority smallint NOT NULL,
    attempts integer NOT NULL,
    max_attempts integer NOT NULL,
    interrupted boolean DEFAULT false NOT NULL,
    lease_token bigint NOT NULL,
    scheduled_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone NOT NULL,
    lease_owner text,
    idempotency_key text,
    trace_id text,
    created_by text,
    payload jsonb NOT NULL,
    payload_bytes integer DEFAULT 0 NOT NULL,
    payload_ref bytea,
    result jsonb,
    result_ref bytea,
    last_error jsonb,
    CONSTRAINT finished_jobs_failure_has_error CHECK (((status <> ALL (ARRAY['FAILED'::text, 'DEAD_LETTER'::text])) OR (last_error IS NOT NULL))),
    CONSTRAINT finished_jobs_status_known CHECK ((status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text, 'DEAD_LETTER'::text])))
)
WITH (fillfactor='100', autovacuum_vacuum_insert_scale_factor='0.2');

ALTER TABLE ONLY jobforge.finished_jobs FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.finished_jobs OWNER TO jobforge_owner;

--
-- Name: all_jobs; Type: VIEW; Schema: jobforge; Owner: jobforge_owner
--

CREATE VIEW jobforge.all_jobs WITH (security_invoker='true') AS
 SELECT j.tenant_id,
    j.job_id,
    j.type,
    j.status,
    j.priority,
    j.attempts,
    j.max_attempts,
    j.interrupted,
    j.lease_token,
    j.lease_owner,
    j.lease_expires_at,
    j.heartbeat_at,
    j.scheduled_at,
    j.created_at,
    j.started_at,
    NULL::timestamp with time zone AS completed_at,
    j.idempotency_key,
    j.trace_id,
    j.created_by,
    j.payload,
    j.payload_bytes,
    j.payload_ref,
    NULL::jsonb AS result,
    NULL::bytea AS result_ref,
    j.last_error
   FROM jobforge.jobs j
UNION ALL
 SELECT f.tenant_id,
    f.job_id,
    f.type,
    f.status,
    f.priority,
    f.attempts,
    f.max_attempts,
    f.interrupted,
    f.lease_token,
    f.lease_owner,
    NULL::timestamp with time zone AS lease_expires_at,
    NULL::timestamp with time zone AS heartbeat_at,
    f.scheduled_at,
    f.created_at,
    f.started_at,
    f.completed_at,
    f.idempotency_key,
    f.trace_id,
    f.created_by,
    f.payload,
    f.payload_bytes,
    f.payload_ref,
    f.result,
    f.result_ref,
    f.last_error
   FROM jobforge.finished_jobs f;

ALTER TABLE jobforge.all_jobs OWNER TO jobforge_owner;

--
-- Name: artifacts; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.artifacts (
    tenant_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    content bytea NOT NULL,
    media_type text DEFAULT 'application/json'::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT artifacts_named_by_content CHECK ((sha256 = sha256(content)))
);

ALTER TABLE ONLY jobforge.artifacts FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.artifacts OWNER TO jobforge_owner;

--
-- Name: attempt_records; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.attempt_records (
    tenant_id uuid NOT NULL,
    job_id uuid NOT NULL,
    lease_token bigint NOT NULL,
    attempt_no integer NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    worker_id text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    error jsonb,
    CONSTRAINT attempt_records_outcome_known CHECK ((outcome = ANY (ARRAY['SUCCEEDED'::text, 'RETRY'::text, 'SNOOZED'::text, 'RELEASED'::text, 'FAILED'::text, 'CANCELLED'::text, 'CRASHED'::text])))
);

ALTER TABLE ONLY jobforge.attempt_records FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.attempt_records OWNER TO jobforge_owner;

--
-- Name: connector_configs; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.connector_configs (
    tenant_id uuid NOT NULL,
    connector text NOT NULL,
    config jsonb DEFAULT '{}'::jsonb NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT connector_configs_config_is_object CHECK ((jsonb_typeof(config) = 'object'::text))
);

ALTER TABLE ONLY jobforge.connector_configs FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.connector_configs OWNER TO jobforge_owner;

--
-- Name: counter_deltas; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.counter_deltas (
    tenant_id uuid NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    counter text NOT NULL,
    delta bigint NOT NULL,
    CONSTRAINT counter_deltas_counter_known CHECK ((counter = ANY (ARRAY['enqueued'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'dead_letter'::text, 'dead_letters_left'::text])))
);

ALTER TABLE ONLY jobforge.counter_deltas FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.counter_deltas OWNER TO jobforge_owner;

--
-- Name: counter_totals; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.counter_totals (
    tenant_id uuid NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    counter text NOT NULL,
    value bigint NOT NULL,
    CONSTRAINT counter_totals_counter_known CHECK ((counter = ANY (ARRAY['enqueued'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'dead_letter'::text, 'dead_letters_left'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.counter_totals FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.counter_totals OWNER TO jobforge_owner;

--
-- Name: events; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.events (
    tenant_id uuid NOT NULL,
    event_id uuid NOT NULL,
    aggregate_type text NOT NULL,
    aggregate_id uuid NOT NULL,
    aggregate_version bigint NOT NULL,
    event_type text NOT NULL,
    actor_id text,
    payload_canonical bytea NOT NULL,
    payload_hash bytea NOT NULL,
    prev_event_hash bytea,
    event_hash bytea NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    CONSTRAINT events_first_has_no_predecessor CHECK (((aggregate_version = 1) = (prev_event_hash IS NULL))),
    CONSTRAINT events_hash_is_sha256 CHECK ((length(event_hash) = 32)),
    CONSTRAINT events_payload_hash_matches CHECK ((payload_hash = sha256(payload_canonical))),
    CONSTRAINT events_version_positive CHECK ((aggregate_version >= 1))
);

ALTER TABLE ONLY jobforge.events FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.events OWNER TO jobforge_owner;

--
-- Name: function_sources; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.function_sources (
    name text NOT NULL COLLATE pg_catalog."C",
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT function_sources_checksum_is_sha256 CHECK ((checksum ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE jobforge.function_sources OWNER TO jobforge_owner;

--
-- Name: idempotency_keys; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.idempotency_keys (
    tenant_id uuid NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    job_id uuid NOT NULL,
    payload_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_keys_hash_is_sha256 CHECK ((length(payload_hash) = 32)),
    CONSTRAINT idempotency_keys_key_length CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 500)))
);

ALTER TABLE ONLY jobforge.idempotency_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.idempotency_keys OWNER TO jobforge_owner;

--
-- Name: job_attempts; Type: VIEW; Schema: jobforge; Owner: jobforge_owner
--

CREATE VIEW jobforge.job_attempts WITH (security_invoker='true') AS
 SELECT a.tenant_id,
    a.job_id,
    a.lease_token,
    a.attempt_no,
    a.type,
    a.worker_id,
    a.started_at,
    a.ended_at,
    a.outcome,
    a.error
   FROM jobforge.attempt_records a
UNION ALL
 SELECT f.tenant_id,
    f.job_id,
    f.lease_token,
    f.attempts AS attempt_no,
    f.type,
    f.lease_owner AS worker_id,
    f.started_at,
    f.completed_at AS ended_at,
    'SUCCEEDED'::text AS outcome,
    NULL::jsonb AS error
   FROM jobforge.finished_jobs f
  WHERE (f.status = 'SUCCEEDED'::text)
UNION ALL
 SELECT j.tenant_id,
    j.job_id,
    j.lease_token,
    j.attempts AS attempt_no,
    j.type,
    j.lease_owner AS worker_id,
    j.started_at,
    NULL::timestamp with time zone AS ended_at,
    'RUNNING'::text AS outcome,
    NULL::jsonb AS error
   FROM jobforge.jobs j
  WHERE (j.status = 'RUNNING'::text);

ALTER TABLE jobforge.job_attempts OWNER TO jobforge_owner;

--
-- Name: job_results; Type: VIEW; Schema: jobforge; Owner: jobforge_owner
--

CREATE VIEW jobforge.job_results WITH (security_invoker='true') AS
 SELECT f.tenant_id,
    f.job_id,
    f.type,
    f.result,
    f.result_ref AS artifact_ref,
    f.completed_at
   FROM jobforge.finished_jobs f
  WHERE (f.status = 'SUCCEEDED'::text);

ALTER TABLE jobforge.job_results OWNER TO jobforge_owner;

--
-- Name: migrations; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.migrations (
    name text NOT NULL COLLATE pg_catalog."C",
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    applied_by text NOT NULL,
    duration_ms bigint NOT NULL,
    CONSTRAINT migrations_checksum_is_sha256 CHECK ((checksum ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE jobforge.migrations OWNER TO jobforge_owner;

--
-- Name: rate_buckets; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.rate_buckets (
    tenant_id uuid NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    tokens double precision NOT NULL,
    refilled_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.rate_buckets FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.rate_buckets OWNER TO jobforge_owner;

--
-- Name: schedules; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.schedules (
    tenant_id uuid NOT NULL,
    schedule_id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    every_seconds bigint NOT NULL,
    priority smallint,
    enabled boolean DEFAULT true NOT NULL,
    next_run_at timestamp with time zone NOT NULL,
    last_run_at timestamp with time zone,
    last_job_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT schedules_every_positive CHECK (((every_seconds >= 1) AND (every_seconds <= 31622400))),
    CONSTRAINT schedules_payload_is_object CHECK ((jsonb_typeof(payload) = 'object'::text)),
    CONSTRAINT schedules_priority_range CHECK (((priority >= 0) AND (priority <= 3)))
);

ALTER TABLE ONLY jobforge.schedules FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.schedules OWNER TO jobforge_owner;

--
-- Name: tenant_logins; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.tenant_logins (
    tenant_id uuid NOT NULL,
    login_role name NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY jobforge.tenant_logins FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.tenant_logins OWNER TO jobforge_owner;

--
-- Name: tenant_usage; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.tenant_usage (
    tenant_id uuid NOT NULL,
    waiting_jobs bigint DEFAULT 0 NOT NULL,
    waiting_bytes bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.tenant_usage FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.tenant_usage OWNER TO jobforge_owner;

--
-- Name: wake_0; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_0
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_0 OWNER TO jobforge_owner;

--
-- Name: wake_1; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_1
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_1 OWNER TO jobforge_owner;

--
-- Name: wake_10; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_10
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_10 OWNER TO jobforge_owner;

--
-- Name: wake_11; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_11
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_11 OWNER TO jobforge_owner;

--
-- Name: wake_12; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_12
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_12 OWNER TO jobforge_owner;

--
-- Name: wake_13; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_13
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_13 OWNER TO jobforge_owner;

--
-- Name: wake_14; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_14
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_14 OWNER TO jobforge_owner;

--
-- Name: wake_15; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_15
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_15 OWNER TO jobforge_owner;

--
-- Name: wake_2; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_2
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_2 OWNER TO jobforge_owner;

--
-- Name: wake_3; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_3
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_3 OWNER TO jobforge_owner;

--
-- Name: wake_4; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_4
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_4 OWNER TO jobforge_owner;

--
-- Name: wake_5; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_5
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_5 OWNER TO jobforge_owner;

--
-- Name: wake_6; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_6
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_6 OWNER TO jobforge_owner;

--
-- Name: wake_7; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_7
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_7 OWNER TO jobforge_owner;

--
-- Name: wake_8; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_8
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_8 OWNER TO jobforge_owner;

--
-- Name: wake_9; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.wake_9
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.wake_9 OWNER TO jobforge_owner;

--
-- Name: workers; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.workers (
    worker_id text NOT NULL,
    host text DEFAULT ''::text NOT NULL,
    pid integer DEFAULT 0 NOT NULL,
    version text DEFAULT ''::text NOT NULL,
    state text DEFAULT 'ACTIVE'::text NOT NULL,
    types text[] DEFAULT '{}'::text[] NOT NULL,
    slots integer DEFAULT 0 NOT NULL,
    running integer DEFAULT 0 NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT workers_id_length CHECK (((length(worker_id) >= 1) AND (length(worker_id) <= 200))),
    CONSTRAINT workers_state_known CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'DRAINING'::text, 'STOPPED'::text])))
)
WITH (fillfactor='50');

ALTER TABLE jobforge.workers OWNER TO jobforge_owner;

--
-- Name: artifacts artifacts_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.artifacts
    ADD CONSTRAINT artifacts_pkey PRIMARY KEY (tenant_id, sha256);

--
-- Name: attempt_records attempt_records_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.attempt_records
    ADD CONSTRAINT attempt_records_pkey PRIMARY KEY (tenant_id, job_id, lease_token);

--
-- Name: connector_configs connector_configs_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.connector_configs
    ADD CONSTRAINT connector_configs_pkey PRIMARY KEY (tenant_id, connector);

--
-- Name: counter_totals counter_totals_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.counter_totals
    ADD CONSTRAINT counter_totals_pkey PRIMARY KEY (tenant_id, type, counter);

--
-- Name: events events_one_version; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.events
    ADD CONSTRAINT events_one_version UNIQUE (tenant_id, aggregate_type, aggregate_id, aggregate_version);

--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (tenant_id, event_id);

--
-- Name: finished_jobs finished_jobs_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.finished_jobs
    ADD CONSTRAINT finished_jobs_pkey PRIMARY KEY (tenant_id, job_id);

--
-- Name: function_sources function_sources_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.function_sources
    ADD CONSTRAINT function_sources_pkey PRIMARY KEY (name);

--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, type, idempotency_key);

--
-- Name: job_types job_types_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.job_types
    ADD CONSTRAINT job_types_pkey PRIMARY KEY (type);

--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (tenant_id, job_id);

--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);

--
-- Name: rate_buckets rate_buckets_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rate_buckets
    ADD CONSTRAINT rate_buckets_pkey PRIMARY KEY (tenant_id, type);

--
-- Name: schedules schedules_name_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.schedules
    ADD CONSTRAINT schedules_name_once UNIQUE (tenant_id, name);

--
-- Name: schedules schedules_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (tenant_id, schedule_id);

--
-- Name: tenant_logins tenant_logins_login_has_one_tenant; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.tenant_logins
    ADD CONSTRAINT tenant_logins_login_has_one_tenant UNIQUE (login_role);

--
-- Name: tenant_logins tenant_logins_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.tenant_logins
    ADD CONSTRAINT tenant_logins_pkey PRIMARY KEY (tenant_id, login_role);

--
-- Name: tenant_usage tenant_usage_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.tenant_usage
    ADD CONSTRAINT tenant_usage_pkey PRIMARY KEY (tenant_id);

--
-- Name: tenants tenants_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (worker_id);

--
-- Name: finished_jobs_by_age; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX finished_jobs_by_age ON jobforge.finished_jobs USING brin (completed_at);

--
-- Name: finished_jobs_not_succeeded; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX finished_jobs_not_succeeded ON jobforge.finished_jobs USING btree (tenant_id, status, job_id) WHERE (status <> 'SUCCEEDED'::text);

--
-- Name: finished_jobs_payload_artifacts; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX finished_jobs_payload_artifacts ON jobforge.finished_jobs USING btree (tenant_id, payload_ref) WHERE (payload_ref IS NOT NULL);

--
-- Name: finished_jobs_result_artifacts; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX finished_jobs_result_artifacts ON jobforge.finished_jobs USING btree (tenant_id, result_ref) WHERE (result_ref IS NOT NULL);

--
-- Name: jobs_artifacts; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_artifacts ON jobforge.jobs USING btree (tenant_id, payload_ref) WHERE (payload_ref IS NOT NULL);

--
-- Name: jobs_interrupted; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_interrupted ON jobforge.jobs USING btree (type, priority, tenant_id, scheduled_at) WHERE interrupted;

--
-- Name: jobs_leases; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_leases ON jobforge.jobs USING btree (type, lease_expires_at) WHERE (status = 'RUNNING'::text);

--
-- Name: jobs_ready; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_ready ON jobforge.jobs USING btree (type, priority, tenant_id, scheduled_at) WHERE ((status = 'QUEUED'::text) AND (NOT interrupted));

--
-- Name: schedules_due; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX schedules_due ON jobforge.schedules USING btree (next_run_at) WHERE enabled;

--
-- Name: finished_jobs finished_jobs_guard_update; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER finished_jobs_guard_update BEFORE UPDATE ON jobforge.finished_jobs FOR EACH ROW EXECUTE FUNCTION jobforge.refuse_transition();

--
-- Name: jobs jobs_guard_update; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER jobs_guard_update BEFORE UPDATE ON jobforge.jobs FOR EACH ROW WHEN (((new.tenant_id <> old.tenant_id) OR (new.job_id <> old.job_id) OR (new.type <> old.type) OR (new.created_at <> old.created_at) OR (new.lease_token < old.lease_token) OR ((old.status = 'QUEUED'::text) AND (new.status = 'RUNNING'::text) AND (new.lease_token <> (old.lease_token + 1))) OR ((old.status = 'RUNNING'::text) AND (new.status = 'RUNNING'::text) AND ((new.lease_token <> old.lease_token) OR (new.lease_owner <> old.lease_owner))))) EXECUTE FUNCTION jobforge.refuse_transition();

--
-- Name: tenant_logins tenant_logins_tenant_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.tenant_logins
    ADD CONSTRAINT tenant_logins_tenant_exists FOREIGN KEY (tenant_id) REFERENCES jobforge.tenants(tenant_id);

--
-- Name: artifacts; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.artifacts ENABLE ROW LEVEL SECURITY;

--
-- Name: attempt_records; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.attempt_records ENABLE ROW LEVEL SECURITY;

--
-- Name: connector_configs; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.connector_configs ENABLE ROW LEVEL SECURITY;

--
-- Name: counter_deltas; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.counter_deltas ENABLE ROW LEVEL SECURITY;

--
-- Name: counter_totals; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.counter_totals ENABLE ROW LEVEL SECURITY;

--
-- Name: artifacts engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.artifacts TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: attempt_records engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.attempt_records TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: connector_configs engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.connector_configs TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: counter_deltas engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.counter_deltas TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: counter_totals engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.counter_totals TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: events engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.events TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: finished_jobs engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.finished_jobs TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: idempotency_keys engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.idempotency_keys TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: jobs engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.jobs TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: rate_buckets engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.rate_buckets TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: schedules engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.schedules TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: tenant_logins engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.tenant_logins TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: tenant_usage engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.tenant_usage TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: tenants engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.tenants TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: events; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.events ENABLE ROW LEVEL SECURITY;

--
-- Name: finished_jobs; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.finished_jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotency_keys; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.idempotency_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: jobs; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: rate_buckets; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rate_buckets ENABLE ROW LEVEL SECURITY;

--
-- Name: schedules; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.schedules ENABLE ROW LEVEL SECURITY;

--
-- Name: tenant_logins; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.tenant_logins ENABLE ROW LEVEL SECURITY;

--
-- Name: artifacts tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.artifacts TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: attempt_records tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.attempt_records TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: connector_configs tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.connector_configs TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: counter_deltas tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.counter_deltas TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: counter_totals tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.counter_totals TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: events tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.events TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: finished_jobs tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.finished_jobs TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: idempotency_keys tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.idempotency_keys TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: jobs tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.jobs TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: rate_buckets tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.rate_buckets TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: schedules tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.schedules TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenant_logins tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.tenant_logins TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenant_usage tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.tenant_usage TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenants tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.tenants TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenant_usage; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.tenant_usage ENABLE ROW LEVEL SECURITY;

--
-- Name: tenants; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.tenants ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA jobforge; Type: ACL; Schema: -; Owner: jobforge_owner
--

GRANT USAGE ON SCHEMA jobforge TO jobforge_definer;
GRANT USAGE ON SCHEMA jobforge TO jobforge_engine;
GRANT USAGE ON SCHEMA jobforge TO jobforge_worker;
GRANT USAGE ON SCHEMA jobforge TO jobforge_gateway;
GRANT USAGE ON SCHEMA jobforge TO jobforge_tenant;
GRANT USAGE ON SCHEMA jobforge TO jobforge_observer;

--
-- Name: FUNCTION age_text(p_span interval); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.age_text(p_span interval) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.age_text(p_span interval) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.age_text(p_span interval) TO jobforge_engine;

--
-- Name: FUNCTION ask_for_wake(p_types text[], p_milliseconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) TO jobforge_worker;

--
-- Name: FUNCTION backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) TO jobforge_observer;

--
-- Name: FUNCTION bind_login(p_tenant_id uuid, p_login name); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.bind_login(p_tenant_id uuid, p_login name) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.bind_login(p_tenant_id uuid, p_login name) TO jobforge_owner;

--
-- Name: FUNCTION cancel_job(p_job_id uuid, p_reason text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.cancel_job(p_job_id uuid, p_reason text, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.cancel_job(p_job_id uuid, p_reason text, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.cancel_job(p_job_id uuid, p_reason text, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.cancel_job(p_job_id uuid, p_reason text, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION cancel_jobs(p_job_ids uuid[], p_reason text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.cancel_jobs(p_job_ids uuid[], p_reason text, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.cancel_jobs(p_job_ids uuid[], p_reason text, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.cancel_jobs(p_job_ids uuid[], p_reason text, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.cancel_jobs(p_job_ids uuid[], p_reason text, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb) TO jobforge_worker;

--
-- Name: FUNCTION check_budget(p_attempts integer, p_max_attempts integer, p_reset boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_budget(p_attempts integer, p_max_attempts integer, p_reset boolean) FROM PUBLIC;

--
-- Name: FUNCTION check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer) FROM PUBLIC;

--
-- Name: FUNCTION check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text) FROM PUBLIC;

--
-- Name: FUNCTION check_error(p_error jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_error(p_error jsonb) FROM PUBLIC;

--
-- Name: FUNCTION check_same_length(p_expected integer, p_actual integer, p_name text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_same_length(p_expected integer, p_actual integer, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_same_length(p_expected integer, p_actual integer, p_name text) TO jobforge_engine;

--
-- Name: FUNCTION check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_more integer, p_more_name text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_more integer, p_more_name text) FROM PUBLIC;

--
-- Name: FUNCTION claim_allowance(p_type text, p_tenant_id uuid, p_want integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_allowance(p_type text, p_tenant_id uuid, p_want integer) FROM PUBLIC;

--
-- Name: TABLE jobs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.jobs TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.jobs TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.jobs TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.jobs TO jobforge_gateway;

--
-- Name: FUNCTION claim_from_lanes(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer, p_type_limits integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_from_lanes(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer, p_type_limits integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]) FROM PUBLIC;

--
-- Name: FUNCTION claim_interrupted(p_worker text, p_types text[], p_tenants uuid[], p_lease_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_interrupted(p_worker text, p_types text[], p_tenants uuid[], p_lease_seconds integer) FROM PUBLIC;

--
-- Name: FUNCTION claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_solo boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_solo boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_solo boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[]) TO jobforge_worker;

--
-- Name: FUNCTION claim_lane(p_worker text, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, p_lease_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_lane(p_worker text, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, p_lease_seconds integer) FROM PUBLIC;

--
-- Name: FUNCTION claim_tenant(p_worker text, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_lease_seconds integer, p_types text[], p_type_limits integer[], p_claimed jobforge.jobs[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_tenant(p_worker text, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_lease_seconds integer, p_types text[], p_type_limits integer[], p_claimed jobforge.jobs[]) FROM PUBLIC;

--
-- Name: FUNCTION complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb) TO jobforge_worker;

--
-- Name: FUNCTION complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[]) TO jobforge_worker;

--
-- Name: FUNCTION create_tenant(p_name text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.create_tenant(p_name text, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.create_tenant(p_name text, p_tenant_id uuid) TO jobforge_owner;

--
-- Name: FUNCTION current_tenant(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.current_tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.current_tenant() TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.current_tenant() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.current_tenant() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.current_tenant() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.current_tenant() TO jobforge_owner;
GRANT ALL ON FUNCTION jobforge.current_tenant() TO jobforge_observer;

--
-- Name: FUNCTION doctor_types(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.doctor_types() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.doctor_types() TO jobforge_owner;
GRANT ALL ON FUNCTION jobforge.doctor_types() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.doctor_types() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.doctor_types() TO jobforge_gateway;

--
-- Name: FUNCTION doctor_workers(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.doctor_workers() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.doctor_workers() TO jobforge_owner;
GRANT ALL ON FUNCTION jobforge.doctor_workers() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.doctor_workers() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.doctor_workers() TO jobforge_gateway;

--
-- Name: FUNCTION enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint) TO jobforge_definer;

--
-- Name: FUNCTION enqueue_job(p_type text, p_payload jsonb, p_priority integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_max_attempts integer, p_trace_id text, p_created_by text, p_tenant_id uuid, OUT job_id uuid, OUT deduplicated boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.enqueue_job(p_type text, p_payload jsonb, p_priority integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_max_attempts integer, p_trace_id text, p_created_by text, p_tenant_id uuid, OUT job_id uuid, OUT deduplicated boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enqueue_job(p_type text, p_payload jsonb, p_priority integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_max_attempts integer, p_trace_id text, p_created_by text, p_tenant_id uuid, OUT job_id uuid, OUT deduplicated boolean) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.enqueue_job(p_type text, p_payload jsonb, p_priority integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_max_attempts integer, p_trace_id text, p_created_by text, p_tenant_id uuid, OUT job_id uuid, OUT deduplicated boolean) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.enqueue_job(p_type text, p_payload jsonb, p_priority integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_max_attempts integer, p_trace_id text, p_created_by text, p_tenant_id uuid, OUT job_id uuid, OUT deduplicated boolean) TO jobforge_worker;

--
-- Name: FUNCTION enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[], p_scheduled_at timestamp with time zone[], p_idempotency_keys text[], p_max_attempts integer[], p_trace_ids text[], p_created_by text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[], p_scheduled_at timestamp with time zone[], p_idempotency_keys text[], p_max_attempts integer[], p_trace_ids text[], p_created_by text, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[], p_scheduled_at timestamp with time zone[], p_idempotency_keys text[], p_max_attempts integer[], p_trace_ids text[], p_created_by text, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[], p_scheduled_at timestamp with time zone[], p_idempotency_keys text[], p_max_attempts integer[], p_trace_ids text[], p_created_by text, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[], p_scheduled_at timestamp with time zone[], p_idempotency_keys text[], p_max_attempts integer[], p_trace_ids text[], p_created_by text, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION error_sqlstate(p_code text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.error_sqlstate(p_code text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.error_sqlstate(p_code text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.error_sqlstate(p_code text) TO jobforge_engine;
GRANT ALL ON FUNCTION jobforge.error_sqlstate(p_code text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.error_sqlstate(p_code text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.error_sqlstate(p_code text) TO jobforge_worker;

--
-- Name: FUNCTION explain_job(p_job_id uuid, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION explain_lease(p_worker text, p_attempt integer, p_max_attempts integer, p_started_at timestamp with time zone, p_lease_expires_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.explain_lease(p_worker text, p_attempt integer, p_max_attempts integer, p_started_at timestamp with time zone, p_lease_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.explain_lease(p_worker text, p_attempt integer, p_max_attempts integer, p_started_at timestamp with time zone, p_lease_expires_at timestamp with time zone) TO jobforge_definer;

--
-- Name: FUNCTION explain_limit(p_what text, p_limit integer, p_type text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.explain_limit(p_what text, p_limit integer, p_type text, p_tenant_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interrupted boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interrupted boolean) FROM PUBLIC;

--
-- Name: FUNCTION explain_rate(p_what text, p_bucket uuid, p_type text, p_per_minute integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.explain_rate(p_what text, p_bucket uuid, p_type text, p_per_minute integer) FROM PUBLIC;

--
-- Name: FUNCTION explain_surroundings(p_tenant_id uuid, p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.explain_surroundings(p_tenant_id uuid, p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.explain_surroundings(p_tenant_id uuid, p_type text) TO jobforge_definer;

--
-- Name: FUNCTION fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone) TO jobforge_worker;

--
-- Name: FUNCTION fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[]) TO jobforge_worker;

--
-- Name: FUNCTION find_lanes(p_types text[], p_tenants uuid[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[]) TO jobforge_worker;

--
-- Name: FUNCTION finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint) TO jobforge_engine;

--
-- Name: FUNCTION fold_counters(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.fold_counters() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fold_counters() TO jobforge_worker;

--
-- Name: FUNCTION get_job(p_job_id uuid, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer) TO jobforge_worker;

--
-- Name: FUNCTION is_unlimited(p_type text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.is_unlimited(p_type text, p_tenant_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION job_stats(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) TO jobforge_worker;

--
-- Name: FUNCTION list_attempts(p_job_id uuid, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: TABLE job_types; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.job_types TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.job_types TO jobforge_definer;

--
-- Name: FUNCTION list_job_types(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.list_job_types() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_job_types() TO jobforge_owner;
GRANT ALL ON FUNCTION jobforge.list_job_types() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.list_job_types() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_job_types() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.list_job_types() TO jobforge_tenant;

--
-- Name: FUNCTION list_jobs(p_status text, p_type text, p_limit integer, p_before uuid, p_error_code text, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_jobs(p_status text, p_type text, p_limit integer, p_before uuid, p_error_code text, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_jobs(p_status text, p_type text, p_limit integer, p_before uuid, p_error_code text, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_jobs(p_status text, p_type text, p_limit integer, p_before uuid, p_error_code text, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_jobs(p_status text, p_type text, p_limit integer, p_before uuid, p_error_code text, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_tenants(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.list_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_tenants() TO jobforge_owner;

--
-- Name: FUNCTION list_workers(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.list_workers() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_workers() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.list_workers() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.list_workers() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_workers() TO jobforge_owner;

--
-- Name: FUNCTION load_artifact(p_tenant_id uuid, p_sha256 bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.load_artifact(p_tenant_id uuid, p_sha256 bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.load_artifact(p_tenant_id uuid, p_sha256 bytea) TO jobforge_engine;

--
-- Name: FUNCTION lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) FROM PUBLIC;

--
-- Name: FUNCTION may_run_alone(p_worker text, p_types text[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.may_run_alone(p_worker text, p_types text[]) FROM PUBLIC;

--
-- Name: FUNCTION metric_counters(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.metric_counters() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.metric_counters() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.metric_counters() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.metric_counters() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.metric_counters() TO jobforge_owner;

--
-- Name: FUNCTION metric_oldest(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.metric_oldest() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.metric_oldest() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.metric_oldest() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.metric_oldest() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.metric_oldest() TO jobforge_owner;

--
-- Name: FUNCTION metric_running(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.metric_running() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.metric_running() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.metric_running() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.metric_running() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.metric_running() TO jobforge_owner;

--
-- Name: FUNCTION peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer) FROM PUBLIC;

--
-- Name: FUNCTION prune_finished(p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.prune_finished(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.prune_finished(p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION prune_workers(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.prune_workers() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.prune_workers() TO jobforge_worker;

--
-- Name: FUNCTION raise_error(p_code text, p_message text, p_hint text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text) TO jobforge_engine;
GRANT ALL ON FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.raise_error(p_code text, p_message text, p_hint text) TO jobforge_worker;

--
-- Name: FUNCTION raise_if_finished(p_tenant_id uuid, p_job_id uuid, p_verb text, p_fine text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.raise_if_finished(p_tenant_id uuid, p_job_id uuid, p_verb text, p_fine text) FROM PUBLIC;

--
-- Name: FUNCTION raise_lease_lost(p_job_id uuid, p_token bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.raise_lease_lost(p_job_id uuid, p_token bigint) FROM PUBLIC;

--
-- Name: FUNCTION reclaim_expired(p_types text[], p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.reclaim_expired(p_types text[], p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.reclaim_expired(p_types text[], p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb) TO jobforge_engine;

--
-- Name: FUNCTION refuse_transition(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.refuse_transition() FROM PUBLIC;

--
-- Name: FUNCTION register_worker(p_worker text, p_host text, p_pid integer, p_version text, p_types text[], p_slots integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.register_worker(p_worker text, p_host text, p_pid integer, p_version text, p_types text[], p_slots integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.register_worker(p_worker text, p_host text, p_pid integer, p_version text, p_types text[], p_slots integer) TO jobforge_worker;

--
-- Name: FUNCTION release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[]) TO jobforge_worker;

--
-- Name: FUNCTION requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_interrupted boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_interrupted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_interrupted boolean) TO jobforge_engine;

--
-- Name: FUNCTION require_tenant(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.require_tenant(p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.require_tenant(p_tenant_id uuid) TO jobforge_engine;

--
-- Name: FUNCTION reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_max_attempts integer, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_max_attempts integer, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_max_attempts integer, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_max_attempts integer, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_max_attempts integer, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION run_schedules(p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.run_schedules(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.run_schedules(p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION schema_version(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_version() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_tenant;

--
-- Name: FUNCTION set_job_type(p_type text, p_policy jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb) TO jobforge_owner;

--
-- Name: TABLE tenants; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenants TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.tenants TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.tenants TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.tenants TO jobforge_gateway;

--
-- Name: FUNCTION set_tenant(p_tenant_id uuid, p_changes jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) TO jobforge_owner;

--
-- Name: FUNCTION snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision) TO jobforge_worker;

--
-- Name: FUNCTION snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[]) TO jobforge_worker;

--
-- Name: FUNCTION store_artifact(p_tenant_id uuid, p_value jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) TO jobforge_engine;

--
-- Name: FUNCTION take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION take_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_used integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.take_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_used integer) FROM PUBLIC;

--
-- Name: FUNCTION time_text(p_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.time_text(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.time_text(p_at timestamp with time zone) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.time_text(p_at timestamp with time zone) TO jobforge_engine;

--
-- Name: FUNCTION usage_add(p_tenant_id uuid, p_jobs bigint, p_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.usage_add(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.usage_add(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) TO jobforge_engine;

--
-- Name: FUNCTION usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION uuid_v7(p_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) TO jobforge_engine;

--
-- Name: FUNCTION wake(p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.wake(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.wake(p_type text) TO jobforge_engine;

--
-- Name: FUNCTION wake_slot(p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.wake_slot(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.wake_slot(p_type text) TO jobforge_engine;

--
-- Name: FUNCTION worker_heartbeat(p_worker text, p_running integer, p_state text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.worker_heartbeat(p_worker text, p_running integer, p_state text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.worker_heartbeat(p_worker text, p_running integer, p_state text) TO jobforge_worker;

--
-- Name: TABLE finished_jobs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.finished_jobs TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.finished_jobs TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.finished_jobs TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.finished_jobs TO jobforge_gateway;

--
-- Name: TABLE all_jobs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.all_jobs TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.all_jobs TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.all_jobs TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.all_jobs TO jobforge_gateway;

--
-- Name: TABLE artifacts; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.artifacts TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.artifacts TO jobforge_definer;

--
-- Name: TABLE attempt_records; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.attempt_records TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.attempt_records TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.attempt_records TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.attempt_records TO jobforge_gateway;

--
-- Name: TABLE connector_configs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.connector_configs TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.connector_configs TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.connector_configs TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.connector_configs TO jobforge_gateway;

--
-- Name: TABLE counter_deltas; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.counter_deltas TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.counter_deltas TO jobforge_definer;

--
-- Name: TABLE counter_totals; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.counter_totals TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.counter_totals TO jobforge_definer;

--
-- Name: TABLE events; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.events TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.events TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.events TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.events TO jobforge_gateway;

--
-- Name: TABLE idempotency_keys; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.idempotency_keys TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.idempotency_keys TO jobforge_definer;

--
-- Name: TABLE job_attempts; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.job_attempts TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.job_attempts TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.job_attempts TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.job_attempts TO jobforge_gateway;

--
-- Name: TABLE job_results; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.job_results TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.job_results TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.job_results TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.job_results TO jobforge_gateway;

--
-- Name: TABLE rate_buckets; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.rate_buckets TO jobforge_engine;

--
-- Name: TABLE schedules; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.schedules TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.schedules TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.schedules TO jobforge_tenant;
GRANT SELECT ON TABLE jobforge.schedules TO jobforge_gateway;

--
-- Name: TABLE tenant_logins; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenant_logins TO jobforge_engine;

--
-- Name: TABLE tenant_usage; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenant_usage TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenant_usage TO jobforge_definer;

--
-- Name: SEQUENCE wake_0; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_0 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_0 TO jobforge_engine;

--
-- Name: SEQUENCE wake_1; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_1 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_1 TO jobforge_engine;

--
-- Name: SEQUENCE wake_10; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_10 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_10 TO jobforge_engine;

--
-- Name: SEQUENCE wake_11; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_11 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_11 TO jobforge_engine;

--
-- Name: SEQUENCE wake_12; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_12 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_12 TO jobforge_engine;

--
-- Name: SEQUENCE wake_13; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_13 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_13 TO jobforge_engine;

--
-- Name: SEQUENCE wake_14; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_14 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_14 TO jobforge_engine;

--
-- Name: SEQUENCE wake_15; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_15 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_15 TO jobforge_engine;

--
-- Name: SEQUENCE wake_2; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_2 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_2 TO jobforge_engine;

--
-- Name: SEQUENCE wake_3; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_3 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_3 TO jobforge_engine;

--
-- Name: SEQUENCE wake_4; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_4 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_4 TO jobforge_engine;

--
-- Name: SEQUENCE wake_5; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_5 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_5 TO jobforge_engine;

--
-- Name: SEQUENCE wake_6; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_6 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_6 TO jobforge_engine;

--
-- Name: SEQUENCE wake_7; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_7 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_7 TO jobforge_engine;

--
-- Name: SEQUENCE wake_8; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_8 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_8 TO jobforge_engine;

--
-- Name: SEQUENCE wake_9; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON SEQUENCE jobforge.wake_9 TO jobforge_definer;
GRANT SELECT,UPDATE ON SEQUENCE jobforge.wake_9 TO jobforge_engine;

--
-- Name: TABLE workers; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.workers TO jobforge_engine;

--
-- PostgreSQL database dump complete
--

