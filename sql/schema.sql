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
-- Name: claim_order; Type: TYPE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TYPE jobforge.claim_order AS (
    worker text,
    claim_id uuid,
    token_floor bigint,
    lease_seconds integer,
    late_rows tid[],
    late_types text[],
    late_priorities smallint[],
    late_tenants uuid[],
    tenant_cap integer,
    held_tenants uuid[],
    held_counts integer[]
);

ALTER TYPE jobforge.claim_order OWNER TO jobforge_owner;

--
-- Name: quarantine_lanes; Type: TYPE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TYPE jobforge.quarantine_lanes AS (
    types text[],
    often integer[],
    priorities integer[],
    tenants uuid[],
    firsts timestamp with time zone[]
);

ALTER TYPE jobforge.quarantine_lanes OWNER TO jobforge_owner;

--
-- Name: accept_findings(uuid, uuid, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.accept_findings(p_tenant_id uuid, p_pv uuid, p_accepted jsonb, p_actor_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_payload bytea;
    v_open json;
    v_count integer;
    v_named text;
    v_finding record;
begin
    select v.payload_canonical into v_payload from jobforge.passport_versions v
    where v.tenant_id = p_tenant_id and v.passport_version_id = p_pv;
    select json_agg(json_build_object('id', m.finding_id, 'status', m.status, 'evidence', m.evidence)
            order by m.entry), count(*),
        string_agg(format('%s (%s: %s)', m.finding_id, m.status, m.evidence), '; ' order by m.entry)
            filter (where m.place <= 10)
    into v_open, v_count, v_named
    from (select m.*, row_number() over (order by m.entry) as place
        from jobforge.match_acceptances(p_pv, v_payload, p_accepted) m where m.reason is null) m;
    if v_count > 0 then
        raise exception using
            errcode = jobforge.error_sqlstate('COMPLIANCE_FAILED'),
            message = format('passport version %s fails its own rules: %s%s', p_pv, v_named,
                case when v_count > 10 then format('; and %s more', v_count - 10) else '' end),
            detail = json_build_object('code', 'COMPLIANCE_FAILED', 'findings', v_open)::text,
            hint = 'Correct the documents and compile a new version, or accept each entry with a reason: '
                'jobforge passports activate VERSION --accept ID=REASON.';
    end if;
    for v_finding in select * from jobforge.match_acceptances(p_pv, v_payload, p_accepted) loop
        insert into jobforge.passport_acceptances (tenant_id, passport_version_id, entry, finding_id, status,
            evidence, reason, accepted_by)
        values (p_tenant_id, p_pv, v_finding.entry, v_finding.finding_id, v_finding.status,
            v_finding.evidence, v_finding.reason, left(jobforge.acting_actor(p_actor_id), 500));
        perform jobforge.append_event('PassportVersion', p_pv, 'PASSPORT_FINDING_ACCEPTED',
            jsonb_build_object('entry', v_finding.entry, 'finding_id', v_finding.finding_id,
                'status', v_finding.status, 'evidence', v_finding.evidence, 'reason', v_finding.reason),
            p_actor_id);
    end loop;
end
$$;

ALTER FUNCTION jobforge.accept_findings(p_tenant_id uuid, p_pv uuid, p_accepted jsonb, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: acting_actor(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.acting_actor(p_actor_id text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select left(coalesce(p_actor_id, nullif(current_setting('app.actor_id', true), '')), 500)
$$;

ALTER FUNCTION jobforge.acting_actor(p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: acting_tenant(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.acting_tenant(p_tenant_id uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (select c.tenant_id from jobforge.enqueue_context(p_tenant_id) c);
end
$$;

ALTER FUNCTION jobforge.acting_tenant(p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: activate_passport_version(uuid, text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.activate_passport_version(p_pv uuid, p_actor_id text DEFAULT NULL::text, p_accepted jsonb DEFAULT '[]'::jsonb) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version record;
    v_superseded uuid;
begin
    perform from jobforge.passports p
    where p.tenant_id = v_tenant_id and p.passport_id = (select v.passport_id
        from jobforge.passport_versions v where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv)
    for no key update;
    v_version := jobforge.lock_passport_version(v_tenant_id, p_pv);
    if v_version.status = 'ACTIVE' then
        return null;
    elsif v_version.status <> 'SIGNED' or v_version.qr_payload is null then
        perform jobforge.raise_passport_status(p_pv, v_version.status, 'activated', 'SIGNED, with a QR code');
    end if;
    perform jobforge.accept_findings(v_tenant_id, p_pv, coalesce(p_accepted, '[]'), p_actor_id);
    update jobforge.passport_versions v set status = 'SUPERSEDED', superseded_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.passport_id = v_version.passport_id and v.status = 'ACTIVE'
    returning v.passport_version_id into v_superseded;
    update jobforge.passport_versions v set status = 'ACTIVE', activated_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    if v_superseded is not null then
        perform jobforge.append_event('PassportVersion', v_superseded, 'PASSPORT_SUPERSEDED',
            jsonb_build_object('by', p_pv), p_actor_id);
    end if;
    perform jobforge.append_event('PassportVersion', p_pv, 'PASSPORT_ACTIVATED',
        jsonb_build_object('superseded', v_superseded), p_actor_id);
    return v_superseded;
end
$$;

ALTER FUNCTION jobforge.activate_passport_version(p_pv uuid, p_actor_id text, p_accepted jsonb) OWNER TO jobforge_definer;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: access_policies; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.access_policies (
    tenant_id uuid NOT NULL,
    policy_id uuid NOT NULL,
    effect text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    method text DEFAULT '*'::text NOT NULL,
    path_pattern text NOT NULL,
    role text,
    key_id text COLLATE pg_catalog."C",
    note text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    CONSTRAINT access_policies_effect_known CHECK ((effect = ANY (ARRAY['allow'::text, 'deny'::text]))),
    CONSTRAINT access_policies_method_known CHECK ((method = ANY (ARRAY['*'::text, 'GET'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text]))),
    CONSTRAINT access_policies_note_length CHECK ((length(note) <= 500)),
    CONSTRAINT access_policies_pattern_form CHECK (((length(path_pattern) <= 500) AND (path_pattern ~ '^(/([A-Za-z0-9._~:@-]+|[*]))*(/[*][*])?$'::text) AND (path_pattern <> ''::text))),
    CONSTRAINT access_policies_priority_range CHECK (((priority >= '-1000000'::integer) AND (priority <= 1000000))),
    CONSTRAINT access_policies_role_known CHECK ((role = ANY (ARRAY['Admin'::text, 'ComplianceOfficer'::text, 'Auditor'::text, 'Operator'::text]))),
    CONSTRAINT access_policies_role_or_key CHECK ((num_nonnulls(role, key_id) <= 1))
);

ALTER TABLE ONLY jobforge.access_policies FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.access_policies OWNER TO jobforge_owner;

--
-- Name: add_access_policy(text, text, integer, text, text, text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.add_access_policy(p_effect text, p_path_pattern text, p_priority integer DEFAULT 0, p_method text DEFAULT '*'::text, p_role text DEFAULT NULL::text, p_key_id text DEFAULT NULL::text, p_note text DEFAULT ''::text, p_actor_id text DEFAULT NULL::text) RETURNS SETOF jobforge.access_policies
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version bigint := jobforge.next_access_version(v_tenant_id);
    v_row jobforge.access_policies;
begin
    if (select count(*) from jobforge.access_policies p where p.tenant_id = v_tenant_id) >= 500 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a tenant has at most 500 policies',
            'Remove what is not needed: jobforge policies list.');
    end if;
    v_row.tenant_id := v_tenant_id;
    v_row.created_at := clock_timestamp();
    v_row.policy_id := jobforge.uuid_v7(v_row.created_at);
    v_row.effect := p_effect;
    v_row.priority := p_priority;
    v_row.method := p_method;
    v_row.path_pattern := p_path_pattern;
    v_row.role := p_role;
    if p_key_id is not null then
        -- For the key's whole line: rotating a key neither sheds a denial nor loses an allowance.
        select k.first_key_id into v_row.key_id from jobforge.get_api_key(p_key_id) k;
    end if;
    v_row.note := coalesce(p_note, '');
    v_row.created_by := jobforge.acting_actor(p_actor_id);
    insert into jobforge.access_policies select v_row.*;
    perform jobforge.append_policy_event('added', v_row, v_version, v_row.created_by);
    return next v_row;
exception when check_violation or not_null_violation then
    perform jobforge.raise_error('VALIDATION_ERROR', 'policy: ' || jobforge.refusal_text(sqlerrm),
        'Such as: deny, /v1/passports/**, priority 10, method POST, role Operator (docs/access.md).');
end
$$;

ALTER FUNCTION jobforge.add_access_policy(p_effect text, p_path_pattern text, p_priority integer, p_method text, p_role text, p_key_id text, p_note text, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: add_intake(jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.add_intake(p_intake jsonb, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.intakes;
begin
    perform jobforge.check_members('an intake', p_intake, array['intake_id', 'denomination', 'year',
        'mintmark', 'series', 'title', 'grade', 'cleaned', 'scratches', 'rim_damage', 'details_damaged',
        'harsh_cleaning', 'keywords_include', 'keywords_exclude']);
    v_row := jsonb_populate_record(null::jobforge.intakes, p_intake);
    v_row.intake_id := coalesce(v_row.intake_id, jobforge.uuid_v7(clock_timestamp()));
    insert into jobforge.intakes (tenant_id, intake_id, denomination, year, mintmark, series, title, grade,
        cleaned, scratches, rim_damage, details_damaged, harsh_cleaning, keywords_include,
        keywords_exclude, created_by)
    values (v_tenant_id, v_row.intake_id, v_row.denomination, v_row.year, v_row.mintmark, v_row.series,
        v_row.title, v_row.grade, coalesce(v_row.cleaned, false), coalesce(v_row.scratches, false),
        coalesce(v_row.rim_damage, false), coalesce(v_row.details_damaged, false),
        coalesce(v_row.harsh_cleaning, false), coalesce(v_row.keywords_include, '{}'),
        coalesce(v_row.keywords_exclude, '{}'), left(p_actor_id, 500))
    on conflict do nothing;
    if not found and not exists (select from jobforge.intakes i
            where i.tenant_id = v_tenant_id and i.intake_id = v_row.intake_id
                and jsonb_strip_nulls(to_jsonb(i)) @> jsonb_strip_nulls(p_intake)) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('intake %s exists and is another one', v_row.intake_id), 'Use a new id, or none.');
    end if;
    return v_row.intake_id;
exception when check_violation or invalid_text_representation or numeric_value_out_of_range
        or invalid_parameter_value or datatype_mismatch or feature_not_supported then
    perform jobforge.raise_error('VALIDATION_ERROR', 'intake: ' || jobforge.refusal_text(sqlerrm, v_row, p_intake),
        'docs/sources.md has the range of every member.');
end
$$;

ALTER FUNCTION jobforge.add_intake(p_intake jsonb, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: add_manual_prices(uuid, text, jsonb, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.add_manual_prices(p_intake uuid, p_source text, p_prices jsonb, p_actor_id text DEFAULT NULL::text, p_trace_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
begin
    if not exists (select from jobforge.intakes i
            where i.tenant_id = v_tenant_id and i.intake_id = p_intake) then
        perform jobforge.raise_not_found('intake', coalesce(p_intake::text, 'NULL'));
    elsif (select s.adapter from jobforge.sources s
            where s.tenant_id = v_tenant_id and s.source_id = v_source_id) <> 'manual' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('source %s is not manual: it is asked, not told', p_source),
            'Add one for prices by hand: jobforge sources add NAME --adapter manual');
    elsif p_prices is null or jsonb_typeof(p_prices) <> 'array' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_prices is a JSON list of prices', '');
    end if;
    perform jobforge.json_bytes(p_prices, 'list of prices', 1048576);
    return jobforge.enqueue_step(v_tenant_id, 'COLLECT_PRICES', jsonb_build_object('intake_id', p_intake,
        'source_id', v_source_id, 'prices', p_prices), null, null, null, p_trace_id, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.add_manual_prices(p_intake uuid, p_source text, p_prices jsonb, p_actor_id text, p_trace_id text) OWNER TO jobforge_definer;

--
-- Name: add_snapshot_facts(uuid, uuid[], uuid[], text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[] DEFAULT '{}'::uuid[], p_document_version_ids uuid[] DEFAULT '{}'::uuid[], p_actor_id text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_bad record;
    v_added integer;
    v_wanted uuid[];
begin
    perform jobforge.lock_building_snapshot(v_tenant_id, p_snapshot_id);
    perform jobforge.check_facts_exist(v_tenant_id, p_fact_ids, p_document_version_ids);
    v_wanted := array(
        select unnest(p_fact_ids)
        union
        select s.fact_id from jobforge.fact_sources s
        where s.tenant_id = v_tenant_id and s.document_version_id = any(p_document_version_ids));
    insert into jobforge.snapshot_items (tenant_id, snapshot_id, fact_type, fact_key, fact_id, payload_hash)
    select v_tenant_id, p_snapshot_id, f.fact_type, f.fact_key, f.fact_id, f.payload_hash
    from jobforge.facts f where f.tenant_id = v_tenant_id and f.fact_id = any(v_wanted)
    order by f.fact_id
    on conflict do nothing;
    get diagnostics v_added = row_count;
    select f.fact_type, f.fact_key, f.fact_id, i.fact_id as held into v_bad
    from jobforge.facts f
    join jobforge.snapshot_items i on i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id
        and i.fact_type = f.fact_type and i.fact_key = f.fact_key and i.fact_id <> f.fact_id
    where f.tenant_id = v_tenant_id and f.fact_id = any(v_wanted)
    order by f.fact_type, f.fact_key, f.fact_id limit 1;
    if found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('facts %s and %s are both %s %s', v_bad.held, v_bad.fact_id, v_bad.fact_type,
                v_bad.fact_key), 'A snapshot holds one fact of a type and key; remove one of them.');
    end if;
    return v_added;
end
$$;

ALTER FUNCTION jobforge.add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[], p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: add_webhook_endpoint(text, bytea, text, uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.add_webhook_endpoint(p_url text, p_secret_ciphertext bytea, p_description text DEFAULT ''::text, p_webhook_endpoint_id uuid DEFAULT NULL::uuid, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_endpoint_id uuid := coalesce(p_webhook_endpoint_id, jobforge.uuid_v7(clock_timestamp()));
begin
    perform jobforge.check_length('the url of an endpoint', p_url, 8, 2000);
    perform jobforge.check_length('the description of an endpoint', coalesce(p_description, ''), 0, 1000);
    if p_url !~ '^https?://[^[:space:]]+$' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the url of an endpoint begins with http:// or https://', '');
    elsif p_secret_ciphertext is null or octet_length(p_secret_ciphertext) not between 1 and 4096 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an endpoint needs an encrypted secret',
            'Use jobforge webhooks add: it makes and encrypts one.');
    end if;
    insert into jobforge.webhook_endpoints (tenant_id, webhook_endpoint_id, url, description,
        secret_ciphertext, created_by)
    values (v_tenant_id, v_endpoint_id, p_url, coalesce(p_description, ''), p_secret_ciphertext,
        left(p_actor_id, 500))
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('endpoint %s exists already', v_endpoint_id),
            'Use a new id, or none.');
    end if;
    return v_endpoint_id;
end
$_$;

ALTER FUNCTION jobforge.add_webhook_endpoint(p_url text, p_secret_ciphertext bytea, p_description text, p_webhook_endpoint_id uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: governors; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.governors (
    tenant_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    rate_per_minute integer,
    burst integer,
    failure_threshold integer DEFAULT 5 NOT NULL,
    open_seconds integer DEFAULT 300 NOT NULL,
    probe_seconds integer DEFAULT 60 NOT NULL,
    next_free_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    hint_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    state text DEFAULT 'CLOSED'::text NOT NULL,
    generation bigint DEFAULT 1 NOT NULL,
    failure_streak integer DEFAULT 0 NOT NULL,
    open_until timestamp with time zone,
    probe_expires_at timestamp with time zone,
    paused_until timestamp with time zone,
    pause_reason text,
    last_success_at timestamp with time zone,
    last_failure_at timestamp with time zone,
    CONSTRAINT governors_burst_range CHECK (((burst >= 1) AND (burst <= 60000))),
    CONSTRAINT governors_key_length CHECK (((length(key) >= 1) AND (length(key) <= 500))),
    CONSTRAINT governors_kind_known CHECK ((kind = ANY (ARRAY['source'::text, 'endpoint'::text, 'host'::text]))),
    CONSTRAINT governors_open_ends CHECK (((state = 'OPEN'::text) = (open_until IS NOT NULL))),
    CONSTRAINT governors_open_range CHECK (((open_seconds >= 1) AND (open_seconds <= 86400))),
    CONSTRAINT governors_pause_has_reason CHECK (((paused_until IS NULL) = (pause_reason IS NULL))),
    CONSTRAINT governors_probe_expires CHECK (((state = 'HALF_OPEN'::text) = (probe_expires_at IS NOT NULL))),
    CONSTRAINT governors_probe_range CHECK (((probe_seconds >= 1) AND (probe_seconds <= 3600))),
    CONSTRAINT governors_rate_range CHECK (((rate_per_minute >= 1) AND (rate_per_minute <= 60000))),
    CONSTRAINT governors_state_known CHECK ((state = ANY (ARRAY['CLOSED'::text, 'OPEN'::text, 'HALF_OPEN'::text]))),
    CONSTRAINT governors_streak_not_negative CHECK ((failure_streak >= 0)),
    CONSTRAINT governors_threshold_range CHECK (((failure_threshold >= 1) AND (failure_threshold <= 1000)))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500');

ALTER TABLE ONLY jobforge.governors FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.governors OWNER TO jobforge_owner;

--
-- Name: after_failure(jobforge.governors, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.after_failure(p_row jobforge.governors, p_now timestamp with time zone) RETURNS jobforge.governors
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    p_row.failure_streak := p_row.failure_streak + 1;
    p_row.last_failure_at := p_now;
    if p_row.state = 'HALF_OPEN' or p_row.failure_streak >= p_row.failure_threshold then
        p_row.state := 'OPEN';
        p_row.generation := p_row.generation + 1;
        p_row.open_until := p_now + interval '1 second' * p_row.open_seconds;
        p_row.probe_expires_at := null;
    end if;
    return p_row;
end
$$;

ALTER FUNCTION jobforge.after_failure(p_row jobforge.governors, p_now timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: after_success(jobforge.governors, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.after_success(p_row jobforge.governors, p_now timestamp with time zone) RETURNS jobforge.governors
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    p_row.failure_streak := 0;
    p_row.last_success_at := p_now;
    if p_row.state = 'HALF_OPEN' then
        p_row.state := 'CLOSED';
        p_row.generation := p_row.generation + 1;
        p_row.probe_expires_at := null;
        p_row.hint_at := '-infinity';
    end if;
    return p_row;
end
$$;

ALTER FUNCTION jobforge.after_success(p_row jobforge.governors, p_now timestamp with time zone) OWNER TO jobforge_definer;

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
-- Name: answer_bytes(jsonb, integer, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.answer_bytes(p_payload jsonb, p_bytes integer, p_ref bytea) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return case when p_ref is not null or pg_column_compression(p_payload) is not null then 1048576
        else 2 * p_bytes end;
end
$$;

ALTER FUNCTION jobforge.answer_bytes(p_payload jsonb, p_bytes integer, p_ref bytea) OWNER TO jobforge_engine;

--
-- Name: append_event(text, uuid, text, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.append_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb DEFAULT '{}'::jsonb, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    return jobforge.append_event_of(jobforge.require_tenant(null), p_aggregate_type, p_aggregate_id,
        p_event_type, p_payload, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.append_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: append_event_of(uuid, text, uuid, text, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.append_event_of(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_tenant_id uuid := p_tenant_id;
    v_occurred_at timestamptz := clock_timestamp();
    v_event_id uuid := jobforge.uuid_v7(v_occurred_at);
    v_payload bytea := convert_to(jobforge.canonical_json(p_payload), 'UTF8');
    v_actor_id text := jobforge.acting_actor(p_actor_id);
    v_last record;
    v_version bigint;
    v_seq bigint;
begin
    select e.aggregate_version, e.event_hash, e.event_seq into v_last from jobforge.events e
    where e.tenant_id = v_tenant_id and e.aggregate_type = p_aggregate_type
        and e.aggregate_id = p_aggregate_id
    order by e.aggregate_version desc limit 1;
    v_version := coalesce(v_last.aggregate_version, 0) + 1;
    v_seq := greatest((date_part('epoch', v_occurred_at) * 1000000)::bigint, v_last.event_seq + 1);
    loop
        insert into jobforge.events (tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version,
            event_type, actor_id, payload_canonical, payload_hash, prev_event_hash, event_hash, occurred_at,
            event_seq)
        values (v_tenant_id, v_event_id, p_aggregate_type, p_aggregate_id, v_version, p_event_type, v_actor_id,
            v_payload, sha256(v_payload), v_last.event_hash,
            jobforge.event_hash(v_tenant_id, p_aggregate_type, p_aggregate_id, v_version, p_event_type,
                v_actor_id, v_occurred_at, sha256(v_payload), v_last.event_hash), v_occurred_at, v_seq)
        on conflict do nothing;
        exit when found;
        -- Another event of the tenant in the same microsecond: the next one is as good. Counted up, not
        -- read from the clock again, which may have been set back.
        v_seq := v_seq + 1;
        if exists (select from jobforge.events e where e.tenant_id = v_tenant_id
                and e.aggregate_type = p_aggregate_type and e.aggregate_id = p_aggregate_id
                and e.aggregate_version = v_version) then
            perform jobforge.raise_error('EVENT_VERSION_CONFLICT',
                format('another writer has appended version %s of %s %s', v_version, p_aggregate_type,
                    p_aggregate_id), 'Try again.');
        end if;
    end loop;
    -- Most events have no listener: to ask here is cheaper than the call that finds none.
    if exists (select from jobforge.webhook_subscriptions s
            where s.tenant_id = v_tenant_id and s.event_type in (p_event_type, '*')) then
        perform jobforge.fan_out_event(v_tenant_id, v_event_id, p_event_type);
    end if;
    return v_event_id;
end
$$;

ALTER FUNCTION jobforge.append_event_of(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: append_key_event(text, text, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.append_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.take_turn(jobforge.require_tenant(null), 'api_key_events ' || p_key_id);
    perform jobforge.append_event('Actor', jobforge.key_aggregate(p_key_id), p_event_type,
        jsonb_build_object('key_id', p_key_id) || p_payload, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.append_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: append_platform_event(text, uuid, text, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.append_platform_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_platform constant uuid := '00000000-0000-0000-0000-000000000000';
begin
    perform jobforge.take_turn(v_platform, 'platform_events');
    perform jobforge.append_event_of(v_platform, p_aggregate_type, p_aggregate_id, p_event_type, p_payload,
        p_actor_id);
end
$$;

ALTER FUNCTION jobforge.append_platform_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) OWNER TO jobforge_engine;

--
-- Name: append_platform_key_event(text, text, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.append_platform_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.append_platform_event('Actor', jobforge.key_aggregate(p_key_id), p_event_type,
        jsonb_build_object('key_id', p_key_id) || p_payload, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.append_platform_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text) OWNER TO jobforge_engine;

--
-- Name: append_policy_event(text, jobforge.access_policies, bigint, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.append_policy_event(p_change text, p_policy jobforge.access_policies, p_access_version bigint, p_actor_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.append_event('System', p_policy.tenant_id, 'POLICY_CHANGED',
        jsonb_build_object('change', p_change, 'access_version', p_access_version,
            'policy', jsonb_strip_nulls(to_jsonb(p_policy)
                - array['tenant_id', 'created_at', 'created_by'])), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.append_policy_event(p_change text, p_policy jobforge.access_policies, p_access_version bigint, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: append_tenant_event(text, uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.append_tenant_event(p_event_type text, p_tenant_id uuid, p_payload jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.append_platform_event('System', p_tenant_id, p_event_type,
        jsonb_build_object('tenant_id', p_tenant_id) || p_payload, null);
end
$$;

ALTER FUNCTION jobforge.append_tenant_event(p_event_type text, p_tenant_id uuid, p_payload jsonb) OWNER TO jobforge_engine;

--
-- Name: ask_for_wake(text[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
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

ALTER FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) OWNER TO jobforge_engine;

--
-- Name: audit_events(bigint, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.audit_events(p_after bigint DEFAULT 0, p_limit integer DEFAULT 10000) RETURNS TABLE(tenant_id uuid, event_id uuid, aggregate_type text, aggregate_id uuid, aggregate_version bigint, event_type text, actor_id text, payload_canonical bytea, payload_hash bytea, prev_event_hash bytea, event_hash bytea, occurred_at timestamp with time zone, event_seq bigint, log_index bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select e.tenant_id, e.event_id, e.aggregate_type, e.aggregate_id, e.aggregate_version, e.event_type,
        e.actor_id, e.payload_canonical, e.payload_hash, e.prev_event_hash, e.event_hash, e.occurred_at,
        e.event_seq, l.log_index
    from jobforge.events e
    left join jobforge.event_log l on l.tenant_id = e.tenant_id and l.event_id = e.event_id
    where e.tenant_id = v_tenant_id and e.event_seq > p_after
    order by e.event_seq limit p_limit;
end
$$;

ALTER FUNCTION jobforge.audit_events(p_after bigint, p_limit integer) OWNER TO jobforge_definer;

--
-- Name: audit_extent(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.audit_extent(OUT tree_size bigint, OUT heads bigint) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select coalesce(max(h.tree_size), 0), count(*) into audit_extent.tree_size, audit_extent.heads
    from jobforge.log_heads h where h.tenant_id = v_tenant_id;
end
$$;

ALTER FUNCTION jobforge.audit_extent(OUT tree_size bigint, OUT heads bigint) OWNER TO jobforge_definer;

--
-- Name: audit_heads(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.audit_heads() RETURNS TABLE(tree_size bigint, root_hash bytea, frontier bytea[], checkpoint text, key_id text, signed_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select h.tree_size, h.root_hash, h.frontier, h.checkpoint, h.key_id, h.signed_at
    from jobforge.log_heads h where h.tenant_id = v_tenant_id order by h.tree_size;
end
$$;

ALTER FUNCTION jobforge.audit_heads() OWNER TO jobforge_definer;

--
-- Name: audit_heads_page(bigint, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.audit_heads_page(p_after bigint DEFAULT 0, p_limit integer DEFAULT 1000) RETURNS TABLE(tree_size bigint, root_hash bytea, frontier bytea[], checkpoint text, key_id text, signed_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select h.tree_size, h.root_hash, h.frontier, h.checkpoint, h.key_id, h.signed_at from jobforge.log_heads h
    where h.tenant_id = v_tenant_id and h.tree_size > p_after order by h.tree_size limit p_limit;
end
$$;

ALTER FUNCTION jobforge.audit_heads_page(p_after bigint, p_limit integer) OWNER TO jobforge_definer;

--
-- Name: audit_log(bigint, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.audit_log(p_after bigint DEFAULT '-1'::integer, p_limit integer DEFAULT 10000) RETURNS TABLE(log_index bigint, event_id uuid, event_hash bytea, logged_at timestamp with time zone, leaf_version smallint, head_size bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select l.log_index, l.event_id, l.event_hash, l.logged_at, l.leaf_version, l.head_size
    from jobforge.event_log l
    where l.tenant_id = v_tenant_id and l.log_index > p_after order by l.log_index limit p_limit;
end
$$;

ALTER FUNCTION jobforge.audit_log(p_after bigint, p_limit integer) OWNER TO jobforge_definer;

--
-- Name: audit_waiting(bigint, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.audit_waiting(p_after bigint DEFAULT 0, p_limit integer DEFAULT 10000) RETURNS TABLE(event_seq bigint, event_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select u.event_seq, u.event_id from jobforge.events_to_log u
    where u.tenant_id = v_tenant_id and u.event_seq > p_after order by u.event_seq limit p_limit;
end
$$;

ALTER FUNCTION jobforge.audit_waiting(p_after bigint, p_limit integer) OWNER TO jobforge_definer;

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
-- Name: begin_api_request(text, text, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.begin_api_request(p_key_id text, p_idempotency_key text, p_request_hash bytea) RETURNS TABLE(status integer, headers jsonb, body bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_first text := jobforge.first_key_id(v_tenant_id, p_key_id);
    v_row jobforge.api_requests;
begin
    perform jobforge.check_api_request(p_idempotency_key, p_request_hash);
    perform jobforge.take_turn(v_tenant_id, format('api_request %s %s', v_first, p_idempotency_key));
    select r.* into v_row from jobforge.api_requests r
    where r.tenant_id = v_tenant_id and r.key_id = v_first and r.idempotency_key = p_idempotency_key;
    if not found then
        return;
    elsif v_row.created_at <= clock_timestamp() - interval '24 hours' then
        -- Forgotten, whether housekeeping has come by or not.
        delete from jobforge.api_requests r
        where r.tenant_id = v_tenant_id and r.key_id = v_first and r.idempotency_key = p_idempotency_key;
        return;
    elsif v_row.request_hash is distinct from p_request_hash then
        perform jobforge.raise_error('IDEMPOTENCY_CONFLICT',
            'this Idempotency-Key was used for another request',
            'A key belongs to one method, path and body. Use a new one for a new request.');
    end if;
    perform jobforge.end_turn(v_tenant_id, format('api_request %s %s', v_first, p_idempotency_key));
    return query select v_row.status, v_row.headers, v_row.body;
end
$$;

ALTER FUNCTION jobforge.begin_api_request(p_key_id text, p_idempotency_key text, p_request_hash bytea) OWNER TO jobforge_definer;

--
-- Name: bind_login(uuid, name); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.bind_login(p_tenant_id uuid, p_login name) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    if not exists (select from jobforge.tenants t where t.tenant_id = p_tenant_id) then
        perform jobforge.raise_error('NOT_FOUND', format('there is no tenant %s', p_tenant_id), '');
    elsif p_login is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_login is NULL', 'Name a database role.');
    elsif not exists (select from pg_roles r where r.rolname = p_login) then
        perform jobforge.raise_error('NOT_FOUND', format('there is no database role %I', p_login),
            'Create it first: create role NAME login password ... in role jobforge_tenant.');
    elsif jobforge.spans_tenants(p_login) is not null then
        perform jobforge.raise_error('FORBIDDEN',
            format('login %I has %s, which spans all tenants', p_login, jobforge.spans_tenants(p_login)),
            'Use a login that has only jobforge_tenant.');
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
-- Name: bounded_error(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.bounded_error(p_error jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if pg_column_size(p_error) <= 65536 and not (pg_column_size(p_error) > 2000 and jobforge.has_long_number(p_error))
        and octet_length(p_error::text) <= 65536
        and not (octet_length(p_error::text) > 400 and jobforge.has_long_number(p_error)) then
        return p_error;
    end if;
    return jsonb_build_object('code', left(p_error ->> 'code', 100), 'message', left(p_error ->> 'message', 2000),
        'retryable', p_error -> 'retryable', 'truncated', true);
end
$$;

ALTER FUNCTION jobforge.bounded_error(p_error jsonb) OWNER TO jobforge_engine;

--
-- Name: build_snapshot(uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.build_snapshot(p_snapshot_id uuid, p_actor_id text DEFAULT NULL::text, p_trace_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.lock_snapshot(v_tenant_id, p_snapshot_id);
    return jobforge.enqueue_step(v_tenant_id, 'BUILD_SNAPSHOT',
        jsonb_build_object('snapshot_id', p_snapshot_id), null, null, null, p_trace_id, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.build_snapshot(p_snapshot_id uuid, p_actor_id text, p_trace_id text) OWNER TO jobforge_definer;

--
-- Name: cancel_job(uuid, text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.cancel_job(p_job_id uuid, p_reason text DEFAULT NULL::text, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant(p_tenant_id);
    v_job jobforge.jobs;
    v_error jsonb;
begin
    select j.* into v_job from jobforge.jobs j
    where j.tenant_id = v_tenant_id and j.job_id = p_job_id for update;
    if not found then
        perform jobforge.raise_if_finished(v_tenant_id, p_job_id, 'cancel', 'CANCELLED');
        return 'CANCELLED';
    end if;
    perform jobforge.check_may_repeat(v_tenant_id, v_job.type, 'cancelled');
    v_error := jsonb_build_object('code', 'CANCELLED', 'retryable', false,
        'message', coalesce(left(p_reason, 2000), 'cancelled on request'));
    perform jobforge.finish_job(v_job, 'CANCELLED', 'CANCELLED', v_error, v_job.lease_token + 1);
    if v_job.status = 'RUNNING' then
        perform jobforge.notify_workers('jobforge_cancel');
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
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
begin
    perform jobforge.acting_tenant(p_tenant_id);
    if p_job_ids is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_job_ids is NULL', '');
    end if;
    for job_id in select distinct i.id from unnest(p_job_ids) i(id) order by i.id loop
        begin
            status := jobforge.cancel_job(job_id, p_reason, p_tenant_id);
        exception when sqlstate 'JF005' then
            status := 'NOT_FOUND';
        when sqlstate 'JF011' then
            status := 'INVALID_TRANSITION';
        when sqlstate 'JF004' then
            status := 'FORBIDDEN';
        end;
        return next;
    end loop;
end
$$;

ALTER FUNCTION jobforge.cancel_jobs(p_job_ids uuid[], p_reason text, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: cancel_running_job(text, uuid, uuid, bigint, jsonb, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb DEFAULT NULL::jsonb, p_claim_id uuid DEFAULT NULL::uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    SET row_security TO 'on'
    AS $$
begin
    perform from jobforge.cancel_running_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token],
        array[p_error], array[p_claim_id]);
    if found then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;

ALTER FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: cancel_running_jobs(text, uuid[], uuid[], bigint[], jsonb[], uuid[], boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.cancel_running_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[] DEFAULT NULL::jsonb[], p_claim_ids uuid[] DEFAULT NULL::uuid[], p_skip_locked boolean DEFAULT false) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_errors),
        'p_errors');
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_errors, p_claim_ids)
            as i(tenant_id, job_id, token, error, claim_id)
        order by i.tenant_id, i.job_id
    loop
        if v_input.error is not null then
            perform jobforge.check_error(v_input.error);
            v_input.error := jobforge.bounded_error(v_input.error);
        end if;
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if found then
            perform jobforge.finish_job(v_job, 'CANCELLED', 'CANCELLED', v_input.error, v_job.lease_token);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            state := jobforge.refusal(p_worker, tenant_id, job_id, lease_token, v_input.claim_id);
            perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
            return next;
        end if;
    end loop;
end
$$;

ALTER FUNCTION jobforge.cancel_running_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_claim_ids uuid[], p_skip_locked boolean) OWNER TO jobforge_engine;

--
-- Name: canonical_json(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.canonical_json(p_value jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    v_text text;
    v_bad text;
begin
    case jsonb_typeof(p_value)
    when 'object' then
        select '{' || coalesce(string_agg(to_json(m.key)::text || ':'
                || case when jsonb_typeof(m.value) in ('object', 'array', 'number')
                    then jobforge.canonical_json(m.value) else m.value::text end,
                ',' order by m.key collate "C"), '') || '}',
            min(m.key) filter (where octet_length(m.key) <> length(m.key))
        into v_text, v_bad
        from jsonb_each(p_value) m;
        if v_bad is not null then
            perform jobforge.raise_error('VALIDATION_ERROR',
                format('member %L of an event is not plain ASCII', v_bad), '');
        end if;
        return v_text;
    when 'array' then
        select '[' || coalesce(string_agg(jobforge.canonical_json(e.value), ',' order by e.n), '') || ']'
        into v_text from jsonb_array_elements(p_value) with ordinality e(value, n);
        return v_text;
    when 'number' then
        v_text := p_value::text;
        if v_text !~ '^-?[0-9]{1,16}$' or abs(v_text::bigint) > 9007199254740991 then
            perform jobforge.raise_error('CANONICAL_NUMBER_NOT_ALLOWED',
                format('%s is not an integer within 2^53-1', v_text), 'Write it as a string.');
        end if;
        return v_text;
    else
        return p_value::text;
    end case;
end
$_$;

ALTER FUNCTION jobforge.canonical_json(p_value jsonb) OWNER TO jobforge_definer;

--
-- Name: check_after(bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_after(p_after bigint) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_after is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_after is a number, not NULL',
            'Leave it out for the first page.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_after(p_after bigint) OWNER TO jobforge_definer;

--
-- Name: check_api_request(text, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_api_request(p_idempotency_key text, p_request_hash bytea) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    if p_idempotency_key is null or p_idempotency_key !~ '^[!-~]{1,255}$' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'an Idempotency-Key has 1 to 255 visible ASCII characters', 'A random UUID is a good one.');
    elsif octet_length(p_request_hash) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the hash of a request has 32 bytes', '');
    end if;
end
$_$;

ALTER FUNCTION jobforge.check_api_request(p_idempotency_key text, p_request_hash bytea) OWNER TO jobforge_definer;

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
-- Name: check_claim(text, integer, text[], integer[], integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer, p_slots integer) RETURNS void
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
    elsif p_slots not between 1 and 10000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('slots %s is not between 1 and 10000', p_slots), '');
    elsif not (0 <= all(p_type_limits)) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_type_limits are 0 or more, or NULL for no limit', '');
    elsif array_ndims(p_type_limits) > 1 or array_lower(p_type_limits, 1) <> 1 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'p_type_limits must be an array of one dimension, counted from 1', '');
    elsif array_ndims(p_types) > 1 or array_lower(p_types, 1) <> 1 or array_position(p_types, null) is not null then
        perform jobforge.check_elements(p_types, 'p_types');
    elsif cardinality(p_type_limits) <> cardinality(p_types) then
        perform jobforge.check_same_length(cardinality(p_types), cardinality(p_type_limits), 'p_type_limits');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer, p_slots integer) OWNER TO jobforge_engine;

--
-- Name: check_compilable(uuid, uuid, uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_compilable(p_tenant_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_passport boolean;
    v_snapshot text;
    v_rules text;
begin
    select exists (select from jobforge.passports p
            where p.tenant_id = p_tenant_id and p.passport_id = p_passport_id),
        (select s.status from jobforge.data_snapshots s
            where s.tenant_id = p_tenant_id and s.snapshot_id = p_snapshot_id),
        (select v.status from jobforge.rule_package_versions v
            where v.tenant_id = p_tenant_id and v.rule_package_version_id = p_rpv)
    into v_passport, v_snapshot, v_rules;
    if not v_passport then
        perform jobforge.raise_not_found('passport', p_passport_id::text);
    elsif v_snapshot is null then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    elsif v_rules is null then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
    if v_snapshot <> 'SEALED' then
        perform jobforge.raise_error('SNAPSHOT_NOT_SEALED',
            format('snapshot %s is %s', p_snapshot_id, v_snapshot), 'Seal it first.');
    elsif v_rules <> 'PUBLISHED' then
        perform jobforge.raise_error('RULE_PKG_NOT_PUBLISHED',
            format('rule version %s is %s', p_rpv, v_rules), 'Publish it, or name a published version.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_compilable(p_tenant_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid) OWNER TO jobforge_definer;

--
-- Name: check_elements(anyarray, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_elements(p_array anyarray, p_name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_array is null or array_ndims(p_array) > 1 or array_lower(p_array, 1) <> 1
        or array_position(p_array, null) is not null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%s must be an array of one dimension without NULL, counted from 1', p_name), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_elements(p_array anyarray, p_name text) OWNER TO jobforge_definer;

--
-- Name: check_enqueue(jsonb, integer, integer, timestamp with time zone, text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_trace_id text DEFAULT NULL::text, p_created_by text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_payload is null or jsonb_typeof(p_payload) <> 'object' then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
            format('the payload must be a JSON object, not %s', coalesce(jsonb_typeof(p_payload), 'NULL')),
            'Wrap the value: {"value": ...}.');
    elsif p_priority not between 0 and 3 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('priority %s is not 0, 1, 2 or 3', p_priority), '');
    elsif p_max_attempts not between 1 and 1000 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('max_attempts %s is not between 1 and 1000', p_max_attempts), '');
    elsif p_scheduled_at not between '2000-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('scheduled_at must lie between the years 2000 and 9999, not at %s', p_scheduled_at), '');
    elsif length(p_idempotency_key) not between 1 and 500 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('an idempotency key has 1 to 500 characters, not %s', length(p_idempotency_key)), '');
    elsif length(p_trace_id) > 200 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a trace id has at most 200 characters, not %s', length(p_trace_id)), '');
    elsif length(p_created_by) > 500 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('created_by has at most 500 characters, not %s', length(p_created_by)), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_trace_id text, p_created_by text) OWNER TO jobforge_definer;

--
-- Name: check_error(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_error(p_error jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_error is null or jsonb_typeof(p_error) <> 'object' or p_error ->> 'code' is null
        or p_error ->> 'message' is null or jsonb_typeof(p_error -> 'retryable') not in ('boolean', 'null') then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an error is a JSON object with at least code and '
            'message; its member retryable is true or false', '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_error(p_error jsonb) OWNER TO jobforge_engine;

--
-- Name: check_facts_exist(uuid, uuid[], uuid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_facts_exist(p_tenant_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_document record;
    v_missing uuid;
begin
    select w.fact_id into v_missing from unnest(p_fact_ids) w(fact_id)
    where not exists (select from jobforge.facts f where f.tenant_id = p_tenant_id and f.fact_id = w.fact_id)
    limit 1;
    if found then
        perform jobforge.raise_not_found('fact', coalesce(v_missing::text, 'NULL'));
    end if;
    select w.id, v.status into v_document from unnest(p_document_version_ids) w(id)
    left join jobforge.document_versions v on v.tenant_id = p_tenant_id and v.document_version_id = w.id
    where v.status is distinct from 'VALIDATED' limit 1;
    if found and v_document.status is null then
        perform jobforge.raise_not_found('document version', coalesce(v_document.id::text, 'NULL'));
    elsif found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('document version %s is %s', v_document.id, v_document.status),
            'Its facts can be added when it is VALIDATED.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_facts_exist(p_tenant_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[]) OWNER TO jobforge_definer;

--
-- Name: check_filter(text, text, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_filter(p_what text, p_value text, p_known text[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_value is not null then
        perform jobforge.check_one_of(p_what, p_value, p_known);
    end if;
end
$$;

ALTER FUNCTION jobforge.check_filter(p_what text, p_value text, p_known text[]) OWNER TO jobforge_definer;

--
-- Name: check_held(integer, uuid[], integer[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_held(p_cap integer, p_tenants uuid[], p_counts integer[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_cap < 1 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('p_tenant_cap is 1 or more, not %s', p_cap), '');
    elsif coalesce(cardinality(p_tenants), 0) <> coalesce(cardinality(p_counts), 0)
        or array_ndims(p_tenants) > 1 or array_ndims(p_counts) > 1
        or array_lower(p_tenants, 1) <> 1 or array_lower(p_counts, 1) <> 1
        or array_position(p_tenants, null) is not null or (0 <= all(p_counts)) is false
        or array_position(p_counts, null) is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_held_tenants and p_held_counts have the same '
            'length, without NULL, counted from 1, and no count is negative', '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_held(p_cap integer, p_tenants uuid[], p_counts integer[]) OWNER TO jobforge_engine;

--
-- Name: check_lanes(text[], integer[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if num_nulls(p_types, p_priorities, p_tenants, p_floors) > 0
        or array_ndims(p_types) > 1 or array_ndims(p_tenants) > 1 or array_ndims(p_floors) > 1
        or array_ndims(p_priorities) > 1 or array_lower(p_types, 1) <> 1 or array_lower(p_priorities, 1) <> 1
        or array_lower(p_tenants, 1) <> 1 or array_lower(p_floors, 1) <> 1
        or cardinality(p_priorities) <> cardinality(p_types) or cardinality(p_tenants) <> cardinality(p_types)
        or cardinality(p_floors) <> cardinality(p_types) or array_position(p_types, null) is not null
        or array_position(p_tenants, null) is not null or array_position(p_floors, null) is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'each lane has a type, a priority, a tenant and a '
            'floor: four arrays of the same length, without NULL, counted from 1', 'Take them from find_lanes.');
    elsif (0 <= all(p_priorities) and 3 >= all(p_priorities)) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a lane has a priority 0, 1, 2 or 3', '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[]) OWNER TO jobforge_engine;

--
-- Name: check_lease(text, uuid, uuid, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if coalesce(p_worker, '') = '' or length(p_worker) > 200 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a worker id has 1 to 200 characters', '');
    elsif p_tenant_id is null or p_job_id is null or p_token is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a lease is named by worker, tenant, job and lease token; none may be NULL', '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) OWNER TO jobforge_engine;

--
-- Name: check_length(text, text, integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_length(p_what text, p_value text, p_min integer, p_max integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_value is null or length(p_value) not between p_min and p_max then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%s has %s to %s characters, not %s',
            p_what, p_min, p_max, coalesce(length(p_value)::text, 'none')), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_length(p_what text, p_value text, p_min integer, p_max integer) OWNER TO jobforge_definer;

--
-- Name: check_may_repeat(uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_may_repeat(p_tenant_id uuid, p_type text, p_done text DEFAULT 'put back'::text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if exists (select from jobforge.job_types t where t.type = p_type and t.internal)
        and not jobforge.may_repeat_internal(p_tenant_id) then
        perform jobforge.raise_error('FORBIDDEN', format('a job of type %s can be %s by an Admin only', p_type, p_done),
            case p_done when 'put back' then 'Ask for the work again through its use case.'
                else 'It ends by itself: with its work, or when its attempts are used up.' end);
    end if;
end
$$;

ALTER FUNCTION jobforge.check_may_repeat(p_tenant_id uuid, p_type text, p_done text) OWNER TO jobforge_definer;

--
-- Name: check_members(text, jsonb, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_members(p_what text, p_value jsonb, p_known text[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_bad text;
begin
    if p_value is null or jsonb_typeof(p_value) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%s is a JSON object', p_what), '');
    end if;
    select k into v_bad from jsonb_object_keys(p_value) k where k <> all(p_known) limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%s has no member %L', p_what, v_bad),
            'Known: ' || array_to_string(p_known, ', ') || '.');
    end if;
    -- Workers and lists read them: without a bound a source of 40 KB was half a gigabyte as text.
    perform jobforge.json_bytes(p_value, 'JSON of ' || p_what, 262144);
end
$$;

ALTER FUNCTION jobforge.check_members(p_what text, p_value jsonb, p_known text[]) OWNER TO jobforge_definer;

--
-- Name: check_one_of(text, text, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_one_of(p_what text, p_value text, p_known text[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_value is null or p_value <> all(p_known) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%L is not a %s', coalesce(p_value, ''), p_what),
            'Known: ' || array_to_string(p_known, ', ') || '.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_one_of(p_what text, p_value text, p_known text[]) OWNER TO jobforge_definer;

--
-- Name: check_open_job(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_open_job(p_tenant_id uuid, p_job_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
    v_type text;
begin
    select t.type into v_type from jobforge.jobs j join jobforge.job_types t on t.type = j.type and t.internal
    where j.tenant_id = p_tenant_id and j.job_id = p_job_id;
    if found then
        perform jobforge.raise_error('FORBIDDEN', format('jobs of type %s are settled by the platform''s workers '
            'only', v_type), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_open_job(p_tenant_id uuid, p_job_id uuid) OWNER TO jobforge_engine;

--
-- Name: check_own_types(text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_own_types(p_types text[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_internal text;
begin
    select t.type into v_internal from jobforge.job_types t where t.internal and t.type = any(p_types) limit 1;
    if found then
        perform jobforge.raise_error('FORBIDDEN', format('jobs of type %s run on the platform''s workers only',
            v_internal), 'Claim types of your own.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_own_types(p_types text[]) OWNER TO jobforge_engine;

--
-- Name: check_page(integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_page(p_limit integer, p_max integer DEFAULT 1000) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_limit is null or p_limit not between 1 and p_max then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('limit %s is not between 1 and %s', p_limit, p_max), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_page(p_limit integer, p_max integer) OWNER TO jobforge_definer;

--
-- Name: check_payload(jsonb, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.check_payload(p_schema jsonb, p_payload jsonb, p_at text DEFAULT ''::text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_kind text := jsonb_typeof(p_payload);
    v_problem text := coalesce(jobforge.schema_type_problem(p_schema, p_payload, v_kind),
        jobforge.schema_value_problem(p_schema, p_payload),
        case v_kind when 'number' then jobforge.schema_number_problem(p_schema, (p_payload #>> '{}')::numeric)
            when 'string' then jobforge.schema_string_problem(p_schema, p_payload #>> '{}')
            when 'array' then jobforge.schema_count_problem(p_schema, jsonb_array_length(p_payload),
                'minItems', 'maxItems', 'items') end);
begin
    if v_problem is not null then
        return format('%s %s', coalesce(nullif(p_at, ''), 'the payload'), v_problem);
    end if;
    return case v_kind when 'array' then jobforge.schema_items_problem(p_schema, p_payload, p_at)
        when 'object' then jobforge.schema_members_problem(p_schema, p_payload, p_at) end;
end
$$;

ALTER FUNCTION jobforge.check_payload(p_schema jsonb, p_payload jsonb, p_at text) OWNER TO jobforge_owner;

--
-- Name: check_report(timestamp with time zone, timestamp with time zone, integer, integer, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_report(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_max_days is null or p_max_days < 1 or p_max_rows is null
        or p_max_rows not between 1 and 1000000000000 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a report spans at least a day and reads at least a row', '');
    elsif p_from is null or p_to is null or not isfinite(p_from) or not isfinite(p_to) or p_from >= p_to then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a period begins before it ends',
            'from is the first moment of it, to the first one after it.');
    elsif p_to - p_from > interval '1 day' * p_max_days then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a report spans at most %s days here', p_max_days),
            'Ask for several shorter periods, or raise max_period_days of connector.report.generate.');
    elsif p_top_n is null or p_top_n not between 1 and 1000 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('top_n %s is not between 1 and 1000', p_top_n), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_report(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) OWNER TO jobforge_definer;

--
-- Name: check_report_rows(bigint, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_report_rows(p_rows bigint, p_max_rows bigint) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_rows > p_max_rows then
        perform jobforge.raise_error('PAYLOAD_LIMIT',
            format('the period has more than the %s rows that a report may read', p_max_rows),
            'Ask for a shorter period, or raise max_rows of connector.report.generate.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_report_rows(p_rows bigint, p_max_rows bigint) OWNER TO jobforge_definer;

--
-- Name: check_rules(text, text, text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.check_length('the name of a rule package', p_package, 1, 200);
    if coalesce(p_dsl_source, '') = '' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a rule package needs rules', '');
    elsif octet_length(p_dsl_source) + octet_length(coalesce(p_tests_source, '')) > 16777216 then
        perform jobforge.raise_error('PAYLOAD_LIMIT', 'rules and tests have more than 16 MiB together',
            'Split the package.');
    elsif p_fields is null or jsonb_typeof(p_fields) <> 'array' or exists (
            select from jsonb_array_elements(p_fields) f(value)
            where coalesce(f.value ->> 'path', '') = '' or coalesce(f.value ->> 'type', '') = ''
                or coalesce(f.value ->> 'access', '') = '') then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'fields are an array of objects with path, type and access', '');
    elsif (select count(*) <> count(distinct f.value ->> 'path') from jsonb_array_elements(p_fields) f(value)) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a field is named twice', '');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb) OWNER TO jobforge_definer;

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
-- Name: check_schema(jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.check_schema(p_schema jsonb, p_at text DEFAULT ''::text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    v_problem text := jobforge.check_payload($node$ {
        "type": "object", "additionalProperties": false,
        "properties": {
            "$schema": {}, "$id": {}, "title": {}, "description": {}, "default": {}, "examples": {},
            "type": {
                "type": ["string", "array"], "minItems": 1,
                "pattern": "^(null|boolean|integer|number|string|array|object)$",
                "items": {"enum": ["null", "boolean", "integer", "number", "string", "array", "object"]}
            },
            "const": {}, "enum": {"type": "array", "minItems": 1},
            "minimum": {"type": "number"}, "maximum": {"type": "number"},
            "minLength": {"type": "integer", "minimum": 0}, "maxLength": {"type": "integer", "minimum": 0},
            "pattern": {"type": "string"}, "format": {"enum": ["uuid", "uri"]},
            "minItems": {"type": "integer", "minimum": 0}, "maxItems": {"type": "integer", "minimum": 0},
            "items": {"type": "object"},
            "required": {"type": "array", "items": {"type": "string"}},
            "properties": {"type": "object", "additionalProperties": {"type": "object"}},
            "additionalProperties": {"type": ["boolean", "object"]}
        }
    } $node$, p_schema, p_at);
    v_below record;
begin
    if v_problem is not null then
        return v_problem;
    end if;
    begin
        perform '' ~ (p_schema ->> 'pattern');
    exception when invalid_regular_expression then
        return format('%s/pattern must be a pattern', p_at);
    end;
    for v_below in
        select p_schema -> 'items' as node, p_at || '/items' as at where p_schema ? 'items'
        union all
        select p_schema -> 'additionalProperties', p_at || '/additionalProperties'
        where jsonb_typeof(p_schema -> 'additionalProperties') = 'object'
        union all
        select p.value, jobforge.pointer_to(p_at || '/properties', p.key)
        from jsonb_each(p_schema -> 'properties') p
    loop
        v_problem := jobforge.check_schema(v_below.node, v_below.at);
        exit when v_problem is not null;
    end loop;
    return v_problem;
end
$_$;

ALTER FUNCTION jobforge.check_schema(p_schema jsonb, p_at text) OWNER TO jobforge_owner;

--
-- Name: check_settle(uuid[], uuid[], bigint[], uuid[], integer, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_more integer, p_more_name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_tenants is null or p_job_ids is null or p_tokens is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_tenants, p_job_ids and p_tokens must be given', '');
    end if;
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tenants), 'p_tenants');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_tokens), 'p_tokens');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_claim_ids), 'p_claim_ids');
    perform jobforge.check_same_length(cardinality(p_job_ids), p_more, p_more_name);
end
$$;

ALTER FUNCTION jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_more integer, p_more_name text) OWNER TO jobforge_engine;

--
-- Name: check_sources_enabled(uuid, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_sources_enabled(p_tenant_id uuid, p_sources text[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_source record;
begin
    select count(*) as chosen, min(s.name) filter (where not s.enabled) as disabled into v_source
    from jobforge.chosen_sources(p_tenant_id, p_sources) s;
    if v_source.disabled is not null then
        perform jobforge.raise_error('SOURCE_DISABLED', format('source %s is disabled', v_source.disabled),
            'Enable it first: jobforge sources enable NAME.');
    elsif v_source.chosen = 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'there is no source to collect from',
            'Add one, or enable one: jobforge sources list shows them.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_sources_enabled(p_tenant_id uuid, p_sources text[]) OWNER TO jobforge_definer;

--
-- Name: check_upload(text, text, bytea, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.check_upload(p_kind text, p_name text, p_content bytea, p_media_type text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.check_one_of('kind of document', p_kind,
        array['BOM', 'PCF', 'DUE_DILIGENCE', 'BATTERY_DATA', 'OTHER']);
    perform jobforge.check_one_of('media type of a document', p_media_type,
        array['application/json', 'text/csv']);
    perform jobforge.check_length('the name of a document', p_name, 1, 500);
    if p_content is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a document needs content', '');
    elsif octet_length(p_content) > 67108864 then
        perform jobforge.raise_error('PAYLOAD_LIMIT',
            format('the document has %s bytes, more than 64 MiB', octet_length(p_content)),
            'Split it into several documents.');
    end if;
end
$$;

ALTER FUNCTION jobforge.check_upload(p_kind text, p_name text, p_content bytea, p_media_type text) OWNER TO jobforge_definer;

--
-- Name: chosen_sources(uuid, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.chosen_sources(p_tenant_id uuid, p_sources text[]) RETURNS TABLE(source_id uuid, name text, tier integer, enabled boolean)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    v_ids uuid[] := array(select jobforge.find_source(p_tenant_id, n.name) from unnest(p_sources) n(name));
begin
    return query
    select s.source_id, s.name, s.tier, s.enabled from jobforge.sources s
    where s.tenant_id = p_tenant_id
        and case when p_sources is null then s.enabled else s.source_id = any(v_ids) end;
end
$$;

ALTER FUNCTION jobforge.chosen_sources(p_tenant_id uuid, p_sources text[]) OWNER TO jobforge_definer;

--
-- Name: claim_allowance(text, uuid, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_allowance(p_type text, p_tenant_id uuid, p_want integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
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
        if not jobforge.try_turn('00000000-0000-0000-0000-000000000000', 'claims of ' || p_type) then
            return 0;
        end if;
    end if;
    if v_tenant_limit is not null then
        if not jobforge.try_turn(p_tenant_id, 'claims') then
            return 0;
        end if;
        select least(v_allowed, v_tenant_limit - count(*)) into v_allowed from jobforge.jobs j
        where j.status = 'RUNNING' and (j.tenant_id = p_tenant_id) is true;
    end if;
    if v_policy.concurrency_limit is not null then
        select least(v_allowed, v_policy.concurrency_limit - count(*)) into v_allowed from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = p_type;
    end if;
    if v_policy.tenant_concurrency_limit is not null then
        select least(v_allowed, v_policy.tenant_concurrency_limit - count(*)) into v_allowed
        from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = p_type and (j.tenant_id = p_tenant_id) is true;
    end if;
    v_allowed := greatest(0, v_allowed);
    v_allowed := jobforge.peek_tokens('00000000-0000-0000-0000-000000000000', p_type,
        v_policy.rate_limit_per_minute, v_allowed::integer);
    return jobforge.peek_tokens(p_tenant_id, p_type, v_policy.tenant_rate_limit_per_minute,
        v_allowed::integer);
end
$$;

ALTER FUNCTION jobforge.claim_allowance(p_type text, p_tenant_id uuid, p_want integer) OWNER TO jobforge_engine;

--
-- Name: claim_beside_quarantine(jobforge.claim_order, integer, text[], jobforge.quarantine_lanes, integer[], integer, text[], integer[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_beside_quarantine(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
    v_first timestamptz;  -- when the first interrupted job of this priority is due
    v_from integer := 0;  -- lanes of better priorities are done
    v_left integer := p_limit;
    v_share integer;
    v_lanes record;
    v_got record;
    v_claim jobforge.claim_order;
    v_turn bigint;
begin
    select * into v_got from jobforge.claim_reserve(p_claim, p_limit, p_types, p_room, p_lane_types,
        p_lane_priorities, p_lane_tenants, p_lane_floors);
    row_ids := v_got.row_ids;
    room := v_got.room;
    v_claim := v_got.claim;
    answer_bytes := coalesce(v_got.answer_bytes, 0);
    v_left := p_limit - coalesce(cardinality(row_ids), 0);
    v_turn := coalesce(v_got.turn, nextval('jobforge.claim_turn'));
    if v_left > 0 and v_turn % greatest(2, 20 / p_limit) = 0 then
        select * into v_got from jobforge.claim_interrupted(v_claim, 1, p_types,
            jobforge.lower_interrupted(p_waiting, v_turn / greatest(2, 20 / p_limit)), room, p_slots,
            '{0,1,2,3}');
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
        v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
    end if;
    for v_priority in 0 .. 4 loop  -- 4: what is left
        select min(l.first) into v_first from unnest(p_waiting.priorities, p_waiting.firsts) l(priority, first)
        where l.priority = v_priority and l.first <= clock_timestamp();
        continue when v_first is null and v_priority < 4;
        select array_agg(l.type) as types, array_agg(l.priority) as priorities,
            array_agg(l.tenant_id) as tenants, array_agg(l.first) as floors into v_lanes
        from unnest(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors)
            l(type, priority, tenant_id, first)
        where l.priority >= v_from and l.priority < v_priority and l.first <= clock_timestamp();
        v_from := v_priority;
        if v_lanes.types is not null then
            select * into v_got from jobforge.claim_shares(v_claim, v_left, p_types, room, v_lanes.types,
                v_lanes.priorities, v_lanes.tenants, v_lanes.floors);
            row_ids := row_ids || v_got.row_ids;
            room := v_got.room;
            v_claim := v_got.claim;
            answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
            v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
        end if;
        exit when v_left = 0;
        v_share := case when v_priority = 4 then v_left
            when v_left > 1 then greatest(1, v_left / 4)
            when exists (select from unnest(p_lane_priorities, p_lane_floors) l(priority, first)
                where l.priority = v_priority and l.first < v_first) then 0
            else 1 end;
        continue when v_share = 0;
        select * into v_got from jobforge.claim_interrupted(v_claim, v_share, p_types, p_waiting, room, p_slots,
            case when v_priority = 4 then '{0,1,2,3}' else array[v_priority] end);
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
        v_left := v_left - coalesce(cardinality(v_got.row_ids), 0);
        exit when v_left = 0;
    end loop;
end
$$;

ALTER FUNCTION jobforge.claim_beside_quarantine(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: claim_from_lanes(jobforge.claim_order, integer, text[], integer[], text[], integer[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_from_lanes(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_got record;
begin
    select * into v_got from jobforge.claim_reserve(p_claim, p_limit, p_types, p_room, p_lane_types,
        p_lane_priorities, p_lane_tenants, p_lane_floors);
    row_ids := v_got.row_ids;
    room := v_got.room;
    answer_bytes := coalesce(v_got.answer_bytes, 0);
    if coalesce(cardinality(row_ids), 0) < p_limit then
        select * into v_got from jobforge.claim_shares(v_got.claim,
            p_limit - coalesce(cardinality(row_ids), 0), p_types, room, p_lane_types, p_lane_priorities,
            p_lane_tenants, p_lane_floors);
        row_ids := row_ids || v_got.row_ids;
        room := v_got.room;
        answer_bytes := answer_bytes + coalesce(v_got.answer_bytes, 0);
    end if;
end
$$;

ALTER FUNCTION jobforge.claim_from_lanes(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: claim_interrupted(jobforge.claim_order, integer, text[], jobforge.quarantine_lanes, integer[], integer, integer[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_interrupted(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_priorities integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
    v_room integer[];  -- of the quarantine: for jobs interrupted once, and more often
    v_priority integer;
    v_lanes record;
    v_open boolean[];  -- lanes that may have more
    v_served uuid;
    v_seed text := random()::text;
    v_count integer := 0;
    v_before integer;
    v_at integer;
    v_row tid;
    v_answer bigint;
begin
    room := p_room;
    select array[greatest(1, p_slots / 4) - count(*) filter (where j.interruptions <= 1),
        1 - count(*) filter (where j.interruptions > 1)] into v_room
    from jobforge.jobs j
    where j.interrupted and j.status = 'RUNNING' and j.lease_owner = p_claim.worker;
    foreach v_priority in array p_priorities loop
        exit when 0 >= all(v_room) or v_count = p_limit;
        select array_agg(o.type) as types, array_agg(o.often) as often, array_agg(o.tenant_id) as tenants,
            array_agg(o.first) as firsts, count(*)::integer as count into v_lanes
        from (select l.type, l.often, l.tenant_id, l.first
            from unnest(p_waiting.types, p_waiting.often, p_waiting.priorities, p_waiting.tenants,
                p_waiting.firsts) l(type, often, priority, tenant_id, first)
            where l.priority = v_priority and l.first <= clock_timestamp()
            order by hashtext(v_seed || l.tenant_id), l.tenant_id, l.first) o;
        v_open := array_fill(true, array[v_lanes.count]);
        loop
            v_before := v_count;
            v_served := null;
            for i in 1 .. v_lanes.count loop
                exit when v_count = p_limit;
                continue when not v_open[i] or v_lanes.tenants[i] = v_served;
                v_at := array_position(p_types, v_lanes.types[i]);
                v_row := null;
                if v_room[1 + v_lanes.often[i]] > 0 and coalesce(room[v_at], 1) > 0 then
                    select * into v_row, v_answer from jobforge.claim_one_interrupted(p_claim, v_lanes.types[i],
                        v_lanes.often[i], v_priority, v_lanes.tenants[i], v_lanes.firsts[i]);
                end if;
                if v_row is null then
                    v_open[i] := false;
                    continue;
                end if;
                v_served := v_lanes.tenants[i];
                v_count := v_count + 1;
                row_ids := row_ids || v_row;
                answer_bytes := coalesce(answer_bytes, 0) + v_answer;
                v_room[1 + v_lanes.often[i]] := v_room[1 + v_lanes.often[i]] - 1;
                if room is not null then
                    room[v_at] := room[v_at] - 1;
                end if;
            end loop;
            exit when v_count in (v_before, p_limit);
        end loop;
    end loop;
end
$$;

ALTER FUNCTION jobforge.claim_interrupted(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_priorities integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: claim_jobs(text, integer, text[], uuid[], integer, integer[], boolean, text[], integer[], uuid[], timestamp with time zone[], integer, boolean, timestamp with time zone, integer, uuid[], integer[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[] DEFAULT NULL::uuid[], p_lease_seconds integer DEFAULT 60, p_type_limits integer[] DEFAULT NULL::integer[], p_reclaim boolean DEFAULT true, p_lane_types text[] DEFAULT NULL::text[], p_lane_priorities integer[] DEFAULT NULL::integer[], p_lane_tenants uuid[] DEFAULT NULL::uuid[], p_lane_floors timestamp with time zone[] DEFAULT NULL::timestamp with time zone[], p_slots integer DEFAULT NULL::integer, p_by_reference boolean DEFAULT false, p_seen timestamp with time zone DEFAULT NULL::timestamp with time zone, p_tenant_cap integer DEFAULT NULL::integer, p_held_tenants uuid[] DEFAULT NULL::uuid[], p_held_counts integer[] DEFAULT NULL::integer[]) RETURNS TABLE(tenant_id uuid, job_id uuid, type text, payload jsonb, attempts integer, max_attempts integer, priority smallint, scheduled_at timestamp with time zone, created_at timestamp with time zone, started_at timestamp with time zone, lease_token bigint, lease_expires_at timestamp with time zone, interrupted boolean, idempotency_key text, trace_id text, created_by text, timeout_seconds integer, claim_id uuid, interruptions smallint, row_ids tid[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_claim jobforge.claim_order;
    v_lane_types text[] := p_lane_types;
    v_lane_priorities integer[] := p_lane_priorities;
    v_lane_tenants uuid[] := p_lane_tenants;
    v_lane_floors timestamptz[] := p_lane_floors;
    v_rows tid[];
    v_bytes bigint := 0;
    v_got record;
    v_shared boolean := false;  -- the places came from several lanes
    v_waiting jobforge.quarantine_lanes;
    v_quarantine boolean := false;  -- interrupted jobs are due
    v_types text[];
    v_timeouts integer[];
    v_timeout integer;
    v_lease interval;
    v_now timestamptz;
    v_payload bigint;
    v_limit integer;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_claim(p_worker, p_limit, p_types, p_type_limits, p_lease_seconds, p_slots);
    if array_ndims(p_tenants) > 1 or array_position(p_tenants, null) is not null then
        perform jobforge.check_elements(p_tenants, 'p_tenants');
    end if;
    if num_nulls(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors) < 4 then
        perform jobforge.check_lanes(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors);
    end if;
    v_claim := (p_worker, gen_random_uuid(), jobforge.token_floor(), p_lease_seconds, null, null, null, null,
        null, p_held_tenants, p_held_counts);
    if p_tenant_cap is not null then
        perform jobforge.check_held(p_tenant_cap, p_held_tenants, p_held_counts);
        if (select count(*) from (select from jobforge.tenants t where t.status = 'ACTIVE' limit 2) t) > 1 then
            v_claim.tenant_cap := p_tenant_cap;
        end if;
    end if;
    if p_lane_types is null then
        if p_reclaim is not false then
            perform jobforge.reclaim_expired(p_types, 200);
        end if;
        select array_agg(l.type), array_agg(l.priority), array_agg(l.tenant_id), array_agg(l.scheduled_at)
        into v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors
        from jobforge.find_lanes(p_types, p_tenants) l where not l.interrupted;
    else
        select array_agg(j.row_id), array_agg(j.type), array_agg(j.priority), array_agg(j.tenant_id)
        into v_claim.late_rows, v_claim.late_types, v_claim.late_priorities, v_claim.late_tenants
        from (select j.ctid as row_id, j.type, j.priority, j.tenant_id from jobforge.jobs j
            where j.status = 'QUEUED' and not j.interrupted and j.scheduled_at < j.created_at
                and j.created_at >= coalesce(p_seen, '-infinity') and j.type = any(p_types)
                and (p_tenants is null or j.tenant_id = any(p_tenants))
            order by j.created_at limit p_limit) j;
        if v_claim.late_rows is not null then
            select v_lane_types || array_agg(l.type), v_lane_priorities || array_agg(l.priority::integer),
                v_lane_tenants || array_agg(l.tenant_id), v_lane_floors || array_agg(clock_timestamp())
            into v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors
            from (select distinct l.type, l.priority, l.tenant_id
                from unnest(v_claim.late_types, v_claim.late_priorities, v_claim.late_tenants)
                    l(type, priority, tenant_id)
                where not exists (select from unnest(p_lane_types, p_lane_priorities, p_lane_tenants)
                        k(type, priority, tenant_id)
                    where k.type = l.type and k.priority = l.priority and k.tenant_id = l.tenant_id)) l;
        end if;
    end if;
    -- Usually there are none: one look. With some, also in the future, their lanes tell whether any is due.
    if exists (select from jobforge.jobs j
            where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)) then
        v_waiting := jobforge.interrupted_lanes(p_types, p_tenants);
        v_quarantine := (clock_timestamp() >= any(v_waiting.firsts)) is true;
    end if;
    if not v_quarantine and v_claim.late_rows is null and p_type_limits is null
        and cardinality(v_lane_types) = 1
        and jobforge.is_unlimited(v_lane_types[1], v_lane_tenants[1]) then
        -- The usual case: one lane, no limits, nothing to share out. Small ones are answered straight
        -- from their update, which is claim_lane's: by way of the places of the rows a claim of 1,000
        -- took a fifth longer.
        select t.timeout_seconds, coalesce(t.lease_seconds, p_lease_seconds) * interval '1 second'
        into v_timeout, v_lease
        from jobforge.job_types t where t.type = v_lane_types[1] and t.type = any(p_types);
        if not found then
            return;
        end if;
        v_limit := least(p_limit, v_claim.tenant_cap - coalesce(
            p_held_counts[array_position(p_held_tenants, v_lane_tenants[1])], 0));
        if v_limit <= 0 then
            return;
        end if;
        v_now := clock_timestamp();
        with picked as materialized (
            select j.ctid as row_id, j.scheduled_at, j.job_id, j.payload_bytes,
                case when j.payload_bytes <= 1000 then j.payload_bytes
                    else jobforge.answer_bytes(j.payload, j.payload_bytes, j.payload_ref) end as answer_bytes
            from jobforge.jobs j
            where j.status = 'QUEUED' and not j.interrupted and j.type = v_lane_types[1]
                and j.priority = v_lane_priorities[1]::smallint and j.tenant_id = v_lane_tenants[1]
                and j.scheduled_at >= v_lane_floors[1] and j.scheduled_at <= v_now
            order by j.scheduled_at
            limit v_limit
            for update skip locked
        )
        select array_agg(p.row_id order by p.scheduled_at, p.job_id), sum(p.payload_bytes),
            sum(p.answer_bytes) + 210 * count(*) into v_rows, v_payload, v_bytes
        from picked p;
        if v_rows is null then
            return;
        end if;
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
        values (v_lane_tenants[1], v_lane_types[1], 'claimed', cardinality(v_rows), v_payload);
        if not p_by_reference or v_bytes <= 262144 then
            return query
            update jobforge.jobs j
            set status = 'RUNNING', attempts = j.attempts + 1,
                lease_token = greatest(j.lease_token, v_claim.token_floor) + 1, lease_owner = p_worker,
                claim_id = v_claim.claim_id, started_at = v_now, heartbeat_at = v_now,
                lease_expires_at = v_now + v_lease
            from unnest(v_rows) r(row_id) where j.ctid = r.row_id
            returning j.tenant_id, j.job_id, j.type,
                case when j.payload_ref is null then j.payload
                    else jobforge.load_artifact(j.tenant_id, j.payload_ref) end,
                j.attempts, j.max_attempts, j.priority, j.scheduled_at, j.created_at, j.started_at,
                j.lease_token, j.lease_expires_at, j.interrupted, j.idempotency_key, j.trace_id,
                j.created_by, v_timeout, j.claim_id, j.interruptions, null::tid[];
            return;
        end if;
        with taken as (
            update jobforge.jobs j
            set status = 'RUNNING', attempts = j.attempts + 1,
                lease_token = greatest(j.lease_token, v_claim.token_floor) + 1, lease_owner = p_worker,
                claim_id = v_claim.claim_id, started_at = v_now, heartbeat_at = v_now,
                lease_expires_at = v_now + v_lease
            from unnest(v_rows) r(row_id) where j.ctid = r.row_id
            returning j.ctid as row_id
        )
        select array_agg(t.row_id) into v_rows from taken t;
    else
        v_shared := true;
        if v_quarantine then
            select * into v_got from jobforge.claim_beside_quarantine(v_claim, p_limit, p_types, v_waiting,
                p_type_limits, coalesce(p_slots, (select nullif(w.slots, 0) from jobforge.workers w
                    where w.worker_id = p_worker), p_limit),
                v_lane_types, v_lane_priorities, v_lane_tenants, v_lane_floors);
        elsif v_lane_types is null then
            return;
        else
            select * into v_got from jobforge.claim_from_lanes(v_claim, p_limit, p_types, p_type_limits, v_lane_types,
                v_lane_priorities, v_lane_tenants, v_lane_floors);
        end if;
        v_rows := v_got.row_ids;
        v_bytes := coalesce(v_got.answer_bytes, 0);
    end if;
    if coalesce(cardinality(v_rows), 0) = 0 then
        return;
    elsif v_shared then
        v_rows := jobforge.in_start_order(v_rows);
    end if;
    if p_by_reference and v_bytes > 262144 then
        claim_id := v_claim.claim_id;
        row_ids := v_rows;
        return next;
        return;
    end if;
    -- As in read_claimed, without the cost of its call: a claim of few jobs is read at once.
    select array_agg(t.type), array_agg(t.timeout_seconds) into v_types, v_timeouts
    from jobforge.job_types t where t.timeout_seconds is not null;
    return query
    select c.tenant_id, c.job_id, c.type,
        case when c.payload_ref is null then c.payload
            else jobforge.load_artifact(c.tenant_id, c.payload_ref) end,
        c.attempts, c.max_attempts, c.priority, c.scheduled_at, c.created_at, c.started_at,
        c.lease_token, c.lease_expires_at, c.interrupted, c.idempotency_key, c.trace_id, c.created_by,
        v_timeouts[array_position(v_types, c.type)], c.claim_id, c.interruptions, null::tid[]
    from unnest(v_rows) r(row_id) cross join lateral (
        select j.* from jobforge.jobs j where j.ctid = r.row_id and j.claim_id = v_claim.claim_id offset 0) c;
end
$$;

ALTER FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_reclaim boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], p_slots integer, p_by_reference boolean, p_seen timestamp with time zone, p_tenant_cap integer, p_held_tenants uuid[], p_held_counts integer[]) OWNER TO jobforge_engine;

--
-- Name: claim_lane(jobforge.claim_order, text, smallint, uuid, timestamp with time zone, timestamp with time zone, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_lane(p_claim jobforge.claim_order, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, OUT row_ids tid[], OUT answer_bytes bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
    v_bytes bigint;
    v_now timestamptz := clock_timestamp();
    v_lease interval;
    v_late tid[];
begin
    select coalesce(t.lease_seconds, p_claim.lease_seconds) * interval '1 second' into v_lease
    from jobforge.job_types t where t.type = p_type;
    if not found then
        return;
    end if;
    if p_claim.late_rows is not null then
        v_late := array(select l.row_id from unnest(p_claim.late_rows, p_claim.late_types,
                p_claim.late_priorities, p_claim.late_tenants) l(row_id, type, priority, tenant_id)
            where l.type = p_type and l.priority = p_priority and l.tenant_id = p_tenant_id);
    end if;
    with late as materialized (
        select j.ctid as row_id, j.scheduled_at, j.job_id, j.type, j.priority, j.tenant_id, j.interrupted
        from unnest(v_late) r(row_id) join jobforge.jobs j on j.ctid = r.row_id
        where j.status = 'QUEUED'
        limit p_limit
        for update of j skip locked
    ), ready as materialized (
        select j.ctid as row_id, j.scheduled_at, j.job_id from jobforge.jobs j
        where j.status = 'QUEUED' and not j.interrupted and j.type = p_type and j.priority = p_priority
            and j.tenant_id = p_tenant_id and j.scheduled_at >= p_from and j.scheduled_at <= p_until
        order by j.scheduled_at
        limit p_limit - (select count(*) from late)
        for update skip locked
    ), picked as (
        select l.row_id, l.scheduled_at, l.job_id from late l
        where l.type = p_type and l.priority = p_priority and l.tenant_id = p_tenant_id
            and not l.interrupted and l.scheduled_at <= p_until
        union select * from ready
    ), taken as (
        update jobforge.jobs j
        set status = 'RUNNING', attempts = j.attempts + 1,
            lease_token = greatest(j.lease_token, p_claim.token_floor) + 1,
            lease_owner = p_claim.worker, claim_id = p_claim.claim_id, started_at = v_now,
            heartbeat_at = v_now, lease_expires_at = v_now + v_lease
        from (select p.row_id from picked p order by p.scheduled_at, p.job_id) p
        where j.ctid = p.row_id and j.status = 'QUEUED'
        returning j.ctid as row_id, j.payload_bytes,
            case when j.payload_bytes <= 1000 then j.payload_bytes
                else jobforge.answer_bytes(j.payload, j.payload_bytes, j.payload_ref) end as answer_bytes
    )
    select array_agg(t.row_id), sum(t.payload_bytes), sum(t.answer_bytes) + 210 * count(*)
    into row_ids, v_bytes, answer_bytes from taken t;
    if row_ids is not null then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
        values (p_tenant_id, p_type, 'claimed', cardinality(row_ids), v_bytes);
    end if;
end
$$;

ALTER FUNCTION jobforge.claim_lane(p_claim jobforge.claim_order, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, OUT row_ids tid[], OUT answer_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: claim_one_interrupted(jobforge.claim_order, text, integer, integer, uuid, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_one_interrupted(p_claim jobforge.claim_order, p_type text, p_often integer, p_priority integer, p_tenant_id uuid, p_from timestamp with time zone, OUT row_id tid, OUT answer_bytes bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
    v_now timestamptz := clock_timestamp();
    v_row tid;
    v_bytes bigint;
begin
    if jobforge.claim_allowance(p_type, p_tenant_id, 1) < 1 then
        return;
    end if;
    select j.ctid into v_row from jobforge.jobs j
    where j.interrupted and j.status = 'QUEUED' and j.type = p_type
        and (j.interruptions > 1)::integer = p_often and j.priority = p_priority::smallint
        and j.tenant_id = p_tenant_id and j.scheduled_at >= p_from and j.scheduled_at <= v_now
    order by j.scheduled_at limit 1
    for update skip locked;
    if not found then
        return;
    end if;
    update jobforge.jobs j
    set status = 'RUNNING', attempts = j.attempts + 1,
        lease_token = greatest(j.lease_token, p_claim.token_floor) + 1,
        lease_owner = p_claim.worker, claim_id = p_claim.claim_id, started_at = v_now,
        heartbeat_at = v_now,
        lease_expires_at = v_now + coalesce((select t.lease_seconds from jobforge.job_types t
            where t.type = j.type), p_claim.lease_seconds) * interval '1 second'
    where j.ctid = v_row
    returning j.ctid, j.payload_bytes, 210 + jobforge.answer_bytes(j.payload, j.payload_bytes, j.payload_ref)
    into row_id, v_bytes, answer_bytes;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_tenant_id, p_type, 'claimed', 1, v_bytes);
    perform jobforge.take_all_tokens(p_type, p_tenant_id, 1);
end
$$;

ALTER FUNCTION jobforge.claim_one_interrupted(p_claim jobforge.claim_order, p_type text, p_often integer, p_priority integer, p_tenant_id uuid, p_from timestamp with time zone, OUT row_id tid, OUT answer_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: claim_reserve(jobforge.claim_order, integer, text[], integer[], text[], integer[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_reserve(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order, OUT turn bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_got record;
    v_low record;
    v_reserve integer;
begin
    room := p_room;
    claim := p_claim;
    if not exists (select from unnest(p_lane_priorities) l(priority) where l.priority <> p_lane_priorities[1]) then
        return;
    end if;
    turn := nextval('jobforge.claim_turn');
    select (turn % 100 + 1) * p_limit * d.reserved_percent / 100 - turn % 100 * p_limit * d.reserved_percent / 100
    into v_reserve from jobforge.tenant_defaults d;
    if coalesce(v_reserve, 0) = 0 then
        return;
    end if;
    -- Claims for one job come here once in ten turns, larger ones in each: both must go round.
    select * into v_low from jobforge.lower_lanes(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors,
        turn / 10 + turn);
    if v_low.types is not null then
        select * into v_got from jobforge.claim_shares(p_claim, v_reserve, p_types, room, v_low.types,
            v_low.priorities, v_low.tenants, v_low.floors);
        row_ids := v_got.row_ids;
        room := v_got.room;
        claim := v_got.claim;
        answer_bytes := v_got.answer_bytes;
    end if;
end
$$;

ALTER FUNCTION jobforge.claim_reserve(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order, OUT turn bigint) OWNER TO jobforge_engine;

--
-- Name: claim_shares(jobforge.claim_order, integer, text[], integer[], text[], integer[], uuid[], timestamp with time zone[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_shares(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_got record;
    v_until timestamptz := clock_timestamp();
    v_priority integer;
    v_served uuid[];
    v_lanes record;
    v_tenants integer;
    v_share integer;
    v_left integer := p_limit;
    v_want integer;
    v_at integer;
    v_count integer;
begin
    room := p_room;
    claim := p_claim;
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
            -- More tenants than places: a random choice, so that no tenant's turn depends on its id.
            for v_lanes in
                select l.tenant_id, array_agg(l.type) as types, array_agg(l.first) as floors
                from unnest(p_lane_types, p_lane_priorities, p_lane_tenants, p_lane_floors)
                    l(type, priority, tenant_id, first)
                where l.priority = v_priority and l.first <= v_until and l.tenant_id <> all(v_served)
                group by l.tenant_id
                order by case when v_tenants > v_left then random() end, min(l.first)
            loop
                exit when v_left = 0;
                v_at := array_position(claim.held_tenants, v_lanes.tenant_id);
                v_want := least(v_share, v_left,
                    claim.tenant_cap - coalesce(claim.held_counts[v_at], 0));
                if v_want <= 0 then
                    v_served := v_served || v_lanes.tenant_id;
                    continue;
                end if;
                select * into v_got from jobforge.claim_tenant(p_claim, v_priority::smallint,
                    v_lanes.tenant_id, v_lanes.types, v_lanes.floors, v_until, v_want, p_types, room);
                v_count := coalesce(cardinality(v_got.row_ids), 0);
                if v_count < least(v_share, v_left) then
                    v_served := v_served || v_lanes.tenant_id;
                end if;
                if claim.tenant_cap is not null and v_count > 0 then
                    if v_at is null then
                        claim.held_tenants := claim.held_tenants || v_lanes.tenant_id;
                        claim.held_counts := claim.held_counts || v_count;
                    else
                        claim.held_counts[v_at] := claim.held_counts[v_at] + v_count;
                    end if;
                end if;
                v_left := v_left - v_count;
                row_ids := row_ids || v_got.row_ids;
                room := v_got.room;
                answer_bytes := coalesce(answer_bytes, 0) + coalesce(v_got.answer_bytes, 0);
            end loop;
        end loop;
    end loop;
end
$$;

ALTER FUNCTION jobforge.claim_shares(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order) OWNER TO jobforge_engine;

--
-- Name: claim_tenant(jobforge.claim_order, smallint, uuid, text[], timestamp with time zone[], timestamp with time zone, integer, text[], integer[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_tenant(p_claim jobforge.claim_order, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_types text[], p_room integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
    v_got record;
    v_until timestamptz := p_until;
    v_lane record;
    v_want integer;
begin
    room := p_room;
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
        select l.type, l.first, array_position(p_types, l.type) as at,
            (t.concurrency_limit is not null or t.tenant_concurrency_limit is not null
                or t.rate_limit_per_minute is not null or t.tenant_rate_limit_per_minute is not null
                or exists (select from jobforge.tenants n
                    where n.tenant_id = p_tenant_id and n.concurrency_limit is not null)) as limited
        from unnest(p_lane_types, p_lane_floors) l(type, first) join jobforge.job_types t on t.type = l.type
        where l.type = any(p_types)
        order by l.first
    loop
        v_want := least(p_limit - coalesce(cardinality(row_ids), 0), coalesce(room[v_lane.at], p_limit));
        continue when v_want <= 0;
        if v_lane.limited then
            v_want := jobforge.claim_allowance(v_lane.type, p_tenant_id, v_want);
            continue when v_want <= 0;
        end if;
        select * into v_got from jobforge.claim_lane(p_claim, v_lane.type, p_priority, p_tenant_id,
            v_lane.first, v_until, v_want);
        if v_lane.limited then
            perform jobforge.take_all_tokens(v_lane.type, p_tenant_id, cardinality(v_got.row_ids));
        end if;
        if room is not null then
            room[v_lane.at] := room[v_lane.at] - coalesce(cardinality(v_got.row_ids), 0);
        end if;
        row_ids := row_ids || v_got.row_ids;
        answer_bytes := coalesce(answer_bytes, 0) + coalesce(v_got.answer_bytes, 0);
    end loop;
end
$$;

ALTER FUNCTION jobforge.claim_tenant(p_claim jobforge.claim_order, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_types text[], p_room integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: claim_tenant_name(text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.claim_tenant_name(p_name text, p_tenant_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_other uuid;
begin
    -- Two callers take turns, by a row of the engine's own: a lock on the table would make every change of
    -- any tenant, a suspension too, wait behind one open transaction, and two such callers deadlock.
    -- At a higher isolation level the second would not see what the first has committed.
    perform jobforge.require_read_committed();
    perform jobforge.take_turn('00000000-0000-0000-0000-000000000000', 'tenant_names');
    select t.tenant_id into v_other from jobforge.tenants t
    where t.name = p_name and t.tenant_id <> p_tenant_id limit 1;
    if found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('there is a tenant %L already: %s', p_name, v_other), 'Choose another name.');
    end if;
end
$$;

ALTER FUNCTION jobforge.claim_tenant_name(p_name text, p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: collection_inputs(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.collection_inputs(p_intake uuid, p_source uuid) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_inputs json;
begin
    select json_build_object(
        'source', json_build_object('source_id', s.source_id, 'name', s.name, 'adapter', s.adapter,
            'enabled', s.enabled, 'base_url', s.base_url, 'rate_limit_per_minute', s.rate_limit_per_minute,
            'reputation_weight', s.reputation_weight, 'tier', s.tier, 'config', s.config),
        'rules', json_build_object('exclude_keywords', s.exclude_keywords, 'require_keywords',
            s.require_keywords, 'allowed_path', s.allowed_path, 'rate_limit_override', s.rate_limit_override),
        'intake', (select row_to_json(i) from jobforge.get_intake(p_intake) i),
        'progress', (select c.progress from jobforge.collections c where c.tenant_id = v_tenant_id
            and c.intake_id = p_intake and c.source_id = p_source))
    into v_inputs
    from jobforge.source_states s where s.tenant_id = v_tenant_id and s.source_id = p_source;
    if not found then
        perform jobforge.raise_not_found('source', coalesce(p_source::text, 'NULL'));
    end if;
    return v_inputs;
end
$$;

ALTER FUNCTION jobforge.collection_inputs(p_intake uuid, p_source uuid) OWNER TO jobforge_definer;

--
-- Name: compile_inputs(uuid, uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.compile_inputs(p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, OUT snapshot_status text, OUT rules_status text, OUT dsl_sha256 bytea, OUT tests_sha256 bytea, OUT battery_product_id uuid, OUT sku text, OUT name text) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select p.battery_product_id, b.sku, b.name into battery_product_id, sku, name
    from jobforge.passports p
    join jobforge.battery_products b
        on b.tenant_id = p.tenant_id and b.battery_product_id = p.battery_product_id
    where p.tenant_id = v_tenant_id and p.passport_id = p_passport_id;
    if not found then
        perform jobforge.raise_not_found('passport', p_passport_id::text);
    end if;
    select s.status into snapshot_status from jobforge.data_snapshots s
    where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    if not found then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    end if;
    select v.status, v.dsl_sha256, v.tests_sha256 into rules_status, dsl_sha256, tests_sha256
    from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.compile_inputs(p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, OUT snapshot_status text, OUT rules_status text, OUT dsl_sha256 bytea, OUT tests_sha256 bytea, OUT battery_product_id uuid, OUT sku text, OUT name text) OWNER TO jobforge_definer;

--
-- Name: complete_job(text, uuid, uuid, bigint, jsonb, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb DEFAULT NULL::jsonb, p_claim_id uuid DEFAULT NULL::uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_bytes integer;
begin
    perform jobforge.require_read_committed();
    if p_result is not null then
        v_bytes := jobforge.json_bytes(p_result, 'result', 16777216);
    end if;
    with gone as (
        delete from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)
        returning j.*
    ), counted as (
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        select g.tenant_id, g.type, 'succeeded', 1 from gone g
    )
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, interruptions, lease_token, scheduled_at, created_at, started_at, completed_at,
        lease_owner, idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, result,
        result_ref, last_error)
    select g.tenant_id, g.job_id, g.type, 'SUCCEEDED', g.priority, g.attempts, g.max_attempts,
        g.interrupted, g.interruptions, g.lease_token, g.scheduled_at, g.created_at, g.started_at,
        clock_timestamp(), g.lease_owner, g.idempotency_key, g.trace_id, g.created_by, g.payload,
        g.payload_bytes, g.payload_ref,
        case when v_bytes > 262144 then null else p_result end,
        case when v_bytes > 262144 then jobforge.store_artifact(g.tenant_id, p_result) end,
        g.last_error
    from gone g;
    if not found then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;

ALTER FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: complete_jobs(text, uuid[], uuid[], bigint[], jsonb[], uuid[], boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[] DEFAULT NULL::jsonb[], p_claim_ids uuid[] DEFAULT NULL::uuid[], p_skip_locked boolean DEFAULT false) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
    v_now timestamptz := clock_timestamp();  -- also tells the rows of this call from earlier ones
    v_free bigint[];
    v_done integer;
    v_sizes integer[];
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_results),
        'p_results');
    if p_results is not null then
        v_sizes := jobforge.result_sizes(p_results);
    end if;
    if p_skip_locked then
        select coalesce(array_agg(i.n), '{}') into v_free
        from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids)
                with ordinality as i(tenant_id, job_id, token, claim_id, n)
            cross join lateral jobforge.lock_lease(p_worker, i.tenant_id, i.job_id, i.token, i.claim_id, true);
    end if;
    with gone as (
        delete from jobforge.jobs j
        using unnest(p_tenants, p_job_ids, p_tokens, p_results, p_claim_ids, v_sizes)
            with ordinality as i(tenant_id, job_id, token, result, claim_id, bytes, n)
        where j.tenant_id = any(array[i.tenant_id]) and j.job_id = i.job_id
            and j.lease_token = i.token and j.lease_owner = p_worker
            and (i.claim_id is null or j.claim_id = i.claim_id)
            and (v_free is null or i.n = any(v_free)) and (i.bytes is null or i.bytes >= 0)
        returning j.*, i.result, i.bytes as result_bytes
    ), counted as (
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        select g.tenant_id, g.type, 'succeeded', count(*) from gone g group by g.tenant_id, g.type
    )
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, interruptions, lease_token, scheduled_at, created_at, started_at, completed_at,
        lease_owner, idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, result,
        result_ref, last_error)
    select g.tenant_id, g.job_id, g.type, 'SUCCEEDED', g.priority, g.attempts, g.max_attempts,
        g.interrupted, g.interruptions, g.lease_token, g.scheduled_at, g.created_at, g.started_at,
        v_now, g.lease_owner, g.idempotency_key, g.trace_id, g.created_by, g.payload,
        g.payload_bytes, g.payload_ref,
        case when g.result_bytes > 262144 and not p_skip_locked then null else g.result end,
        case when g.result_bytes > 262144 and not p_skip_locked
            then jobforge.store_artifact(g.tenant_id, g.result) end,
        g.last_error
    from gone g;
    get diagnostics v_done = row_count;
    if v_done = cardinality(p_job_ids) then
        return;
    end if;
    for tenant_id, job_id, lease_token, state in
        select i.tenant_id, i.job_id, i.token,
            replace(jobforge.refusal(p_worker, i.tenant_id, i.job_id, i.token, i.claim_id),
                case when i.bytes < 0 then 'LOCKED' else '' end, case when i.bytes < 0 then 'REFUSED' else '' end)
        from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids, v_sizes)
            as i(tenant_id, job_id, token, claim_id, bytes)
        where (select f.completed_at from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id and f.lease_token = i.token
                and f.lease_owner = p_worker) is distinct from v_now
    loop
        perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
        return next;
    end loop;
end
$$;

ALTER FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[], p_claim_ids uuid[], p_skip_locked boolean) OWNER TO jobforge_engine;

--
-- Name: connector_config_schema(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.connector_config_schema(p_connector text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    v_calls jsonb := $schema$ {
        "allowlist": {
            "type": "array", "minItems": 1, "maxItems": 100,
            "items": {"type": "string", "maxLength": 255, "pattern": "^([*][.])?[0-9a-z:]([0-9a-z.:-]*[0-9a-z:])?$"}
        },
        "headers": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 8192}},
        "requests_per_minute": {"type": "integer", "minimum": 1, "maximum": 60000}
    } $schema$;
    v_own jsonb := case p_connector
        when 'connector.http.request' then v_calls || $schema$ {
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 300000},
            "max_response_bytes": {"type": "integer", "minimum": 1, "maximum": 10485760},
            "follow_redirects": {"type": "integer", "minimum": 0, "maximum": 10},
            "redact_headers": {
                "type": "array", "maxItems": 50,
                "items": {"type": "string", "minLength": 1, "maxLength": 100}
            }
        } $schema$
        when 'connector.webhook.deliver' then v_calls || $schema$ {
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 60000}
        } $schema$
        when 'connector.report.generate' then $schema$ {
            "max_rows": {"type": "integer", "minimum": 1, "maximum": 10000000},
            "max_period_days": {"type": "integer", "minimum": 1, "maximum": 3660}
        } $schema$ end;
begin
    return jsonb_build_object('type', 'object', 'additionalProperties', false, 'properties', v_own);
end
$_$;

ALTER FUNCTION jobforge.connector_config_schema(p_connector text) OWNER TO jobforge_definer;

--
-- Name: constraint_sentence(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.constraint_sentence(p_constraint text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select s.sentence from (values
        ('access_policies_created_by_length', 'created_by has at most 500 characters'),
        ('intakes_created_by_length', 'created_by has at most 500 characters'),
        ('sources_created_by_length', 'created_by has at most 500 characters'),
        ('webhook_endpoints_created_by_length', 'created_by has at most 500 characters'),
        ('tenants_max_leased_jobs_range', 'max_leased_jobs is 0 to 1000000'),
        ('access_policies_effect_known', 'the effect is allow or deny'),
        ('access_policies_method_known', 'the method is GET, POST, PUT, PATCH, DELETE or *'),
        ('access_policies_note_length', 'a note has at most 500 characters'),
        ('access_policies_pattern_form', 'a path pattern is /a/b, with * for one segment and /** at its end, at most 500 characters'),
        ('access_policies_priority_range', 'the priority is -1000000 to 1000000'),
        ('access_policies_role_known', 'the role is Admin, ComplianceOfficer, Auditor or Operator'),
        ('access_policies_role_or_key', 'a policy is for a role or for a key, not for both'),
        ('governors_burst_range', 'burst is 1 to 60000'),
        ('governors_key_length', 'the key of a governor has 1 to 500 characters'),
        ('governors_kind_known', 'a governor is of a source, an endpoint or a host'),
        ('governors_open_range', 'open_seconds is 1 to 86400'),
        ('governors_probe_range', 'probe_seconds is 1 to 3600'),
        ('governors_rate_range', 'rate_per_minute is 1 to 60000'),
        ('governors_threshold_range', 'failure_threshold is 1 to 1000'),
        ('intakes_keyword_count', 'there are at most 200 keywords of each kind'),
        ('intakes_no_null_keyword', 'a keyword is a text, not null'),
        ('intakes_says_what', 'one of denomination, year, mintmark, series, title and keywords_include is needed'),
        ('intakes_text_lengths', 'at most 200 characters for denomination, 50 for mintmark, 500 for series, 1000 for title, 100 for grade'),
        ('intakes_year_range', 'year is -3000 to 3000'),
        ('job_types_backoff_base_range', 'backoff_base_seconds is 1 to 86400'),
        ('job_types_backoff_known', 'backoff is bpc, source or jobforge'),
        ('job_types_concurrency_positive', 'concurrency_limit and tenant_concurrency_limit are 0 or more'),
        ('job_types_jitter_range', 'backoff_jitter is 0 to 0.1'),
        ('job_types_lease_range', 'lease_seconds is 1 to 86400'),
        ('job_types_max_attempts_range', 'max_attempts is 1 to 1000'),
        ('job_types_priority_range', 'default_priority is 0 to 3'),
        ('job_types_rate_positive', 'rate_limit_per_minute and tenant_rate_limit_per_minute are 0 or more'),
        ('job_types_retention_range', 'retention_days and failure_retention_days are 0 to 36500'),
        ('job_types_schema_is_object', 'payload_schema is a JSON object'),
        ('job_types_timeout_range', 'timeout_seconds is 1 to 604800'),
        ('job_types_type_is_a_name', 'a job type is a letter, then letters, digits, "_", ".", ":" or "-", at most 100 in all'),
        ('price_points_currency_is_code', 'a currency is three capital letters, such as USD'),
        ('price_points_key_length', 'a dedupe key has 1 to 500 characters'),
        ('price_points_match_range', 'match_strength is 0 to 1'),
        ('price_points_price_not_negative', 'a price is 0 or more'),
        ('price_points_type_known', 'a price type is sold, ask or bid'),
        ('source_rules_keyword_count', 'there are at most 200 keywords of each kind'),
        ('source_rules_no_null_keyword', 'a keyword is a text, not null'),
        ('source_rules_override_range', 'rate_limit_override is 1 to 60000'),
        ('source_rules_path_begins', 'allowed_path begins with / and has at most 1000 characters'),
        ('sources_adapter_known', 'the adapter is http_json or manual'),
        ('sources_config_is_object', 'config is a JSON object'),
        ('sources_http_has_url', 'a source with the adapter http_json needs a base_url'),
        ('sources_name_is_a_name', 'a source''s name has letters, digits, " ", "_", "." and "-", begins with a letter or digit, '
            'has at most 100 characters and is not a UUID'),
        ('sources_rate_range', 'rate_limit_per_minute is 1 to 60000'),
        ('sources_reputation_range', 'reputation_weight is 0 to 1'),
        ('sources_tier_range', 'tier is 1 to 10'),
        ('sources_url_is_http', 'base_url begins with http:// or https:// and has at most 2000 characters'),
        ('tenant_defaults_quota_positive', 'max_waiting_jobs and max_waiting_bytes are 0 or more'),
        ('tenant_defaults_reserve_range', 'reserved_percent is 1 to 50'),
        ('tenants_concurrency_positive', 'concurrency_limit is 0 or more'),
        ('tenants_min_priority_range', 'min_priority is 0 to 3'),
        ('tenants_name_is_short', 'a tenant''s name has 1 to 200 characters'),
        ('tenants_quota_positive', 'max_waiting_jobs and max_waiting_bytes are 0 or more'),
        ('tenants_status_known', 'the status is ACTIVE or SUSPENDED'),
        ('valuations_confidence_range', 'the confidence is 1 to 10'),
        ('valuations_counts_not_negative', 'comparables and outliers are 0 or more'),
        ('valuations_currency_is_code', 'a currency is three capital letters, such as USD'),
        ('valuations_explanation_is_object', 'the explanation is a JSON object'),
        ('valuations_percentiles_rise', 'the percentiles are 0 or more and rise'),
        ('valuations_value_needs_prices', 'a valuation has values if, and only if, it has comparables'),
        ('webhook_endpoints_disable_range', 'disable_after is 1 to 1000'),
        ('webhook_endpoints_secret_length', 'the sealed secret has 1 to 4096 bytes'),
        ('webhook_endpoints_status_known', 'the status is ACTIVE or DISABLED'),
        ('webhook_endpoints_url_is_http', 'the URL begins with http:// or https:// and has at most 2000 characters'),
        ('workers_id_length', 'the id of a worker has 1 to 200 characters'),
        ('workers_state_known', 'a worker is ACTIVE, DRAINING or STOPPED')
        ) s (name, sentence)
    where s.name = p_constraint
$$;

ALTER FUNCTION jobforge.constraint_sentence(p_constraint text) OWNER TO jobforge_owner;

--
-- Name: count_access_denied(text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.count_access_denied(p_key_id text, p_route text, p_reason text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_now timestamptz := clock_timestamp();
    v_row jobforge.access_denials;
begin
    insert into jobforge.access_denials as d (tenant_id, key_id, route, reason, pending, last_at)
    values (v_tenant_id, p_key_id, left(p_route, 300), left(p_reason, 100), 1, v_now)
    on conflict (tenant_id, key_id, route) do update
        set reason = excluded.reason, pending = d.pending + 1, last_at = excluded.last_at
    returning d.* into v_row;
    if v_row.noted_at <= v_now - interval '1 minute' then
        begin
            perform jobforge.tell_access_denied(v_row);
        exception when lock_not_available then
            null; -- another transaction holds the key's chain: flush_access_denied tells of it
        end;
    end if;
end
$$;

ALTER FUNCTION jobforge.count_access_denied(p_key_id text, p_route text, p_reason text) OWNER TO jobforge_definer;

--
-- Name: count_delivery(uuid, uuid, text, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.count_delivery(p_tenant_id uuid, p_endpoint uuid, p_status text, p_http_status integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    if p_status = 'DELIVERED' then
        update jobforge.webhook_endpoints e set permanent_failures = 0
        where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_endpoint and e.permanent_failures > 0;
        return;
    end if;
    update jobforge.webhook_endpoints e set permanent_failures = e.permanent_failures + 1
    where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_endpoint;
    update jobforge.webhook_endpoints e
    set status = 'DISABLED', disabled_at = clock_timestamp(),
        disabled_reason = case when p_http_status = 410 then 'the receiver answered 410 Gone'
            else format('%s permanent failures in a row', e.permanent_failures) end
    where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_endpoint and e.status = 'ACTIVE'
        and (p_http_status = 410 or e.permanent_failures >= e.disable_after);
end
$$;

ALTER FUNCTION jobforge.count_delivery(p_tenant_id uuid, p_endpoint uuid, p_status text, p_http_status integer) OWNER TO jobforge_definer;

--
-- Name: counted(bigint, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select p_count || ' ' || case when p_count = 1 then p_one else p_many end
$$;

ALTER FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) OWNER TO jobforge_owner;

--
-- Name: api_keys; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.api_keys (
    tenant_id uuid NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    first_key_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    secret_mac bytea NOT NULL,
    roles text[] NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    expires_at timestamp with time zone,
    rotated_to text COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revoked_by text,
    CONSTRAINT api_keys_expires_later CHECK ((expires_at > created_at)),
    CONSTRAINT api_keys_id_form CHECK ((key_id ~ '^[a-z2-7]{16}$'::text)),
    CONSTRAINT api_keys_mac_is_sha256 CHECK ((octet_length(secret_mac) = 32)),
    CONSTRAINT api_keys_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT api_keys_not_rotated_to_itself CHECK ((rotated_to <> key_id)),
    CONSTRAINT api_keys_revoked_has_time CHECK (((status = 'REVOKED'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT api_keys_roles_known CHECK ((((cardinality(roles) >= 1) AND (cardinality(roles) <= 4)) AND (roles <@ ARRAY['Admin'::text, 'ComplianceOfficer'::text, 'Auditor'::text, 'Operator'::text]))),
    CONSTRAINT api_keys_status_known CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'REVOKED'::text]))),
    CONSTRAINT api_keys_version_positive CHECK ((version >= 1))
)
WITH (fillfactor='80');

ALTER TABLE ONLY jobforge.api_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.api_keys OWNER TO jobforge_owner;

--
-- Name: api_key_states; Type: VIEW; Schema: jobforge; Owner: jobforge_owner
--

CREATE VIEW jobforge.api_key_states WITH (security_invoker='true') AS
 SELECT k.tenant_id,
    k.key_id,
    k.name,
    k.roles,
    k.status,
    k.version,
    k.expires_at,
    COALESCE((k.expires_at <= clock_timestamp()), false) AS expired,
    k.rotated_to,
    k.first_key_id,
    k.created_at,
    k.created_by,
    k.last_used_at,
    k.revoked_at,
    k.revoked_by
   FROM jobforge.api_keys k;

ALTER TABLE jobforge.api_key_states OWNER TO jobforge_owner;

--
-- Name: create_api_key(text, bytea, text, text[], timestamp with time zone, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.create_api_key(p_key_id text, p_secret_mac bytea, p_name text, p_roles text[], p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_actor_id text DEFAULT NULL::text) RETURNS SETOF jobforge.api_key_states
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_row jobforge.api_keys;
begin
    if p_expires_at > '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires before the year 10000',
            'Give no time to a key that does not expire.');
    end if;
    v_row.tenant_id := jobforge.acting_tenant();
    v_row.key_id := p_key_id;
    v_row.first_key_id := p_key_id;
    v_row.name := p_name;
    v_row.secret_mac := p_secret_mac;
    v_row.roles := array(select distinct r.role from unnest(p_roles) r(role) order by 1);
    v_row.status := 'ACTIVE';
    v_row.version := 1;
    v_row.expires_at := p_expires_at;
    v_row.created_at := clock_timestamp();
    v_row.created_by := jobforge.acting_actor(p_actor_id);
    perform jobforge.insert_api_key(v_row, null);
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_row.tenant_id and k.key_id = p_key_id;
end
$$;

ALTER FUNCTION jobforge.create_api_key(p_key_id text, p_secret_mac bytea, p_name text, p_roles text[], p_expires_at timestamp with time zone, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: create_passport(uuid, uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.create_passport(p_battery_product_id uuid, p_passport_id uuid DEFAULT NULL::uuid, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_passport_id uuid := coalesce(p_passport_id, jobforge.uuid_v7(clock_timestamp()));
begin
    if not exists (select from jobforge.battery_products p
            where p.tenant_id = v_tenant_id and p.battery_product_id = p_battery_product_id) then
        perform jobforge.raise_not_found('product', p_battery_product_id::text);
    end if;
    insert into jobforge.passports (tenant_id, passport_id, battery_product_id, created_by)
    values (v_tenant_id, v_passport_id, p_battery_product_id, left(p_actor_id, 500))
    on conflict do nothing;
    if not found and not exists (select from jobforge.passports p where p.tenant_id = v_tenant_id
            and p.passport_id = v_passport_id and p.battery_product_id = p_battery_product_id) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('passport %s exists for another product', v_passport_id), 'Use a new id, or none.');
    end if;
    return v_passport_id;
end
$$;

ALTER FUNCTION jobforge.create_passport(p_battery_product_id uuid, p_passport_id uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: create_platform_key(text, bytea, text, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.create_platform_key(p_key_id text, p_secret_mac bytea, p_name text, p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
declare
    v_actor_id text := 'login:' || session_user;
begin
    perform jobforge.check_length('the name of a key', p_name, 1, 200);
    if p_key_id is null or p_key_id !~ '^[a-z2-7]{16}$' or octet_length(p_secret_mac) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a key has an id of 16 characters and a mac of 32 bytes',
            'Use jobforge keys create --platform: it makes them.');
    elsif p_expires_at <= clock_timestamp() then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires in the future', '');
    elsif p_expires_at > '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires before the year 10000',
            'Give no time to a key that does not expire.');
    end if;
    insert into jobforge.platform_keys (key_id, name, secret_mac, expires_at, created_by)
    values (p_key_id, p_name, p_secret_mac, p_expires_at, v_actor_id) on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('there is a key %s already', p_key_id),
            'Use a new id.');
    end if;
    perform jobforge.append_platform_key_event(p_key_id, 'KEY_CREATED', jsonb_strip_nulls(jsonb_build_object(
        'name', p_name, 'kind', 'platform', 'expires_at', jobforge.utc_text(p_expires_at))), v_actor_id);
    return p_key_id;
end
$_$;

ALTER FUNCTION jobforge.create_platform_key(p_key_id text, p_secret_mac bytea, p_name text, p_expires_at timestamp with time zone) OWNER TO jobforge_engine;

--
-- Name: create_product(text, text, uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.create_product(p_sku text, p_name text, p_battery_product_id uuid DEFAULT NULL::uuid, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_product_id uuid := coalesce(p_battery_product_id, jobforge.uuid_v7(clock_timestamp()));
    v_held record;
begin
    perform jobforge.check_length('the sku of a product', p_sku, 1, 200);
    perform jobforge.check_length('the name of a product', p_name, 1, 500);
    insert into jobforge.battery_products (tenant_id, battery_product_id, sku, name, created_by)
    values (v_tenant_id, v_product_id, p_sku, p_name, left(p_actor_id, 500))
    on conflict do nothing;
    if found then
        return v_product_id;
    end if;
    select p.battery_product_id, p.name into v_held from jobforge.battery_products p
    where p.tenant_id = v_tenant_id and p.sku = p_sku;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('product %s exists with another sku', v_product_id), 'Use a new id, or none.');
    elsif v_held.name <> p_name then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('product %s has sku %L and the name %L', v_held.battery_product_id, p_sku, v_held.name),
            'A product keeps its name; use another sku.');
    end if;
    return v_held.battery_product_id;
end
$$;

ALTER FUNCTION jobforge.create_product(p_sku text, p_name text, p_battery_product_id uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: create_snapshot(text, uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.create_snapshot(p_label text DEFAULT ''::text, p_snapshot_id uuid DEFAULT NULL::uuid, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_snapshot_id uuid := coalesce(p_snapshot_id, jobforge.uuid_v7(clock_timestamp()));
begin
    perform jobforge.check_length('the label of a snapshot', coalesce(p_label, ''), 0, 500);
    insert into jobforge.data_snapshots (tenant_id, snapshot_id, label, created_by)
    values (v_tenant_id, v_snapshot_id, coalesce(p_label, ''), left(p_actor_id, 500))
    on conflict do nothing;
    if not found and not exists (select from jobforge.data_snapshots s where s.tenant_id = v_tenant_id
            and s.snapshot_id = v_snapshot_id and s.label = coalesce(p_label, '')) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('snapshot %s exists with another label', v_snapshot_id), 'Use a new id, or none.');
    end if;
    return v_snapshot_id;
end
$$;

ALTER FUNCTION jobforge.create_snapshot(p_label text, p_snapshot_id uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: create_tenant(text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.create_tenant(p_name text, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := coalesce(p_tenant_id, gen_random_uuid());
begin
    perform jobforge.check_length('a tenant name', p_name, 1, 200);
    if v_tenant_id = '00000000-0000-0000-0000-000000000000' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'the nil uuid is not a tenant: rate_buckets keeps the rates of job types under it', '');
    end if;
    perform jobforge.claim_tenant_name(p_name, v_tenant_id);
    insert into jobforge.tenants (tenant_id, name, max_waiting_jobs, max_waiting_bytes)
    select v_tenant_id, p_name, d.max_waiting_jobs, d.max_waiting_bytes from jobforge.tenant_defaults d
    on conflict (tenant_id) do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('tenant %s exists already', v_tenant_id), '');
    end if;
    -- Made now, so that the keepers of its event log, and its claims, never wait for each other to make them.
    insert into jobforge.turns (tenant_id, what) values (v_tenant_id, 'event_log'), (v_tenant_id, 'claims')
    on conflict do nothing;
    return v_tenant_id;
end
$$;

ALTER FUNCTION jobforge.create_tenant(p_name text, p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: current_tenant(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.current_tenant() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
declare
    v_tenant_id uuid;
    v_named text;
begin
    select l.tenant_id into v_tenant_id
    from jobforge.tenant_logins l where l.login_role = session_user;
    if found then
        return v_tenant_id;
    end if;
    if pg_has_role(session_user, 'jobforge_gateway', 'member')
        or pg_has_role(session_user, 'jobforge_worker', 'member') then
        v_named := nullif(current_setting('app.tenant_id', true), '');
        if (v_named like '________-____-____-____-____________'
                and translate(v_named, '0123456789abcdefABCDEF', '') = '----') is false
            and v_named !~ '^(([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}|\{([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}\})$' then
            perform jobforge.raise_error('VALIDATION_ERROR',
                format('the setting app.tenant_id is %L, which is not a uuid', left(v_named, 100)),
                'Set it to the id of a tenant.');
        end if;
        return v_named::uuid;
    end if;
    return null;
end
$_$;

ALTER FUNCTION jobforge.current_tenant() OWNER TO jobforge_engine;

--
-- Name: sources; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.sources (
    tenant_id uuid NOT NULL,
    source_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    adapter text DEFAULT 'http_json'::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    base_url text,
    rate_limit_per_minute integer DEFAULT 60 NOT NULL,
    reputation_weight numeric DEFAULT 0.5 NOT NULL,
    tier integer DEFAULT 2 NOT NULL,
    config jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT sources_adapter_known CHECK ((adapter = ANY (ARRAY['http_json'::text, 'manual'::text]))),
    CONSTRAINT sources_config_is_object CHECK ((jsonb_typeof(config) = 'object'::text)),
    CONSTRAINT sources_http_has_url CHECK (((adapter <> 'http_json'::text) OR (base_url IS NOT NULL))),
    CONSTRAINT sources_name_is_a_name CHECK (((name ~ '^[A-Za-z0-9][A-Za-z0-9 _.-]{0,99}$'::text) AND (name !~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$'::text))),
    CONSTRAINT sources_rate_range CHECK (((rate_limit_per_minute >= 1) AND (rate_limit_per_minute <= 60000))),
    CONSTRAINT sources_reputation_range CHECK (((reputation_weight >= (0)::numeric) AND (reputation_weight <= (1)::numeric))),
    CONSTRAINT sources_tier_range CHECK (((tier >= 1) AND (tier <= 10))),
    CONSTRAINT sources_url_is_http CHECK (((base_url ~ '^https?://[^[:space:]]+$'::text) AND (length(base_url) <= 2000)))
);

ALTER TABLE ONLY jobforge.sources FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.sources OWNER TO jobforge_owner;

--
-- Name: default_source(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.default_source(p_tenant_id uuid, p_source_id uuid) RETURNS jobforge.sources
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_row jobforge.sources;
begin
    v_row.tenant_id := p_tenant_id;
    v_row.source_id := p_source_id;
    v_row.adapter := 'http_json';
    v_row.enabled := true;
    v_row.rate_limit_per_minute := 60;
    v_row.reputation_weight := 0.5;
    v_row.tier := 2;
    v_row.config := '{}';
    return v_row;
end
$$;

ALTER FUNCTION jobforge.default_source(p_tenant_id uuid, p_source_id uuid) OWNER TO jobforge_definer;

--
-- Name: delete_tenant(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.delete_tenant(p_tenant_id uuid, p_confirm_name text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
declare
    v_tables record := jobforge.tenant_tables();
    v_tenant jobforge.tenants;
    v_kept text;
    v_data text;
    v_table text;
begin
    select t.* into v_tenant from jobforge.tenants t where t.tenant_id = p_tenant_id for update;
    if not found then
        perform jobforge.raise_not_found('tenant', p_tenant_id::text);
    end if;
    v_kept := jobforge.tenant_rows(p_tenant_id, v_tables.kept);
    if v_kept is not null then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('tenant %s has records that are kept (%s)', v_tenant.name, v_kept),
            'Suspend it: jobforge tenants set TENANT status=SUSPENDED. docs/access.md says what is kept.');
    end if;
    v_data := jobforge.tenant_rows(p_tenant_id, v_tables.data);
    if p_confirm_name is distinct from v_tenant.name and (v_data is not null or p_confirm_name is not null) then
        perform jobforge.raise_error('VALIDATION_ERROR', case when p_confirm_name is null
            then format('tenant %s has data (%s)', v_tenant.name, v_data)
            else format('%L is not the name of tenant %s', p_confirm_name, p_tenant_id) end,
            'To delete its data with it, repeat its name: --with-data NAME.');
    elsif v_data is not null and v_tenant.status <> 'SUSPENDED' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('tenant %s is %s and has data (%s)', v_tenant.name, lower(v_tenant.status), v_data),
            'Suspend it first: jobforge tenants set TENANT status=SUSPENDED.');
    elsif exists (select from jobforge.jobs j where j.tenant_id = p_tenant_id and j.status = 'RUNNING') then
        perform jobforge.raise_error('INVALID_TRANSITION', format('jobs of tenant %s are running', v_tenant.name),
            'Wait until they have ended, or cancel them: jobforge jobs cancel.');
    end if;
    foreach v_table in array v_tables.data || v_tables.counts loop
        execute format('delete from jobforge.%I where tenant_id = $1', v_table) using p_tenant_id;
    end loop;
    delete from jobforge.tenants t where t.tenant_id = p_tenant_id;
    return coalesce(v_data, '');
end
$_$;

ALTER FUNCTION jobforge.delete_tenant(p_tenant_id uuid, p_confirm_name text) OWNER TO jobforge_engine;

--
-- Name: delivery_is_routine(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.delivery_is_routine(p_delivery_id uuid, p_job_id uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return exists (select from jobforge.webhook_deliveries d
        join jobforge.webhook_endpoints e
            on e.tenant_id = d.tenant_id and e.webhook_endpoint_id = d.webhook_endpoint_id
        join jobforge.governors g on g.tenant_id = d.tenant_id and g.kind = 'endpoint'
            and g.key = d.webhook_endpoint_id::text
        where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id
            and d.job_id = p_job_id and d.status = 'PENDING' and e.permanent_failures = 0
            and g.state = 'CLOSED' and g.failure_streak = 0
            and g.last_success_at > clock_timestamp() - interval '1 second');
end
$$;

ALTER FUNCTION jobforge.delivery_is_routine(p_delivery_id uuid, p_job_id uuid) OWNER TO jobforge_definer;

--
-- Name: delivery_to_send(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.delivery_to_send(p_delivery_id uuid, OUT status text, OUT url text, OUT endpoint_status text, OUT secret_ciphertext bytea, OUT webhook_endpoint_id uuid, OUT event_id uuid, OUT event_type text, OUT aggregate_type text, OUT aggregate_id uuid, OUT occurred_at timestamp with time zone, OUT payload_canonical bytea, OUT secret_ciphertexts bytea[]) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select d.status, w.url, w.status, w.secret_ciphertext, d.webhook_endpoint_id, d.event_id, e.event_type,
        e.aggregate_type, e.aggregate_id, e.occurred_at, e.payload_canonical, jobforge.signing_secrets(w)
    into status, url, endpoint_status, secret_ciphertext, webhook_endpoint_id, event_id, event_type,
        aggregate_type, aggregate_id, occurred_at, payload_canonical, secret_ciphertexts
    from jobforge.webhook_deliveries d
    join jobforge.webhook_endpoints w
        on w.tenant_id = d.tenant_id and w.webhook_endpoint_id = d.webhook_endpoint_id
    join jobforge.events e on e.tenant_id = d.tenant_id and e.event_id = d.event_id
    where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    if not found then
        perform jobforge.raise_not_found('webhook delivery', p_delivery_id::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.delivery_to_send(p_delivery_id uuid, OUT status text, OUT url text, OUT endpoint_status text, OUT secret_ciphertext bytea, OUT webhook_endpoint_id uuid, OUT event_id uuid, OUT event_type text, OUT aggregate_type text, OUT aggregate_id uuid, OUT occurred_at timestamp with time zone, OUT payload_canonical bytea, OUT secret_ciphertexts bytea[]) OWNER TO jobforge_definer;

--
-- Name: deprecate_rules(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.deprecate_rules(p_rpv uuid, p_actor_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
begin
    if v_rules.status = 'DEPRECATED' then
        return;
    elsif v_rules.status <> 'PUBLISHED' then
        perform jobforge.raise_transition('rule version', p_rpv::text, v_rules.status, 'DEPRECATED');
    end if;
    update jobforge.rule_package_versions v set status = 'DEPRECATED', deprecated_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'RULES_DEPRECATED',
        jsonb_build_object('package', v_rules.package, 'version', v_rules.version), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.deprecate_rules(p_rpv uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: doctor_logins(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.doctor_logins() RETURNS TABLE(login text, tenant_id uuid, spans text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select l.login_role::text, l.tenant_id, jobforge.spans_tenants(l.login_role) from jobforge.tenant_logins l
    where jobforge.spans_tenants(l.login_role) is not null order by 1
$$;

ALTER FUNCTION jobforge.doctor_logins() OWNER TO jobforge_engine;

--
-- Name: doctor_types(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.doctor_types() RETURNS TABLE(type text, enabled boolean, live_workers bigint, oldest_due_at timestamp with time zone, expired_leases bigint, oldest_expired_at timestamp with time zone, dead_letters bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
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
    SET row_security TO 'on'
    AS $$
    select w.worker_id, w.host, w.pid, w.state, w.heartbeat_at,
        (select count(*) from jobforge.jobs j where j.status = 'RUNNING' and j.lease_owner = w.worker_id)
    from jobforge.workers w
    where w.state <> 'STOPPED' and w.heartbeat_at < clock_timestamp() - interval '60 seconds'
    order by w.heartbeat_at desc
$$;

ALTER FUNCTION jobforge.doctor_workers() OWNER TO jobforge_engine;

--
-- Name: document_to_parse(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.document_to_parse(p_document_version_id uuid, OUT kind text, OUT media_type text, OUT status text, OUT content bytea, OUT content_sha256 bytea) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select d.kind, v.media_type, v.status, v.content, v.content_sha256
    into kind, media_type, status, content, content_sha256
    from jobforge.document_versions v
    join jobforge.documents d on d.tenant_id = v.tenant_id and d.document_id = v.document_id
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    if not found then
        perform jobforge.raise_not_found('document version', p_document_version_id::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.document_to_parse(p_document_version_id uuid, OUT kind text, OUT media_type text, OUT status text, OUT content bytea, OUT content_sha256 bytea) OWNER TO jobforge_definer;

--
-- Name: enable_test_types(boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.enable_test_types(p_enabled boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    if p_enabled is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_enabled is true or false, not NULL', '');
    end if;
    update jobforge.job_types t set enabled = p_enabled, updated_at = clock_timestamp()
    where t.type in ('test.echo', 'test.sleep', 'test.fail', 'test.crash') and t.enabled <> p_enabled;
end
$$;

ALTER FUNCTION jobforge.enable_test_types(p_enabled boolean) OWNER TO jobforge_engine;

--
-- Name: end_api_key(uuid, text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.end_api_key(p_tenant_id uuid, p_key_id text, p_reason text, p_actor_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    update jobforge.api_keys k
    set status = 'REVOKED', revoked_at = clock_timestamp(), revoked_by = p_actor_id, version = k.version + 1
    where k.tenant_id = p_tenant_id and k.key_id = p_key_id;
    perform jobforge.append_key_event(p_key_id, 'KEY_REVOKED',
        jsonb_strip_nulls(jsonb_build_object('reason', nullif(p_reason, ''))), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.end_api_key(p_tenant_id uuid, p_key_id text, p_reason text, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: end_frozen_sessions(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.end_frozen_sessions(p_seconds integer DEFAULT 15) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION jobforge.end_frozen_sessions(p_seconds integer) OWNER TO jobforge_engine;

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
    claim_id uuid,
    interruptions smallint DEFAULT 0 NOT NULL,
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
-- Name: end_if_unreadable(jobforge.jobs); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.end_if_unreadable(p_job jobforge.jobs) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_reason text := jobforge.payload_fault(p_job.tenant_id, p_job.payload, p_job.payload_ref);
begin
    if v_reason is null then
        return 0;
    end if;
    perform jobforge.finish_job(p_job, 'FAILED', 'FAILED', jsonb_build_object(
        'code', 'JOB_PAYLOAD_INVALID', 'retryable', false, 'message', v_reason), p_job.lease_token);
    return 1;
end
$$;

ALTER FUNCTION jobforge.end_if_unreadable(p_job jobforge.jobs) OWNER TO jobforge_engine;

--
-- Name: end_turn(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.end_turn(p_tenant_id uuid, p_what text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    delete from jobforge.turns t where t.tenant_id = p_tenant_id and t.what = p_what;
end
$$;

ALTER FUNCTION jobforge.end_turn(p_tenant_id uuid, p_what text) OWNER TO jobforge_definer;

--
-- Name: end_unreadable_jobs(text[], integer, uuid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.end_unreadable_jobs(p_types text[], p_limit integer DEFAULT 1000, p_tenants uuid[] DEFAULT NULL::uuid[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_job jobforge.jobs;
    v_count integer := 0;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_elements(p_types, 'p_types');
    perform jobforge.check_page(p_limit, 10000);
    for v_job in
        select j.* from (select distinct f.type, f.priority, f.tenant_id
            from jobforge.find_lanes(p_types, p_tenants) f where not f.interrupted) l cross join lateral (
            select c.* from jobforge.jobs c
            where c.status = 'QUEUED' and not c.interrupted and c.type = l.type and c.priority = l.priority
                and c.tenant_id = l.tenant_id and c.scheduled_at <= clock_timestamp()
            order by c.scheduled_at limit p_limit for update skip locked) j
    loop
        v_count := v_count + jobforge.end_if_unreadable(v_job);
    end loop;
    for v_job in
        select j.* from jobforge.jobs j
        where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)
            and j.scheduled_at <= clock_timestamp() and (p_tenants is null or j.tenant_id = any(p_tenants))
        order by j.priority, j.scheduled_at limit p_limit for update skip locked
    loop
        v_count := v_count + jobforge.end_if_unreadable(v_job);
    end loop;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.end_unreadable_jobs(p_types text[], p_limit integer, p_tenants uuid[]) OWNER TO jobforge_engine;

--
-- Name: enqueue_collections(uuid, text[], double precision, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.enqueue_collections(p_intake uuid, p_sources text[] DEFAULT NULL::text[], p_stagger_seconds double precision DEFAULT 10, p_actor_id text DEFAULT NULL::text, p_trace_id text DEFAULT NULL::text) RETURNS TABLE(source_id uuid, name text, job_id uuid, scheduled_at timestamp with time zone, deduplicated boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_now timestamptz := clock_timestamp();
    v_added integer := 0;
    v_source record;
begin
    if p_stagger_seconds is null or p_stagger_seconds not between 0 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a stagger of %s seconds is not between 0 and 86400', p_stagger_seconds), '');
    elsif not exists (select from jobforge.intakes i
            where i.tenant_id = v_tenant_id and i.intake_id = p_intake) then
        perform jobforge.raise_not_found('intake', coalesce(p_intake::text, 'NULL'));
    end if;
    perform jobforge.check_sources_enabled(v_tenant_id, p_sources);
    insert into jobforge.collections (tenant_id, intake_id, source_id)
    select v_tenant_id, p_intake, s.source_id
    from jobforge.chosen_sources(v_tenant_id, p_sources) s order by s.source_id
    on conflict do nothing;
    -- Locked in the order of their ids, so that two calls cannot deadlock; answered by tier and name.
    perform from jobforge.collections c
    where c.tenant_id = v_tenant_id and c.intake_id = p_intake
    order by c.source_id for no key update;
    for v_source in
        select s.source_id, s.name, j.job_id, j.scheduled_at
        from jobforge.chosen_sources(v_tenant_id, p_sources) s
        join jobforge.collections c
            on c.tenant_id = v_tenant_id and c.intake_id = p_intake and c.source_id = s.source_id
        left join jobforge.jobs j on j.tenant_id = c.tenant_id and j.job_id = c.job_id
        order by s.tier, s.name
    loop
        source_id := v_source.source_id;
        name := v_source.name;
        job_id := v_source.job_id;
        scheduled_at := v_source.scheduled_at;
        deduplicated := v_source.job_id is not null;
        if not deduplicated then
            scheduled_at := v_now + v_added * p_stagger_seconds * interval '1 second';
            v_added := v_added + 1;
            job_id := jobforge.start_collection(v_tenant_id, p_intake, source_id, scheduled_at, p_actor_id,
                p_trace_id);
        end if;
        return next;
    end loop;
end
$$;

ALTER FUNCTION jobforge.enqueue_collections(p_intake uuid, p_sources text[], p_stagger_seconds double precision, p_actor_id text, p_trace_id text) OWNER TO jobforge_definer;

--
-- Name: enqueue_context(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint, OUT min_priority smallint) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_status text;
begin
    tenant_id := jobforge.current_tenant();
    if tenant_id is null or p_tenant_id <> tenant_id then
        perform jobforge.require_tenant(p_tenant_id); -- says what is wrong
    end if;
    select t.status, t.max_waiting_jobs, t.max_waiting_bytes, t.min_priority
    into v_status, max_waiting_jobs, max_waiting_bytes, min_priority
    from jobforge.tenants t where t.tenant_id = enqueue_context.tenant_id;
    if v_status is null then
        perform jobforge.raise_error('FORBIDDEN', format('there is no tenant %s', tenant_id),
            'Create it first: jobforge tenants create NAME.');
    elsif v_status <> 'ACTIVE' then
        perform jobforge.raise_error('FORBIDDEN', format('tenant %s is %s', tenant_id, lower(v_status)), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint, OUT min_priority smallint) OWNER TO jobforge_engine;

--
-- Name: enqueue_follow_up(uuid, text, jsonb, integer, text, timestamp with time zone, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.enqueue_follow_up(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_trace_id text DEFAULT NULL::text, p_created_by text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_now timestamptz := clock_timestamp();
    v_job_id uuid := jobforge.uuid_v7(v_now);
    v_policy record;
    v_bytes integer := octet_length(p_payload::text);
begin
    select t.max_attempts, t.default_priority into v_policy from jobforge.job_types t where t.type = p_type;
    if not found then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', p_type),
            'Run: jobforge migrate.');
    end if;
    if p_key is not null
        and jobforge.take_idempotency_key(p_tenant_id, p_type, p_key, v_job_id, p_payload, v_now) is null then
        return jobforge.key_holder(p_tenant_id, p_type, p_key);
    end if;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
        idempotency_key, trace_id, created_by, payload, payload_bytes)
    values (p_tenant_id, v_job_id, p_type, greatest(coalesce(p_priority, v_policy.default_priority),
            (select n.min_priority from jobforge.tenants n where n.tenant_id = p_tenant_id)),
        v_policy.max_attempts, coalesce(p_scheduled_at, v_now), v_now, p_key,
        coalesce(p_trace_id, nullif(left(current_setting('app.trace_id', true), 200), '')),
        jobforge.acting_actor(p_created_by), p_payload, v_bytes);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_tenant_id, p_type, 'enqueued', 1, v_bytes);
    -- As in wake(), without the cost of the call: every step of a passport comes by here.
    if pg_sequence_last_value(('jobforge.wake_' || (hashtext(p_type) & 15))::regclass)
        > (date_part('epoch', v_now) * 1000)::bigint then
        perform jobforge.notify_wake(p_type);
    end if;
    return v_job_id;
end
$$;

ALTER FUNCTION jobforge.enqueue_follow_up(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text) OWNER TO jobforge_definer;

--
-- Name: enqueue_job(text, jsonb, integer, timestamp with time zone, text, integer, text, text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.enqueue_job(p_type text, p_payload jsonb DEFAULT '{}'::jsonb, p_priority integer DEFAULT NULL::integer, p_scheduled_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_idempotency_key text DEFAULT NULL::text, p_max_attempts integer DEFAULT NULL::integer, p_trace_id text DEFAULT NULL::text, p_created_by text DEFAULT NULL::text, p_tenant_id uuid DEFAULT NULL::uuid, OUT job_id uuid, OUT deduplicated boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant record;
    v_policy record;
    v_now timestamptz := clock_timestamp();
    v_bytes integer;
    v_payload jsonb := p_payload;
    v_payload_ref bytea;
begin
    select * into v_tenant from jobforge.enqueue_context(p_tenant_id);
    select t.default_priority, t.max_attempts, t.payload_schema, t.internal into v_policy
    from jobforge.job_types t where t.type = p_type and t.enabled;
    if not found then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', p_type),
            'Register it: jobforge types set TYPE, or start a worker that has a handler for it.');
    end if;
    if v_policy.internal then
        perform jobforge.raise_internal(p_type);
    end if;
    perform jobforge.check_enqueue(p_payload, p_priority, p_max_attempts, p_scheduled_at, p_idempotency_key,
        p_trace_id, p_created_by);
    if p_priority < v_tenant.min_priority then
        perform jobforge.raise_min_priority(p_priority, v_tenant.min_priority);
    end if;
    v_bytes := jobforge.json_bytes(p_payload, 'payload', 16777216);
    if v_policy.payload_schema is not null then
        perform jobforge.require_payload(p_type, v_policy.payload_schema, p_payload);
    end if;

    job_id := jobforge.uuid_v7(v_now);
    deduplicated := false;
    -- The turn at the quota comes before the key: an enqueue that held a key and waited for its turn
    -- would deadlock with one that has its turn and wants the key.
    if num_nonnulls(v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes) > 0
        and (p_idempotency_key is null
            or jobforge.key_holder(v_tenant.tenant_id, p_type, p_idempotency_key) is null) then
        perform jobforge.usage_take(v_tenant.tenant_id, 1, v_bytes,
            v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes);
    end if;
    if p_idempotency_key is not null then
        job_id := jobforge.take_idempotency_key(v_tenant.tenant_id, p_type, p_idempotency_key, job_id,
            p_payload, v_now);
        if job_id is null then
            job_id := jobforge.key_holder(v_tenant.tenant_id, p_type, p_idempotency_key);
            deduplicated := true;
            return;
        end if;
    end if;

    if v_bytes > 262144 then
        v_payload_ref := jobforge.store_artifact(v_tenant.tenant_id, p_payload);
        v_payload := '{}';
    end if;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
        idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref)
    values (v_tenant.tenant_id, job_id, p_type,
        greatest(coalesce(p_priority, v_policy.default_priority), v_tenant.min_priority),
        coalesce(p_max_attempts, v_policy.max_attempts), coalesce(p_scheduled_at, v_now), v_now,
        p_idempotency_key, p_trace_id, p_created_by, v_payload, v_bytes, v_payload_ref);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (v_tenant.tenant_id, p_type, 'enqueued', 1, v_bytes);
    -- As in wake(), without the cost of the call: this is the path of every single enqueue.
    if pg_sequence_last_value(('jobforge.wake_' || (hashtext(p_type) & 15))::regclass)
        > (date_part('epoch', v_now) * 1000)::bigint then
        perform jobforge.notify_wake(p_type);
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
    SET row_security TO 'on'
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
    v_schema jsonb;
    v_internal boolean;
    v_sizes integer[];
    v_better integer;
begin
    select * into v_tenant from jobforge.enqueue_context(p_tenant_id);
    if v_count is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_types is NULL',
            'Give one type and one payload for each job.');
    elsif p_payloads is null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', 'p_payloads is NULL',
            'Give one type and one payload for each job.');
    end if;
    perform jobforge.check_same_length(v_count, cardinality(p_payloads), 'p_payloads');
    perform jobforge.check_same_length(v_count, cardinality(p_priorities), 'p_priorities');
    perform jobforge.check_same_length(v_count, cardinality(p_scheduled_at), 'p_scheduled_at');
    perform jobforge.check_same_length(v_count, cardinality(p_idempotency_keys), 'p_idempotency_keys');
    perform jobforge.check_same_length(v_count, cardinality(p_max_attempts), 'p_max_attempts');
    perform jobforge.check_same_length(v_count, cardinality(p_trace_ids), 'p_trace_ids');
    for v_type in select distinct i.type from unnest(p_types) i(type) loop
        select t.payload_schema, t.internal into v_schema, v_internal
        from jobforge.job_types t where t.type = v_type and t.enabled;
        if not found then
            perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not registered', v_type),
                'Register it: jobforge types set TYPE, or start a worker that has a handler for it.');
        elsif v_internal then
            perform jobforge.raise_internal(v_type);
        elsif v_schema is not null then
            perform jobforge.require_payload(v_type, v_schema, i.payload)
            from unnest(p_types, p_payloads) i(type, payload) where i.type = v_type;
        end if;
    end loop;

    -- A bad element is found by the scan that reads it; only then is the check called.
    perform jobforge.check_enqueue(i.payload, i.priority, i.max_attempts, i.at, null, i.trace_id, p_created_by)
    from unnest(p_payloads, p_priorities, p_scheduled_at, p_max_attempts, p_trace_ids)
        as i(payload, priority, at, max_attempts, trace_id)
    where i.payload is null or jsonb_typeof(i.payload) <> 'object' or i.priority not between 0 and 3
        or i.max_attempts not between 1 and 1000 or length(i.trace_id) > 200
        or length(p_created_by) > 500
        or i.at not between '2000-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00';
    if v_tenant.min_priority > 0 then
        select min(p.priority) into v_better from unnest(p_priorities) p(priority)
        where p.priority < v_tenant.min_priority;
        if v_better is not null then
            perform jobforge.raise_min_priority(v_better, v_tenant.min_priority);
        end if;
    end if;
    v_sizes := array(select case when pg_column_size(p.payload) > 400
            then jobforge.json_bytes(p.payload, 'payload', 16777216) else octet_length(p.payload::text) end
        from unnest(p_payloads) with ordinality p(payload, n) order by p.n);
    -- In a text of up to 400 bytes every number is short.
    if 400 < any(v_sizes) then
        perform jobforge.json_bytes(p.payload, 'payload', 16777216)
        from unnest(p_payloads, v_sizes) p(payload, bytes)
        where p.bytes > 400 and pg_column_size(p.payload) <= 400;
    end if;
    if p_idempotency_keys is not null
        or 262144 < any(v_sizes) then
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

    -- The plain case is one insert.
    if v_tenant.max_waiting_jobs is not null or v_tenant.max_waiting_bytes is not null then
        select sum(p.bytes) into v_bytes from unnest(v_sizes) p(bytes);
        perform jobforge.usage_take(v_tenant.tenant_id, v_count, v_bytes,
            v_tenant.max_waiting_jobs, v_tenant.max_waiting_bytes);
    end if;
    -- One microsecond apart: ids and default times keep the input order, without ties. (The clock
    -- itself gives ties, and it is past these times before the rows are in.)
    return query
    with input as materialized (
        select i.*, v_now + (i.n - 1) * interval '1 microsecond' as now
        from unnest(p_types, p_payloads, p_priorities, p_scheduled_at, p_max_attempts, p_trace_ids, v_sizes)
            with ordinality as i(type, payload, priority, at, max_attempts, trace_id, bytes, n)
    ), named as materialized (
        select i.*, jobforge.uuid_v7(i.now) as job_id, t.default_priority, t.max_attempts as default_attempts
        from input i join jobforge.job_types t on t.type = i.type
    ), added as (
        insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at, created_at,
            trace_id, created_by, payload, payload_bytes)
        select v_tenant.tenant_id, i.job_id, i.type,
            greatest(coalesce(i.priority, i.default_priority), v_tenant.min_priority),
            coalesce(i.max_attempts, i.default_attempts), coalesce(i.at, i.now), i.now,
            i.trace_id, p_created_by, i.payload, i.bytes
        from named i
    )
    select i.n, i.job_id, false from named i order by i.n;
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    select v_tenant.tenant_id, i.type, 'enqueued', count(*), sum(i.bytes)
    from unnest(p_types, v_sizes) i(type, bytes) group by i.type;
    perform jobforge.wake(i.type) from (select distinct u.type from unnest(p_types) u(type)) i;
end
$$;

ALTER FUNCTION jobforge.enqueue_jobs(p_types text[], p_payloads jsonb[], p_priorities integer[], p_scheduled_at timestamp with time zone[], p_idempotency_keys text[], p_max_attempts integer[], p_trace_ids text[], p_created_by text, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: enqueue_step(uuid, text, jsonb, integer, text, timestamp with time zone, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.enqueue_step(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_quota record;
begin
    if not exists (select from jobforge.job_types t where t.type = p_type and t.enabled) then
        perform jobforge.raise_error('UNKNOWN_JOB_TYPE', format('job type %L is not enabled', p_type),
            'Enable it: jobforge types set TYPE enabled=true.');
    end if;
    perform jobforge.check_enqueue(p_payload, p_priority, null, p_scheduled_at, p_key, p_trace_id, p_created_by);
    select n.max_waiting_jobs, n.max_waiting_bytes into v_quota
    from jobforge.tenants n where n.tenant_id = p_tenant_id;
    -- A repeated request answers with its first job, also when the queue is full.
    if num_nonnulls(v_quota.max_waiting_jobs, v_quota.max_waiting_bytes) > 0
        and (p_key is null or jobforge.key_holder(p_tenant_id, p_type, p_key) is null) then
        perform jobforge.usage_take(p_tenant_id, 1, octet_length(p_payload::text),
            v_quota.max_waiting_jobs, v_quota.max_waiting_bytes);
    end if;
    return jobforge.enqueue_follow_up(p_tenant_id, p_type, p_payload, p_priority, p_key, p_scheduled_at,
        p_trace_id, p_created_by);
end
$$;

ALTER FUNCTION jobforge.enqueue_step(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text) OWNER TO jobforge_definer;

--
-- Name: enter_platform_request(text, bytea, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.enter_platform_request(p_key_id text, p_secret_mac bytea, p_changes boolean DEFAULT false) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '2s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_platform constant uuid := '00000000-0000-0000-0000-000000000000';
    v_key record;
begin
    if p_changes then
        perform from jobforge.platform_keys k
        where k.key_id = p_key_id and k.secret_mac = p_secret_mac for key share;
    end if;
    select k.status, k.expires_at <= clock_timestamp() as expired,
        coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as unused
    into v_key
    from jobforge.platform_keys k where k.key_id = p_key_id and k.secret_mac = p_secret_mac;
    if not found then
        perform jobforge.raise_error('UNAUTHORIZED', 'this API key is not known',
            'Look at the whole key, or ask for a new one.');
    elsif v_key.status <> 'ACTIVE' then
        perform jobforge.raise_error('API_KEY_REVOKED', 'this API key was revoked', 'Ask for a new one.');
    elsif v_key.expired then
        perform jobforge.raise_error('UNAUTHORIZED', 'this API key has expired', 'Ask for a new one.');
    end if;
    perform set_config('app.tenant_id', v_platform::text, true),
        set_config('app.actor_id', 'platform:' || p_key_id, true),
        set_config('app.platform_key', p_key_id, true),
        set_config('app.platform_mac', encode(p_secret_mac, 'hex'), true);
    if jobforge.current_tenant() is distinct from v_platform then
        perform jobforge.raise_error('FORBIDDEN', 'the login of this server may not act for all tenants',
            'It needs jobforge_gateway, and must be bound to no tenant.');
    end if;
    if v_key.unused then
        update jobforge.platform_keys k set last_used_at = clock_timestamp()
        where k.key_id in (select u.key_id from jobforge.platform_keys u
            where u.key_id = p_key_id for no key update skip locked);
    end if;
    return v_platform;
end
$$;

ALTER FUNCTION jobforge.enter_platform_request(p_key_id text, p_secret_mac bytea, p_changes boolean) OWNER TO jobforge_engine;

--
-- Name: enter_request(text, bigint, bigint, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.enter_request(p_key_id text, p_key_version bigint, p_access_version bigint, p_changes boolean DEFAULT false) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '2s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_key record;
begin
    if p_changes then
        perform from jobforge.api_keys k where k.key_id = p_key_id for key share;
    end if;
    select k.tenant_id, k.status, k.version, k.expires_at <= clock_timestamp() as expired,
        coalesce(v.version, 0) as access_version,
        coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as unused
    into v_key
    from jobforge.api_keys k left join jobforge.access_versions v on v.tenant_id = k.tenant_id
    where k.key_id = p_key_id;
    if not found then
        perform jobforge.raise_error('UNAUTHORIZED', 'there is no such API key', '');
    elsif v_key.status <> 'ACTIVE' then
        perform jobforge.raise_error('API_KEY_REVOKED', 'this API key was revoked', 'Ask for a new one.');
    elsif v_key.expired then
        perform jobforge.raise_error('UNAUTHORIZED', 'this API key has expired', 'Ask for a new one.');
    elsif v_key.version is distinct from p_key_version
        or v_key.access_version is distinct from p_access_version then
        perform jobforge.raise_error('ACCESS_CHANGED', 'the rights of this API key have just changed',
            'Try again.');
    end if;
    perform set_config('app.tenant_id', v_key.tenant_id::text, true),
        set_config('app.actor_id', 'key:' || p_key_id, true);
    -- A login that is bound to a tenant would answer every key with that tenant's rows.
    if jobforge.current_tenant() is distinct from v_key.tenant_id then
        perform jobforge.raise_error('FORBIDDEN', 'the login of this server may not act for all tenants',
            'It needs jobforge_gateway, and must be bound to no tenant.');
    end if;
    if v_key.unused then
        -- Once a minute; a busy row is left alone: another request updates it.
        update jobforge.api_keys k set last_used_at = clock_timestamp()
        where (k.tenant_id, k.key_id) in (select u.tenant_id, u.key_id from jobforge.api_keys u
            where u.tenant_id = v_key.tenant_id and u.key_id = p_key_id for no key update skip locked);
    end if;
    return v_key.tenant_id;
end
$$;

ALTER FUNCTION jobforge.enter_request(p_key_id text, p_key_version bigint, p_access_version bigint, p_changes boolean) OWNER TO jobforge_engine;

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
        when 'ACCESS_CHANGED' then 'JF055'
        when 'SETTLED' then 'JF056'
        when 'COMPLIANCE_FAILED' then 'JF057'
        when 'SCHEMA_MISSING' then 'JF058'
        when 'ADDRESS_IN_USE' then 'JF059'
        when 'LOG_HEAD_MISMATCH' then 'JF060'
        else 'JF021' end
$$;

ALTER FUNCTION jobforge.error_sqlstate(p_code text) OWNER TO jobforge_owner;

--
-- Name: event_hash(uuid, text, uuid, bigint, text, text, timestamp with time zone, bytea, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.event_hash(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_aggregate_version bigint, p_event_type text, p_actor_id text, p_occurred_at timestamp with time zone, p_payload_hash bytea, p_prev_event_hash bytea) RETURNS bytea
    LANGUAGE sql STABLE
    AS $$
    select pg_catalog.sha256(pg_catalog.convert_to(
        '{"actor_id":' || coalesce(pg_catalog.to_json(p_actor_id)::text, 'null')
        || ',"aggregate_id":"' || p_aggregate_id::text
        || '","aggregate_type":' || pg_catalog.to_json(p_aggregate_type)::text
        || ',"aggregate_version":' || p_aggregate_version::text
        || ',"event_type":' || pg_catalog.to_json(p_event_type)::text
        || ',"occurred_at":"' || jobforge.utc_text(p_occurred_at)
        || '","payload_hash":"' || pg_catalog.encode(p_payload_hash, 'hex')
        || '","prev_event_hash":'
        || coalesce('"' || pg_catalog.encode(p_prev_event_hash, 'hex') || '"', 'null')
        || ',"tenant_id":"' || p_tenant_id::text || '"}', 'UTF8'))
$$;

ALTER FUNCTION jobforge.event_hash(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_aggregate_version bigint, p_event_type text, p_actor_id text, p_occurred_at timestamp with time zone, p_payload_hash bytea, p_prev_event_hash bytea) OWNER TO jobforge_definer;

--
-- Name: event_names(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.event_names() RETURNS TABLE(event_type text, alias text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    values ('DOCUMENT_UPLOADED', null), ('FACTS_PARSED', 'document.version.validated'),
        ('DOCUMENT_REJECTED', null), ('SNAPSHOT_READY', null), ('SNAPSHOT_REOPENED', null),
        ('SNAPSHOT_SEALED', null), ('RULES_UPLOADED', null), ('TESTS_RUN', null),
        ('RULES_PUBLISHED', 'rules.version.published'), ('RULES_DEPRECATED', null),
        ('RULES_RETIRED', null), ('PASSPORT_COMPILED', null),
        ('PASSPORT_SIGNED', 'passport.version.signed'), ('QR_GENERATED', null),
        ('PASSPORT_ACTIVATED', 'passport.version.active'), ('PASSPORT_SUPERSEDED', null),
        ('PASSPORT_REVOKED', 'passport.version.revoked'), ('PASSPORT_FINDING_ACCEPTED', null),
        ('ACCESS_DENIED', null),
        ('POLICY_CHANGED', null), ('KEY_CREATED', null), ('KEY_REVOKED', null),
        ('RETENTION_APPLIED', null), ('LOG_HEAD_ACCEPTED', null)
$$;

ALTER FUNCTION jobforge.event_names() OWNER TO jobforge_definer;

--
-- Name: explain_job(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
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
            v_job.started_at, v_job.lease_expires_at)
            || case when v_job.interrupted then array[format(
                'It has lost %s before: it runs in quarantine, few such jobs at once in a worker.',
                jobforge.counted(v_job.interruptions, 'worker', 'workers'))] else '{}' end;
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
            v_job.interruptions);
end
$$;

ALTER FUNCTION jobforge.explain_job(p_job_id uuid, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: explain_lease(text, integer, integer, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.explain_lease(p_worker text, p_attempt integer, p_max_attempts integer, p_started_at timestamp with time zone, p_lease_expires_at timestamp with time zone) RETURNS text[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
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
-- Name: explain_place(uuid, uuid, text, integer, timestamp with time zone, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interruptions integer) RETURNS text[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_ahead bigint;
begin
    if p_interruptions > 0 then
        return array[format('It lost its worker %s, so it is in quarantine: %s of such jobs run at once in '
            'one worker, beside other work.', case when p_interruptions = 1 then 'once'
                else p_interruptions || ' times' end,
            case when p_interruptions = 1 then 'a quarter of its slots' else 'one' end)];
    elsif p_scheduled_at > clock_timestamp() then
        return '{}';
    end if;
    select count(*) into v_ahead from (
        select from jobforge.jobs j
        where j.status = 'QUEUED' and not j.interrupted and j.type = p_type and j.priority = p_priority
            and j.tenant_id = p_tenant_id and j.scheduled_at < p_scheduled_at
        limit 1000) a;
    return array[format('It has been due for %s; %s ahead of it, of its type and priority.',
        jobforge.age_text(clock_timestamp() - p_scheduled_at), case when v_ahead = 1000
            then '1000 or more jobs are' else jobforge.counted(v_ahead, 'job is', 'jobs are') end)];
end
$$;

ALTER FUNCTION jobforge.explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interruptions integer) OWNER TO jobforge_definer;

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
    SET row_security TO 'on'
    AS $$
declare
    v_policy jobforge.job_types;
    v_tenant jobforge.tenants;
    v_workers bigint;
    v_free bigint;
begin
    select t.* into v_policy from jobforge.job_types t where t.type = p_type;
    select t.* into v_tenant from jobforge.tenants t where t.tenant_id = p_tenant_id;
    -- How many jobs a worker over HTTP would take is unknown: then the slots are not counted.
    select count(*), case when coalesce(bool_and(w.slots > 0), true)
        then coalesce(sum(greatest(0, w.slots - w.running)), 0) end into v_workers, v_free
    from jobforge.workers w
    where w.state = 'ACTIVE' and p_type = any(w.types)
        and w.heartbeat_at >= clock_timestamp() - interval '60 seconds'
        and coalesce(jobforge.worker_tenant(w.worker_id), p_tenant_id) = p_tenant_id;
    return array_remove(array[
        case when not v_policy.enabled then
            format('The type %s is disabled: nothing new is accepted, but jobs that wait still run.', p_type) end,
        case when v_tenant.status <> 'ACTIVE' then
            format('The tenant is %s: nothing new is accepted, but jobs that wait still run.',
                lower(v_tenant.status)) end,
        case when v_workers = 0 then
            format('No live worker has a handler for %s (live: heard of within 60 s).', p_type)
        when v_free = 0 then
            format('All slots of the %s for %s are busy.',
                jobforge.counted(v_workers, 'live worker', 'live workers'), p_type) end,
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
-- Name: extend_event_log(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.extend_event_log(p_limit integer DEFAULT 10000, OUT tree_size bigint, OUT frontier bytea[], OUT new_hashes bytea[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_head record;
begin
    perform jobforge.check_page(p_limit, 1000000);
    if not jobforge.try_turn(v_tenant_id, 'event_log') then
        return;
    end if;
    select h.tree_size, h.frontier into v_head from jobforge.log_heads h
    where h.tenant_id = v_tenant_id order by h.tree_size desc limit 1;
    if exists (select from jobforge.event_log l where l.tenant_id = v_tenant_id
            and l.log_index >= coalesce(v_head.tree_size, 0) and l.leaf_version <> 1) then
        return;
    end if;
    perform jobforge.log_waiting_events(v_tenant_id, p_limit, 1::smallint, null);
    tree_size := coalesce(v_head.tree_size, 0);
    frontier := coalesce(v_head.frontier, '{}');
    new_hashes := array(select l.event_hash from jobforge.event_log l
        where l.tenant_id = v_tenant_id and l.log_index >= extend_event_log.tree_size order by l.log_index);
end
$$;

ALTER FUNCTION jobforge.extend_event_log(p_limit integer, OUT tree_size bigint, OUT frontier bytea[], OUT new_hashes bytea[]) OWNER TO jobforge_definer;

--
-- Name: fail_delivery_of_job(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.fail_delivery_of_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $_$
declare
    v_delivery text := new.payload ->> 'webhook_delivery_id';
begin
    if v_delivery ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
        update jobforge.webhook_deliveries d
        set status = 'FAILED', updated_at = clock_timestamp(),
            error_message = coalesce(new.last_error ->> 'message', 'the delivery job was cancelled')
        where d.tenant_id = new.tenant_id and d.webhook_delivery_id = v_delivery::uuid
            and d.job_id = new.job_id and d.status = 'PENDING';
    end if;
    return null;
end
$_$;

ALTER FUNCTION jobforge.fail_delivery_of_job() OWNER TO jobforge_engine;

--
-- Name: fail_job(text, uuid, uuid, bigint, jsonb, double precision, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision DEFAULT NULL::double precision, p_claim_id uuid DEFAULT NULL::uuid, OUT status text, OUT scheduled_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    SET row_security TO 'on'
    AS $$
begin
    select f.status, f.scheduled_at into status, scheduled_at
    from jobforge.fail_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token], array[p_error],
        array[p_retry_after], array[p_claim_id]) f;
    if status in ('LEASE_LOST', 'SETTLED') then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;

ALTER FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, p_claim_id uuid, OUT status text, OUT scheduled_at timestamp with time zone) OWNER TO jobforge_engine;

--
-- Name: fail_jobs(text, uuid[], uuid[], bigint[], jsonb[], double precision[], uuid[], boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[] DEFAULT NULL::double precision[], p_claim_ids uuid[] DEFAULT NULL::uuid[], p_skip_locked boolean DEFAULT false) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, status text, scheduled_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_policy record;
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_errors),
        'p_errors');
    perform jobforge.check_same_length(cardinality(p_job_ids), cardinality(p_retry_after), 'p_retry_after');
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_errors, p_retry_after, p_claim_ids)
            as i(tenant_id, job_id, token, error, retry_after, claim_id)
        order by i.tenant_id, i.job_id
    loop
        tenant_id := v_input.tenant_id;
        job_id := v_input.job_id;
        lease_token := v_input.token;
        scheduled_at := null;
        perform jobforge.check_error(v_input.error);
        v_input.error := jobforge.bounded_error(v_input.error);
        if v_input.retry_after = 'NaN' then
            perform jobforge.raise_error('VALIDATION_ERROR', 'p_retry_after must be a number', '');
        end if;
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if not found then
            status := replace(jobforge.refusal(p_worker, v_input.tenant_id, v_input.job_id, v_input.token,
                v_input.claim_id), 'LOST', 'LEASE_LOST');
            perform jobforge.refuse_beside_writes(v_wrote, status, p_worker, tenant_id, job_id, lease_token);
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
            perform jobforge.requeue_job(v_job, scheduled_at, 'RETRY', v_input.error, false, false);
        end if;
        return next;
    end loop;
end
$$;

ALTER FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[], p_claim_ids uuid[], p_skip_locked boolean) OWNER TO jobforge_engine;

--
-- Name: fan_out_event(uuid, uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.fan_out_event(p_tenant_id uuid, p_event_id uuid, p_event_type text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_target record;
    v_delivery_id uuid;
begin
    for v_target in
        select distinct on (s.webhook_endpoint_id) s.webhook_endpoint_id, s.webhook_subscription_id
        from jobforge.webhook_subscriptions s
        join jobforge.webhook_endpoints e
            on e.tenant_id = s.tenant_id and e.webhook_endpoint_id = s.webhook_endpoint_id
        where s.tenant_id = p_tenant_id and s.event_type in (p_event_type, '*') and e.status = 'ACTIVE'
        order by s.webhook_endpoint_id, s.event_type = '*', s.webhook_subscription_id
    loop
        -- One that is just being removed has no use for it. The foreign key would ask too, and fail the event.
        perform from jobforge.webhook_endpoints e
        where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = v_target.webhook_endpoint_id for key share;
        continue when not found;
        v_delivery_id := jobforge.uuid_v7(clock_timestamp());
        insert into jobforge.webhook_deliveries (tenant_id, webhook_delivery_id, webhook_endpoint_id,
            webhook_subscription_id, event_id, job_id)
        values (p_tenant_id, v_delivery_id, v_target.webhook_endpoint_id, v_target.webhook_subscription_id,
            p_event_id, jobforge.enqueue_follow_up(p_tenant_id, 'DELIVER_WEBHOOK',
                jsonb_build_object('webhook_delivery_id', v_delivery_id), 3,
                format('webhook-%s-%s', p_event_id, v_target.webhook_endpoint_id)));
    end loop;
end
$$;

ALTER FUNCTION jobforge.fan_out_event(p_tenant_id uuid, p_event_id uuid, p_event_type text) OWNER TO jobforge_definer;

--
-- Name: find_api_key(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.find_api_key(p_key_id text) RETURNS TABLE(tenant_id uuid, secret_mac bytea, roles text[], status text, expired boolean, version bigint, access_version bigint, policies json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
begin
    return query
    select k.tenant_id, k.secret_mac, k.roles, k.status,
        coalesce(k.expires_at <= clock_timestamp(), false), k.version, coalesce(v.version, 0),
        (select coalesce(json_agg(json_build_object('policy_id', p.policy_id, 'effect', p.effect,
                'priority', p.priority, 'method', p.method, 'path_pattern', p.path_pattern)
                order by p.priority desc, p.effect = 'allow', p.policy_id), '[]')
            from jobforge.access_policies p
            where p.tenant_id = k.tenant_id and (p.role is null or p.role = any(k.roles))
                and (p.key_id is null or p.key_id = k.first_key_id))
    from jobforge.api_keys k left join jobforge.access_versions v on v.tenant_id = k.tenant_id
    where k.key_id = p_key_id;
end
$$;

ALTER FUNCTION jobforge.find_api_key(p_key_id text) OWNER TO jobforge_engine;

--
-- Name: find_lanes(text[], uuid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[] DEFAULT NULL::uuid[]) RETURNS TABLE(type text, priority smallint, tenant_id uuid, scheduled_at timestamp with time zone, solo boolean, interrupted boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_type text;
    v_waiting jobforge.quarantine_lanes;
begin
    -- In place: each call of a checking function costs a look 5 of its 40 us.
    if p_types is null or array_ndims(p_types) > 1 or array_position(p_types, null) is not null then
        perform jobforge.check_elements(p_types, 'p_types');
    elsif array_ndims(p_tenants) > 1 or array_position(p_tenants, null) is not null then
        perform jobforge.check_elements(p_tenants, 'p_tenants');
    end if;
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
            select v_type, l.priority, l.tenant_id, l.scheduled_at, false, false from lane l;
        else
            return query
            select v_type, p.priority, n.tenant_id, n.scheduled_at, false, false
            from unnest('{0,1,2,3}'::smallint[]) p(priority)
            cross join unnest(p_tenants) t(tenant_id) cross join lateral (
                select j.tenant_id, j.scheduled_at from jobforge.jobs j
                where j.status = 'QUEUED' and not j.interrupted and j.type = v_type
                    and j.priority = p.priority and j.tenant_id = t.tenant_id
                order by j.scheduled_at limit 1) n;
        end if;
    end loop;
    v_waiting := jobforge.interrupted_lanes(p_types, p_tenants);
    return query
    select l.type, l.priority::smallint, l.tenant_id, l.first, true, true
    from unnest(v_waiting.types, v_waiting.priorities, v_waiting.tenants, v_waiting.firsts)
        l(type, priority, tenant_id, first);
end
$$;

ALTER FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[]) OWNER TO jobforge_engine;

--
-- Name: find_source(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.find_source(p_tenant_id uuid, p_source text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_source_id uuid;
begin
    select s.source_id into v_source_id from jobforge.sources s
    where s.tenant_id = p_tenant_id and s.name = p_source;
    if not found then
        select s.source_id into v_source_id from jobforge.sources s
        where s.tenant_id = p_tenant_id and s.source_id::text = lower(p_source);
    end if;
    if v_source_id is null then
        perform jobforge.raise_not_found('source', coalesce(p_source, 'NULL'));
    end if;
    return v_source_id;
end
$$;

ALTER FUNCTION jobforge.find_source(p_tenant_id uuid, p_source text) OWNER TO jobforge_definer;

--
-- Name: finish_job(jobforge.jobs, text, text, jsonb, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    delete from jobforge.jobs j where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    insert into jobforge.finished_jobs (tenant_id, job_id, type, status, priority, attempts, max_attempts,
        interrupted, interruptions, lease_token, scheduled_at, created_at, started_at, completed_at,
        lease_owner, idempotency_key, trace_id, created_by, payload, payload_bytes, payload_ref, last_error)
    values (p_job.tenant_id, p_job.job_id, p_job.type, p_status, p_job.priority, p_job.attempts,
        p_job.max_attempts, p_job.interrupted, p_job.interruptions, p_token, p_job.scheduled_at, p_job.created_at,
        p_job.started_at, clock_timestamp(), p_job.lease_owner, p_job.idempotency_key, p_job.trace_id,
        p_job.created_by, p_job.payload, p_job.payload_bytes, p_job.payload_ref,
        coalesce(p_error, p_job.last_error));
    if p_job.status = 'RUNNING' then
        perform jobforge.record_attempt(p_job, p_outcome, p_error);
    else
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
        values (p_job.tenant_id, p_job.type, 'withdrawn', 1, p_job.payload_bytes);
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
-- Name: first_key_id(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.first_key_id(p_tenant_id uuid, p_key_id text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_first text;
begin
    if p_tenant_id = '00000000-0000-0000-0000-000000000000' then
        return p_key_id;
    end if;
    select k.first_key_id into v_first from jobforge.api_keys k
    where k.tenant_id = p_tenant_id and k.key_id = p_key_id;
    if not found then
        perform jobforge.raise_not_found('API key', coalesce(p_key_id, 'NULL'));
    end if;
    return v_first;
end
$$;

ALTER FUNCTION jobforge.first_key_id(p_tenant_id uuid, p_key_id text) OWNER TO jobforge_definer;

--
-- Name: flush_access_denied(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.flush_access_denied(p_limit integer DEFAULT 100) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_row jobforge.access_denials;
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 100000);
    for v_row in
        select d.* from jobforge.access_denials d
        where d.pending > 0 and d.noted_at <= clock_timestamp() - interval '1 minute'
        order by d.tenant_id, d.key_id, d.route limit p_limit for update skip locked
    loop
        continue when not jobforge.try_turn(v_row.tenant_id, 'api_key_events ' || v_row.key_id);
        perform set_config('app.tenant_id', v_row.tenant_id::text, true);
        perform jobforge.tell_access_denied(v_row);
        v_count := v_count + 1;
    end loop;
    perform set_config('app.tenant_id', '', true);
    delete from jobforge.access_denials d where (d.tenant_id, d.key_id, d.route) in (
        select o.tenant_id, o.key_id, o.route from jobforge.access_denials o
        where o.pending = 0 and o.last_at <= clock_timestamp() - interval '1 hour'
        limit 1000 for update skip locked);
    return v_count;
end
$$;

ALTER FUNCTION jobforge.flush_access_denied(p_limit integer) OWNER TO jobforge_engine;

--
-- Name: fold_counters(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.fold_counters() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_rows integer;
begin
    if not jobforge.try_turn('00000000-0000-0000-0000-000000000000', 'fold_counters') then
        return 0;
    end if;
    with taken as (
        delete from jobforge.counter_deltas d returning d.tenant_id, d.type, d.counter, d.delta, d.bytes
    ), added as (
        insert into jobforge.counter_totals as t (tenant_id, type, counter, value, bytes)
        select d.tenant_id, d.type, d.counter, sum(d.delta), sum(d.bytes) from taken d
        group by d.tenant_id, d.type, d.counter
        on conflict (tenant_id, type, counter) do update
            set value = t.value + excluded.value, bytes = t.bytes + excluded.bytes
    )
    select count(*) into v_rows from taken;
    delete from jobforge.tenant_measures m where m.measured_at < clock_timestamp() - interval '10 seconds';
    return v_rows;
end
$$;

ALTER FUNCTION jobforge.fold_counters() OWNER TO jobforge_engine;

--
-- Name: full_xid(xid, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.full_xid(p_xid xid, p_next bigint) RETURNS xid8
    LANGUAGE sql IMMUTABLE
    AS $$
    select greatest(pg_catalog.int8mi(p_next, (p_next - p_xid::text::bigint) & 4294967295), 3)::text::xid8
$$;

ALTER FUNCTION jobforge.full_xid(p_xid xid, p_next bigint) OWNER TO jobforge_engine;

--
-- Name: generate_report(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.generate_report(p_payload jsonb) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_now timestamptz := clock_timestamp();
    v_period jsonb := p_payload -> 'period';
    v_from timestamptz := coalesce(jobforge.report_time('from', v_period ->> 'from'),
        (date_trunc('day', v_now at time zone 'UTC') - interval '29 days') at time zone 'UTC');
    v_to timestamptz := coalesce(jobforge.report_time('to', v_period ->> 'to'), v_now);
    v_top_n integer := coalesce(jobforge.report_top_n(p_payload -> 'options' ->> 'top_n'), 10);
    v_config jsonb := jobforge.get_connector_config('connector.report.generate');
    v_max_days integer := coalesce((v_config ->> 'max_period_days')::integer, 366);
    v_max_rows bigint := coalesce((v_config ->> 'max_rows')::bigint, 1000000);
    v_data json := case p_payload ->> 'report_type'
        when 'job-analytics' then jobforge.report_job_analytics(v_from, v_to, v_top_n, v_max_days, v_max_rows)
        when 'tenant-usage' then jobforge.report_tenant_usage(v_from, v_to, v_top_n, v_max_days, v_max_rows)
        when 'usage-summary' then jobforge.report_usage_summary(v_from, v_to, v_top_n, v_max_days, v_max_rows)
        end;
begin
    if v_data is null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', 'report_type: there is no such report',
            'Known: job-analytics, tenant-usage, usage-summary.');
    end if;
    return json_build_object('report_type', p_payload ->> 'report_type',
        'metadata', json_build_object(
            'period', json_build_object('from', jobforge.utc_text(v_from), 'to', jobforge.utc_text(v_to)),
            'generated_at', jobforge.utc_text(v_now),
            'rows', coalesce(v_data -> 'totals' -> 'jobs', v_data -> 'totals' -> 'events')),
        'data', v_data);
end
$$;

ALTER FUNCTION jobforge.generate_report(p_payload jsonb) OWNER TO jobforge_definer;

--
-- Name: get_api_key(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_api_key(p_key_id text) RETURNS SETOF jobforge.api_key_states
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and k.key_id = p_key_id;
    if not found then
        perform jobforge.raise_not_found('API key', coalesce(p_key_id, 'NULL'));
    end if;
end
$$;

ALTER FUNCTION jobforge.get_api_key(p_key_id text) OWNER TO jobforge_definer;

--
-- Name: get_artifact(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_artifact(p_artifact_ref text) RETURNS TABLE(content bytea, media_type text, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if p_artifact_ref is null or p_artifact_ref !~ '^[0-9a-f]{64}$' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an artifact_ref is 64 hexadecimal digits',
            'The result of the job that made it has it.');
    end if;
    return query
    select a.content, a.media_type, a.created_at from jobforge.artifacts a
    where a.tenant_id = v_tenant_id and a.sha256 = decode(p_artifact_ref, 'hex');
    if not found then
        perform jobforge.raise_not_found('artifact', p_artifact_ref);
    end if;
end
$_$;

ALTER FUNCTION jobforge.get_artifact(p_artifact_ref text) OWNER TO jobforge_definer;

--
-- Name: get_connector_config(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_connector_config(p_connector text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.connector_configs;
begin
    select c.* into v_row from jobforge.connector_configs c
    where c.tenant_id = v_tenant_id and c.connector = p_connector;
    if jobforge.readable(v_row.config) ? 'unreadable' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('configuration of %s: it has a number of more than 400 digits', p_connector), 'Set it again.');
    end if;
    return coalesce(v_row.config || case when v_row.enabled then '{}' else '{"enabled": false}' end::jsonb, '{}');
end
$$;

ALTER FUNCTION jobforge.get_connector_config(p_connector text) OWNER TO jobforge_definer;

--
-- Name: get_document_content(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_document_content(p_document_version_id uuid) RETURNS bytea
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_content bytea;
begin
    select v.content into v_content from jobforge.document_versions v
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    if not found then
        perform jobforge.raise_not_found('document version', p_document_version_id::text);
    end if;
    return v_content;
end
$$;

ALTER FUNCTION jobforge.get_document_content(p_document_version_id uuid) OWNER TO jobforge_definer;

--
-- Name: get_document_version(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_document_version(p_document_version_id uuid) RETURNS TABLE(document_version_id uuid, document_id uuid, kind text, name text, version integer, media_type text, content_sha256 bytea, size_bytes bigint, status text, rejection jsonb, uploaded_at timestamp with time zone, uploaded_by text, settled_at timestamp with time zone, fact_count bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.document_version_id, v.document_id, d.kind, d.name, v.version, v.media_type, v.content_sha256,
        v.size_bytes, v.status, v.rejection, v.uploaded_at, v.uploaded_by, v.settled_at,
        (select count(*) from jobforge.fact_sources f
            where f.tenant_id = v.tenant_id and f.document_version_id = v.document_version_id)
    from jobforge.document_versions v
    join jobforge.documents d on d.tenant_id = v.tenant_id and d.document_id = v.document_id
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    if not found then
        perform jobforge.raise_not_found('document version', p_document_version_id::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.get_document_version(p_document_version_id uuid) OWNER TO jobforge_definer;

--
-- Name: get_intake(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_intake(p_intake uuid) RETURNS TABLE(intake_id uuid, denomination text, year integer, mintmark text, series text, title text, grade text, cleaned boolean, scratches boolean, rim_damage boolean, details_damaged boolean, harsh_cleaning boolean, keywords_include text[], keywords_exclude text[], created_at timestamp with time zone, created_by text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select i.intake_id, i.denomination, i.year, i.mintmark, i.series, i.title, i.grade, i.cleaned,
        i.scratches, i.rim_damage, i.details_damaged, i.harsh_cleaning, i.keywords_include,
        i.keywords_exclude, i.created_at, i.created_by
    from jobforge.intakes i where i.tenant_id = v_tenant_id and i.intake_id = p_intake;
    if not found then
        perform jobforge.raise_not_found('intake', p_intake::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.get_intake(p_intake uuid) OWNER TO jobforge_definer;

--
-- Name: get_job(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(tenant_id uuid, job_id uuid, type text, status text, priority smallint, attempts integer, max_attempts integer, interrupted boolean, scheduled_at timestamp with time zone, created_at timestamp with time zone, started_at timestamp with time zone, completed_at timestamp with time zone, heartbeat_at timestamp with time zone, lease_owner text, lease_token bigint, lease_expires_at timestamp with time zone, idempotency_key text, trace_id text, created_by text, last_error jsonb, payload jsonb, result jsonb, payload_ref text, result_ref text, interruptions smallint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    return query
    select a.tenant_id, a.job_id, a.type, a.status, a.priority, a.attempts, a.max_attempts, a.interrupted,
        a.scheduled_at, a.created_at, a.started_at, a.completed_at, a.heartbeat_at, a.lease_owner,
        a.lease_token, a.lease_expires_at, a.idempotency_key, a.trace_id, a.created_by,
        jobforge.readable(a.last_error),
        jobforge.readable(case when a.payload_ref is null then a.payload
            else jobforge.load_artifact(a.tenant_id, a.payload_ref) end),
        jobforge.readable(case when a.result_ref is null then a.result
            else jobforge.load_artifact(a.tenant_id, a.result_ref) end),
        encode(a.payload_ref, 'hex'), encode(a.result_ref, 'hex'), a.interruptions
    from jobforge.all_jobs a where a.tenant_id = v_tenant_id and a.job_id = p_job_id;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job %s', p_job_id), '');
    end if;
end
$$;

ALTER FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) OWNER TO jobforge_definer;

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
    payload_schema jsonb,
    internal boolean DEFAULT false NOT NULL,
    CONSTRAINT job_types_backoff_base_range CHECK (((backoff_base_seconds >= 1) AND (backoff_base_seconds <= 86400))),
    CONSTRAINT job_types_backoff_known CHECK ((backoff = ANY (ARRAY['bpc'::text, 'source'::text, 'jobforge'::text]))),
    CONSTRAINT job_types_concurrency_positive CHECK (((concurrency_limit >= 0) AND (tenant_concurrency_limit >= 0))),
    CONSTRAINT job_types_jitter_range CHECK (((backoff_jitter >= (0)::numeric) AND (backoff_jitter <= 0.1))),
    CONSTRAINT job_types_lease_range CHECK (((lease_seconds >= 1) AND (lease_seconds <= 86400))),
    CONSTRAINT job_types_max_attempts_range CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
    CONSTRAINT job_types_priority_range CHECK (((default_priority >= 0) AND (default_priority <= 3))),
    CONSTRAINT job_types_rate_positive CHECK (((rate_limit_per_minute >= 0) AND (tenant_rate_limit_per_minute >= 0))),
    CONSTRAINT job_types_retention_range CHECK ((((retention_days >= 0) AND (retention_days <= 36500)) AND ((failure_retention_days >= 0) AND (failure_retention_days <= 36500)))),
    CONSTRAINT job_types_schema_is_object CHECK ((jsonb_typeof(payload_schema) = 'object'::text)),
    CONSTRAINT job_types_timeout_range CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 604800))),
    CONSTRAINT job_types_type_is_a_name CHECK ((type ~ '^[A-Za-z][A-Za-z0-9_.:-]{0,99}$'::text))
);

ALTER TABLE jobforge.job_types OWNER TO jobforge_owner;

--
-- Name: get_job_type(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.get_job_type(p_type text) RETURNS jobforge.job_types
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_row jobforge.job_types;
begin
    select t.* into v_row from jobforge.job_types t where t.type = p_type;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job type %L', p_type), '');
    end if;
    return v_row;
end
$$;

ALTER FUNCTION jobforge.get_job_type(p_type text) OWNER TO jobforge_engine;

--
-- Name: get_passport_version(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_passport_version(p_pv uuid) RETURNS TABLE(passport_version_id uuid, passport_id uuid, version_number integer, battery_product_id uuid, sku text, name text, snapshot_id uuid, rule_package_version_id uuid, status text, payload_hash bytea, proof_root_hash bytea, receipt_hash bytea, compiler_build_id text, issued_at timestamp with time zone, signing_key_id text, signature bytea, qr_payload text, payload_bytes integer, proof_bytes integer, receipt_bytes integer, qr_png_bytes integer, created_at timestamp with time zone, signed_at timestamp with time zone, activated_at timestamp with time zone, superseded_at timestamp with time zone, revoked_at timestamp with time zone, revocation_reason text, findings json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.passport_version_id, v.passport_id, v.version_number, p.battery_product_id, b.sku, b.name,
        v.snapshot_id, v.rule_package_version_id, v.status, v.payload_hash, v.proof_root_hash,
        v.receipt_hash, v.compiler_build_id, v.issued_at, v.signing_key_id, v.signature, v.qr_payload,
        octet_length(v.payload_canonical), octet_length(v.proof_canonical),
        octet_length(v.receipt_canonical), octet_length(v.qr_png), v.created_at, v.signed_at,
        v.activated_at, v.superseded_at, v.revoked_at, v.revocation_reason,
        jobforge.version_findings(v.tenant_id, v.passport_version_id, v.payload_canonical)
    from jobforge.passport_versions v
    join jobforge.passports p on p.tenant_id = v.tenant_id and p.passport_id = v.passport_id
    join jobforge.battery_products b
        on b.tenant_id = p.tenant_id and b.battery_product_id = p.battery_product_id
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    if not found then
        perform jobforge.raise_not_found('passport version', p_pv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.get_passport_version(p_pv uuid) OWNER TO jobforge_definer;

--
-- Name: get_rules(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_rules(p_rpv uuid) RETURNS TABLE(rule_package_version_id uuid, rule_package_id uuid, package text, version integer, status text, dsl_sha256 bytea, tests_sha256 bytea, created_at timestamp with time zone, created_by text, validated_at timestamp with time zone, published_at timestamp with time zone, deprecated_at timestamp with time zone, retired_at timestamp with time zone, run_id uuid, run_status text, run_seed bigint, run_total_cases integer, run_passed_count integer, run_failed_count integer, run_first_failure jsonb, run_created_at timestamp with time zone, dsl_source text, tests_source text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.rule_package_version_id, v.rule_package_id, p.name, v.version, v.status, v.dsl_sha256,
        v.tests_sha256, v.created_at, v.created_by, v.validated_at, v.published_at, v.deprecated_at,
        v.retired_at, r.run_id, r.status, r.seed, r.total_cases, r.passed_count, r.failed_count,
        r.first_failure, r.created_at, v.dsl_source, v.tests_source
    from jobforge.rule_package_versions v
    join jobforge.rule_packages p on p.tenant_id = v.tenant_id and p.rule_package_id = v.rule_package_id
    left join lateral (select l.* from jobforge.rule_tests_runs l
        where l.tenant_id = v.tenant_id and l.rule_package_version_id = v.rule_package_version_id
        order by l.created_at desc, l.run_id desc limit 1) r on true
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.get_rules(p_rpv uuid) OWNER TO jobforge_definer;

--
-- Name: get_snapshot(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_snapshot(p_snapshot_id uuid) RETURNS TABLE(snapshot_id uuid, label text, status text, snapshot_hash bytea, fact_count bigint, created_at timestamp with time zone, created_by text, ready_at timestamp with time zone, sealed_at timestamp with time zone, sealed_by text, snapshot_canonical bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select s.snapshot_id, s.label, s.status, s.snapshot_hash,
        (select count(*) from jobforge.snapshot_items i
            where i.tenant_id = s.tenant_id and i.snapshot_id = s.snapshot_id),
        s.created_at, s.created_by, s.ready_at, s.sealed_at, s.sealed_by, s.snapshot_canonical
    from jobforge.data_snapshots s where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    if not found then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.get_snapshot(p_snapshot_id uuid) OWNER TO jobforge_definer;

--
-- Name: source_rules; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.source_rules (
    tenant_id uuid NOT NULL,
    source_id uuid NOT NULL,
    exclude_keywords text[] DEFAULT '{}'::text[] NOT NULL,
    require_keywords text[] DEFAULT '{}'::text[] NOT NULL,
    allowed_path text,
    rate_limit_override integer,
    CONSTRAINT source_rules_keyword_count CHECK (((cardinality(exclude_keywords) <= 200) AND (cardinality(require_keywords) <= 200))),
    CONSTRAINT source_rules_no_null_keyword CHECK (((array_position(exclude_keywords, NULL::text) IS NULL) AND (array_position(require_keywords, NULL::text) IS NULL))),
    CONSTRAINT source_rules_override_range CHECK (((rate_limit_override >= 1) AND (rate_limit_override <= 60000))),
    CONSTRAINT source_rules_path_begins CHECK (((allowed_path ~~ '/%'::text) AND (length(allowed_path) <= 1000)))
);

ALTER TABLE ONLY jobforge.source_rules FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.source_rules OWNER TO jobforge_owner;

--
-- Name: source_states; Type: VIEW; Schema: jobforge; Owner: jobforge_owner
--

CREATE VIEW jobforge.source_states WITH (security_invoker='true') AS
 SELECT s.tenant_id,
    s.source_id,
    s.name,
    s.adapter,
    s.enabled,
    s.base_url,
    s.rate_limit_per_minute,
    r.rate_limit_override,
    s.reputation_weight,
    s.tier,
    COALESCE(g.state, 'CLOSED'::text) AS state,
    COALESCE(g.failure_streak, 0) AS failure_streak,
        CASE
            WHEN (g.paused_until > clock_timestamp()) THEN g.paused_until
            ELSE NULL::timestamp with time zone
        END AS paused_until,
        CASE
            WHEN (g.paused_until > clock_timestamp()) THEN g.pause_reason
            ELSE NULL::text
        END AS pause_reason,
    g.open_until,
    g.last_success_at,
    g.last_failure_at,
    g.burst,
    COALESCE(r.exclude_keywords, '{}'::text[]) AS exclude_keywords,
    COALESCE(r.require_keywords, '{}'::text[]) AS require_keywords,
    r.allowed_path,
    s.config,
    s.created_at,
    s.created_by,
    s.updated_at
   FROM ((jobforge.sources s
     LEFT JOIN jobforge.source_rules r ON (((r.tenant_id = s.tenant_id) AND (r.source_id = s.source_id))))
     LEFT JOIN jobforge.governors g ON (((g.tenant_id = s.tenant_id) AND (g.kind = 'source'::text) AND (g.key = (s.source_id)::text))));

ALTER TABLE jobforge.source_states OWNER TO jobforge_owner;

--
-- Name: get_source(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_source(p_source text) RETURNS SETOF jobforge.source_states
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
    v_row jobforge.source_states;
begin
    select s.* into v_row from jobforge.source_states s
    where s.tenant_id = v_tenant_id and s.source_id = v_source_id;
    v_row.config := jobforge.readable(v_row.config);
    return next v_row;
end
$$;

ALTER FUNCTION jobforge.get_source(p_source text) OWNER TO jobforge_definer;

--
-- Name: get_valuation(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.get_valuation(p_intake uuid) RETURNS TABLE(intake_id uuid, currency text, comparables integer, outliers integer, p10 bigint, p20 bigint, p40 bigint, p50 bigint, p60 bigint, p80 bigint, p90 bigint, mean_cents bigint, confidence integer, explanation jsonb, computed_at timestamp with time zone, job_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.intake_id, v.currency, v.comparables, v.outliers, v.p10, v.p20, v.p40, v.p50, v.p60, v.p80,
        v.p90, v.mean_cents, v.confidence, v.explanation, v.computed_at, v.job_id
    from jobforge.valuations v where v.tenant_id = v_tenant_id and v.intake_id = p_intake;
    if not found then
        perform jobforge.raise_not_found('valuation of intake', coalesce(p_intake::text, 'NULL'));
    end if;
end
$$;

ALTER FUNCTION jobforge.get_valuation(p_intake uuid) OWNER TO jobforge_definer;

--
-- Name: govern_source(uuid, uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.govern_source(p_tenant_id uuid, p_source_id uuid, p_settings jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.governor_configure('source', p_source_id::text, jsonb_build_object('rate_per_minute', (
            select coalesce(r.rate_limit_override, s.rate_limit_per_minute) from jobforge.sources s
            left join jobforge.source_rules r on r.tenant_id = s.tenant_id and r.source_id = s.source_id
            where s.tenant_id = p_tenant_id and s.source_id = p_source_id))
        || coalesce((select jsonb_object_agg(m.key, m.value) from jsonb_each(p_settings) m
            where m.key in ('burst', 'failure_threshold', 'open_seconds', 'probe_seconds')), '{}'));
end
$$;

ALTER FUNCTION jobforge.govern_source(p_tenant_id uuid, p_source_id uuid, p_settings jsonb) OWNER TO jobforge_definer;

--
-- Name: governor_configure(text, text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_configure(p_kind text, p_key text, p_settings jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.governors := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
begin
    perform jobforge.check_members('a governor', p_settings,
        array['rate_per_minute', 'burst', 'failure_threshold', 'open_seconds', 'probe_seconds']);
    v_row := jsonb_populate_record(v_row, p_settings);
    update jobforge.governors g
    set rate_per_minute = v_row.rate_per_minute, burst = v_row.burst,
        failure_threshold = v_row.failure_threshold, open_seconds = v_row.open_seconds,
        probe_seconds = v_row.probe_seconds,
        hint_at = case when (g.rate_per_minute, g.burst) is distinct from (v_row.rate_per_minute, v_row.burst)
            then '-infinity' else g.hint_at end
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('governor %s %s: %s', p_kind, p_key,
        jobforge.refusal_text(sqlerrm, v_row, p_settings)),
        'docs/sources.md has the range of every setting.');
end
$$;

ALTER FUNCTION jobforge.governor_configure(p_kind text, p_key text, p_settings jsonb) OWNER TO jobforge_definer;

--
-- Name: governor_enter(text, text, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_enter(p_kind text, p_key text, p_rate_per_minute integer DEFAULT NULL::integer, OUT verdict text, OUT wait_ms bigint, OUT generation bigint, OUT probe boolean, OUT reason text, OUT decided_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.governors;
    v_pace record;
    v_refusal record;
begin
    if p_rate_per_minute not between 0 and 60000 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a rate of %s calls a minute is not between 0 and 60000', p_rate_per_minute), '');
    end if;
    verdict := 'go';
    wait_ms := 0;
    probe := false;
    reason := '';
    select g.* into v_row from jobforge.governors g
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    if found then
        generation := v_row.generation;
        decided_at := clock_timestamp();
        -- Healthy and without a limit: nothing to write, no lock to wait for. The report that opens the
        -- breaker at this moment came after this call; its report will be late.
        if v_row.state = 'CLOSED' and v_row.rate_per_minute is null and coalesce(p_rate_per_minute, 0) = 0
            and coalesce(v_row.paused_until <= decided_at, true) then
            return;
        end if;
    end if;
    v_row := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
    decided_at := clock_timestamp();
    generation := v_row.generation;
    if nullif(p_rate_per_minute, 0) is distinct from v_row.rate_per_minute and p_rate_per_minute is not null then
        v_row.rate_per_minute := nullif(p_rate_per_minute, 0);
        v_row.hint_at := '-infinity';
        update jobforge.governors g set rate_per_minute = v_row.rate_per_minute, hint_at = v_row.hint_at
        where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    end if;
    v_pace := jobforge.governor_pace(v_row.rate_per_minute, v_row.burst);
    select o.* into v_refusal from jobforge.governor_obstacle(v_row, decided_at) o;
    if not found and decided_at < v_row.next_free_at - v_pace.slack then
        select 'wait' as verdict, v_row.next_free_at - v_pace.slack as free_at,
            format('the limit of %s calls a minute', v_row.rate_per_minute) as reason into v_refusal;
    end if;
    if v_refusal.verdict is not null then
        verdict := v_refusal.verdict;
        reason := v_refusal.reason;
        wait_ms := jobforge.governor_wait_ms(v_row, v_refusal.free_at, decided_at,
            coalesce(v_pace.step, interval '50 milliseconds'));
        return;
    end if;
    -- A caller that comes when the breaker is due, or the probe before it has timed out, is the probe.
    probe := v_row.state <> 'CLOSED';
    generation := v_row.generation + probe::integer;
    update jobforge.governors g
    set next_free_at = coalesce(greatest(g.next_free_at, decided_at) + v_pace.step, g.next_free_at),
        generation = governor_enter.generation,
        state = case when probe then 'HALF_OPEN' else 'CLOSED' end, open_until = null,
        probe_expires_at = case when probe then decided_at + interval '1 second' * g.probe_seconds end
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
end
$$;

ALTER FUNCTION jobforge.governor_enter(p_kind text, p_key text, p_rate_per_minute integer, OUT verdict text, OUT wait_ms bigint, OUT generation bigint, OUT probe boolean, OUT reason text, OUT decided_at timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: governor_obstacle(jobforge.governors, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_obstacle(p_row jobforge.governors, p_now timestamp with time zone) RETURNS TABLE(verdict text, free_at timestamp with time zone, reason text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_row.paused_until > p_now then
        return query select 'paused', p_row.paused_until, case when isfinite(p_row.paused_until)
            then format('paused until %s', jobforge.time_text(p_row.paused_until)) else 'paused until resumed' end
            || coalesce(nullif(': ' || p_row.pause_reason, ': '), '');
    elsif p_row.state = 'OPEN' and p_now < p_row.open_until then
        return query select 'wait', p_row.open_until, format('%s in a row, the last at %s; next try at %s',
            jobforge.counted(p_row.failure_streak, 'failure', 'failures'), jobforge.time_text(p_row.last_failure_at), jobforge.time_text(p_row.open_until));
    elsif p_row.state = 'HALF_OPEN' and p_now < p_row.probe_expires_at then
        -- A probe is usually over soon; its timeout is only the latest it can be.
        return query select 'wait', least(p_row.probe_expires_at, p_now + interval '2 seconds'),
            'one call is trying whether it works again'::text;
    end if;
end
$$;

ALTER FUNCTION jobforge.governor_obstacle(p_row jobforge.governors, p_now timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: governor_pace(integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_pace(p_rate integer, p_burst integer, OUT step interval, OUT slack interval) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_burst integer := least(p_rate, coalesce(p_burst, greatest(1, p_rate / 12)));
begin
    step := ceil(60000000.0 / (p_rate - v_burst + 1)) * interval '1 microsecond';
    slack := (v_burst - 1) * step;
end
$$;

ALTER FUNCTION jobforge.governor_pace(p_rate integer, p_burst integer, OUT step interval, OUT slack interval) OWNER TO jobforge_definer;

--
-- Name: governor_pause(text, text, timestamp with time zone, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_pause(p_kind text, p_key text, p_until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, p_reason text DEFAULT ''::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.check_length('the reason of a pause', coalesce(p_reason, ''), 0, 500);
    if p_until is null or p_until <= clock_timestamp()
        or (isfinite(p_until) and p_until > '9999-12-31 23:59:59.999999+00') then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a pause ends in the future, before the year 10000',
            'Give a later time, or none to pause until it is resumed.');
    end if;
    perform jobforge.lock_governor(v_tenant_id, p_kind, p_key);
    update jobforge.governors g set paused_until = p_until, pause_reason = coalesce(p_reason, '')
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
end
$$;

ALTER FUNCTION jobforge.governor_pause(p_kind text, p_key text, p_until timestamp with time zone, p_reason text) OWNER TO jobforge_definer;

--
-- Name: governor_report(text, text, bigint, boolean, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_report(p_kind text, p_key text, p_generation bigint, p_ok boolean, p_retry_after_ms bigint DEFAULT NULL::bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.governors;
    v_now timestamptz;
begin
    if p_generation is null or p_ok is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a report has the generation of its call and an outcome', '');
    end if;
    select g.* into v_row from jobforge.governors g
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    if not found then
        return 'UNKNOWN';
    elsif v_row.generation <> p_generation then
        return 'LATE';
    elsif p_ok and p_retry_after_ms is null and v_row.state = 'CLOSED' and v_row.failure_streak = 0 then
        perform jobforge.note_healthy(v_row);
        return 'CLOSED';
    end if;
    v_row := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
    if v_row.generation <> p_generation then
        return 'LATE';
    end if;
    v_now := clock_timestamp();
    v_row := case when p_ok then jobforge.after_success(v_row, v_now)
        else jobforge.after_failure(v_row, v_now) end;
    -- LEAST ignores NULLs: without the first condition every result would pause for a day.
    if p_retry_after_ms > 0 and v_now + least(p_retry_after_ms, 86400000) * interval '1 millisecond'
        > coalesce(v_row.paused_until, v_now) then
        v_row.paused_until := v_now + least(p_retry_after_ms, 86400000) * interval '1 millisecond';
        v_row.pause_reason := 'the server asked to wait (Retry-After)';
    end if;
    update jobforge.governors g
    set state = v_row.state, generation = v_row.generation, failure_streak = v_row.failure_streak,
        open_until = v_row.open_until, probe_expires_at = v_row.probe_expires_at, hint_at = v_row.hint_at,
        paused_until = v_row.paused_until, pause_reason = v_row.pause_reason,
        last_success_at = v_row.last_success_at, last_failure_at = v_row.last_failure_at
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    return v_row.state;
end
$$;

ALTER FUNCTION jobforge.governor_report(p_kind text, p_key text, p_generation bigint, p_ok boolean, p_retry_after_ms bigint) OWNER TO jobforge_definer;

--
-- Name: governor_resume(text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_resume(p_kind text, p_key text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.governors := jobforge.lock_governor(v_tenant_id, p_kind, p_key);
begin
    update jobforge.governors g
    set paused_until = null, pause_reason = null, state = 'CLOSED', generation = g.generation + 1,
        failure_streak = 0, open_until = null, probe_expires_at = null, hint_at = '-infinity'
    where g.tenant_id = v_tenant_id and g.kind = p_kind and g.key = p_key;
    if p_key !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
        return;  -- a host, or what no source and no endpoint has
    elsif p_kind = 'source' then
        perform jobforge.pull_forward(v_tenant_id, 'COLLECT_PRICES', array(
            select c.job_id from jobforge.collections c
            where c.tenant_id = v_tenant_id and c.source_id = p_key::uuid), v_row.rate_per_minute, v_row.burst);
    elsif p_kind = 'endpoint' then
        perform jobforge.pull_forward(v_tenant_id, 'DELIVER_WEBHOOK', array(
            select d.job_id from jobforge.webhook_deliveries d
            where d.tenant_id = v_tenant_id and d.webhook_endpoint_id = p_key::uuid
                and d.status = 'PENDING'), v_row.rate_per_minute, v_row.burst);
    end if;
end
$_$;

ALTER FUNCTION jobforge.governor_resume(p_kind text, p_key text) OWNER TO jobforge_definer;

--
-- Name: governor_wait_ms(jobforge.governors, timestamp with time zone, timestamp with time zone, interval); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.governor_wait_ms(p_row jobforge.governors, p_free_at timestamp with time zone, p_now timestamp with time zone, p_step interval) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_free_at timestamptz := least(p_free_at, p_now + interval '55 minutes');
    v_at timestamptz := greatest(v_free_at, p_row.hint_at + p_step);
begin
    if v_at > v_free_at + interval '5 minutes' then
        v_at := v_free_at + random() * interval '5 minutes';
    else
        update jobforge.governors g set hint_at = v_at
        where g.tenant_id = p_row.tenant_id and g.kind = p_row.kind and g.key = p_row.key;
    end if;
    return greatest(1, ceil(extract(epoch from v_at - p_now) * 1000))::bigint;
end
$$;

ALTER FUNCTION jobforge.governor_wait_ms(p_row jobforge.governors, p_free_at timestamp with time zone, p_now timestamp with time zone, p_step interval) OWNER TO jobforge_definer;

--
-- Name: grow_event_log(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.grow_event_log(p_limit integer DEFAULT 10000, OUT taken bigint, OUT log_length bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_head_size bigint;
begin
    perform jobforge.check_page(p_limit, 1000000);
    if not jobforge.try_turn(v_tenant_id, 'event_log') then
        return;
    end if;
    select max(h.tree_size) into v_head_size from jobforge.log_heads h where h.tenant_id = v_tenant_id;
    taken := jobforge.log_waiting_events(v_tenant_id, p_limit, 2::smallint, coalesce(v_head_size, 0));
    select coalesce(max(l.log_index) + 1, 0) into log_length from jobforge.event_log l
    where l.tenant_id = v_tenant_id;
end
$$;

ALTER FUNCTION jobforge.grow_event_log(p_limit integer, OUT taken bigint, OUT log_length bigint) OWNER TO jobforge_definer;

--
-- Name: guard_api_key(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_api_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'ACTIVE' or new.version <> 1 or new.rotated_to is not null then
            perform jobforge.raise_transition('API key', new.key_id, null, new.status);
        end if;
    elsif (new.tenant_id, new.key_id, new.first_key_id, new.name, new.secret_mac, new.roles,
            new.created_at, new.created_by)
        is distinct from (old.tenant_id, old.key_id, old.first_key_id, old.name, old.secret_mac, old.roles,
            old.created_at, old.created_by)
        or (old.status = 'REVOKED' and (new.status, new.revoked_at, new.revoked_by)
            is distinct from (old.status, old.revoked_at, old.revoked_by))
        or (old.rotated_to is not null and new.rotated_to is distinct from old.rotated_to)
        or (old.expires_at is not null and coalesce(new.expires_at > old.expires_at, true))
        or new.version - old.version <> ((new.status, new.expires_at, new.rotated_to)
            is distinct from (old.status, old.expires_at, old.rotated_to))::integer then
        perform jobforge.raise_transition('API key', old.key_id, old.status, new.status);
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_api_key() OWNER TO jobforge_owner;

--
-- Name: guard_delivery(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_delivery() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'PENDING' then
            perform jobforge.raise_transition('delivery', new.webhook_delivery_id::text, null, new.status);
        end if;
    elsif (old.status, new.status) not in (('PENDING', 'PENDING'), ('PENDING', 'DELIVERED'),
            ('PENDING', 'FAILED'), ('FAILED', 'PENDING'))
        or (new.tenant_id, new.webhook_delivery_id, new.webhook_endpoint_id, new.webhook_subscription_id,
            new.event_id, new.created_at)
        is distinct from (old.tenant_id, old.webhook_delivery_id, old.webhook_endpoint_id,
            old.webhook_subscription_id, old.event_id, old.created_at) then
        perform jobforge.raise_transition('delivery', old.webhook_delivery_id::text, old.status, new.status);
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_delivery() OWNER TO jobforge_owner;

--
-- Name: guard_document_version(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_document_version() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'UPLOADED' then
            perform jobforge.raise_transition('document version', new.document_version_id::text, null,
                new.status);
        end if;
    elsif old.status <> 'UPLOADED' or new.status not in ('VALIDATED', 'REJECTED')
        or (new.tenant_id, new.document_version_id, new.document_id, new.version, new.media_type,
            new.content_sha256, new.size_bytes, new.uploaded_at, new.uploaded_by)
        is distinct from (old.tenant_id, old.document_version_id, old.document_id, old.version,
            old.media_type, old.content_sha256, old.size_bytes, old.uploaded_at, old.uploaded_by) then
        perform jobforge.raise_transition('document version', old.document_version_id::text, old.status,
            new.status);
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_document_version() OWNER TO jobforge_owner;

--
-- Name: guard_endpoint(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_endpoint() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('%s keeps its tenant, ids and birth', tg_table_name), 'Add a new one.');
    return null;
end
$$;

ALTER FUNCTION jobforge.guard_endpoint() OWNER TO jobforge_owner;

--
-- Name: guard_passport_version(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_passport_version() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_born_same boolean;
    v_legal boolean;
begin
    if tg_op = 'INSERT' then
        perform jobforge.raise_transition('passport version', new.passport_version_id::text, null, new.status);
    end if;
    v_born_same := (new.tenant_id, new.passport_version_id, new.passport_id, new.version_number,
            new.snapshot_id, new.rule_package_version_id, new.payload_hash, new.proof_sha256,
            new.proof_root_hash, new.receipt_hash, new.compiler_build_id, new.issued_at,
            new.signing_key_id, new.created_at)
        is not distinct from (old.tenant_id, old.passport_version_id, old.passport_id, old.version_number,
            old.snapshot_id, old.rule_package_version_id, old.payload_hash, old.proof_sha256,
            old.proof_root_hash, old.receipt_hash, old.compiler_build_id, old.issued_at,
            old.signing_key_id, old.created_at);
    v_legal := case old.status || ' ' || new.status
        when 'COMPILING SIGNED' then new.qr_payload is null
        when 'SIGNED SIGNED' then old.qr_payload is null and new.qr_payload is not null
        when 'SIGNED ACTIVE' then true
        when 'ACTIVE SUPERSEDED' then true
        when 'SIGNED REVOKED' then true
        when 'ACTIVE REVOKED' then true
        when 'SUPERSEDED REVOKED' then true
        else false end
        and (old.status = 'COMPILING' or (new.signature, new.signing_key_public, new.receipt_signed,
                new.signed_at) is not distinct from (old.signature, old.signing_key_public,
                old.receipt_signed, old.signed_at))
        and (new.status = 'SIGNED' or (new.qr_payload, new.qr_png)
            is not distinct from (old.qr_payload, old.qr_png))
        and (new.status = 'ACTIVE' or new.activated_at is not distinct from old.activated_at)
        and (new.status = 'SUPERSEDED' or new.superseded_at is not distinct from old.superseded_at);
    if not (v_born_same and v_legal) or tg_name = 'passport_versions_guard_artefacts' then
        perform jobforge.raise_transition('passport version', old.passport_version_id::text, old.status,
            new.status);
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_passport_version() OWNER TO jobforge_owner;

--
-- Name: guard_platform_key(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_platform_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if (new.key_id, new.name, new.secret_mac, new.expires_at, new.created_at, new.created_by)
        is distinct from (old.key_id, old.name, old.secret_mac, old.expires_at, old.created_at, old.created_by)
        or (old.status = 'REVOKED' and (new.status, new.revoked_at, new.revoked_by)
            is distinct from (old.status, old.revoked_at, old.revoked_by)) then
        perform jobforge.raise_transition('platform key', old.key_id, old.status, new.status);
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_platform_key() OWNER TO jobforge_owner;

--
-- Name: guard_price_point(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_price_point() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('price point %s changes only for a sold price or a better match', old.price_point_id),
        'Use store_price_points.');
    return null;
end
$$;

ALTER FUNCTION jobforge.guard_price_point() OWNER TO jobforge_owner;

--
-- Name: guard_rule_fields(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_rule_fields() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if exists (select from touched f join jobforge.rule_package_versions v
        on v.tenant_id = f.tenant_id and v.rule_package_version_id = f.rule_package_version_id
        where v.status <> 'DRAFT') then
        perform jobforge.raise_error('INVALID_TRANSITION',
            'fields are added with their rule version, while it is a DRAFT', 'Upload a new version.');
    end if;
    return null;
end
$$;

ALTER FUNCTION jobforge.guard_rule_fields() OWNER TO jobforge_owner;

--
-- Name: guard_rule_version(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_rule_version() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'DRAFT' then
            perform jobforge.raise_transition('rule version', new.rule_package_version_id::text, null,
                new.status);
        end if;
    elsif (old.status, new.status) not in (('DRAFT', 'VALIDATED'), ('VALIDATED', 'PUBLISHED'),
            ('PUBLISHED', 'DEPRECATED'), ('DEPRECATED', 'RETIRED'), ('DRAFT', 'RETIRED'),
            ('VALIDATED', 'RETIRED'))
        or (new.tenant_id, new.rule_package_version_id, new.rule_package_id, new.version, new.dsl_sha256,
            new.tests_sha256, new.created_at, new.created_by)
        is distinct from (old.tenant_id, old.rule_package_version_id, old.rule_package_id, old.version,
            old.dsl_sha256, old.tests_sha256, old.created_at, old.created_by)
        or (new.status <> 'VALIDATED' and new.validated_at is distinct from old.validated_at)
        or (new.status <> 'PUBLISHED' and new.published_at is distinct from old.published_at)
        or (new.status <> 'DEPRECATED' and new.deprecated_at is distinct from old.deprecated_at) then
        perform jobforge.raise_transition('rule version', old.rule_package_version_id::text, old.status,
            new.status);
    elsif new.status in ('VALIDATED', 'PUBLISHED') and 'PASSED' is distinct from (
            select r.status from jobforge.rule_tests_runs r
            where r.tenant_id = new.tenant_id and r.rule_package_version_id = new.rule_package_version_id
            order by r.created_at desc, r.run_id desc limit 1) then
        perform jobforge.raise_error('RULE_TESTS_FAILED',
            format('the latest test run of rule version %s has not passed', old.rule_package_version_id),
            'Run its tests: jobforge rules test.');
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_rule_version() OWNER TO jobforge_owner;

--
-- Name: guard_signing_key(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_signing_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if (new.tenant_id, new.key_id, new.public_key, new.created_at)
        is distinct from (old.tenant_id, old.key_id, old.public_key, old.created_at)
        or (old.retired_at is not null and new.retired_at is distinct from old.retired_at) then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('signing key %s can be retired, nothing else', old.key_id),
            'A new key has a new key id: receipts signed with the old one must still verify.');
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_signing_key() OWNER TO jobforge_owner;

--
-- Name: guard_snapshot(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_snapshot() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'BUILDING' then
            perform jobforge.raise_transition('snapshot', new.snapshot_id::text, null, new.status);
        end if;
    elsif old.status = 'SEALED' then
        perform jobforge.raise_error('SNAPSHOT_SEALED', format('snapshot %s is sealed', old.snapshot_id),
            'A sealed snapshot never changes; create a new one.');
    elsif (old.status, new.status) not in
            (('BUILDING', 'READY'), ('READY', 'BUILDING'), ('READY', 'SEALED'))
        or (new.tenant_id, new.snapshot_id, new.label, new.created_at, new.created_by)
        is distinct from (old.tenant_id, old.snapshot_id, old.label, old.created_at, old.created_by) then
        perform jobforge.raise_transition('snapshot', old.snapshot_id::text, old.status, new.status);
    end if;
    return new;
end
$$;

ALTER FUNCTION jobforge.guard_snapshot() OWNER TO jobforge_owner;

--
-- Name: guard_snapshot_items(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.guard_snapshot_items() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_snapshot record;
begin
    for v_snapshot in
        select s.snapshot_id, s.status from jobforge.data_snapshots s
        where (s.tenant_id, s.snapshot_id) in (select i.tenant_id, i.snapshot_id from touched i)
        order by s.tenant_id, s.snapshot_id
        for share
    loop
        if v_snapshot.status = 'SEALED' then
            perform jobforge.raise_error('SNAPSHOT_SEALED',
                format('snapshot %s is sealed', v_snapshot.snapshot_id),
                'A sealed snapshot never changes; create a new one.');
        elsif v_snapshot.status <> 'BUILDING' then
            perform jobforge.raise_error('INVALID_TRANSITION',
                format('snapshot %s is %s', v_snapshot.snapshot_id, v_snapshot.status),
                'Reopen it to change its facts.');
        end if;
    end loop;
    return null;
end
$$;

ALTER FUNCTION jobforge.guard_snapshot_items() OWNER TO jobforge_owner;

--
-- Name: has_long_number(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.has_long_number(p_value jsonb) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    return exists (select from jsonb_array_elements(jsonb_path_query_array(p_value,
            '$.** ? (@.type() == "number")', '{}', true)) n(number)
        where octet_length(n.number::text) > 400 and (octet_length(n.number::text) > 402
            or octet_length(split_part(ltrim(n.number::text, '-'), '.', 1)) > 400));
end
$_$;

ALTER FUNCTION jobforge.has_long_number(p_value jsonb) OWNER TO jobforge_definer;

--
-- Name: has_several_tenants(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.has_several_tenants() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select count(*) > 1 from (select from jobforge.tenants t where t.status = 'ACTIVE' limit 2) t
$$;

ALTER FUNCTION jobforge.has_several_tenants() OWNER TO jobforge_engine;

--
-- Name: heartbeat_jobs(text, uuid[], uuid[], bigint[], integer, uuid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer DEFAULT 60, p_claim_ids uuid[] DEFAULT NULL::uuid[]) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_now timestamptz := clock_timestamp();
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, null, null);
    perform jobforge.check_length('a worker id', p_worker, 1, 200);
    perform jobforge.check_elements(p_tenants, 'p_tenants');
    perform jobforge.check_elements(p_job_ids, 'p_job_ids');
    perform jobforge.check_elements(p_tokens, 'p_tokens');
    if p_lease_seconds is null or p_lease_seconds not between 1 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a lease lasts 1 to 86400 seconds', '');
    end if;
    return query
    with input as materialized (
        select i.tenant_id, i.job_id, i.token, i.claim_id
        from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids) as i(tenant_id, job_id, token, claim_id)
        order by i.tenant_id, i.job_id
    ), held as materialized (
        select h.row_id, h.span,
            (select t.lease_seconds from jobforge.job_types t where t.type = h.type) as lease_seconds
        from input i cross join lateral (
            select j.ctid as row_id, j.type, j.lease_expires_at - j.heartbeat_at as span
            from jobforge.jobs j
            where j.tenant_id = i.tenant_id and j.job_id = i.job_id
                and j.lease_token = i.token and j.lease_owner = p_worker
                and (i.claim_id is null or j.claim_id = i.claim_id)
            for update skip locked) h
    ), renewed as (
        update jobforge.jobs j
        set heartbeat_at = v_now,
            lease_expires_at = v_now
                + greatest(h.span, coalesce(h.lease_seconds, p_lease_seconds) * interval '1 second')
        from held h where j.ctid = h.row_id
        returning j.tenant_id, j.job_id
    )
    select i.tenant_id, i.job_id, i.token,
        case when (select f.status from jobforge.finished_jobs f
            where f.tenant_id = i.tenant_id and f.job_id = i.job_id) = 'CANCELLED'
        then 'CANCELLED' else 'LOST' end
    from input i
    -- NOT IN is answered from a hash table; NOT EXISTS would be a nested loop over all pairs here.
    where (i.tenant_id, i.job_id) not in (select r.tenant_id, r.job_id from renewed r)
        and (select j.status from jobforge.jobs j where j.tenant_id = i.tenant_id
            and j.job_id = i.job_id and j.lease_token = i.token and j.lease_owner = p_worker
            and (i.claim_id is null or j.claim_id = i.claim_id)) is null;
end
$$;

ALTER FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]) OWNER TO jobforge_engine;

--
-- Name: in_start_order(tid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.in_start_order(p_rows tid[]) RETURNS tid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
begin
    return array(select r.row_id from unnest(p_rows) r(row_id) cross join lateral (
            select j.priority, j.scheduled_at, j.job_id from jobforge.jobs j where j.ctid = r.row_id offset 0) c
        order by c.priority, c.scheduled_at, c.job_id);
end
$$;

ALTER FUNCTION jobforge.in_start_order(p_rows tid[]) OWNER TO jobforge_engine;

--
-- Name: insert_api_key(jobforge.api_keys, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.insert_api_key(p_row jobforge.api_keys, p_old text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    perform jobforge.check_length('the name of a key', p_row.name, 1, 200);
    if p_row.key_id is null or p_row.key_id !~ '^[a-z2-7]{16}$'
        or octet_length(p_row.secret_mac) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a key has an id of 16 characters and a mac of 32 bytes', 'Use jobforge keys create: it makes them.');
    elsif coalesce(cardinality(p_row.roles), 0) not between 1 and 4 or not p_row.roles
            <@ array['Admin', 'ComplianceOfficer', 'Auditor', 'Operator'] then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key has roles of the four that there are',
            'Known: Admin, ComplianceOfficer, Auditor, Operator.');
    elsif p_row.expires_at <= p_row.created_at then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a key expires in the future', '');
    end if;
    insert into jobforge.api_keys select p_row.* on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('there is a key %s already', p_row.key_id),
            'Use a new id.');
    end if;
    perform jobforge.append_key_event(p_row.key_id, 'KEY_CREATED', jsonb_strip_nulls(jsonb_build_object(
        'name', p_row.name, 'roles', p_row.roles, 'expires_at', jobforge.utc_text(p_row.expires_at),
        'rotated_from', p_old)), p_row.created_by);
end
$_$;

ALTER FUNCTION jobforge.insert_api_key(p_row jobforge.api_keys, p_old text) OWNER TO jobforge_definer;

--
-- Name: interrupted_lanes(text[], uuid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.interrupted_lanes(p_types text[], p_tenants uuid[]) RETURNS jobforge.quarantine_lanes
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
    v_type text;
    v_got jobforge.quarantine_lanes;
    v_all jobforge.quarantine_lanes;
begin
    for v_type in
        select t.type from unnest(p_types) t(type) where exists (select from jobforge.jobs j
            where j.interrupted and j.status = 'QUEUED' and j.type = t.type)
    loop
        if p_tenants is null then
            with recursive lane as (
                (select (j.interruptions > 1)::integer as often, j.priority, j.tenant_id, j.scheduled_at
                 from jobforge.jobs j
                 where j.interrupted and j.status = 'QUEUED' and j.type = v_type
                 order by (j.interruptions > 1)::integer, j.priority, j.tenant_id, j.scheduled_at limit 1)
                union all
                select n.often, n.priority, n.tenant_id, n.scheduled_at
                from lane l cross join lateral (
                    select (j.interruptions > 1)::integer as often, j.priority, j.tenant_id, j.scheduled_at
                    from jobforge.jobs j
                    where j.interrupted and j.status = 'QUEUED' and j.type = v_type
                        and ((j.interruptions > 1)::integer, j.priority, j.tenant_id)
                            > (l.often, l.priority, l.tenant_id)
                    order by (j.interruptions > 1)::integer, j.priority, j.tenant_id, j.scheduled_at limit 1) n
            )
            select array_agg(v_type), array_agg(l.often), array_agg(l.priority::integer), array_agg(l.tenant_id),
                array_agg(l.scheduled_at) into v_got from lane l;
        else
            select array_agg(v_type), array_agg(o.often), array_agg(p.priority::integer), array_agg(t.tenant_id),
                array_agg(n.scheduled_at) into v_got
            from generate_series(0, 1) o(often) cross join unnest('{0,1,2,3}'::smallint[]) p(priority)
            cross join unnest(p_tenants) t(tenant_id) cross join lateral (
                select j.scheduled_at from jobforge.jobs j
                where j.interrupted and j.status = 'QUEUED' and j.type = v_type
                    and (j.interruptions > 1)::integer = o.often and j.priority = p.priority
                    and j.tenant_id = t.tenant_id
                order by j.scheduled_at limit 1) n;
        end if;
        v_all := (v_all.types || v_got.types, v_all.often || v_got.often, v_all.priorities || v_got.priorities,
            v_all.tenants || v_got.tenants, v_all.firsts || v_got.firsts);
    end loop;
    return v_all;
end
$$;

ALTER FUNCTION jobforge.interrupted_lanes(p_types text[], p_tenants uuid[]) OWNER TO jobforge_engine;

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
            where n.tenant_id = p_tenant_id and n.concurrency_limit is not null);
end
$$;

ALTER FUNCTION jobforge.is_unlimited(p_type text, p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: job_changes(pg_snapshot, timestamp with time zone, uuid[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.job_changes(p_since pg_snapshot, p_at timestamp with time zone, p_running uuid[], p_limit integer) RETURNS TABLE(job_id uuid, type text, status text, lease_token bigint, job json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET row_security TO 'on'
    AS $$
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

ALTER FUNCTION jobforge.job_changes(p_since pg_snapshot, p_at timestamp with time zone, p_running uuid[], p_limit integer) OWNER TO jobforge_engine;

--
-- Name: job_is_leased(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.job_is_leased(p_session text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET row_security TO 'on'
    AS $$
begin
    return exists (select from jobforge.jobs j
        where j.status = 'RUNNING' and j.lease_expires_at >= clock_timestamp()
            and (left(encode(sha256(convert_to(j.claim_id::text || j.job_id, 'UTF8')), 'hex'), 32) = p_session
                or j.job_id::text = p_session));
end
$$;

ALTER FUNCTION jobforge.job_is_leased(p_session text) OWNER TO jobforge_engine;

--
-- Name: job_stats(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.job_stats(p_tenant_id uuid DEFAULT NULL::uuid) RETURNS TABLE(type text, queued bigint, due bigint, running bigint, oldest_due_at timestamp with time zone, enqueued bigint, succeeded bigint, failed bigint, cancelled bigint, dead_letter bigint, dead_letters_left bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
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
-- Name: json_bytes(jsonb, text, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.json_bytes(p_value jsonb, p_what text, p_max integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_size integer := pg_column_size(p_value);
    v_bytes integer;
begin
    if v_size > p_max or (v_size > 2000 and jobforge.has_long_number(p_value)) then
        perform jobforge.raise_unreadable(p_what, v_size > p_max, p_max);
    end if;
    v_bytes := octet_length(p_value::text);
    if v_bytes > p_max or (v_bytes > 400 and v_size <= 2000 and jobforge.has_long_number(p_value)) then
        perform jobforge.raise_unreadable(p_what, v_bytes > p_max and not jobforge.has_long_number(p_value),
            p_max);
    end if;
    return v_bytes;
end
$$;

ALTER FUNCTION jobforge.json_bytes(p_value jsonb, p_what text, p_max integer) OWNER TO jobforge_definer;

--
-- Name: keep_job_artifact(uuid, text, bytea, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.keep_job_artifact(p_job_id uuid, p_name text, p_content bytea, p_media_type text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_sha256 bytea := sha256(p_content);
begin
    perform jobforge.check_length('the name of a file', p_name, 1, 200);
    perform jobforge.check_length('the media type of a file', p_media_type, 1, 200);
    if p_content is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a file needs content', '');
    end if;
    if not exists (select from jobforge.jobs j
            where j.tenant_id = v_tenant_id and j.job_id = p_job_id and j.status = 'RUNNING') then
        perform jobforge.raise_not_found('running job', p_job_id::text);
    end if;
    insert into jobforge.artifacts (tenant_id, sha256, content, media_type)
    values (v_tenant_id, v_sha256, p_content, p_media_type)
    on conflict do nothing;
    insert into jobforge.job_artifacts (tenant_id, job_id, name, sha256)
    values (v_tenant_id, p_job_id, p_name, v_sha256);
    return encode(v_sha256, 'hex');
end
$$;

ALTER FUNCTION jobforge.keep_job_artifact(p_job_id uuid, p_name text, p_content bytea, p_media_type text) OWNER TO jobforge_definer;

--
-- Name: keep_signing_key(uuid, text, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.keep_signing_key(p_tenant_id uuid, p_key_id text, p_public_key bytea) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_public_key bytea;
begin
    select k.public_key into v_public_key from jobforge.signing_keys k
    where k.tenant_id = p_tenant_id and k.key_id = p_key_id;
    if not found then
        insert into jobforge.signing_keys (tenant_id, key_id, public_key)
        values (p_tenant_id, p_key_id, p_public_key)
        on conflict do nothing;
        select k.public_key into v_public_key from jobforge.signing_keys k
        where k.tenant_id = p_tenant_id and k.key_id = p_key_id;
    end if;
    if v_public_key is distinct from p_public_key then
        perform jobforge.raise_error('INVALID_SIGNING_KEY',
            format('key id %s belongs to another public key', p_key_id), 'Give the new key a new id.');
    end if;
end
$$;

ALTER FUNCTION jobforge.keep_signing_key(p_tenant_id uuid, p_key_id text, p_public_key bytea) OWNER TO jobforge_definer;

--
-- Name: key_aggregate(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.key_aggregate(p_key_id text) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select encode(substr(sha256(convert_to('key:' || p_key_id, 'UTF8')), 1, 16), 'hex')::uuid
$$;

ALTER FUNCTION jobforge.key_aggregate(p_key_id text) OWNER TO jobforge_definer;

--
-- Name: key_holder(uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.key_holder(p_tenant_id uuid, p_type text, p_key text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
begin
    return (select k.job_id from jobforge.idempotency_keys k
        where k.tenant_id = p_tenant_id and k.type = p_type and k.idempotency_key = p_key);
end
$$;

ALTER FUNCTION jobforge.key_holder(p_tenant_id uuid, p_type text, p_key text) OWNER TO jobforge_definer;

--
-- Name: last_log_head(bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.last_log_head(p_at_most bigint DEFAULT NULL::bigint) RETURNS TABLE(tree_size bigint, root_hash bytea, frontier bytea[], checkpoint text, key_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select h.tree_size, h.root_hash, h.frontier, h.checkpoint, h.key_id from jobforge.log_heads h
    where h.tenant_id = jobforge.require_tenant(null) and (p_at_most is null or h.tree_size <= p_at_most)
    order by h.tree_size desc limit 1
$$;

ALTER FUNCTION jobforge.last_log_head(p_at_most bigint) OWNER TO jobforge_definer;

--
-- Name: lease_fate(text, uuid, uuid, bigint, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.lease_fate(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    if exists (select from jobforge.jobs j where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)) then
        return 'HELD';
    elsif exists (select from jobforge.finished_jobs f where f.tenant_id = p_tenant_id
            and f.job_id = p_job_id and f.lease_token = p_token and f.lease_owner = p_worker
            and f.status in ('SUCCEEDED', 'CANCELLED'))
        or exists (select from jobforge.attempt_records a where a.tenant_id = p_tenant_id
            and a.job_id = p_job_id and a.lease_token = p_token and a.worker_id = p_worker
            and a.outcome not in ('CRASHED', 'CANCELLED')) then
        return 'SETTLED';
    end if;
    return 'LOST';
end
$$;

ALTER FUNCTION jobforge.lease_fate(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: lease_state(text, uuid, uuid, bigint, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid DEFAULT NULL::uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_lease(p_worker, p_tenant_id, p_job_id, p_token);
    perform from jobforge.lock_lease(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id, false);
    return jobforge.lease_fate(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
end
$$;

ALTER FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: leases_left(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.leases_left(p_tenant_id uuid) RETURNS integer
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
    v_most integer := (select t.max_leased_jobs from jobforge.tenants t where t.tenant_id = p_tenant_id);
    v_held integer;
begin
    select count(*) into v_held from jobforge.jobs j
    where j.tenant_id::text = p_tenant_id::text and j.status = 'RUNNING'
        and j.lease_owner like '________-____-____-____-____________/%';
    if v_held >= v_most then
        perform jobforge.raise_error('QUOTA_EXCEEDED',
            format('the workers of this tenant may hold %s jobs over HTTP, and hold %s', v_most, v_held),
            'Settle some, or ask the operator to raise max_leased_jobs.');
    end if;
    return v_most - v_held;
end
$$;

ALTER FUNCTION jobforge.leases_left(p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: list_access_policies(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_access_policies() RETURNS SETOF jobforge.access_policies
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query select p.* from jobforge.access_policies p where p.tenant_id = v_tenant_id
    order by p.priority desc, p.effect = 'allow', p.policy_id;
end
$$;

ALTER FUNCTION jobforge.list_access_policies() OWNER TO jobforge_definer;

--
-- Name: list_api_keys(text, integer, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_api_keys(p_status text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before text DEFAULT NULL::text) RETURNS SETOF jobforge.api_key_states
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_before record;
begin
    perform jobforge.check_page(p_limit);
    if p_status is not null then
        perform jobforge.check_one_of('status of a key', p_status, array['ACTIVE', 'REVOKED']);
    end if;
    if p_before is not null then
        select k.created_at, k.key_id into v_before from jobforge.get_api_key(p_before) k;
    else
        select 'infinity'::timestamptz as created_at, '' as key_id into v_before;
    end if;
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and (p_status is null or k.status = p_status)
        and (k.created_at, k.key_id) < (v_before.created_at, v_before.key_id)
    order by k.created_at desc, k.key_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_api_keys(p_status text, p_limit integer, p_before text) OWNER TO jobforge_definer;

--
-- Name: list_attempts(uuid, uuid, integer, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT NULL::integer, p_after bigint DEFAULT NULL::bigint) RETURNS TABLE(attempt_no integer, lease_token bigint, worker_id text, started_at timestamp with time zone, ended_at timestamp with time zone, outcome text, error jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(p_tenant_id);
begin
    if p_limit is not null then
        perform jobforge.check_page(p_limit, 1000);
    end if;
    return query
    select a.attempt_no, a.lease_token, a.worker_id, a.started_at, a.ended_at, a.outcome,
        jobforge.readable(a.error)
    from jobforge.job_attempts a where a.tenant_id = v_tenant_id and a.job_id = p_job_id
        and a.lease_token > coalesce(p_after, -1)
    order by a.lease_token limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid, p_limit integer, p_after bigint) OWNER TO jobforge_definer;

--
-- Name: list_collections(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_collections(p_intake uuid) RETURNS TABLE(source_id uuid, name text, job_id uuid, round integer, status text, attempts integer, scheduled_at timestamp with time zone, completed_at timestamp with time zone, last_error jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select c.source_id, s.name, c.job_id, c.round, j.status, j.attempts, j.scheduled_at, j.completed_at,
        jobforge.readable(j.last_error)
    from jobforge.collections c
    join jobforge.sources s on s.tenant_id = c.tenant_id and s.source_id = c.source_id
    left join jobforge.all_jobs j on j.tenant_id = c.tenant_id and j.job_id = c.job_id
    where c.tenant_id = v_tenant_id and c.intake_id = p_intake and c.round > 0
    order by s.tier, s.name;
end
$$;

ALTER FUNCTION jobforge.list_collections(p_intake uuid) OWNER TO jobforge_definer;

--
-- Name: list_connector_configs(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_connector_configs() RETURNS TABLE(connector text, config jsonb, enabled boolean, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select c.connector, jobforge.readable(c.config), c.enabled, c.created_at, c.updated_at
    from jobforge.connector_configs c where c.tenant_id = v_tenant_id order by c.connector;
end
$$;

ALTER FUNCTION jobforge.list_connector_configs() OWNER TO jobforge_definer;

--
-- Name: list_document_versions(text, text, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_document_versions(p_kind text DEFAULT NULL::text, p_status text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(document_version_id uuid, document_id uuid, kind text, name text, version integer, media_type text, content_sha256 bytea, size_bytes bigint, status text, rejection jsonb, uploaded_at timestamp with time zone, uploaded_by text, settled_at timestamp with time zone, fact_count bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('kind of document', p_kind,
        array['BOM', 'PCF', 'DUE_DILIGENCE', 'BATTERY_DATA', 'OTHER']);
    perform jobforge.check_filter('status of a document', p_status, array['UPLOADED', 'VALIDATED', 'REJECTED']);
    return query
    select v.document_version_id, v.document_id, d.kind, d.name, v.version, v.media_type, v.content_sha256,
        v.size_bytes, v.status, v.rejection, v.uploaded_at, v.uploaded_by, v.settled_at,
        (select count(*) from jobforge.fact_sources f
            where f.tenant_id = v.tenant_id and f.document_version_id = v.document_version_id)
    from jobforge.document_versions v
    join jobforge.documents d on d.tenant_id = v.tenant_id and d.document_id = v.document_id
    where v.tenant_id = v_tenant_id and (p_kind is null or d.kind = p_kind)
        and (p_status is null or v.status = p_status)
        and (p_before is null or v.document_version_id < p_before)
    order by v.document_version_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_document_versions(p_kind text, p_status text, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_events(text, uuid, text, integer, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_events(p_aggregate_type text DEFAULT NULL::text, p_aggregate_id uuid DEFAULT NULL::uuid, p_event_type text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_after bigint DEFAULT 0) RETURNS TABLE(event_seq bigint, event_id uuid, aggregate_type text, aggregate_id uuid, aggregate_version bigint, event_type text, actor_id text, payload_canonical bytea, event_hash bytea, occurred_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_after(p_after);
    return query
    select e.event_seq, e.event_id, e.aggregate_type, e.aggregate_id, e.aggregate_version, e.event_type,
        e.actor_id, e.payload_canonical, e.event_hash, e.occurred_at
    from jobforge.events e
    where e.tenant_id = v_tenant_id and e.event_seq > p_after
        and (p_aggregate_type is null or e.aggregate_type = p_aggregate_type)
        and (p_aggregate_id is null or e.aggregate_id = p_aggregate_id)
        and (p_event_type is null or e.event_type = p_event_type)
    order by e.event_seq limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_events(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_limit integer, p_after bigint) OWNER TO jobforge_definer;

--
-- Name: list_facts(uuid, text, text, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_facts(p_document_version_id uuid DEFAULT NULL::uuid, p_fact_type text DEFAULT NULL::text, p_key_prefix text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(fact_id uuid, fact_type text, fact_key text, schema_version integer, payload jsonb, payload_hash bytea, document_version_id uuid, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select f.fact_id, f.fact_type, f.fact_key, f.schema_version, f.payload, f.payload_hash,
        f.document_version_id, f.created_at
    from jobforge.facts f
    where f.tenant_id = v_tenant_id and (p_fact_type is null or f.fact_type = p_fact_type)
        and (p_key_prefix is null or starts_with(f.fact_key, p_key_prefix))
        and (p_before is null or f.fact_id < p_before)
        and (p_document_version_id is null or f.fact_id in (
            select s.fact_id from jobforge.fact_sources s
            where s.tenant_id = v_tenant_id and s.document_version_id = p_document_version_id))
    order by f.fact_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_facts(p_document_version_id uuid, p_fact_type text, p_key_prefix text, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_governors(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_governors(p_kind text DEFAULT NULL::text) RETURNS TABLE(kind text, key text, rate_per_minute integer, burst integer, state text, generation bigint, failure_streak integer, failure_threshold integer, open_seconds integer, probe_seconds integer, open_until timestamp with time zone, probe_expires_at timestamp with time zone, paused_until timestamp with time zone, pause_reason text, last_success_at timestamp with time zone, last_failure_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_now timestamptz := clock_timestamp();
begin
    perform jobforge.check_filter('kind of governor', p_kind, array['source', 'endpoint', 'host']);
    return query
    select g.kind, g.key, g.rate_per_minute, g.burst, g.state, g.generation, g.failure_streak,
        g.failure_threshold, g.open_seconds, g.probe_seconds, g.open_until, g.probe_expires_at,
        case when g.paused_until > v_now then g.paused_until end,
        case when g.paused_until > v_now then g.pause_reason end, g.last_success_at, g.last_failure_at
    from jobforge.governors g
    where g.tenant_id = v_tenant_id and (p_kind is null or g.kind = p_kind)
    order by g.kind, g.key;
end
$$;

ALTER FUNCTION jobforge.list_governors(p_kind text) OWNER TO jobforge_definer;

--
-- Name: list_intakes(integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_intakes(p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(intake_id uuid, denomination text, year integer, mintmark text, series text, title text, grade text, cleaned boolean, scratches boolean, rim_damage boolean, details_damaged boolean, harsh_cleaning boolean, keywords_include text[], keywords_exclude text[], created_at timestamp with time zone, created_by text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select i.intake_id, i.denomination, i.year, i.mintmark, i.series, i.title, i.grade, i.cleaned,
        i.scratches, i.rim_damage, i.details_damaged, i.harsh_cleaning, i.keywords_include,
        i.keywords_exclude, i.created_at, i.created_by
    from jobforge.intakes i
    where i.tenant_id = v_tenant_id and (p_before is null or i.intake_id < p_before)
    order by i.intake_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_intakes(p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_job_types(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.list_job_types() RETURNS SETOF jobforge.job_types
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
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
    SET row_security TO 'on'
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
        a.trace_id, a.created_by, jobforge.readable(a.last_error)
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
-- Name: list_passport_versions(uuid, text, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_passport_versions(p_passport_id uuid DEFAULT NULL::uuid, p_status text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(passport_version_id uuid, passport_id uuid, version_number integer, battery_product_id uuid, sku text, name text, snapshot_id uuid, rule_package_version_id uuid, status text, payload_hash bytea, proof_root_hash bytea, receipt_hash bytea, compiler_build_id text, issued_at timestamp with time zone, signing_key_id text, signature bytea, qr_payload text, payload_bytes integer, proof_bytes integer, receipt_bytes integer, qr_png_bytes integer, created_at timestamp with time zone, signed_at timestamp with time zone, activated_at timestamp with time zone, superseded_at timestamp with time zone, revoked_at timestamp with time zone, revocation_reason text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('status of a passport version', p_status,
        array['COMPILING', 'SIGNED', 'ACTIVE', 'SUPERSEDED', 'REVOKED']);
    return query
    select v.passport_version_id, v.passport_id, v.version_number, p.battery_product_id, b.sku, b.name,
        v.snapshot_id, v.rule_package_version_id, v.status, v.payload_hash, v.proof_root_hash,
        v.receipt_hash, v.compiler_build_id, v.issued_at, v.signing_key_id, v.signature, v.qr_payload,
        octet_length(v.payload_canonical), octet_length(v.proof_canonical),
        octet_length(v.receipt_canonical), octet_length(v.qr_png), v.created_at, v.signed_at,
        v.activated_at, v.superseded_at, v.revoked_at, v.revocation_reason
    from jobforge.passport_versions v
    join jobforge.passports p on p.tenant_id = v.tenant_id and p.passport_id = v.passport_id
    join jobforge.battery_products b
        on b.tenant_id = p.tenant_id and b.battery_product_id = p.battery_product_id
    where v.tenant_id = v_tenant_id and (p_passport_id is null or v.passport_id = p_passport_id)
        and (p_status is null or v.status = p_status)
        and (p_before is null or v.passport_version_id < p_before)
    order by v.passport_version_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_passport_versions(p_passport_id uuid, p_status text, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_passports(uuid, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_passports(p_battery_product_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(passport_id uuid, battery_product_id uuid, sku text, name text, created_at timestamp with time zone, created_by text, active_passport_version_id uuid, version_count bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select p.passport_id, p.battery_product_id, b.sku, b.name, p.created_at, p.created_by,
        (select v.passport_version_id from jobforge.passport_versions v
            where v.tenant_id = p.tenant_id and v.passport_id = p.passport_id and v.status = 'ACTIVE'),
        (select count(*) from jobforge.passport_versions v
            where v.tenant_id = p.tenant_id and v.passport_id = p.passport_id)
    from jobforge.passports p
    join jobforge.battery_products b
        on b.tenant_id = p.tenant_id and b.battery_product_id = p.battery_product_id
    where p.tenant_id = v_tenant_id
        and (p_battery_product_id is null or p.battery_product_id = p_battery_product_id)
        and (p_before is null or p.passport_id < p_before)
    order by p.passport_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_passports(p_battery_product_id uuid, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_platform_keys(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.list_platform_keys() RETURNS TABLE(key_id text, name text, status text, expires_at timestamp with time zone, expired boolean, created_at timestamp with time zone, created_by text, last_used_at timestamp with time zone, revoked_at timestamp with time zone, revoked_by text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select k.key_id, k.name, k.status, k.expires_at, coalesce(k.expires_at <= clock_timestamp(), false),
        k.created_at, k.created_by, k.last_used_at, k.revoked_at, k.revoked_by
    from jobforge.platform_keys k order by k.created_at desc, k.key_id desc
$$;

ALTER FUNCTION jobforge.list_platform_keys() OWNER TO jobforge_engine;

--
-- Name: list_price_points(uuid, text, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_price_points(p_intake uuid, p_source text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(price_point_id uuid, intake_id uuid, source_id uuid, source_name text, dedupe_key text, external_id text, url text, title text, price_cents bigint, currency text, price_type text, observed_at timestamp with time zone, match_strength numeric, raw jsonb, first_job_id uuid, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_source_id uuid := case when p_source is not null then jobforge.find_source(v_tenant_id, p_source) end;
begin
    perform jobforge.check_page(p_limit);
    return query
    select p.price_point_id, p.intake_id, p.source_id, s.name, p.dedupe_key, p.external_id, p.url, p.title,
        p.price_cents, p.currency, p.price_type, p.observed_at, p.match_strength::numeric, p.raw,
        p.first_job_id, p.created_at, p.updated_at
    from jobforge.price_points p
    join jobforge.sources s on s.tenant_id = p.tenant_id and s.source_id = p.source_id
    where p.tenant_id = v_tenant_id and p.intake_id = p_intake
        and (v_source_id is null or p.source_id = v_source_id)
        and (p_before is null or p.price_point_id < p_before)
    order by p.price_point_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_price_points(p_intake uuid, p_source text, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_products(integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_products(p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(battery_product_id uuid, sku text, name text, created_at timestamp with time zone, created_by text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select p.battery_product_id, p.sku, p.name, p.created_at, p.created_by
    from jobforge.battery_products p
    where p.tenant_id = v_tenant_id and (p_before is null or p.battery_product_id < p_before)
    order by p.battery_product_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_products(p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_rules(text, text, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_rules(p_package text DEFAULT NULL::text, p_status text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(rule_package_version_id uuid, rule_package_id uuid, package text, version integer, status text, dsl_sha256 bytea, tests_sha256 bytea, created_at timestamp with time zone, created_by text, validated_at timestamp with time zone, published_at timestamp with time zone, deprecated_at timestamp with time zone, retired_at timestamp with time zone, run_id uuid, run_status text, run_seed bigint, run_total_cases integer, run_passed_count integer, run_failed_count integer, run_first_failure jsonb, run_created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('status of a rule version', p_status,
        array['DRAFT', 'VALIDATED', 'PUBLISHED', 'DEPRECATED', 'RETIRED']);
    return query
    select v.rule_package_version_id, v.rule_package_id, p.name, v.version, v.status, v.dsl_sha256,
        v.tests_sha256, v.created_at, v.created_by, v.validated_at, v.published_at, v.deprecated_at,
        v.retired_at, r.run_id, r.status, r.seed, r.total_cases, r.passed_count, r.failed_count,
        r.first_failure, r.created_at
    from jobforge.rule_package_versions v
    join jobforge.rule_packages p on p.tenant_id = v.tenant_id and p.rule_package_id = v.rule_package_id
    left join lateral (select l.* from jobforge.rule_tests_runs l
        where l.tenant_id = v.tenant_id and l.rule_package_version_id = v.rule_package_version_id
        order by l.created_at desc, l.run_id desc limit 1) r on true
    where v.tenant_id = v_tenant_id and (p_package is null or p.name = p_package)
        and (p_status is null or v.status = p_status)
        and (p_before is null or v.rule_package_version_id < p_before)
    order by v.rule_package_version_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_rules(p_package text, p_status text, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_signing_keys(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_signing_keys() RETURNS TABLE(key_id text, public_key bytea, created_at timestamp with time zone, retired_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select k.key_id, k.public_key, k.created_at, k.retired_at from jobforge.signing_keys k
    where k.tenant_id = v_tenant_id order by k.created_at, k.key_id;
end
$$;

ALTER FUNCTION jobforge.list_signing_keys() OWNER TO jobforge_definer;

--
-- Name: list_snapshots(text, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_snapshots(p_status text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(snapshot_id uuid, label text, status text, snapshot_hash bytea, fact_count bigint, created_at timestamp with time zone, created_by text, ready_at timestamp with time zone, sealed_at timestamp with time zone, sealed_by text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('status of a snapshot', p_status, array['BUILDING', 'READY', 'SEALED']);
    return query
    select s.snapshot_id, s.label, s.status, s.snapshot_hash,
        (select count(*) from jobforge.snapshot_items i
            where i.tenant_id = s.tenant_id and i.snapshot_id = s.snapshot_id),
        s.created_at, s.created_by, s.ready_at, s.sealed_at, s.sealed_by
    from jobforge.data_snapshots s
    where s.tenant_id = v_tenant_id and (p_status is null or s.status = p_status)
        and (p_before is null or s.snapshot_id < p_before)
    order by s.snapshot_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_snapshots(p_status text, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_sources(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_sources() RETURNS SETOF jobforge.source_states
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.source_states;
begin
    for v_row in
        select s.* from jobforge.source_states s where s.tenant_id = v_tenant_id order by s.tier, s.name
    loop
        v_row.config := jobforge.readable(v_row.config);
        return next v_row;
    end loop;
end
$$;

ALTER FUNCTION jobforge.list_sources() OWNER TO jobforge_definer;

--
-- Name: list_tenants(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.list_tenants() RETURNS TABLE(tenant_id uuid, name text, status text, max_waiting_jobs bigint, max_waiting_bytes bigint, concurrency_limit integer, created_at timestamp with time zone, logins text[], min_priority smallint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select t.tenant_id, t.name, t.status, t.max_waiting_jobs, t.max_waiting_bytes, t.concurrency_limit,
        t.created_at, array(select l.login_role::text from jobforge.tenant_logins l
            where l.tenant_id = t.tenant_id order by 1), t.min_priority
    from jobforge.tenants t order by t.created_at
$$;

ALTER FUNCTION jobforge.list_tenants() OWNER TO jobforge_engine;

--
-- Name: list_webhook_deliveries(uuid, text, uuid, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_webhook_deliveries(p_endpoint uuid DEFAULT NULL::uuid, p_status text DEFAULT NULL::text, p_event_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS TABLE(webhook_delivery_id uuid, webhook_endpoint_id uuid, webhook_subscription_id uuid, event_id uuid, event_type text, status text, attempts integer, http_status integer, response_headers jsonb, response_body bytea, delivered_at timestamp with time zone, error_message text, job_id uuid, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('status of a delivery', p_status, array['PENDING', 'DELIVERED', 'FAILED']);
    return query
    select d.webhook_delivery_id, d.webhook_endpoint_id, d.webhook_subscription_id, d.event_id,
        e.event_type, d.status, d.attempts, d.http_status, d.response_headers, d.response_body,
        d.delivered_at, d.error_message, d.job_id, d.created_at, d.updated_at
    from jobforge.webhook_deliveries d
    join jobforge.events e on e.tenant_id = d.tenant_id and e.event_id = d.event_id
    where d.tenant_id = v_tenant_id and (p_endpoint is null or d.webhook_endpoint_id = p_endpoint)
        and (p_status is null or d.status = p_status) and (p_event_id is null or d.event_id = p_event_id)
        and (p_before is null or d.webhook_delivery_id < p_before)
    order by d.webhook_delivery_id desc limit p_limit;
end
$$;

ALTER FUNCTION jobforge.list_webhook_deliveries(p_endpoint uuid, p_status text, p_event_id uuid, p_limit integer, p_before uuid) OWNER TO jobforge_definer;

--
-- Name: list_webhook_endpoints(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_webhook_endpoints() RETURNS TABLE(webhook_endpoint_id uuid, url text, description text, status text, created_at timestamp with time zone, created_by text, event_types text[], permanent_failures integer, disable_after integer, disabled_at timestamp with time zone, disabled_reason text, valid_secrets integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select e.webhook_endpoint_id, e.url, e.description, e.status, e.created_at, e.created_by,
        array(select s.event_type from jobforge.webhook_subscriptions s
            where s.tenant_id = e.tenant_id and s.webhook_endpoint_id = e.webhook_endpoint_id
            order by s.event_type),
        e.permanent_failures, e.disable_after, e.disabled_at, e.disabled_reason,
        cardinality(jobforge.signing_secrets(e))
    from jobforge.webhook_endpoints e where e.tenant_id = v_tenant_id
    order by e.webhook_endpoint_id;
end
$$;

ALTER FUNCTION jobforge.list_webhook_endpoints() OWNER TO jobforge_definer;

--
-- Name: list_webhook_subscriptions(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.list_webhook_subscriptions(p_endpoint uuid DEFAULT NULL::uuid) RETURNS TABLE(webhook_subscription_id uuid, webhook_endpoint_id uuid, event_type text, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select s.webhook_subscription_id, s.webhook_endpoint_id, s.event_type, s.created_at
    from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and (p_endpoint is null or s.webhook_endpoint_id = p_endpoint)
    order by s.webhook_endpoint_id, s.event_type;
end
$$;

ALTER FUNCTION jobforge.list_webhook_subscriptions(p_endpoint uuid) OWNER TO jobforge_definer;

--
-- Name: list_workers(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.list_workers() RETURNS TABLE(worker_id text, host text, pid integer, version text, state text, types text[], slots integer, running integer, started_at timestamp with time zone, heartbeat_at timestamp with time zone, seconds_silent double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
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
-- Name: lock_api_key(uuid, text, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_api_key(p_tenant_id uuid, p_key_id text, p_alone boolean) RETURNS jobforge.api_keys
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_row jobforge.api_keys;
begin
    perform jobforge.first_key_id(p_tenant_id, p_key_id); -- NOT_FOUND before anybody waits
    if p_alone then
        select k.* into v_row from jobforge.api_keys k
        where k.tenant_id = p_tenant_id and k.key_id = p_key_id for update;
    else
        select k.* into v_row from jobforge.api_keys k
        where k.tenant_id = p_tenant_id and k.key_id = p_key_id for no key update;
    end if;
    return v_row;
end
$$;

ALTER FUNCTION jobforge.lock_api_key(p_tenant_id uuid, p_key_id text, p_alone boolean) OWNER TO jobforge_definer;

--
-- Name: lock_building_snapshot(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_building_snapshot(p_tenant_id uuid, p_snapshot_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if jobforge.lock_snapshot(p_tenant_id, p_snapshot_id) <> 'BUILDING' then
        perform jobforge.raise_error('INVALID_TRANSITION', format('snapshot %s is READY', p_snapshot_id),
            'Reopen it to change its facts.');
    end if;
end
$$;

ALTER FUNCTION jobforge.lock_building_snapshot(p_tenant_id uuid, p_snapshot_id uuid) OWNER TO jobforge_definer;

--
-- Name: lock_delivery(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_delivery(p_tenant_id uuid, p_delivery_id uuid, OUT status text, OUT event_id uuid, OUT webhook_endpoint_id uuid, OUT redeliveries integer) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    select d.status, d.event_id, d.webhook_endpoint_id, d.redeliveries
    into status, event_id, webhook_endpoint_id, redeliveries
    from jobforge.webhook_deliveries d
    where d.tenant_id = p_tenant_id and d.webhook_delivery_id = p_delivery_id for no key update;
    if not found then
        perform jobforge.raise_not_found('webhook delivery', p_delivery_id::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.lock_delivery(p_tenant_id uuid, p_delivery_id uuid, OUT status text, OUT event_id uuid, OUT webhook_endpoint_id uuid, OUT redeliveries integer) OWNER TO jobforge_definer;

--
-- Name: lock_document(uuid, uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_document(p_tenant_id uuid, p_document_id uuid, p_kind text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_kind text;
begin
    select d.kind into v_kind from jobforge.documents d
    where d.tenant_id = p_tenant_id and d.document_id = p_document_id
    for no key update;
    if not found then
        perform jobforge.raise_not_found('document', p_document_id::text);
    elsif v_kind <> p_kind then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('document %s is of kind %s, not %s', p_document_id, v_kind, p_kind),
            'Upload it as a document of its own.');
    end if;
end
$$;

ALTER FUNCTION jobforge.lock_document(p_tenant_id uuid, p_document_id uuid, p_kind text) OWNER TO jobforge_definer;

--
-- Name: lock_document_version(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_document_version(p_tenant_id uuid, p_document_version_id uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_status text;
begin
    select v.status into v_status from jobforge.document_versions v
    where v.tenant_id = p_tenant_id and v.document_version_id = p_document_version_id
    for no key update;
    if not found then
        perform jobforge.raise_not_found('document version', p_document_version_id::text);
    end if;
    return v_status;
end
$$;

ALTER FUNCTION jobforge.lock_document_version(p_tenant_id uuid, p_document_version_id uuid) OWNER TO jobforge_definer;

--
-- Name: webhook_endpoints; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.webhook_endpoints (
    tenant_id uuid NOT NULL,
    webhook_endpoint_id uuid NOT NULL,
    url text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    secret_ciphertext bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    permanent_failures integer DEFAULT 0 NOT NULL,
    disable_after integer DEFAULT 10,
    disabled_at timestamp with time zone,
    disabled_reason text,
    CONSTRAINT webhook_endpoints_active_is_not_disabled CHECK (((status = 'DISABLED'::text) OR (num_nonnulls(disabled_at, disabled_reason) = 0))),
    CONSTRAINT webhook_endpoints_disable_range CHECK (((disable_after >= 1) AND (disable_after <= 1000))),
    CONSTRAINT webhook_endpoints_failures_not_negative CHECK ((permanent_failures >= 0)),
    CONSTRAINT webhook_endpoints_secret_length CHECK (((octet_length(secret_ciphertext) >= 1) AND (octet_length(secret_ciphertext) <= 4096))),
    CONSTRAINT webhook_endpoints_status_known CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'DISABLED'::text]))),
    CONSTRAINT webhook_endpoints_url_is_http CHECK (((url ~ '^https?://[^[:space:]]+$'::text) AND (length(url) <= 2000)))
);

ALTER TABLE ONLY jobforge.webhook_endpoints FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.webhook_endpoints OWNER TO jobforge_owner;

--
-- Name: lock_endpoint(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_endpoint(p_tenant_id uuid, p_id uuid) RETURNS jobforge.webhook_endpoints
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_row jobforge.webhook_endpoints;
begin
    select e.* into v_row from jobforge.webhook_endpoints e
    where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_id for no key update;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', coalesce(p_id::text, 'NULL'));
    end if;
    return v_row;
end
$$;

ALTER FUNCTION jobforge.lock_endpoint(p_tenant_id uuid, p_id uuid) OWNER TO jobforge_definer;

--
-- Name: lock_governor(uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_governor(p_tenant_id uuid, p_kind text, p_key text) RETURNS jobforge.governors
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_row jobforge.governors;
begin
    loop
        select g.* into v_row from jobforge.governors g
        where g.tenant_id = p_tenant_id and g.kind = p_kind and g.key = p_key
        for no key update;
        if found then
            return v_row;
        end if;
        perform jobforge.check_one_of('kind of governor', p_kind, array['source', 'endpoint', 'host']);
        perform jobforge.check_length('the key of a governor', p_key, 1, 500);
        insert into jobforge.governors (tenant_id, kind, key) values (p_tenant_id, p_kind, p_key)
        on conflict do nothing;
    end loop;
end
$$;

ALTER FUNCTION jobforge.lock_governor(p_tenant_id uuid, p_kind text, p_key text) OWNER TO jobforge_definer;

--
-- Name: lock_intake(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_intake(p_tenant_id uuid, p_intake uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform from jobforge.intakes i where i.tenant_id = p_tenant_id and i.intake_id = p_intake
    for no key update;
    if not found then
        perform jobforge.raise_not_found('intake', coalesce(p_intake::text, 'NULL'));
    end if;
end
$$;

ALTER FUNCTION jobforge.lock_intake(p_tenant_id uuid, p_intake uuid) OWNER TO jobforge_definer;

--
-- Name: lock_lease(text, uuid, uuid, bigint, uuid, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid, p_skip_locked boolean) RETURNS SETOF jobforge.jobs
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    if p_skip_locked then
        return query
        select j.* from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)
        for update skip locked;
    else
        return query
        select j.* from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id
            and j.lease_token = p_token and j.lease_owner = p_worker
            and (p_claim_id is null or j.claim_id = p_claim_id)
        for update;
    end if;
end
$$;

ALTER FUNCTION jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid, p_skip_locked boolean) OWNER TO jobforge_engine;

--
-- Name: lock_passport_version(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_passport_version(p_tenant_id uuid, p_pv uuid, OUT status text, OUT passport_id uuid, OUT signing_key_id text, OUT signature bytea, OUT qr_payload text, OUT revocation_reason text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    select v.status, v.passport_id, v.signing_key_id, v.signature, v.qr_payload, v.revocation_reason
    into status, passport_id, signing_key_id, signature, qr_payload, revocation_reason
    from jobforge.passport_versions v where v.tenant_id = p_tenant_id and v.passport_version_id = p_pv
    for no key update;
    if not found then
        perform jobforge.raise_not_found('passport version', p_pv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.lock_passport_version(p_tenant_id uuid, p_pv uuid, OUT status text, OUT passport_id uuid, OUT signing_key_id text, OUT signature bytea, OUT qr_payload text, OUT revocation_reason text) OWNER TO jobforge_definer;

--
-- Name: lock_rules(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_rules(p_tenant_id uuid, p_rpv uuid, OUT status text, OUT version integer, OUT package text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    select v.status, v.version, p.name into status, version, package
    from jobforge.rule_package_versions v
    join jobforge.rule_packages p on p.tenant_id = v.tenant_id and p.rule_package_id = v.rule_package_id
    where v.tenant_id = p_tenant_id and v.rule_package_version_id = p_rpv
    for no key update of v;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.lock_rules(p_tenant_id uuid, p_rpv uuid, OUT status text, OUT version integer, OUT package text) OWNER TO jobforge_definer;

--
-- Name: lock_snapshot(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.lock_snapshot(p_tenant_id uuid, p_snapshot_id uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_status text;
begin
    select s.status into v_status from jobforge.data_snapshots s
    where s.tenant_id = p_tenant_id and s.snapshot_id = p_snapshot_id
    for no key update;
    if not found then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    elsif v_status = 'SEALED' then
        perform jobforge.raise_error('SNAPSHOT_SEALED', format('snapshot %s is sealed', p_snapshot_id),
            'A sealed snapshot never changes; create a new one.');
    end if;
    return v_status;
end
$$;

ALTER FUNCTION jobforge.lock_snapshot(p_tenant_id uuid, p_snapshot_id uuid) OWNER TO jobforge_definer;

--
-- Name: log_waiting_events(uuid, integer, smallint, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.log_waiting_events(p_tenant_id uuid, p_limit integer, p_leaf_version smallint, p_head_size bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_next bigint;
    v_taken bigint;
    v_logged bigint;
begin
    select coalesce(max(l.log_index) + 1, 0) into v_next from jobforge.event_log l
    where l.tenant_id = p_tenant_id;
    with taken as (
        delete from jobforge.events_to_log u
        where u.tenant_id = p_tenant_id and u.event_seq in (select w.event_seq
            from jobforge.events_to_log w where w.tenant_id = p_tenant_id order by w.event_seq limit p_limit)
        returning u.event_seq, u.event_id
    ), logged as (
        insert into jobforge.event_log (tenant_id, log_index, event_id, event_hash, leaf_version, head_size)
        select p_tenant_id, v_next + row_number() over (order by t.event_seq) - 1, e.event_id, e.event_hash,
            p_leaf_version, case when p_head_size is not null then least(p_head_size, v_next) end
        from taken t join jobforge.events e on e.tenant_id = p_tenant_id and e.event_id = t.event_id
        returning event_id
    )
    select (select count(*) from taken), (select count(*) from logged) into v_taken, v_logged;
    -- Going on would remove the only trace.
    if v_logged <> v_taken then
        perform jobforge.raise_error('LOG_HEAD_MISMATCH',
            format(case v_taken - v_logged when 1
                then '%s event that waited for a place in the log is not there any more'
                else '%s events that waited for a place in the log are not there any more' end, v_taken - v_logged),
            'Run jobforge audit verify.');
    end if;
    return v_taken;
end
$$;

ALTER FUNCTION jobforge.log_waiting_events(p_tenant_id uuid, p_limit integer, p_leaf_version smallint, p_head_size bigint) OWNER TO jobforge_definer;

--
-- Name: longest_lease(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.longest_lease() RETURNS interval
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET row_security TO 'on'
    AS $$
    select greatest((select max(coalesce(t.lease_seconds, 60)) from jobforge.job_types t) * interval '1 second',
        (select max(j.lease_expires_at - j.heartbeat_at) from jobforge.jobs j where j.status = 'RUNNING'
            and j.lease_owner not like '________-____-____-____-____________/%'))
$$;

ALTER FUNCTION jobforge.longest_lease() OWNER TO jobforge_engine;

--
-- Name: lower_interrupted(jobforge.quarantine_lanes, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.lower_interrupted(p_waiting jobforge.quarantine_lanes, p_turn bigint) RETURNS jobforge.quarantine_lanes
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_low record;
    v_lower jobforge.quarantine_lanes;
begin
    select l.tenants into v_low from jobforge.lower_lanes(p_waiting.types, p_waiting.priorities, p_waiting.tenants,
        p_waiting.firsts, p_turn) l;
    if v_low.tenants is null then
        return p_waiting;
    end if;
    select array_agg(l.type), array_agg(l.often), array_agg(l.priority), array_agg(l.tenant_id), array_agg(l.first)
    into v_lower
    from unnest(p_waiting.types, p_waiting.often, p_waiting.priorities, p_waiting.tenants, p_waiting.firsts)
        l(type, often, priority, tenant_id, first)
    where l.tenant_id = any(v_low.tenants);
    return v_lower;
end
$$;

ALTER FUNCTION jobforge.lower_interrupted(p_waiting jobforge.quarantine_lanes, p_turn bigint) OWNER TO jobforge_engine;

--
-- Name: lower_lanes(text[], integer[], uuid[], timestamp with time zone[], bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.lower_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[], p_turn bigint, OUT types text[], OUT priorities integer[], OUT tenants uuid[], OUT floors timestamp with time zone[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_until timestamptz := clock_timestamp();
    v_best integer[];  -- of each tenant in v_tenants
    v_tenants uuid[];
    v_levels integer[];
    v_level integer;
begin
    select array_agg(b.tenant_id), array_agg(b.priority), array_agg(distinct b.priority)
    into v_tenants, v_best, v_levels
    from (select l.tenant_id, min(l.priority) as priority
        from unnest(p_priorities, p_tenants, p_floors) l(priority, tenant_id, first)
        where l.first <= v_until group by l.tenant_id) b;
    if coalesce(cardinality(v_levels), 0) < 2 then
        return;
    end if;
    -- array_agg(distinct) sorts; the first level is the best of all.
    v_level := v_levels[2 + p_turn % (cardinality(v_levels) - 1)];
    select array_agg(l.type), array_agg(l.priority), array_agg(l.tenant_id), array_agg(l.first)
    into types, priorities, tenants, floors
    from unnest(p_types, p_priorities, p_tenants, p_floors) l(type, priority, tenant_id, first)
    where l.first <= v_until and l.tenant_id in (select b.tenant_id
        from unnest(v_tenants, v_best) b(tenant_id, priority) where b.priority = v_level);
end
$$;

ALTER FUNCTION jobforge.lower_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[], p_turn bigint, OUT types text[], OUT priorities integer[], OUT tenants uuid[], OUT floors timestamp with time zone[]) OWNER TO jobforge_engine;

--
-- Name: mark_snapshot_ready(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.mark_snapshot_ready(p_snapshot_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if jobforge.lock_snapshot(v_tenant_id, p_snapshot_id) = 'READY' then
        return false;
    end if;
    update jobforge.data_snapshots s set status = 'READY', ready_at = clock_timestamp()
    where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    perform jobforge.append_event('DataSnapshot', p_snapshot_id, 'SNAPSHOT_READY',
        jsonb_build_object('fact_count', (select count(*) from jobforge.snapshot_items i
            where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id)));
    return true;
end
$$;

ALTER FUNCTION jobforge.mark_snapshot_ready(p_snapshot_id uuid) OWNER TO jobforge_definer;

--
-- Name: match_acceptances(uuid, bytea, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.match_acceptances(p_pv uuid, p_payload bytea, p_accepted jsonb) RETURNS TABLE(entry integer, finding_id text, status text, evidence text, reason text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    v_wrong text;
begin
    -- In a CASE, which keeps its order: the last question fails for what is not an object.
    if not (case when jsonb_typeof(p_accepted) is distinct from 'array' then false
            when exists (select from jsonb_array_elements(p_accepted) e where jsonb_typeof(e.value) <> 'object')
                then false
            else not exists (select from jsonb_array_elements(p_accepted) e
                where (jsonb_typeof(e.value -> 'id') = 'string' and jsonb_typeof(e.value -> 'reason') = 'string'
                    and e.value - array['id', 'reason'] = '{}') is not true) end) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'what is accepted must be a list of objects with the texts id and reason', '');
    end if;
    perform jobforge.check_length('the reason of an acceptance', e.value ->> 'reason', 1, 1000)
    from jsonb_array_elements(p_accepted) e;
    select a.id into v_wrong
    from (select e.value ->> 'id' as id, count(*) as given from jsonb_array_elements(p_accepted) e group by 1) a
    where a.given > (select count(*) from jobforge.payload_findings(p_payload) f
        where f.failing and f.finding_id = a.id and a.id <> '')
    order by a.id limit 1;
    if found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('passport version %s has no failing entry %L for this acceptance', p_pv, v_wrong),
            'jobforge passports show lists the failing entries.');
    end if;
    return query
    select f.entry, f.finding_id, f.status, f.evidence, a.reason
    from (select f.*, row_number() over (partition by f.finding_id order by f.entry) as place
        from jobforge.payload_findings(p_payload) f where f.failing) f
    left join (select e.value ->> 'id' as id, e.value ->> 'reason' as reason,
            row_number() over (partition by e.value ->> 'id' order by e.ordinality) as place
        from jsonb_array_elements(p_accepted) with ordinality e) a
        on a.id = f.finding_id and a.place = f.place
    order by f.entry;
end
$$;

ALTER FUNCTION jobforge.match_acceptances(p_pv uuid, p_payload bytea, p_accepted jsonb) OWNER TO jobforge_definer;

--
-- Name: may_repeat_internal(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.may_repeat_internal(p_tenant_id uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_actor text := current_setting('app.actor_id', true);
begin
    if exists (select from jobforge.tenant_logins l where l.login_role = session_user) then
        return false;
    elsif v_actor like 'key:%' then
        return exists (select from jobforge.api_keys k where k.tenant_id = p_tenant_id
            and k.key_id = substr(v_actor, 5) and 'Admin' = any(k.roles));
    end if;
    return true;
end
$$;

ALTER FUNCTION jobforge.may_repeat_internal(p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: metric_counters(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.metric_counters() RETURNS TABLE(tenant_id uuid, type text, counter text, value bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select c.tenant_id, c.type, c.counter, sum(c.value)::bigint
    from (select t.tenant_id, t.type, t.counter, t.value from jobforge.counter_totals t
          union all
          select d.tenant_id, d.type, d.counter, d.delta from jobforge.counter_deltas d) c
    where c.counter not in ('claimed', 'requeued', 'withdrawn')
    group by c.tenant_id, c.type, c.counter
$$;

ALTER FUNCTION jobforge.metric_counters() OWNER TO jobforge_engine;

--
-- Name: metric_oldest(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.metric_oldest() RETURNS TABLE(type text, seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
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
    SET row_security TO 'on'
    AS $$
    select j.tenant_id, j.type, count(*) from jobforge.jobs j
    where j.status = 'RUNNING' group by j.tenant_id, j.type
$$;

ALTER FUNCTION jobforge.metric_running() OWNER TO jobforge_engine;

--
-- Name: next_access_version(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.next_access_version(p_tenant_id uuid) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_version bigint;
begin
    insert into jobforge.access_versions as v (tenant_id, version) values (p_tenant_id, 1)
    on conflict (tenant_id) do update set version = v.version + 1
    returning v.version into v_version;
    return v_version;
end
$$;

ALTER FUNCTION jobforge.next_access_version(p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: note_access_denied(text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.note_access_denied(p_key_id text, p_route text, p_reason text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '100ms'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid;
begin
    if coalesce(p_route, '') = '' or coalesce(p_reason, '') = '' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a refusal has a route and a reason', '');
    end if;
    select k.tenant_id into v_tenant_id from jobforge.api_keys k where k.key_id = p_key_id;
    if found then
        perform set_config('app.tenant_id', v_tenant_id::text, true);
        perform jobforge.count_access_denied(p_key_id, p_route, p_reason);
    end if;
end
$$;

ALTER FUNCTION jobforge.note_access_denied(p_key_id text, p_route text, p_reason text) OWNER TO jobforge_engine;

--
-- Name: note_delivery(uuid, text, integer, jsonb, bytea, text, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.note_delivery(p_delivery_id uuid, p_status text, p_http_status integer, p_response_headers jsonb, p_response_body bytea, p_error_message text, p_endpoint_fault boolean DEFAULT NULL::boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_delivery record := jobforge.lock_delivery(v_tenant_id, p_delivery_id);
begin
    perform jobforge.check_one_of('status of a delivery', p_status, array['PENDING', 'DELIVERED', 'FAILED']);
    if p_http_status not between 100 and 999 or jsonb_typeof(p_response_headers) not in ('array', 'object') then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'an answer has a status of three digits and its headers in a list of pairs or an object', '');
    elsif v_delivery.status = 'DELIVERED' then
        return;
    elsif v_delivery.status = 'FAILED' then
        update jobforge.webhook_deliveries d set status = 'PENDING', redeliveries = d.redeliveries + 1
        where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    end if;
    update jobforge.webhook_deliveries d
    set status = p_status, attempts = d.attempts + 1, http_status = p_http_status,
        response_headers = p_response_headers, response_body = p_response_body,
        error_message = p_error_message, updated_at = clock_timestamp(),
        delivered_at = case when p_status = 'DELIVERED' then clock_timestamp() end
    where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    if p_status = 'DELIVERED' or (p_status = 'FAILED'
            and coalesce(p_endpoint_fault, p_http_status is not null)) then
        perform jobforge.count_delivery(v_tenant_id, v_delivery.webhook_endpoint_id, p_status, p_http_status);
    end if;
end
$$;

ALTER FUNCTION jobforge.note_delivery(p_delivery_id uuid, p_status text, p_http_status integer, p_response_headers jsonb, p_response_body bytea, p_error_message text, p_endpoint_fault boolean) OWNER TO jobforge_definer;

--
-- Name: note_delivery_of_job(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.note_delivery_of_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $_$
declare
    v_delivery text := new.payload ->> 'webhook_delivery_id';
    v_said jsonb := new.result -> 'response';
begin
    if v_delivery ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
        update jobforge.webhook_deliveries d
        set status = 'DELIVERED', attempts = d.attempts + 1,
            http_status = (new.result ->> 'http_status')::integer, response_headers = v_said -> 'headers',
            response_body = decode(v_said ->> 'body', 'base64'), error_message = null,
            updated_at = clock_timestamp(), delivered_at = clock_timestamp()
        where d.tenant_id = new.tenant_id and d.webhook_delivery_id = v_delivery::uuid
            and d.job_id = new.job_id and d.status = 'PENDING';
    end if;
    new.result := new.result - 'response';
    return new;
end
$_$;

ALTER FUNCTION jobforge.note_delivery_of_job() OWNER TO jobforge_engine;

--
-- Name: note_head_accepted(bigint, bytea, bigint, bytea, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.note_head_accepted(p_kept_size bigint, p_kept_root bytea, p_size bigint, p_root bytea, p_reason text, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_length bigint;
begin
    select coalesce(max(l.log_index) + 1, 0) into v_length from jobforge.event_log l
    where l.tenant_id = v_tenant_id;
    -- What was kept may be beyond the log, and may be unreadable; what is accepted is the log.
    if p_size is null or p_size not between 0 and v_length or octet_length(p_root) is distinct from 32
        or p_kept_size not between 0 and 9007199254740991 or octet_length(p_kept_root) <> 32 or (p_kept_size is null) <> (p_kept_root is null) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a head has a size from 0 to %s (the log) and a root of 32 bytes', v_length), '');
    end if;
    perform jobforge.check_length('the reason', p_reason, 1, 2000);
    return jobforge.append_event('System', v_tenant_id, 'LOG_HEAD_ACCEPTED', jsonb_build_object(
        'kept', case when p_kept_size is not null then
            jsonb_build_object('tree_size', p_kept_size, 'root_hash', encode(p_kept_root, 'hex')) end,
        'accepted', jsonb_build_object('tree_size', p_size, 'root_hash', encode(p_root, 'hex')),
        'reason', p_reason), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.note_head_accepted(p_kept_size bigint, p_kept_root bytea, p_size bigint, p_root bytea, p_reason text, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: note_healthy(jobforge.governors); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.note_healthy(p_row jobforge.governors) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    if p_row.last_success_at > clock_timestamp() - interval '1 second' then
        return;
    end if;
    perform from jobforge.governors g
    where g.tenant_id = p_row.tenant_id and g.kind = p_row.kind and g.key = p_row.key
    for no key update skip locked;
    if found then
        update jobforge.governors g set last_success_at = clock_timestamp()
        where g.tenant_id = p_row.tenant_id and g.kind = p_row.kind and g.key = p_row.key;
    end if;
end
$$;

ALTER FUNCTION jobforge.note_healthy(p_row jobforge.governors) OWNER TO jobforge_definer;

--
-- Name: note_pepper(bytea, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.note_pepper(p_fingerprint bytea, p_replace boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    if octet_length(p_fingerprint) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the fingerprint of a pepper has 32 bytes', '');
    end if;
    insert into jobforge.key_pepper as p (fingerprint) values (p_fingerprint)
    on conflict (single) do update set fingerprint = excluded.fingerprint, noted_at = clock_timestamp()
    where p_replace and p.fingerprint <> excluded.fingerprint;
end
$$;

ALTER FUNCTION jobforge.note_pepper(p_fingerprint bytea, p_replace boolean) OWNER TO jobforge_engine;

--
-- Name: note_platform_read(text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.note_platform_read(p_key_id text, p_event_type text, p_what text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into jobforge.platform_reads as r (key_id, what, noted_at)
    values (p_key_id, left(p_what, 300), clock_timestamp())
    on conflict (key_id, what) do update set noted_at = excluded.noted_at
        where r.noted_at <= excluded.noted_at - interval '1 minute';
    if found then
        perform jobforge.append_platform_key_event(p_key_id, p_event_type,
            jsonb_build_object('what', left(p_what, 300)), 'platform:' || p_key_id);
    end if;
end
$$;

ALTER FUNCTION jobforge.note_platform_read(p_key_id text, p_event_type text, p_what text) OWNER TO jobforge_engine;

--
-- Name: note_tenant_worker(text, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.note_tenant_worker(p_worker text, p_types text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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

ALTER FUNCTION jobforge.note_tenant_worker(p_worker text, p_types text[]) OWNER TO jobforge_engine;

--
-- Name: note_waiting_events(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.note_waiting_events() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into jobforge.events_to_log (tenant_id, event_seq, event_id)
    select a.tenant_id, a.event_seq, a.event_id from added a;
    return null;
end
$$;

ALTER FUNCTION jobforge.note_waiting_events() OWNER TO jobforge_owner;

--
-- Name: notify_limit(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.notify_limit() RETURNS double precision
    LANGUAGE sql IMMUTABLE
    AS $$ select 0.5::double precision $$;

ALTER FUNCTION jobforge.notify_limit() OWNER TO jobforge_definer;

--
-- Name: notify_now(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.notify_now(p_channel text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if pg_notification_queue_usage() < jobforge.notify_limit() then
        perform pg_notify(p_channel, '');
    end if;
end
$$;

ALTER FUNCTION jobforge.notify_now(p_channel text) OWNER TO jobforge_definer;

--
-- Name: notify_wake(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.notify_wake(p_type text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.notify_workers('jobforge_wake');
end
$$;

ALTER FUNCTION jobforge.notify_wake(p_type text) OWNER TO jobforge_definer;

--
-- Name: notify_workers(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.notify_workers(p_channel text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if current_setting('max_prepared_transactions') = '0' then
        perform jobforge.notify_now(p_channel);
    else
        insert into jobforge.wake_requests (type, channel) values ('', p_channel);
    end if;
end
$$;

ALTER FUNCTION jobforge.notify_workers(p_channel text) OWNER TO jobforge_definer;

--
-- Name: passport_artifacts(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.passport_artifacts(p_pv uuid) RETURNS TABLE(payload_canonical bytea, proof_canonical bytea, receipt_canonical bytea, receipt_signed bytea, qr_payload text, qr_png bytea, signing_key_id text, signing_key_public bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.payload_canonical, v.proof_canonical, v.receipt_canonical, v.receipt_signed, v.qr_payload,
        v.qr_png, v.signing_key_id, v.signing_key_public
    from jobforge.passport_versions v where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    if not found then
        perform jobforge.raise_not_found('passport version', p_pv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.passport_artifacts(p_pv uuid) OWNER TO jobforge_definer;

--
-- Name: passport_for_qr(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.passport_for_qr(p_pv uuid, OUT status text, OUT receipt_signed bytea, OUT qr_payload text) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select v.status, v.receipt_signed, v.qr_payload into status, receipt_signed, qr_payload
    from jobforge.passport_versions v where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    if not found then
        perform jobforge.raise_not_found('passport version', p_pv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.passport_for_qr(p_pv uuid, OUT status text, OUT receipt_signed bytea, OUT qr_payload text) OWNER TO jobforge_definer;

--
-- Name: passport_to_sign(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.passport_to_sign(p_pv uuid, OUT status text, OUT receipt_canonical bytea, OUT receipt_hash bytea, OUT signing_key_id text, OUT signature bytea) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select v.status, v.receipt_canonical, v.receipt_hash, v.signing_key_id, v.signature
    into status, receipt_canonical, receipt_hash, signing_key_id, signature
    from jobforge.passport_versions v where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    if not found then
        perform jobforge.raise_not_found('passport version', p_pv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.passport_to_sign(p_pv uuid, OUT status text, OUT receipt_canonical bytea, OUT receipt_hash bytea, OUT signing_key_id text, OUT signature bytea) OWNER TO jobforge_definer;

--
-- Name: pause_source(text, timestamp with time zone, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.pause_source(p_source text, p_until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, p_reason text DEFAULT ''::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.governor_pause('source',
        jobforge.find_source(jobforge.acting_tenant(), p_source)::text, p_until, p_reason);
end
$$;

ALTER FUNCTION jobforge.pause_source(p_source text, p_until timestamp with time zone, p_reason text) OWNER TO jobforge_definer;

--
-- Name: payload_fault(uuid, jsonb, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.payload_fault(p_tenant_id uuid, p_payload jsonb, p_ref bytea) RETURNS text
    LANGUAGE plpgsql STABLE COST 10000
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_payload jsonb := p_payload;
begin
    if p_ref is not null then
        v_payload := jobforge.load_artifact(p_tenant_id, p_ref);
        if v_payload is null then
            return 'the stored payload is gone';
        end if;
    end if;
    perform jobforge.json_bytes(v_payload, 'payload', 67108864);
    return null;
exception when others then
    return 'the payload cannot be read: ' || sqlerrm;
end
$$;

ALTER FUNCTION jobforge.payload_fault(p_tenant_id uuid, p_payload jsonb, p_ref bytea) OWNER TO jobforge_engine;

--
-- Name: payload_findings(bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.payload_findings(p_payload bytea) RETURNS TABLE(entry integer, finding_id text, status text, evidence text, failing boolean)
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    v_list json := convert_from(p_payload, 'UTF8')::json -> 'compliance';
begin
    if json_typeof(v_list) is distinct from 'array' then
        v_list := '[null]';
    end if;
    return query
    select e.ordinality::integer, coalesce(e.value ->> 'id', ''), coalesce(e.value ->> 'status', ''),
        coalesce(e.value ->> 'evidence', ''),
        (e.value ->> 'status' in ('PASS', 'WARN', 'PENDING', 'NOT_APPLICABLE')
            and e.value ->> 'id' <> '' and e.value ->> 'evidence' is not null) is not true
    from json_array_elements(v_list) with ordinality e;
end
$$;

ALTER FUNCTION jobforge.payload_findings(p_payload bytea) OWNER TO jobforge_definer;

--
-- Name: peek_tokens(uuid, text, integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when p_per_minute is null then p_want
        when p_per_minute = 0 then 0
        else least(p_want, floor(coalesce((
            select least(greatest(1, p_per_minute / 60.0), b.tokens
                + date_part('epoch', clock_timestamp() - b.refilled_at) * p_per_minute / 60.0)
            from jobforge.rate_buckets b where b.tenant_id = p_tenant_id and b.type = p_type),
            greatest(1, p_per_minute / 60.0)))::integer) end
$$;

ALTER FUNCTION jobforge.peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer) OWNER TO jobforge_engine;

--
-- Name: pepper_fingerprint(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.pepper_fingerprint() RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select p.fingerprint from jobforge.key_pepper p
$$;

ALTER FUNCTION jobforge.pepper_fingerprint() OWNER TO jobforge_engine;

--
-- Name: platform_add_tenant(text, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_add_tenant(p_name text, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid;
begin
    perform jobforge.require_platform_key();
    v_tenant_id := jobforge.create_tenant(p_name, p_tenant_id);
    perform jobforge.append_tenant_event('TENANT_CREATED', v_tenant_id, jsonb_build_object('name', p_name));
    return v_tenant_id;
end
$$;

ALTER FUNCTION jobforge.platform_add_tenant(p_name text, p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: platform_change_tenant(uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_change_tenant(p_tenant_id uuid, p_changes jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.require_platform_key();
    perform jobforge.set_tenant(p_tenant_id, p_changes);
    if p_changes <> '{}' then
        perform jobforge.append_tenant_event('TENANT_CHANGED', p_tenant_id, jsonb_build_object('changes',
            (select jsonb_object_agg(c.key, c.value #>> '{}') from jsonb_each(p_changes) c)));
    end if;
end
$$;

ALTER FUNCTION jobforge.platform_change_tenant(p_tenant_id uuid, p_changes jsonb) OWNER TO jobforge_engine;

--
-- Name: platform_change_type(text, jsonb, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_change_type(p_type text, p_policy jsonb, p_new boolean) RETURNS jobforge.job_types
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_row jobforge.job_types;
begin
    perform jobforge.require_platform_key();
    if p_new is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_new is true or false, not NULL', '');
    elsif not p_new then
        perform jobforge.get_job_type(p_type);
    elsif exists (select from jobforge.job_types t where t.type = p_type) then
        perform jobforge.raise_error('VALIDATION_ERROR', format('there is a job type %L already', p_type),
            'Change it instead.');
    end if;
    v_row := jobforge.set_job_type(p_type, p_policy);
    perform jobforge.append_platform_event('System', '00000000-0000-0000-0000-000000000000', 'TYPE_CHANGED',
        jsonb_build_object('type', p_type, 'new', p_new, 'policy',
            coalesce((select jsonb_object_agg(c.key, c.value #>> '{}') from jsonb_each(p_policy) c), '{}')), null);
    return v_row;
end
$$;

ALTER FUNCTION jobforge.platform_change_type(p_type text, p_policy jsonb, p_new boolean) OWNER TO jobforge_engine;

--
-- Name: platform_read(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_read(p_what text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.check_length('what is read', p_what, 1, 300);
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'PLATFORM_READ', p_what);
end
$$;

ALTER FUNCTION jobforge.platform_read(p_what text) OWNER TO jobforge_engine;

--
-- Name: platform_refused(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_refused(p_route text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.check_length('a route', p_route, 1, 290);
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'ACCESS_DENIED', p_route);
end
$$;

ALTER FUNCTION jobforge.platform_refused(p_route text) OWNER TO jobforge_engine;

--
-- Name: platform_remove_tenant(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_remove_tenant(p_tenant_id uuid, p_confirm_name text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_name text;
    v_deleted text;
begin
    perform jobforge.require_platform_key();
    select t.name into v_name from jobforge.tenants t where t.tenant_id = p_tenant_id;
    v_deleted := jobforge.delete_tenant(p_tenant_id, p_confirm_name);
    perform jobforge.append_tenant_event('TENANT_DELETED', p_tenant_id,
        jsonb_build_object('name', v_name, 'deleted', v_deleted));
    return v_deleted;
end
$$;

ALTER FUNCTION jobforge.platform_remove_tenant(p_tenant_id uuid, p_confirm_name text) OWNER TO jobforge_engine;

--
-- Name: platform_tenant(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_tenant(p_tenant_id uuid) RETURNS TABLE(tenant_id uuid, name text, status text, max_waiting_jobs bigint, max_waiting_bytes bigint, concurrency_limit integer, created_at timestamp with time zone, logins text[], min_priority smallint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_key_id text := jobforge.require_platform_key();
begin
    return query select t.* from jobforge.list_tenants() t where t.tenant_id = p_tenant_id;
    if not found then
        perform jobforge.raise_not_found('tenant', p_tenant_id::text);
    end if;
    perform jobforge.note_platform_read(v_key_id, 'PLATFORM_READ', 'tenant ' || p_tenant_id::text);
end
$$;

ALTER FUNCTION jobforge.platform_tenant(p_tenant_id uuid) OWNER TO jobforge_engine;

--
-- Name: platform_tenants(integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_tenants(p_limit integer DEFAULT 50, p_after uuid DEFAULT NULL::uuid) RETURNS TABLE(tenant_id uuid, name text, status text, max_waiting_jobs bigint, max_waiting_bytes bigint, concurrency_limit integer, created_at timestamp with time zone, logins text[], min_priority smallint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
begin
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'PLATFORM_READ', 'tenants');
    perform jobforge.check_page(p_limit);
    return query
    select t.* from jobforge.list_tenants() t where p_after is null or t.tenant_id > p_after
    order by t.tenant_id limit p_limit;
end
$$;

ALTER FUNCTION jobforge.platform_tenants(p_limit integer, p_after uuid) OWNER TO jobforge_engine;

--
-- Name: platform_type(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_type(p_type text) RETURNS jobforge.job_types
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_key_id text := jobforge.require_platform_key();
    v_row jobforge.job_types := jobforge.get_job_type(p_type);
begin
    perform jobforge.note_platform_read(v_key_id, 'PLATFORM_READ', 'type ' || p_type);
    return v_row;
end
$$;

ALTER FUNCTION jobforge.platform_type(p_type text) OWNER TO jobforge_engine;

--
-- Name: platform_types(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.platform_types() RETURNS SETOF jobforge.job_types
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.note_platform_read(jobforge.require_platform_key(), 'PLATFORM_READ', 'types');
    return query select t.* from jobforge.list_job_types() t;
end
$$;

ALTER FUNCTION jobforge.platform_types() OWNER TO jobforge_engine;

--
-- Name: pointer_to(text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.pointer_to(p_at text, p_name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return p_at || '/' || replace(replace(p_name, '~', '~0'), '/', '~1');
end
$$;

ALTER FUNCTION jobforge.pointer_to(p_at text, p_name text) OWNER TO jobforge_owner;

--
-- Name: points_of_intake(uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.points_of_intake(p_tenant_id uuid, p_intake uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    return (select coalesce(json_agg(json_build_object('price_point_id', p.price_point_id,
            'source_id', p.source_id, 'dedupe_key', p.dedupe_key, 'price_cents', p.price_cents,
            'currency', p.currency, 'price_type', p.price_type, 'match_strength', p.match_strength,
            'reputation_weight', s.reputation_weight, 'observed_at', p.observed_at)
            order by p.source_id, p.dedupe_key), '[]')
        from jobforge.price_points p
        join jobforge.sources s on s.tenant_id = p.tenant_id and s.source_id = p.source_id
        where p.tenant_id = p_tenant_id and p.intake_id = p_intake);
end
$$;

ALTER FUNCTION jobforge.points_of_intake(p_tenant_id uuid, p_intake uuid) OWNER TO jobforge_definer;

--
-- Name: prune_api_requests(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.prune_api_requests(p_limit integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_count integer;
begin
    perform jobforge.check_page(p_limit, 100000);
    with gone as (
        delete from jobforge.api_requests r where (r.tenant_id, r.key_id, r.idempotency_key) in (
            select d.tenant_id, d.key_id, d.idempotency_key from jobforge.api_requests d
            where d.created_at <= clock_timestamp() - interval '24 hours'
            order by d.created_at limit p_limit for update skip locked)
        returning 1)
    select count(*) into v_count from gone;
    -- The turns of requests that were committed without an answer to keep.
    delete from jobforge.turns t where (t.tenant_id, t.what) in (select d.tenant_id, d.what
        from jobforge.turns d where d.what like 'api\_request %' limit p_limit for update skip locked);
    return v_count;
end
$$;

ALTER FUNCTION jobforge.prune_api_requests(p_limit integer) OWNER TO jobforge_engine;

--
-- Name: prune_finished(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.prune_finished(p_limit integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_job record;
    v_files bytea[];
    v_locked bytea[];
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 100000);
    if not jobforge.try_turn('00000000-0000-0000-0000-000000000000', 'prune_finished') then
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
        v_files := array(select n.sha256 from jobforge.job_artifacts n
                where n.tenant_id = v_job.tenant_id and n.job_id = v_job.job_id)
            || array_remove(array[v_job.payload_ref, v_job.result_ref], null);
        v_locked := '{}';
        if cardinality(v_files) > 0 then
            v_locked := array(select a.sha256 from jobforge.artifacts a
                where a.tenant_id = v_job.tenant_id and a.sha256 = any(v_files) for update skip locked);
            continue when exists (select from jobforge.artifacts a
                where a.tenant_id = v_job.tenant_id and a.sha256 = any(v_files) and a.sha256 <> all(v_locked));
        end if;
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
        v_count := v_count + 1;
        continue when cardinality(v_locked) = 0;
        delete from jobforge.job_artifacts n
        where n.tenant_id = v_job.tenant_id and n.job_id = v_job.job_id;
        delete from jobforge.artifacts a
        where a.tenant_id = v_job.tenant_id and a.sha256 = any(v_locked)
            and not exists (select from jobforge.job_artifacts n
                where n.tenant_id = a.tenant_id and n.sha256 = a.sha256)
            and not exists (select from jobforge.jobs j
                where j.tenant_id = a.tenant_id and j.payload_ref = a.sha256)
            and not exists (select from jobforge.finished_jobs f
                where f.tenant_id = a.tenant_id and f.payload_ref = a.sha256)
            and not exists (select from jobforge.finished_jobs f
                where f.tenant_id = a.tenant_id and f.result_ref = a.sha256);
    end loop;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.prune_finished(p_limit integer) OWNER TO jobforge_engine;

--
-- Name: prune_governors(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.prune_governors() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_count integer;
begin
    with gone as (
        delete from jobforge.governors g where (g.tenant_id, g.kind, g.key) in (
            select d.tenant_id, d.kind, d.key from jobforge.governors d
            where d.kind = 'host' and d.state = 'CLOSED' and d.rate_per_minute is null and d.burst is null
                and (d.failure_threshold, d.open_seconds, d.probe_seconds) = (5, 300, 60)
                and coalesce(d.paused_until < clock_timestamp(), true)
                and greatest(d.last_success_at, d.last_failure_at) < clock_timestamp() - interval '30 days'
            limit 1000 for update skip locked)
        returning 1)
    select count(*) into v_count from gone;
    -- SKIP LOCKED: a tenant's open rotation holds its own rows, and this runs for all tenants.
    delete from jobforge.webhook_replaced_secrets r where r.ctid = any(array(
        select d.ctid from jobforge.webhook_replaced_secrets d where d.expires_at <= clock_timestamp()
        limit 1000 for update skip locked));
    return v_count;
end
$$;

ALTER FUNCTION jobforge.prune_governors() OWNER TO jobforge_engine;

--
-- Name: prune_wake_requests(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.prune_wake_requests() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_count integer;
begin
    delete from jobforge.wake_requests w;
    get diagnostics v_count = row_count;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.prune_wake_requests() OWNER TO jobforge_engine;

--
-- Name: prune_workers(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.prune_workers() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_count integer;
begin
    with gone as (
        delete from jobforge.workers w where w.worker_id in (
            select d.worker_id from jobforge.workers d
            where d.heartbeat_at < clock_timestamp()
                - case when d.state = 'STOPPED' or jobforge.worker_tenant(d.worker_id) is not null
                    then interval '1 hour' else interval '1 day' end
            for update skip locked)
        returning 1)
    select count(*) into v_count from gone;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.prune_workers() OWNER TO jobforge_engine;

--
-- Name: public_findings(uuid, uuid, bytea, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.public_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea, p_proof bytea) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_findings json := jobforge.version_findings(p_tenant_id, p_pv, p_payload);
begin
    if json_array_length(v_findings -> 'entries') = 0 then
        return v_findings;
    end if;
    return json_build_object('counts', v_findings -> 'counts', 'entries', (
        with nodes as materialized (
            select n.ordinality - 1 as id, n.value ->> 'type' as type, n.value -> 'data' as data,
                n.value -> 'children' as children
            from json_array_elements(convert_from(p_proof, 'UTF8')::json -> 'nodes') with ordinality n),
        said as (
            select e.data ->> 'id' as id, e.data ->> 'status' as status, e.data ->> 'evidence' as evidence,
                bool_and(i.type = 'CONST') as id_is_literal, bool_and(t.type = 'CONST') as evidence_is_literal
            from nodes e
            left join nodes i on i.id = (e.children ->> 0)::bigint
            left join nodes t on t.id = (e.children ->> 2)::bigint
            where e.type = 'COMPLIANCE_EMIT' group by 1, 2, 3)
        select json_agg(json_build_object(
                'id', case when s.id_is_literal then s.id end,
                'status', f.value ->> 'status',
                'evidence', case when s.evidence_is_literal then s.evidence end,
                'reason', f.value #>> '{accepted,reason}',
                'accepted_on', to_char((f.value #>> '{accepted,accepted_at}')::timestamptz at time zone 'UTC',
                    'YYYY-MM-DD')) order by f.ordinality)
        from json_array_elements(v_findings -> 'entries') with ordinality f
        left join said s on s.id = f.value ->> 'id' and s.status = f.value ->> 'status'
            and s.evidence = f.value ->> 'evidence'));
end
$$;

ALTER FUNCTION jobforge.public_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea, p_proof bytea) OWNER TO jobforge_engine;

--
-- Name: public_passport(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.public_passport(p_id uuid) RETURNS TABLE(status text, product_name text, issued_at timestamp with time zone, superseded_at timestamp with time zone, revoked_at timestamp with time zone, revocation_reason text, payload_hash text, proof_root_hash text, receipt_hash text, signing_key_id text, qr_payload text, fields json, passport_id uuid, passport_version_id uuid, version_number integer, current uuid, signature bytea, signing_key_public bytea, receipt_is_of_version boolean, findings json, versions json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_named record;
    v_version record;
    v_payload json;
    v_receipt json;
begin
    select n.tenant_id, n.passport_id, n.passport_version_id into v_named
    from (select v.tenant_id, v.passport_id, v.passport_version_id, v.created_at
            from jobforge.passport_versions v where v.passport_version_id = p_id
        union all
        select p.tenant_id, p.passport_id, null, p.created_at
            from jobforge.passports p where p.passport_id = p_id) n
    order by n.created_at, n.tenant_id limit 1;
    if not found then
        return;
    end if;
    select v.* into v_version from jobforge.passport_versions v
    where v.tenant_id = v_named.tenant_id and v.passport_id = v_named.passport_id and v.signature is not null
        and (v_named.passport_version_id is null or v.passport_version_id = v_named.passport_version_id)
    order by (v.status = 'ACTIVE') desc, v.activated_at desc nulls last, v.version_number desc limit 1;
    if not found then
        return;
    end if;
    v_payload := convert_from(v_version.payload_canonical, 'UTF8');
    v_receipt := convert_from(v_version.receipt_canonical, 'UTF8');
    return query
    select v_version.status, v_payload #>> '{product,name}', v_version.issued_at, v_version.superseded_at,
        v_version.revoked_at, v_version.revocation_reason, encode(v_version.payload_hash, 'hex'),
        encode(v_version.proof_root_hash, 'hex'), encode(v_version.receipt_hash, 'hex'),
        v_version.signing_key_id, v_version.qr_payload,
        (select coalesce(json_agg(json_build_object('path', a.key,
                'value', v_payload -> 'fields' #> string_to_array(a.key, '.'))
                order by f.ordinal, a.key collate "C"), '[]')
            from json_each_text(v_payload -> 'access') a
            left join jobforge.rule_fields f on f.tenant_id = v_version.tenant_id
                and f.rule_package_version_id = v_version.rule_package_version_id and f.path = a.key
            where a.value = 'public'),
        v_version.passport_id, v_version.passport_version_id, v_version.version_number,
        (select v.passport_version_id from jobforge.passport_versions v
            where v.tenant_id = v_version.tenant_id and v.passport_id = v_version.passport_id
                and v.status = 'ACTIVE'),
        v_version.signature, v_version.signing_key_public,
        -- The signature is over the receipt: what the receipt says must be this version.
        (v_receipt ->> 'payload_hash', v_receipt ->> 'proof_root_hash', v_receipt ->> 'passport_version_id',
                v_receipt ->> 'passport_id', v_receipt ->> 'signing_key_id')
            is not distinct from (encode(v_version.payload_hash, 'hex'),
                encode(v_version.proof_root_hash, 'hex'), v_version.passport_version_id::text,
                v_version.passport_id::text, v_version.signing_key_id),
        jobforge.public_findings(v_version.tenant_id, v_version.passport_version_id,
            v_version.payload_canonical, v_version.proof_canonical),
        (select json_agg(json_build_object('version_number', v.version_number, 'status', v.status,
                'issued_on', to_char(v.issued_at at time zone 'UTC', 'YYYY-MM-DD'),
                'payload_hash', encode(v.payload_hash, 'hex'),
                'proof_root_hash', encode(v.proof_root_hash, 'hex'),
                'receipt_hash', encode(v.receipt_hash, 'hex')) order by v.version_number)
            from (select v.version_number, v.status, v.issued_at, v.payload_hash, v.proof_root_hash,
                    v.receipt_hash
                from jobforge.passport_versions v
                where v.tenant_id = v_version.tenant_id and v.passport_id = v_version.passport_id
                    and v.signature is not null
                -- A page has an end: the first thousand, which were printed first.
                order by v.version_number limit 1000) v);
end
$$;

ALTER FUNCTION jobforge.public_passport(p_id uuid) OWNER TO jobforge_engine;

--
-- Name: publish_rules(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.publish_rules(p_rpv uuid, p_actor_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
begin
    if v_rules.status = 'PUBLISHED' then
        return;
    elsif v_rules.status in ('DEPRECATED', 'RETIRED') then
        perform jobforge.raise_transition('rule version', p_rpv::text, v_rules.status, 'PUBLISHED');
    elsif v_rules.status = 'DRAFT' or 'PASSED' is distinct from (
            select r.status from jobforge.rule_tests_runs r
            where r.tenant_id = v_tenant_id and r.rule_package_version_id = p_rpv
            order by r.created_at desc, r.run_id desc limit 1) then
        perform jobforge.raise_error('RULE_TESTS_FAILED',
            format('the latest test run of rule version %s has not passed', p_rpv),
            'Run its tests: jobforge rules test; publishing needs 500 passed cases and no failure.');
    end if;
    update jobforge.rule_package_versions v set status = 'PUBLISHED', published_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'RULES_PUBLISHED',
        jsonb_build_object('package', v_rules.package, 'version', v_rules.version), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.publish_rules(p_rpv uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: pull_forward(uuid, text, uuid[], integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.pull_forward(p_tenant_id uuid, p_type text, p_job_ids uuid[], p_rate integer, p_burst integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    v_step interval := coalesce((jobforge.governor_pace(p_rate, p_burst)).step, interval '10 milliseconds');
    v_at timestamptz := clock_timestamp();
    v_job record;
begin
    for v_job in
        select j.job_id, j.scheduled_at from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = any(p_job_ids) and j.status = 'QUEUED'
            and j.scheduled_at > v_at
        order by j.scheduled_at, j.job_id
        for no key update skip locked
    loop
        update jobforge.jobs j set scheduled_at = least(v_at, v_job.scheduled_at)
        where j.tenant_id = p_tenant_id and j.job_id = v_job.job_id;
        v_at := v_at + v_step;
    end loop;
    perform jobforge.wake(p_type);
end
$$;

ALTER FUNCTION jobforge.pull_forward(p_tenant_id uuid, p_type text, p_job_ids uuid[], p_rate integer, p_burst integer) OWNER TO jobforge_definer;

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
    interruptions smallint DEFAULT 0 NOT NULL,
    CONSTRAINT finished_jobs_failure_has_error CHECK (((status <> ALL (ARRAY['FAILED'::text, 'DEAD_LETTER'::text])) OR (last_error IS NOT NULL))),
    CONSTRAINT finished_jobs_status_known CHECK ((status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text, 'DEAD_LETTER'::text])))
)
WITH (fillfactor='100', autovacuum_vacuum_insert_scale_factor='0.2');

ALTER TABLE ONLY jobforge.finished_jobs FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.finished_jobs OWNER TO jobforge_owner;

--
-- Name: put_back(jobforge.finished_jobs, timestamp with time zone, boolean, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.put_back(p_done jobforge.finished_jobs, p_at timestamp with time zone, p_reset boolean, p_max_attempts integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    delete from jobforge.finished_jobs f where f.tenant_id = p_done.tenant_id and f.job_id = p_done.job_id;
    insert into jobforge.jobs (tenant_id, job_id, type, priority, attempts, max_attempts, interrupted,
        interruptions, lease_token, scheduled_at, created_at, started_at, idempotency_key, trace_id, created_by,
        payload, payload_bytes, payload_ref, last_error)
    values (p_done.tenant_id, p_done.job_id, p_done.type,
        greatest(p_done.priority, (select n.min_priority from jobforge.tenants n where n.tenant_id = p_done.tenant_id)),
        case when p_reset then 0 else p_done.attempts end,
        coalesce(p_max_attempts, p_done.max_attempts), p_done.interrupted and not p_reset,
        case when p_reset then 0 else p_done.interruptions end, p_done.lease_token, p_at, p_done.created_at,
        p_done.started_at, p_done.idempotency_key, p_done.trace_id, p_done.created_by, p_done.payload,
        p_done.payload_bytes, p_done.payload_ref, p_done.last_error);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_done.tenant_id, p_done.type, 'requeued', 1, p_done.payload_bytes);
    if p_done.status = 'DEAD_LETTER' then
        insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
        values (p_done.tenant_id, p_done.type, 'dead_letters_left', -1);
    end if;
end
$$;

ALTER FUNCTION jobforge.put_back(p_done jobforge.finished_jobs, p_at timestamp with time zone, p_reset boolean, p_max_attempts integer) OWNER TO jobforge_definer;

--
-- Name: quota_take(uuid, bigint, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.quota_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_quota record;
begin
    select n.max_waiting_jobs, n.max_waiting_bytes into v_quota
    from jobforge.tenants n where n.tenant_id = p_tenant_id;
    if p_jobs > 0 and num_nonnulls(v_quota.max_waiting_jobs, v_quota.max_waiting_bytes) > 0 then
        perform jobforge.usage_take(p_tenant_id, p_jobs, p_bytes, v_quota.max_waiting_jobs,
            v_quota.max_waiting_bytes);
    end if;
end
$$;

ALTER FUNCTION jobforge.quota_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) OWNER TO jobforge_definer;

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
-- Name: raise_internal(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.raise_internal(p_type text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('FORBIDDEN', format('jobs of type %s are made by their use case only', p_type),
        'Ask for the work itself: upload a document, compile a passport, collect prices.');
end
$$;

ALTER FUNCTION jobforge.raise_internal(p_type text) OWNER TO jobforge_definer;

--
-- Name: raise_min_priority(integer, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.raise_min_priority(p_priority integer, p_min integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('FORBIDDEN',
        format('priority %s is not open to this tenant; its best one is %s', p_priority, p_min),
        'Leave the priority out, or ask the operator to change min_priority.');
end
$$;

ALTER FUNCTION jobforge.raise_min_priority(p_priority integer, p_min integer) OWNER TO jobforge_definer;

--
-- Name: raise_not_found(text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.raise_not_found(p_what text, p_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('NOT_FOUND', format('there is no %s %s', p_what, coalesce(p_id, 'NULL')), '');
end
$$;

ALTER FUNCTION jobforge.raise_not_found(p_what text, p_id text) OWNER TO jobforge_definer;

--
-- Name: raise_passport_status(uuid, text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.raise_passport_status(p_pv uuid, p_status text, p_deed text, p_needed text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('INVALID_PASSPORT_STATUS',
        format('passport version %s is %s and cannot be %s', p_pv, p_status, p_deed),
        format('It must be %s.', p_needed));
end
$$;

ALTER FUNCTION jobforge.raise_passport_status(p_pv uuid, p_status text, p_deed text, p_needed text) OWNER TO jobforge_definer;

--
-- Name: raise_refused(text, uuid, uuid, bigint, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.raise_refused(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.check_lease(p_worker, p_tenant_id, p_job_id, p_token);
    if jobforge.lease_fate(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id) = 'SETTLED' then
        perform jobforge.raise_error('SETTLED',
            format('this attempt of job %s (lease token %s) has already ended', p_job_id, p_token),
            'An earlier transaction of yours committed. Roll back this one; the work is done.');
    end if;
    perform jobforge.raise_error('LEASE_LOST',
        format('job %s is no longer held under lease token %s', p_job_id, p_token),
        'It was cancelled, or its lease expired and another worker has it. Roll back; do not retry.');
end
$$;

ALTER FUNCTION jobforge.raise_refused(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: raise_transition(text, text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.raise_transition(p_what text, p_id text, p_from text, p_to text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        case when p_from is null then format('%s %s cannot begin as %s', p_what, p_id, p_to)
            when p_from = p_to then format('%s %s (%s) cannot change like this', p_what, p_id, p_from)
            else format('%s %s cannot go from %s to %s', p_what, p_id, p_from, p_to) end,
        'docs/jobs.md has the status graphs.');
end
$$;

ALTER FUNCTION jobforge.raise_transition(p_what text, p_id text, p_from text, p_to text) OWNER TO jobforge_owner;

--
-- Name: raise_unreadable(text, boolean, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.raise_unreadable(p_what text, p_too_large boolean, p_max integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_too_large then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
            format('the %s is larger than %s bytes as text', p_what, p_max),
            'Store the data elsewhere and put a reference into it.');
    end if;
    perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
        format('the %s has a number of more than 400 digits', p_what),
        'Send such a number as a string.');
end
$$;

ALTER FUNCTION jobforge.raise_unreadable(p_what text, p_too_large boolean, p_max integer) OWNER TO jobforge_definer;

--
-- Name: read_claimed(uuid, tid[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.read_claimed(p_claim_id uuid, p_rows tid[], p_inline_bytes integer DEFAULT NULL::integer) RETURNS TABLE(tenant_id uuid, job_id uuid, type text, payload jsonb, attempts integer, max_attempts integer, priority smallint, scheduled_at timestamp with time zone, created_at timestamp with time zone, started_at timestamp with time zone, lease_token bigint, lease_expires_at timestamp with time zone, interrupted boolean, idempotency_key text, trace_id text, created_by text, timeout_seconds integer, claim_id uuid, interruptions smallint, row_ids tid[])
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_rows tid[] := p_rows;
    v_types text[];
    v_timeouts integer[];
begin
    if p_claim_id is null or p_rows is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a claim is read by its claim_id and row_ids', '');
    end if;
    perform jobforge.check_elements(p_rows, 'p_rows');
    if exists (select from unnest(p_rows) r(row_id)
            where (select j.status from jobforge.jobs j where j.ctid = r.row_id and j.claim_id = p_claim_id)
                is null) then
        v_rows := array(select j.ctid from jobforge.jobs j
            where j.status = 'RUNNING' and j.claim_id = p_claim_id);
    end if;
    -- Few types have a time limit: looked up once, not for every row.
    select array_agg(t.type), array_agg(t.timeout_seconds) into v_types, v_timeouts
    from jobforge.job_types t where t.timeout_seconds is not null;
    return query
    select c.tenant_id, c.job_id, c.type,
        case when p_inline_bytes is not null and (c.payload_ref is not null or c.payload_bytes > p_inline_bytes)
                then null
            when c.payload_ref is null then c.payload
            else jobforge.load_artifact(c.tenant_id, c.payload_ref) end,
        c.attempts, c.max_attempts, c.priority, c.scheduled_at, c.created_at, c.started_at,
        c.lease_token, c.lease_expires_at, c.interrupted, c.idempotency_key, c.trace_id, c.created_by,
        v_timeouts[array_position(v_types, c.type)], c.claim_id, c.interruptions, null::tid[]
    from unnest(v_rows) r(row_id) cross join lateral (
        select j.* from jobforge.jobs j where j.ctid = r.row_id and j.claim_id = p_claim_id offset 0) c;
end
$$;

ALTER FUNCTION jobforge.read_claimed(p_claim_id uuid, p_rows tid[], p_inline_bytes integer) OWNER TO jobforge_engine;

--
-- Name: read_payload(uuid, uuid, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.read_payload(p_tenant_id uuid, p_job_id uuid, p_claim_id uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_job record;
    v_payload jsonb;
begin
    if num_nulls(p_tenant_id, p_job_id, p_claim_id) > 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a payload is read by tenant_id, job_id and claim_id', '');
    end if;
    -- By the primary key: with the status in the same query it may be the index of the leases.
    select j.payload, j.payload_ref into v_job from (select j.* from jobforge.jobs j
        where j.tenant_id = p_tenant_id and j.job_id = p_job_id offset 0) j
    where j.claim_id = p_claim_id and j.status = 'RUNNING';
    if not found then
        return null;
    elsif v_job.payload_ref is null then
        return v_job.payload;
    end if;
    v_payload := jobforge.load_artifact(p_tenant_id, v_job.payload_ref);
    if v_payload is null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', 'the stored payload is gone', '');
    end if;
    return v_payload;
end
$$;

ALTER FUNCTION jobforge.read_payload(p_tenant_id uuid, p_job_id uuid, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: readable(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.readable(p_value jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if pg_column_size(p_value) > 20 and jobforge.has_long_number(p_value) then
        return jsonb_build_object('unreadable', 'a number of more than 400 digits');
    end if;
    return p_value;
end
$$;

ALTER FUNCTION jobforge.readable(p_value jsonb) OWNER TO jobforge_definer;

--
-- Name: reclaim_expired(text[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.reclaim_expired(p_types text[] DEFAULT NULL::text[], p_limit integer DEFAULT 200) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_types text[] := p_types;
    v_now timestamptz := clock_timestamp();  -- a constant bounds the scan, clock_timestamp() reads every lease
    v_job jobforge.jobs;
    v_error jsonb;
    v_count integer := 0;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_page(p_limit, 10000);
    if v_types is null then
        select array_agg(t.type) into v_types from jobforge.job_types t;
    else
        perform jobforge.check_elements(v_types, 'p_types');
    end if;
    for v_job in
        select j.* from unnest(v_types) t(type) cross join lateral (
            select c.* from jobforge.jobs c
            where c.status = 'RUNNING' and c.type = t.type and c.lease_expires_at < v_now
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
            perform jobforge.requeue_job(v_job, v_job.scheduled_at, 'CRASHED', v_error, false, true);
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
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into jobforge.attempt_records (tenant_id, job_id, lease_token, attempt_no, type, worker_id,
        started_at, ended_at, outcome, error)
    values (p_job.tenant_id, p_job.job_id, p_job.lease_token, p_job.attempts, p_job.type,
        p_job.lease_owner, p_job.started_at, clock_timestamp(), p_outcome, p_error);
end
$$;

ALTER FUNCTION jobforge.record_attempt(p_job jobforge.jobs, p_outcome text, p_error jsonb) OWNER TO jobforge_definer;

--
-- Name: redeliver_failed(uuid, timestamp with time zone, integer, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.redeliver_failed(p_endpoint uuid DEFAULT NULL::uuid, p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, p_limit integer DEFAULT 1000, p_until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_delivery_id uuid;
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 10000);
    if p_since is null or p_until is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_since and p_until are times, not NULL',
            'Leave them out for all deliveries.');
    elsif p_endpoint is not null and (jobforge.lock_endpoint(v_tenant_id, p_endpoint)).status = 'DISABLED' then
        perform jobforge.raise_error('INVALID_TRANSITION', format('endpoint %s is disabled', p_endpoint),
            'Enable it first: jobforge webhooks enable ID.');
    end if;
    for v_delivery_id in
        select d.webhook_delivery_id from jobforge.webhook_deliveries d
        join jobforge.webhook_endpoints e
            on e.tenant_id = d.tenant_id and e.webhook_endpoint_id = d.webhook_endpoint_id
        where d.tenant_id = v_tenant_id and d.status = 'FAILED' and d.updated_at >= p_since
            and d.updated_at < p_until and e.status = 'ACTIVE' and (p_endpoint is null or d.webhook_endpoint_id = p_endpoint)
        order by d.webhook_delivery_id limit p_limit
        for no key update of d skip locked
    loop
        perform jobforge.redeliver_webhook(v_delivery_id);
        v_count := v_count + 1;
    end loop;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.redeliver_failed(p_endpoint uuid, p_since timestamp with time zone, p_limit integer, p_until timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: redeliver_webhook(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.redeliver_webhook(p_delivery_id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_delivery record := jobforge.lock_delivery(v_tenant_id, p_delivery_id);
    v_job_id uuid;
begin
    if v_delivery.status <> 'FAILED' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('delivery %s is %s', p_delivery_id, v_delivery.status), 'Only a FAILED one is sent again.');
    end if;
    v_job_id := jobforge.enqueue_follow_up(v_tenant_id, 'DELIVER_WEBHOOK',
        jsonb_build_object('webhook_delivery_id', p_delivery_id), 3,
        format('webhook-%s-%s-%s', v_delivery.event_id, v_delivery.webhook_endpoint_id,
            v_delivery.redeliveries + 1));
    update jobforge.webhook_deliveries d
    set status = 'PENDING', redeliveries = d.redeliveries + 1, job_id = v_job_id,
        updated_at = clock_timestamp()
    where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    return v_job_id;
end
$$;

ALTER FUNCTION jobforge.redeliver_webhook(p_delivery_id uuid) OWNER TO jobforge_definer;

--
-- Name: refusal(text, uuid, uuid, bigint, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.refusal(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.check_lease(p_worker, p_tenant_id, p_job_id, p_token);
    return replace(jobforge.lease_fate(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id), 'HELD', 'LOCKED');
end
$$;

ALTER FUNCTION jobforge.refusal(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: refusal_text(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.refusal_text(p_message text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_quoted text[] := array(select m[1] from regexp_matches(p_message, '"([a-z_0-9]+)"', 'g') m);
    v_name text;
begin
    foreach v_name in array v_quoted loop
        if jobforge.constraint_sentence(v_name) is not null then
            return jobforge.constraint_sentence(v_name);
        end if;
    end loop;
    if p_message like '%not-null constraint%' then
        return format('%s is needed, and must not be null', v_quoted[1]);
    end if;
    return p_message;
end
$$;

ALTER FUNCTION jobforge.refusal_text(p_message text) OWNER TO jobforge_owner;

--
-- Name: refusal_text(text, anyelement, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.refusal_text(p_message text, p_row anyelement, p_input jsonb) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_key text;
begin
    for v_key in select k from jsonb_object_keys(case jsonb_typeof(p_input) when 'object' then p_input else '{}' end) k
            order by k loop
        begin
            perform jsonb_populate_record(p_row, jsonb_build_object(v_key, p_input -> v_key));
        exception when others then
            return format('%s: %s', v_key, sqlerrm);
        end;
    end loop;
    return jobforge.refusal_text(p_message);
end
$$;

ALTER FUNCTION jobforge.refusal_text(p_message text, p_row anyelement, p_input jsonb) OWNER TO jobforge_owner;

--
-- Name: refuse_beside_writes(boolean, text, text, uuid, uuid, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.refuse_beside_writes(p_wrote boolean, p_state text, p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_wrote and p_state in ('SETTLED', 'LOST', 'LEASE_LOST')
        and current_setting('jobforge.only_settles', true) is distinct from 'true' then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, null);
    end if;
end
$$;

ALTER FUNCTION jobforge.refuse_beside_writes(p_wrote boolean, p_state text, p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) OWNER TO jobforge_engine;

--
-- Name: refuse_change(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('%s of %s is not allowed: its rows are kept as they were written', lower(tg_op), tg_table_name),
        'Use the functions of schema jobforge; docs/jobs.md and docs/audit.md say what may change.');
    return null;
end
$$;

ALTER FUNCTION jobforge.refuse_change() OWNER TO jobforge_owner;

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
    SET row_security TO 'on'
    AS $$
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

ALTER FUNCTION jobforge.register_worker(p_worker text, p_host text, p_pid integer, p_version text, p_types text[], p_slots integer) OWNER TO jobforge_engine;

--
-- Name: reject_document(uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.reject_document(p_document_version_id uuid, p_rejection jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_status text := jobforge.lock_document_version(v_tenant_id, p_document_version_id);
begin
    if v_status = 'REJECTED' then
        return;
    elsif v_status <> 'UPLOADED' then
        perform jobforge.raise_transition('document version', p_document_version_id::text, v_status, 'REJECTED');
    elsif p_rejection is null or jsonb_typeof(p_rejection) <> 'object' or p_rejection ->> 'code' is null
        or p_rejection ->> 'message' is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a rejection is a JSON object with at least code and message', '');
    end if;
    update jobforge.document_versions v
    set status = 'REJECTED', rejection = p_rejection, settled_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    perform jobforge.append_event('DocumentVersion', p_document_version_id, 'DOCUMENT_REJECTED',
        jsonb_build_object('code', p_rejection ->> 'code', 'message', p_rejection ->> 'message'));
end
$$;

ALTER FUNCTION jobforge.reject_document(p_document_version_id uuid, p_rejection jsonb) OWNER TO jobforge_definer;

--
-- Name: release_jobs(text, uuid[], uuid[], bigint[], uuid[], boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[] DEFAULT NULL::uuid[], p_skip_locked boolean DEFAULT false) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_types text[] := '{}';
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, null, null);
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_claim_ids)
            as i(tenant_id, job_id, token, claim_id)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if found then
            perform jobforge.requeue_job(v_job, v_job.scheduled_at, 'RELEASED', null, true, false);
            if v_job.type <> all(v_types) then
                v_types := v_types || v_job.type;
            end if;
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            state := jobforge.refusal(p_worker, tenant_id, job_id, lease_token, v_input.claim_id);
            perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
            return next;
        end if;
    end loop;
    perform jobforge.wake(t.type) from unnest(v_types) t(type);
end
$$;

ALTER FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_skip_locked boolean) OWNER TO jobforge_engine;

--
-- Name: remove_access_policy(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.remove_access_policy(p_policy_id uuid, p_actor_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version bigint := jobforge.next_access_version(v_tenant_id);
    v_row jobforge.access_policies;
begin
    delete from jobforge.access_policies p
    where p.tenant_id = v_tenant_id and p.policy_id = p_policy_id returning p.* into v_row;
    if not found then
        perform jobforge.raise_not_found('access policy', coalesce(p_policy_id::text, 'NULL'));
    end if;
    perform jobforge.append_policy_event('removed', v_row, v_version, jobforge.acting_actor(p_actor_id));
end
$$;

ALTER FUNCTION jobforge.remove_access_policy(p_policy_id uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: remove_connector_config(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.remove_connector_config(p_connector text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    delete from jobforge.connector_configs c where c.tenant_id = v_tenant_id and c.connector = p_connector;
    if not found then
        perform jobforge.raise_not_found('configuration of connector', p_connector);
    end if;
end
$$;

ALTER FUNCTION jobforge.remove_connector_config(p_connector text) OWNER TO jobforge_definer;

--
-- Name: remove_snapshot_fact(uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text, p_fact_key text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.lock_building_snapshot(v_tenant_id, p_snapshot_id);
    delete from jobforge.snapshot_items i
    where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id and i.fact_type = p_fact_type
        and i.fact_key = p_fact_key;
    if not found then
        perform jobforge.raise_not_found('fact in the snapshot:', format('%s %s', p_fact_type, p_fact_key));
    end if;
end
$$;

ALTER FUNCTION jobforge.remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text, p_fact_key text) OWNER TO jobforge_definer;

--
-- Name: remove_webhook_endpoint(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.remove_webhook_endpoint(p_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    -- Alone: a delivery that is being made shares the row.
    perform from jobforge.webhook_endpoints e
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id for update;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', p_id::text);
    elsif exists (select from jobforge.webhook_deliveries d
            where d.tenant_id = v_tenant_id and d.webhook_endpoint_id = p_id) then
        perform jobforge.raise_error('INVALID_TRANSITION', format('endpoint %s has deliveries, which are kept', p_id),
            'Disable it, or end its subscriptions.');
    end if;
    delete from jobforge.webhook_replaced_secrets r
    where r.tenant_id = v_tenant_id and r.webhook_endpoint_id = p_id;
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_id;
    delete from jobforge.governors g
    where g.tenant_id = v_tenant_id and g.kind = 'endpoint' and g.key = p_id::text;
    delete from jobforge.webhook_endpoints e
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
end
$$;

ALTER FUNCTION jobforge.remove_webhook_endpoint(p_id uuid) OWNER TO jobforge_definer;

--
-- Name: remove_webhook_subscription(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.remove_webhook_subscription(p_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_subscription_id = p_id;
    if not found then
        perform jobforge.raise_not_found('webhook subscription', p_id::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.remove_webhook_subscription(p_id uuid) OWNER TO jobforge_definer;

--
-- Name: reopen_snapshot(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.reopen_snapshot(p_snapshot_id uuid, p_actor_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    if jobforge.lock_snapshot(v_tenant_id, p_snapshot_id) = 'READY' then
        update jobforge.data_snapshots s set status = 'BUILDING', ready_at = null
        where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
        perform jobforge.append_event('DataSnapshot', p_snapshot_id, 'SNAPSHOT_REOPENED', '{}', p_actor_id);
    end if;
end
$$;

ALTER FUNCTION jobforge.reopen_snapshot(p_snapshot_id uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: report_days(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_days(p_from timestamp with time zone, p_to timestamp with time zone) RETURNS TABLE(day date)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select d::date from generate_series(date_trunc('day', p_from at time zone 'UTC'),
        (p_to at time zone 'UTC') - interval '1 microsecond', interval '1 day') d
$$;

ALTER FUNCTION jobforge.report_days(p_from timestamp with time zone, p_to timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: report_job_analytics(timestamp with time zone, timestamp with time zone, integer, integer, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_job_analytics(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer DEFAULT 10, p_max_days integer DEFAULT 366, p_max_rows bigint DEFAULT 1000000) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET work_mem TO '32MB'
    SET jit TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_report json;
begin
    perform jobforge.check_report(p_from, p_to, p_top_n, p_max_days, p_max_rows);
    with all_of as materialized (
        select r.* from jobforge.report_jobs(v_tenant_id, p_from, p_to) r limit p_max_rows + 1
    ), sums as materialized (
        select grouping(r.type) = 1 as overall, r.type, count(*) as jobs,
            count(*) filter (where r.status = 'QUEUED') as queued,
            count(*) filter (where r.status = 'RUNNING') as running,
            count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status = 'FAILED') as failed,
            count(*) filter (where r.status = 'CANCELLED') as cancelled,
            count(*) filter (where r.status = 'DEAD_LETTER') as dead_letter,
            coalesce(sum(r.attempts), 0) as attempts, coalesce(max(r.attempts), 0) as most_attempts,
            count(*) filter (where r.attempts > 1) as retried, count(r.run_us) as ran,
            percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.run_us) as run_us,
            percentile_disc(array[0.5, 0.95, 0.99]) within group (order by r.wait_us) as wait_us
        from all_of r group by grouping sets ((), (r.type))
    ), rated as (
        select s.*, trim_scale(round(s.succeeded::numeric
            / nullif(s.succeeded + s.failed + s.dead_letter, 0), 4)) as success_rate
        from sums s
    ), errors as (
        select r.last_error ->> 'code' as code, count(*) as jobs, count(distinct r.type) as types,
            max(r.at) as last_at,
            (array_agg(r.last_error ->> 'message' order by r.at desc, r.job_id))[1] as message
        from all_of r where r.last_error is not null group by 1
        order by jobs desc, code limit p_top_n
    ), dead as (
        select r.* from all_of r where r.status = 'DEAD_LETTER' order by r.at desc, r.job_id limit p_top_n
    ), days as (
        select r.day, count(*) as jobs, count(*) filter (where r.status = 'QUEUED') as queued,
            count(*) filter (where r.status = 'RUNNING') as running,
            count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status = 'FAILED') as failed,
            count(*) filter (where r.status = 'CANCELLED') as cancelled,
            count(*) filter (where r.status = 'DEAD_LETTER') as dead_letter
        from all_of r group by r.day
    )
    select json_build_object(
        'totals', (select json_build_object('jobs', s.jobs, 'queued', s.queued, 'running', s.running,
                'succeeded', s.succeeded, 'failed', s.failed, 'cancelled', s.cancelled,
                'dead_letter', s.dead_letter, 'success_rate', s.success_rate)
            from rated s where s.overall),
        'attempts', (select json_build_object('total', s.attempts,
                'mean', trim_scale(round(s.attempts::numeric / nullif(s.jobs, 0), 3)), 'most', s.most_attempts,
                'retried_jobs', s.retried)
            from sums s where s.overall),
        'duration_ms', (select json_build_object('jobs', s.ran, 'p50', jobforge.report_ms(s.run_us[1]),
                'p95', jobforge.report_ms(s.run_us[2]), 'p99', jobforge.report_ms(s.run_us[3]))
            from sums s where s.overall),
        'wait_ms', (select json_build_object('jobs', s.ran, 'p50', jobforge.report_ms(s.wait_us[1]),
                'p95', jobforge.report_ms(s.wait_us[2]), 'p99', jobforge.report_ms(s.wait_us[3]))
            from sums s where s.overall),
        'by_day', (select json_agg(json_build_object('day', d.day, 'jobs', coalesce(n.jobs, 0),
                'queued', coalesce(n.queued, 0), 'running', coalesce(n.running, 0),
                'succeeded', coalesce(n.succeeded, 0), 'failed', coalesce(n.failed, 0),
                'cancelled', coalesce(n.cancelled, 0), 'dead_letter', coalesce(n.dead_letter, 0))
                order by d.day)
            from jobforge.report_days(p_from, p_to) d left join days n on n.day = d.day),
        'by_type', (select coalesce(json_agg(json_build_object('type', s.type, 'jobs', s.jobs,
                'queued', s.queued, 'running', s.running, 'succeeded', s.succeeded, 'failed', s.failed,
                'cancelled', s.cancelled, 'dead_letter', s.dead_letter, 'success_rate', s.success_rate,
                'attempts', s.attempts, 'duration_p50_ms', jobforge.report_ms(s.run_us[1]),
                'duration_p95_ms', jobforge.report_ms(s.run_us[2]),
                'duration_p99_ms', jobforge.report_ms(s.run_us[3]),
                'wait_p50_ms', jobforge.report_ms(s.wait_us[1]),
                'wait_p95_ms', jobforge.report_ms(s.wait_us[2]),
                'wait_p99_ms', jobforge.report_ms(s.wait_us[3])) order by s.jobs desc, s.type), '[]')
            from rated s where not s.overall),
        'slowest_types', (select coalesce(json_agg(json_build_object('type', s.type, 'jobs', s.ran,
                'p50_ms', jobforge.report_ms(s.run_us[1]), 'p95_ms', jobforge.report_ms(s.run_us[2]),
                'p99_ms', jobforge.report_ms(s.run_us[3])) order by s.run_us[2] desc, s.type), '[]')
            from (select t.* from sums t where not t.overall and t.ran > 0
                order by t.run_us[2] desc, t.type limit p_top_n) s),
        'top_errors', (select coalesce(json_agg(json_build_object('code', e.code, 'jobs', e.jobs,
                'types', e.types, 'last_at', jobforge.utc_text(e.last_at),
                'message', left(e.message, 300)) order by e.jobs desc, e.code), '[]') from errors e),
        'dead_letters', (select coalesce(json_agg(json_build_object('job_id', d.job_id, 'type', d.type,
                'attempts', d.attempts, 'completed_at', jobforge.utc_text(d.at),
                'code', d.last_error ->> 'code', 'message', left(d.last_error ->> 'message', 300))
                order by d.at desc, d.job_id), '[]') from dead d))
    into v_report;
    perform jobforge.check_report_rows((v_report -> 'totals' ->> 'jobs')::bigint, p_max_rows);
    return v_report;
end
$$;

ALTER FUNCTION jobforge.report_job_analytics(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) OWNER TO jobforge_definer;

--
-- Name: report_jobs(uuid, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_jobs(p_tenant_id uuid, p_from timestamp with time zone, p_to timestamp with time zone) RETURNS TABLE(job_id uuid, type text, status text, day date, at timestamp with time zone, attempts integer, run_us bigint, wait_us bigint, last_error jsonb)
    LANGUAGE sql STABLE
    AS $$
    select f.job_id, f.type, f.status, (f.completed_at at time zone 'UTC')::date, f.completed_at, f.attempts,
        case when f.status <> 'CANCELLED' then greatest(0, 1000000 * extract(epoch
            from f.completed_at - f.started_at))::bigint end,
        case when f.status <> 'CANCELLED' then greatest(0, 1000000 * extract(epoch
            from f.started_at - f.scheduled_at))::bigint end,
        case when f.status in ('FAILED', 'DEAD_LETTER') then f.last_error end
    from jobforge.finished_jobs f
    where f.tenant_id = p_tenant_id and f.completed_at >= p_from and f.completed_at < p_to
    union all
    select j.job_id, j.type, j.status, (j.created_at at time zone 'UTC')::date, j.created_at, j.attempts,
        null, null, null
    from jobforge.jobs j
    where j.tenant_id = p_tenant_id and j.created_at >= p_from and j.created_at < p_to
$$;

ALTER FUNCTION jobforge.report_jobs(p_tenant_id uuid, p_from timestamp with time zone, p_to timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: report_ms(bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_ms(p_us bigint) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select trim_scale(p_us / 1000::numeric)
$$;

ALTER FUNCTION jobforge.report_ms(p_us bigint) OWNER TO jobforge_definer;

--
-- Name: report_tenant_usage(timestamp with time zone, timestamp with time zone, integer, integer, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_tenant_usage(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer DEFAULT 10, p_max_days integer DEFAULT 366, p_max_rows bigint DEFAULT 1000000) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET work_mem TO '32MB'
    SET jit TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_report json;
begin
    perform jobforge.check_report(p_from, p_to, p_top_n, p_max_days, p_max_rows);
    with all_of as materialized (
        select r.type, r.status, r.day, r.at, r.attempts, r.run_us
        from jobforge.report_jobs(v_tenant_id, p_from, p_to) r limit p_max_rows + 1
    ), types as materialized (
        select r.type, count(*) as jobs, count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status in ('FAILED', 'DEAD_LETTER')) as failed,
            sum(r.attempts) as attempts, coalesce(sum(r.run_us), 0)::bigint as run_us,
            max(r.at) as last_at
        from all_of r group by r.type
    ), days as (
        select r.day, count(*) as jobs, count(*) filter (where r.status = 'SUCCEEDED') as succeeded,
            count(*) filter (where r.status in ('FAILED', 'DEAD_LETTER')) as failed
        from all_of r group by r.day
    ), deliveries as materialized (
        select w.webhook_endpoint_id, count(*) as deliveries,
            count(*) filter (where w.status = 'DELIVERED') as delivered,
            count(*) filter (where w.status = 'FAILED') as failed,
            count(*) filter (where w.status = 'PENDING') as pending, sum(w.attempts) as attempts
        from jobforge.webhook_deliveries w
        where w.tenant_id = v_tenant_id and w.created_at >= p_from and w.created_at < p_to
        group by w.webhook_endpoint_id
    )
    select json_build_object(
        'totals', (select json_build_object('jobs', coalesce(sum(t.jobs), 0),
                'succeeded', coalesce(sum(t.succeeded), 0), 'failed', coalesce(sum(t.failed), 0),
                'attempts', coalesce(sum(t.attempts), 0),
                'run_ms', jobforge.report_ms(coalesce(sum(t.run_us), 0)::bigint),
                'job_types', count(*),
                'connector_jobs', coalesce(sum(t.jobs) filter (where t.type like 'connector.%'), 0))
            from types t),
        'storage', json_build_object(
            'waiting_jobs', (select count(*) from jobforge.jobs j where j.tenant_id = v_tenant_id),
            'waiting_payload_bytes', (select coalesce(sum(j.payload_bytes), 0)
                from jobforge.jobs j where j.tenant_id = v_tenant_id),
            'documents', (select count(*) from jobforge.documents d where d.tenant_id = v_tenant_id),
            'document_bytes', (select coalesce(sum(d.size_bytes), 0)
                from jobforge.document_versions d where d.tenant_id = v_tenant_id),
            'artifacts', (select count(*) from jobforge.artifacts a where a.tenant_id = v_tenant_id),
            'artifact_bytes', (select coalesce(sum(octet_length(a.content)), 0)
                from jobforge.artifacts a where a.tenant_id = v_tenant_id)),
        'webhooks', (select json_build_object(
                'endpoints_active', (select count(*) from jobforge.webhook_endpoints e
                    where e.tenant_id = v_tenant_id and e.status = 'ACTIVE'),
                'endpoints_disabled', (select count(*) from jobforge.webhook_endpoints e
                    where e.tenant_id = v_tenant_id and e.status = 'DISABLED'),
                'deliveries', coalesce(sum(w.deliveries), 0), 'delivered', coalesce(sum(w.delivered), 0),
                'failed', coalesce(sum(w.failed), 0), 'pending', coalesce(sum(w.pending), 0),
                'attempts', coalesce(sum(w.attempts), 0))
            from deliveries w),
        'by_day', (select json_agg(json_build_object('day', d.day, 'jobs', coalesce(n.jobs, 0),
                'succeeded', coalesce(n.succeeded, 0), 'failed', coalesce(n.failed, 0),
                'other', coalesce(n.jobs - n.succeeded - n.failed, 0)) order by d.day)
            from jobforge.report_days(p_from, p_to) d left join days n on n.day = d.day),
        'by_type', (select coalesce(json_agg(json_build_object('type', t.type, 'jobs', t.jobs,
                'succeeded', t.succeeded, 'failed', t.failed, 'attempts', t.attempts,
                'run_ms', jobforge.report_ms(t.run_us)) order by t.jobs desc, t.type), '[]') from types t),
        'connectors', (select coalesce(json_agg(json_build_object('type', t.type, 'jobs', t.jobs,
                'succeeded', t.succeeded, 'failed', t.failed, 'attempts', t.attempts,
                'last_at', jobforge.utc_text(t.last_at)) order by t.jobs desc, t.type), '[]')
            from types t where t.type like 'connector.%'),
        'webhook_endpoints', (select coalesce(json_agg(json_build_object('url', e.url, 'status', e.status,
                'deliveries', e.deliveries, 'delivered', e.delivered, 'failed', e.failed,
                'pending', e.pending) order by e.deliveries desc, e.webhook_endpoint_id), '[]')
            from (select n.webhook_endpoint_id, n.url, n.status, coalesce(w.deliveries, 0) as deliveries,
                    coalesce(w.delivered, 0) as delivered, coalesce(w.failed, 0) as failed,
                    coalesce(w.pending, 0) as pending
                from jobforge.webhook_endpoints n left join deliveries w using (webhook_endpoint_id)
                where n.tenant_id = v_tenant_id
                order by deliveries desc, n.webhook_endpoint_id limit p_top_n) e))
    into v_report;
    perform jobforge.check_report_rows((v_report -> 'totals' ->> 'jobs')::bigint, p_max_rows);
    return v_report;
end
$$;

ALTER FUNCTION jobforge.report_tenant_usage(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) OWNER TO jobforge_definer;

--
-- Name: report_time(text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_time(p_name text, p_text text) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return translate(p_text, 'TZ', ' ')::timestamp at time zone 'UTC';
exception when data_exception then
    perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
        format('period.%s: there is no time %s', p_name, p_text), 'Such as 2026-01-31 or 2026-01-31T12:00:00Z.');
    return null;
end
$$;

ALTER FUNCTION jobforge.report_time(p_name text, p_text text) OWNER TO jobforge_definer;

--
-- Name: report_top_n(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_top_n(p_text text) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return p_text::integer;
exception when data_exception then
    perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
        format('options.top_n: %s is not a whole number from 1 to 1000', left(p_text, 100)), '');
    return null;
end
$$;

ALTER FUNCTION jobforge.report_top_n(p_text text) OWNER TO jobforge_definer;

--
-- Name: report_usage_summary(timestamp with time zone, timestamp with time zone, integer, integer, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.report_usage_summary(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer DEFAULT 10, p_max_days integer DEFAULT 366, p_max_rows bigint DEFAULT 1000000) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET work_mem TO '32MB'
    SET jit TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_report json;
begin
    perform jobforge.check_report(p_from, p_to, p_top_n, p_max_days, p_max_rows);
    with all_of as materialized (
        select e.event_type, e.aggregate_type, e.aggregate_id, e.actor_id, e.occurred_at,
            (e.occurred_at at time zone 'UTC')::date as day
        from jobforge.events e
        where e.tenant_id = v_tenant_id and e.occurred_at >= p_from and e.occurred_at < p_to
        limit p_max_rows + 1
    ), actors as materialized (
        select e.actor_id, count(*) as events, max(e.occurred_at) as last_at
        from all_of e where e.actor_id is not null group by e.actor_id
    )
    select json_build_object(
        'totals', (select json_build_object('events', count(*), 'event_types', count(distinct e.event_type),
                'aggregates', count(distinct (e.aggregate_type, e.aggregate_id)),
                'active_actors', (select count(*) from actors),
                'active_keys', (select count(*) from jobforge.api_keys k
                    where k.tenant_id = v_tenant_id and k.created_at < p_to and k.last_used_at >= p_from))
            from all_of e),
        'by_day', (select json_agg(json_build_object('day', d.day, 'events', coalesce(n.events, 0))
                order by d.day)
            from jobforge.report_days(p_from, p_to) d
                left join (select e.day, count(*) as events from all_of e group by e.day) n
                on n.day = d.day),
        'by_type', (select coalesce(json_agg(json_build_object('event_type', n.event_type,
                'events', n.events, 'last_at', jobforge.utc_text(n.last_at))
                order by n.events desc, n.event_type), '[]')
            from (select e.event_type, count(*) as events, max(e.occurred_at) as last_at
                from all_of e group by e.event_type) n),
        'by_type_and_day', (select coalesce(json_agg(json_build_object('day', n.day,
                'event_type', n.event_type, 'events', n.events) order by n.day, n.event_type), '[]')
            from (select e.day, e.event_type, count(*) as events
                from all_of e group by e.day, e.event_type) n),
        'actors', (select coalesce(json_agg(json_build_object('actor', n.actor_id, 'events', n.events,
                'last_at', jobforge.utc_text(n.last_at)) order by n.events desc, n.actor_id), '[]')
            from (select a.* from actors a order by a.events desc, a.actor_id limit p_top_n) n))
    into v_report;
    perform jobforge.check_report_rows((v_report -> 'totals' ->> 'events')::bigint, p_max_rows);
    return v_report;
end
$$;

ALTER FUNCTION jobforge.report_usage_summary(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) OWNER TO jobforge_definer;

--
-- Name: request_compile(uuid, uuid, uuid, text, timestamp with time zone, uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.request_compile(p_passport_id uuid, p_snapshot_id uuid, p_rule_package_version_id uuid, p_signing_key_id text, p_issued_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_passport_version_id uuid DEFAULT NULL::uuid, p_actor_id text DEFAULT NULL::text, p_trace_id text DEFAULT NULL::text, OUT passport_version_id uuid, OUT issued_at timestamp with time zone, OUT job_id uuid) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.check_length('the id of a signing key', p_signing_key_id, 1, 200);
    if p_issued_at not between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'issued_at must be within the years 1 to 9999', '');
    end if;
    perform jobforge.check_compilable(v_tenant_id, p_passport_id, p_snapshot_id, p_rule_package_version_id);
    passport_version_id := coalesce(p_passport_version_id, jobforge.uuid_v7(clock_timestamp()));
    issued_at := coalesce(p_issued_at, (
        select (j.payload ->> 'issued_at')::timestamptz from jobforge.idempotency_keys k
        join jobforge.all_jobs j on j.tenant_id = k.tenant_id and j.job_id = k.job_id
        where k.tenant_id = v_tenant_id and k.type = 'COMPILE_PASSPORT'
            and k.idempotency_key = 'compile-' || p_passport_version_id), clock_timestamp());
    job_id := jobforge.enqueue_step(v_tenant_id, 'COMPILE_PASSPORT',
        jsonb_build_object('issued_at', jobforge.utc_text(issued_at), 'passport_id', p_passport_id,
            'passport_version_id', passport_version_id, 'rule_package_version_id', p_rule_package_version_id,
            'signing_key_id', p_signing_key_id, 'snapshot_id', p_snapshot_id), 1,
        'compile-' || passport_version_id, null, p_trace_id, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.request_compile(p_passport_id uuid, p_snapshot_id uuid, p_rule_package_version_id uuid, p_signing_key_id text, p_issued_at timestamp with time zone, p_passport_version_id uuid, p_actor_id text, p_trace_id text, OUT passport_version_id uuid, OUT issued_at timestamp with time zone, OUT job_id uuid) OWNER TO jobforge_definer;

--
-- Name: request_rule_tests(uuid, bigint, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.request_rule_tests(p_rule_package_version_id uuid, p_seed bigint DEFAULT 0, p_actor_id text DEFAULT NULL::text, p_trace_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_tests boolean;
begin
    if p_seed is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a seed is a number, not NULL', '');
    end if;
    select v.tests_source <> '' into v_tests from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rule_package_version_id;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rule_package_version_id::text);
    elsif not v_tests then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('rule version %s has no tests', p_rule_package_version_id), 'Upload it with its tests.');
    end if;
    return jobforge.enqueue_step(v_tenant_id, 'RUN_RULE_TESTS',
        jsonb_build_object('rule_package_version_id', p_rule_package_version_id, 'seed', p_seed), 2,
        format('tests-%s-%s', p_rule_package_version_id, p_seed), null, p_trace_id, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.request_rule_tests(p_rule_package_version_id uuid, p_seed bigint, p_actor_id text, p_trace_id text) OWNER TO jobforge_definer;

--
-- Name: requeue_job(jobforge.jobs, timestamp with time zone, text, jsonb, boolean, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_crashed boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    update jobforge.jobs j
    set status = 'QUEUED', lease_owner = null, lease_expires_at = null, heartbeat_at = null, claim_id = null,
        scheduled_at = p_at, last_error = coalesce(p_error, j.last_error),
        interrupted = j.interrupted or p_crashed,
        interruptions = least(j.interruptions::integer + case when p_crashed then 1 else 0 end, 1000)::smallint,
        attempts = j.attempts - case when p_uncount then 1 else 0 end
    where j.tenant_id = p_job.tenant_id and j.job_id = p_job.job_id;
    perform jobforge.record_attempt(p_job, p_outcome, p_error);
    insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
    values (p_job.tenant_id, p_job.type, 'requeued', 1, p_job.payload_bytes);
end
$$;

ALTER FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_crashed boolean) OWNER TO jobforge_definer;

--
-- Name: require_payload(text, jsonb, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.require_payload(p_type text, p_schema jsonb, p_payload jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_problem text := case when jsonb_typeof(p_payload) = 'object'
        then jobforge.check_payload(p_schema, p_payload) end;
begin
    if v_problem is not null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', format('%s: %s', p_type, v_problem),
            'select payload_schema from jobforge.get_job_type(type) shows what is asked for.');
    end if;
end
$$;

ALTER FUNCTION jobforge.require_payload(p_type text, p_schema jsonb, p_payload jsonb) OWNER TO jobforge_owner;

--
-- Name: require_platform_key(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.require_platform_key() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_key_id text;
begin
    select k.key_id into v_key_id from jobforge.platform_keys k
    where k.key_id = current_setting('app.platform_key', true)
        and encode(k.secret_mac, 'hex') = current_setting('app.platform_mac', true)
        and k.status = 'ACTIVE' and coalesce(k.expires_at > clock_timestamp(), true);
    if not found then
        perform jobforge.raise_error('FORBIDDEN', 'only a platform key may do this',
            'An operator makes one: jobforge keys create NAME --platform.');
    end if;
    return v_key_id;
end
$$;

ALTER FUNCTION jobforge.require_platform_key() OWNER TO jobforge_engine;

--
-- Name: require_read_committed(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.require_read_committed() RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('this function runs at the isolation level read committed, not %s',
                current_setting('transaction_isolation')),
            'Begin with "begin isolation level read committed", or set default_transaction_isolation '
            'for the role or the database.');
    end if;
end
$$;

ALTER FUNCTION jobforge.require_read_committed() OWNER TO jobforge_engine;

--
-- Name: require_step_done(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.require_step_done() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
begin
    if not jobforge.step_is_done(new.tenant_id, new.job_id, new.type, new.payload) then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('job %s of type %s cannot succeed: its step has not been done', new.job_id, new.type),
            'The handler writes the step in its completion transaction.');
    end if;
    return null;
end
$$;

ALTER FUNCTION jobforge.require_step_done() OWNER TO jobforge_engine;

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
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant(p_tenant_id);
    v_at timestamptz := coalesce(p_scheduled_at, clock_timestamp());
    v_job jobforge.jobs;
    v_done jobforge.finished_jobs;
    v_fault text;
begin
    perform jobforge.check_enqueue('{}', null, p_max_attempts, p_scheduled_at, null);
    if p_reset_attempts is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_reset_attempts is true or false, not NULL', '');
    end if;
    select j.* into v_job from jobforge.jobs j
    where j.tenant_id = v_tenant_id and j.job_id = p_job_id for update;
    if v_job.status = 'RUNNING' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('cannot reschedule job %s: it is RUNNING', p_job_id), 'Cancel it first.');
    elsif v_job.status = 'QUEUED' then
        perform jobforge.check_may_repeat(v_tenant_id, v_job.type);
        perform jobforge.check_budget(v_job.attempts, coalesce(p_max_attempts, v_job.max_attempts),
            p_reset_attempts);
        update jobforge.jobs j
        set scheduled_at = v_at, max_attempts = coalesce(p_max_attempts, j.max_attempts),
            attempts = case when p_reset_attempts then 0 else j.attempts end,
            interrupted = j.interrupted and not p_reset_attempts,
            interruptions = case when p_reset_attempts then 0 else j.interruptions end
        where j.tenant_id = v_tenant_id and j.job_id = p_job_id;
        perform jobforge.wake_for_moved(v_job.type, p_scheduled_at);
        return v_at;
    end if;

    select f.* into v_done from jobforge.finished_jobs f
    where f.tenant_id = v_tenant_id and f.job_id = p_job_id and f.status <> 'SUCCEEDED' for update;
    if not found then
        perform jobforge.raise_if_finished(v_tenant_id, p_job_id, 'reschedule');
    end if;
    perform jobforge.check_may_repeat(v_tenant_id, v_done.type);
    perform jobforge.check_budget(v_done.attempts, coalesce(p_max_attempts, v_done.max_attempts),
        p_reset_attempts);
    v_fault := jobforge.payload_fault(v_tenant_id, v_done.payload, v_done.payload_ref);
    if v_fault is not null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', format('cannot reschedule job %s: %s', p_job_id, v_fault),
            'Enqueue the work again with a payload that can be sent.');
    end if;
    perform jobforge.quota_take(v_tenant_id, 1, v_done.payload_bytes);
    perform jobforge.put_back(v_done, v_at, p_reset_attempts, p_max_attempts);
    perform jobforge.wake_for_moved(v_done.type, p_scheduled_at);
    return v_at;
end
$$;

ALTER FUNCTION jobforge.reschedule_job(p_job_id uuid, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_max_attempts integer, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: result_sizes(jsonb[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.result_sizes(p_results jsonb[]) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_sizes integer[] := array(select case when pg_column_size(r.result) > 2000
                and (pg_column_size(r.result) > 16777216 or jobforge.has_long_number(r.result)) then -1
            else octet_length(r.result::text) end
        from unnest(p_results) with ordinality r(result, n) order by r.n);
begin
    if 400 >= all(v_sizes) then
        return v_sizes;
    end if;
    return array(select case when r.bytes > 16777216 or (r.bytes > 400 and jobforge.has_long_number(r.result))
            then -1 else r.bytes end
        from unnest(p_results, v_sizes) with ordinality r(result, bytes, n) order by r.n);
end
$$;

ALTER FUNCTION jobforge.result_sizes(p_results jsonb[]) OWNER TO jobforge_engine;

--
-- Name: resume_source(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.resume_source(p_source text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.governor_resume('source',
        jobforge.find_source(jobforge.acting_tenant(), p_source)::text);
end
$$;

ALTER FUNCTION jobforge.resume_source(p_source text) OWNER TO jobforge_definer;

--
-- Name: retire_rules(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.retire_rules(p_rpv uuid, p_actor_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
begin
    if v_rules.status = 'RETIRED' then
        return;
    elsif v_rules.status = 'PUBLISHED' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('rule version %s is PUBLISHED', p_rpv), 'Deprecate it first.');
    end if;
    update jobforge.rule_package_versions v set status = 'RETIRED', retired_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'RULES_RETIRED',
        jsonb_build_object('package', v_rules.package, 'version', v_rules.version), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.retire_rules(p_rpv uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: retry_jobs(text, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, boolean, integer, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.retry_jobs(p_status text DEFAULT NULL::text, p_type text DEFAULT NULL::text, p_error_code text DEFAULT NULL::text, p_finished_after timestamp with time zone DEFAULT NULL::timestamp with time zone, p_finished_before timestamp with time zone DEFAULT NULL::timestamp with time zone, p_scheduled_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_reset_attempts boolean DEFAULT true, p_limit integer DEFAULT 1000, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant(p_tenant_id);
    v_closed text[];
    v_jobs uuid[];
    v_types text[] := '{}';
    v_job jobforge.finished_jobs;
begin
    if p_status not in ('FAILED', 'DEAD_LETTER', 'CANCELLED') then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('jobs that are %s cannot be retried', p_status),
            'Choose FAILED, DEAD_LETTER or CANCELLED; with none, FAILED and DEAD_LETTER are retried.');
    elsif p_reset_attempts is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_reset_attempts is true or false, not NULL', '');
    end if;
    perform jobforge.check_enqueue('{}', null, null, p_scheduled_at, null);
    perform jobforge.check_page(p_limit, 100000);
    if p_type is not null then
        perform jobforge.check_may_repeat(v_tenant_id, p_type);
    end if;
    v_closed := array(select t.type from jobforge.job_types t
        where t.internal and not jobforge.may_repeat_internal(v_tenant_id));
    v_jobs := array(
        select f.job_id from jobforge.finished_jobs f
        where f.tenant_id = v_tenant_id
            and f.status = any(case when p_status is null then array['FAILED', 'DEAD_LETTER']
                else array[p_status] end) and f.status <> 'SUCCEEDED'
            and (p_type is null or f.type = p_type) and f.type <> all(v_closed)
            and (p_error_code is null or f.last_error ->> 'code' = p_error_code)
            and (p_finished_after is null or f.completed_at >= p_finished_after)
            and (p_finished_before is null or f.completed_at < p_finished_before)
            and jobforge.payload_fault(v_tenant_id, f.payload, f.payload_ref) is null
        order by f.job_id
        limit p_limit
        for update skip locked);
    perform jobforge.quota_take(v_tenant_id, cardinality(v_jobs), (select sum(f.payload_bytes)
        from jobforge.finished_jobs f where f.tenant_id = v_tenant_id and f.job_id = any(v_jobs)));
    for v_job in
        select f.* from unnest(v_jobs) with ordinality i(job_id, n)
            join jobforge.finished_jobs f on f.tenant_id = v_tenant_id and f.job_id = i.job_id
        order by i.n
    loop
        perform jobforge.check_budget(v_job.attempts, v_job.max_attempts, p_reset_attempts);
        perform jobforge.put_back(v_job, coalesce(p_scheduled_at, clock_timestamp()), p_reset_attempts, null);
        if v_job.type <> all(v_types) then
            v_types := v_types || v_job.type;
        end if;
        return next v_job.job_id;
    end loop;
    perform jobforge.wake_for_moved(t.type, p_scheduled_at) from unnest(v_types) t(type);
end
$$;

ALTER FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) OWNER TO jobforge_definer;

--
-- Name: revoke_api_key(text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.revoke_api_key(p_key_id text, p_reason text DEFAULT ''::text, p_actor_id text DEFAULT NULL::text) RETURNS SETOF jobforge.api_key_states
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.api_keys := jobforge.lock_api_key(v_tenant_id, p_key_id, true);
begin
    perform jobforge.check_length('a reason', coalesce(p_reason, ''), 0, 500);
    if v_row.status <> 'REVOKED' then
        perform jobforge.end_api_key(v_tenant_id, p_key_id, p_reason, jobforge.acting_actor(p_actor_id));
    end if;
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and k.key_id = p_key_id;
end
$$;

ALTER FUNCTION jobforge.revoke_api_key(p_key_id text, p_reason text, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: revoke_passport_version(uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.revoke_passport_version(p_pv uuid, p_reason text, p_actor_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version record := jobforge.lock_passport_version(v_tenant_id, p_pv);
begin
    perform jobforge.check_length('the reason of a revocation', p_reason, 1, 1000);
    if v_version.status = 'REVOKED' and v_version.revocation_reason = p_reason then
        return;
    elsif v_version.status not in ('SIGNED', 'ACTIVE', 'SUPERSEDED') then
        perform jobforge.raise_passport_status(p_pv, v_version.status, 'revoked',
            'SIGNED, ACTIVE or SUPERSEDED');
    end if;
    update jobforge.passport_versions v
    set status = 'REVOKED', revoked_at = clock_timestamp(), revocation_reason = p_reason
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    perform jobforge.append_event('PassportVersion', p_pv, 'PASSPORT_REVOKED',
        jsonb_build_object('reason', p_reason), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.revoke_passport_version(p_pv uuid, p_reason text, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: revoke_platform_key(text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.revoke_platform_key(p_key_id text, p_reason text DEFAULT ''::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_actor_id text := 'login:' || session_user;
    v_status text;
begin
    perform jobforge.check_length('a reason', coalesce(p_reason, ''), 0, 500);
    select k.status into v_status from jobforge.platform_keys k where k.key_id = p_key_id for update;
    if not found then
        perform jobforge.raise_not_found('platform key', coalesce(p_key_id, 'NULL'));
    elsif v_status = 'REVOKED' then
        return;
    end if;
    update jobforge.platform_keys k
    set status = 'REVOKED', revoked_at = clock_timestamp(), revoked_by = v_actor_id
    where k.key_id = p_key_id;
    perform jobforge.append_platform_key_event(p_key_id, 'KEY_REVOKED',
        jsonb_strip_nulls(jsonb_build_object('reason', nullif(p_reason, ''))), v_actor_id);
end
$$;

ALTER FUNCTION jobforge.revoke_platform_key(p_key_id text, p_reason text) OWNER TO jobforge_engine;

--
-- Name: rotate_api_key(text, text, bytea, interval, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea, p_overlap interval DEFAULT '24:00:00'::interval, p_actor_id text DEFAULT NULL::text) RETURNS SETOF jobforge.api_key_states
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_old jobforge.api_keys := jobforge.lock_api_key(v_tenant_id, p_key_id, p_overlap = interval '0');
    v_new jobforge.api_keys := v_old;
    v_now timestamptz := clock_timestamp();
begin
    if p_overlap is null or p_overlap not between interval '0' and interval '30 days' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the overlap of two keys is 0 to 30 days', '');
    elsif v_old.rotated_to is not null then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('key %s was rotated already', p_key_id), format('Its successor is %s.', v_old.rotated_to));
    elsif v_old.status <> 'ACTIVE' or v_old.expires_at <= v_now then
        perform jobforge.raise_error('INVALID_TRANSITION', format('key %s is %s', p_key_id,
            case v_old.status when 'REVOKED' then 'revoked' else 'expired' end), 'Create a new one.');
    end if;
    v_new.key_id := p_new_key_id;
    v_new.secret_mac := p_secret_mac;
    v_new.version := 1;
    v_new.expires_at := v_now + (v_old.expires_at - v_old.created_at);
    v_new.created_at := v_now;
    v_new.created_by := jobforge.acting_actor(p_actor_id);
    v_new.last_used_at := null;
    perform jobforge.insert_api_key(v_new, p_key_id);
    update jobforge.api_keys k
    set rotated_to = p_new_key_id, version = k.version + 1,
        expires_at = case when p_overlap > interval '0' then least(k.expires_at, v_now + p_overlap)
            else k.expires_at end
    where k.tenant_id = v_tenant_id and k.key_id = p_key_id;
    if p_overlap = interval '0' then
        perform jobforge.end_api_key(v_tenant_id, p_key_id, 'rotated', v_new.created_by);
    end if;
    return query select k.* from jobforge.api_key_states k
    where k.tenant_id = v_tenant_id and k.key_id = p_new_key_id;
end
$$;

ALTER FUNCTION jobforge.rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea, p_overlap interval, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: rotate_webhook_secret(uuid, bytea, interval); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.rotate_webhook_secret(p_webhook_endpoint_id uuid, p_secret_ciphertext bytea, p_overlap interval DEFAULT '24:00:00'::interval) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.webhook_endpoints := jobforge.lock_endpoint(v_tenant_id, p_webhook_endpoint_id);
    v_now timestamptz := clock_timestamp();
    v_until timestamptz;
begin
    if p_secret_ciphertext is null or octet_length(p_secret_ciphertext) not between 1 and 4096 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an endpoint needs an encrypted secret',
            'Use jobforge webhooks rotate: it makes and encrypts one.');
    elsif p_overlap is null or p_overlap not between interval '0' and interval '30 days' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the overlap of two secrets is 0 to 30 days', '');
    end if;
    delete from jobforge.webhook_replaced_secrets r
    where r.tenant_id = v_tenant_id and r.webhook_endpoint_id = p_webhook_endpoint_id
        and (r.expires_at <= v_now or p_overlap = interval '0');
    if (select count(*) from jobforge.webhook_replaced_secrets r where r.tenant_id = v_tenant_id
            and r.webhook_endpoint_id = p_webhook_endpoint_id) >= 4 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'four replaced secrets still sign for this endpoint',
            'Wait until one has ended, or end them all with an overlap of 0.');
    end if;
    if p_overlap > interval '0' then
        v_until := v_now + p_overlap;
        insert into jobforge.webhook_replaced_secrets (tenant_id, webhook_endpoint_id, replaced_at,
            secret_ciphertext, expires_at)
        values (v_tenant_id, p_webhook_endpoint_id, v_now, v_row.secret_ciphertext, v_until);
    end if;
    update jobforge.webhook_endpoints e set secret_ciphertext = p_secret_ciphertext
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_webhook_endpoint_id;
    return v_until;
end
$$;

ALTER FUNCTION jobforge.rotate_webhook_secret(p_webhook_endpoint_id uuid, p_secret_ciphertext bytea, p_overlap interval) OWNER TO jobforge_definer;

--
-- Name: rows_that_fit(tid[], bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.rows_that_fit(p_rows tid[], p_bytes bigint) RETURNS integer
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
begin
    return (select count(*) from (
        select sum(j.payload_bytes) over (order by r.n) as bytes
        from unnest(p_rows) with ordinality r(row_id, n) cross join lateral (
            select c.payload_bytes from jobforge.jobs c where c.ctid = r.row_id offset 0) j) s
    where s.bytes <= p_bytes);
end
$$;

ALTER FUNCTION jobforge.rows_that_fit(p_rows tid[], p_bytes bigint) OWNER TO jobforge_engine;

--
-- Name: rule_fields_of(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.rule_fields_of(p_rpv uuid) RETURNS TABLE(path text, type text, access text, ordinal integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if not exists (select from jobforge.rule_package_versions v
            where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv) then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
    return query
    select f.path, f.type, f.access, f.ordinal from jobforge.rule_fields f
    where f.tenant_id = v_tenant_id and f.rule_package_version_id = p_rpv order by f.ordinal;
end
$$;

ALTER FUNCTION jobforge.rule_fields_of(p_rpv uuid) OWNER TO jobforge_definer;

--
-- Name: rules_to_test(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.rules_to_test(p_rpv uuid, OUT status text, OUT dsl_source text, OUT tests_source text) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select v.status, v.dsl_source, v.tests_source into status, dsl_source, tests_source
    from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.rules_to_test(p_rpv uuid, OUT status text, OUT dsl_source text, OUT tests_source text) OWNER TO jobforge_definer;

--
-- Name: run_schedules(integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.run_schedules(p_limit integer DEFAULT 100) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_due record;
    v_now timestamptz;
    v_job_id uuid;
    v_policy record;
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 100000);
    for v_due in
        select s.* from jobforge.schedules s
        where s.enabled and s.next_run_at <= clock_timestamp()
        order by s.next_run_at limit p_limit for update skip locked
    loop
        v_now := clock_timestamp();
        v_job_id := null;
        select t.default_priority, t.max_attempts, n.min_priority into v_policy
        from jobforge.job_types t join jobforge.tenants n on n.tenant_id = v_due.tenant_id and n.status = 'ACTIVE'
        where t.type = v_due.type and t.enabled and not t.internal;
        if found then
            v_job_id := jobforge.uuid_v7(v_now);
            insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at,
                created_at, created_by, payload, payload_bytes)
            values (v_due.tenant_id, v_job_id, v_due.type,
                greatest(coalesce(v_due.priority, v_policy.default_priority), v_policy.min_priority),
                v_policy.max_attempts, v_due.next_run_at, v_now, 'schedule:' || v_due.name, v_due.payload,
                octet_length(v_due.payload::text));
            insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
            values (v_due.tenant_id, v_due.type, 'enqueued', 1, octet_length(v_due.payload::text));
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
-- Name: save_collection_progress(uuid, uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.save_collection_progress(p_intake uuid, p_source uuid, p_progress jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if octet_length(p_progress::text) > 1048576 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the progress of a collection is over 1 MiB', '');
    end if;
    perform jobforge.lock_intake(v_tenant_id, p_intake);
    if not exists (select from jobforge.sources s
            where s.tenant_id = v_tenant_id and s.source_id = p_source) then
        perform jobforge.raise_not_found('source', coalesce(p_source::text, 'NULL'));
    end if;
    -- A job that was enqueued by hand has no row yet.
    insert into jobforge.collections as c (tenant_id, intake_id, source_id, progress)
    values (v_tenant_id, p_intake, p_source, p_progress)
    on conflict (tenant_id, intake_id, source_id) do update set progress = excluded.progress;
end
$$;

ALTER FUNCTION jobforge.save_collection_progress(p_intake uuid, p_source uuid, p_progress jsonb) OWNER TO jobforge_definer;

--
-- Name: save_source(jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.save_source(p_source jsonb, p_actor_id text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.sources;
    v_source_id uuid;
begin
    perform jobforge.check_members('a source', p_source, array['name', 'source_id', 'adapter', 'enabled',
        'base_url', 'rate_limit_per_minute', 'reputation_weight', 'tier', 'config', 'burst',
        'failure_threshold', 'open_seconds', 'probe_seconds']);
    v_source_id := coalesce((p_source ->> 'source_id')::uuid, jobforge.uuid_v7(clock_timestamp()));
    -- Under the lock of its name: two that save a new source at once make one.
    perform jobforge.take_turn(v_tenant_id, 'source ' || coalesce(p_source ->> 'name', ''));
    select s.* into v_row from jobforge.sources s
    where s.tenant_id = v_tenant_id and s.name = p_source ->> 'name' for no key update;
    if found then
        if v_row.source_id <> v_source_id and p_source ? 'source_id' then
            perform jobforge.raise_error('VALIDATION_ERROR', format('source %s has the id %s', v_row.name,
                v_row.source_id), 'Leave source_id out to change it.');
        end if;
        v_row := jsonb_populate_record(v_row, p_source);
        update jobforge.sources s
        set adapter = v_row.adapter, enabled = v_row.enabled, base_url = v_row.base_url,
            rate_limit_per_minute = v_row.rate_limit_per_minute, tier = v_row.tier,
            reputation_weight = v_row.reputation_weight, config = v_row.config,
            updated_at = clock_timestamp()
        where s.tenant_id = v_tenant_id and s.source_id = v_row.source_id;
    else
        v_row := jsonb_populate_record(jobforge.default_source(v_tenant_id, v_source_id), p_source);
        insert into jobforge.sources (tenant_id, source_id, name, adapter, enabled, base_url,
            rate_limit_per_minute, reputation_weight, tier, config, created_by)
        values (v_tenant_id, v_source_id, v_row.name, v_row.adapter, v_row.enabled, v_row.base_url,
            v_row.rate_limit_per_minute, v_row.reputation_weight, v_row.tier, v_row.config,
            left(p_actor_id, 500));
    end if;
    perform jobforge.govern_source(v_tenant_id, v_row.source_id, p_source);
    return v_row.source_id;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('source %s: %s', p_source ->> 'name',
        jobforge.refusal_text(sqlerrm, v_row, p_source)),
        'docs/sources.md has the range of every member.');
when unique_violation then
    perform jobforge.raise_error('VALIDATION_ERROR', format('there is another source %s', v_source_id),
        'Use a new id, or none.');
end
$$;

ALTER FUNCTION jobforge.save_source(p_source jsonb, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: schema_count_problem(jsonb, integer, text, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_count_problem(p_schema jsonb, p_count integer, p_least text, p_most text, p_unit text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return case when p_count < (p_schema ->> p_least)::bigint
            then format('must have at least %s %s', p_schema ->> p_least, p_unit)
        when p_count > (p_schema ->> p_most)::bigint
            then format('must have at most %s %s', p_schema ->> p_most, p_unit) end;
end
$$;

ALTER FUNCTION jobforge.schema_count_problem(p_schema jsonb, p_count integer, p_least text, p_most text, p_unit text) OWNER TO jobforge_owner;

--
-- Name: schema_items_problem(jsonb, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_items_problem(p_schema jsonb, p_value jsonb, p_at text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_item record;
    v_problem text;
begin
    if p_schema ? 'items' then
        for v_item in select e.value, e.n from jsonb_array_elements(p_value) with ordinality e(value, n) loop
            v_problem := jobforge.check_payload(p_schema -> 'items', v_item.value,
                format('%s/%s', p_at, v_item.n - 1));
            exit when v_problem is not null;
        end loop;
    end if;
    return v_problem;
end
$$;

ALTER FUNCTION jobforge.schema_items_problem(p_schema jsonb, p_value jsonb, p_at text) OWNER TO jobforge_owner;

--
-- Name: schema_members_problem(jsonb, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_members_problem(p_schema jsonb, p_value jsonb, p_at text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_missing text;
    v_member record;
    v_rule jsonb;
    v_problem text;
begin
    select r.name into v_missing
    from jsonb_array_elements_text(p_schema -> 'required') with ordinality r(name, n)
    where not p_value ? r.name order by r.n limit 1;
    if v_missing is not null then
        return format('%s is required', jobforge.pointer_to(p_at, v_missing));
    end if;
    for v_member in select m.key, m.value from jsonb_each(p_value) m order by m.key collate "C" loop
        v_rule := coalesce(p_schema -> 'properties' -> v_member.key, p_schema -> 'additionalProperties');
        v_problem := case jsonb_typeof(v_rule)
            when 'object' then
                jobforge.check_payload(v_rule, v_member.value, jobforge.pointer_to(p_at, v_member.key))
            when 'boolean' then case when not v_rule::boolean
                then format('%s is not a known member', jobforge.pointer_to(p_at, v_member.key)) end end;
        exit when v_problem is not null;
    end loop;
    return v_problem;
end
$$;

ALTER FUNCTION jobforge.schema_members_problem(p_schema jsonb, p_value jsonb, p_at text) OWNER TO jobforge_owner;

--
-- Name: schema_number_problem(jsonb, numeric); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_number_problem(p_schema jsonb, p_value numeric) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return case when p_value < (p_schema ->> 'minimum')::numeric
            then format('must be at least %s', p_schema ->> 'minimum')
        when p_value > (p_schema ->> 'maximum')::numeric
            then format('must be at most %s', p_schema ->> 'maximum') end;
end
$$;

ALTER FUNCTION jobforge.schema_number_problem(p_schema jsonb, p_value numeric) OWNER TO jobforge_owner;

--
-- Name: schema_string_problem(jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_string_problem(p_schema jsonb, p_value text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    return coalesce(jobforge.schema_count_problem(p_schema, length(p_value), 'minLength', 'maxLength',
            'characters'),
        case when p_value collate "C" !~ (p_schema ->> 'pattern')
            then 'must match ' || (p_schema ->> 'pattern') end,
        case p_schema ->> 'format' when 'uuid' then
            case when p_value !~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then 'must be a UUID' end
        when 'uri' then
            case when octet_length(p_value) > 8192 or p_value collate "C" !~ '^https?://[^\x01-\x20\x7f]+$'
                then 'must be an http or https URL' end end);
end
$_$;

ALTER FUNCTION jobforge.schema_string_problem(p_schema jsonb, p_value text) OWNER TO jobforge_owner;

--
-- Name: schema_type_problem(jsonb, jsonb, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_type_problem(p_schema jsonb, p_value jsonb, p_kind text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_types text[];
begin
    if not p_schema ? 'type' then
        return null;
    end if;
    v_types := case jsonb_typeof(p_schema -> 'type') when 'array'
        then array(select jsonb_array_elements_text(p_schema -> 'type')) else array[p_schema ->> 'type'] end;
    if p_kind = any(v_types) or (p_kind = 'number' and 'integer' = any(v_types)
            and (p_value #>> '{}')::numeric = trunc((p_value #>> '{}')::numeric)) then
        return null;
    end if;
    return 'must be of type ' || array_to_string(v_types, ' or ');
end
$$;

ALTER FUNCTION jobforge.schema_type_problem(p_schema jsonb, p_value jsonb, p_kind text) OWNER TO jobforge_owner;

--
-- Name: schema_value_problem(jsonb, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_value_problem(p_schema jsonb, p_value jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_schema -> 'const' <> p_value then
        return format('must be %s', p_schema -> 'const');
    elsif p_schema ? 'enum' and not exists (
            select from jsonb_array_elements(p_schema -> 'enum') e(allowed) where e.allowed = p_value) then
        return 'must be one of ' || (select string_agg(e.allowed::text, ', ' order by e.n)
            from jsonb_array_elements(p_schema -> 'enum') with ordinality e(allowed, n));
    end if;
    return null;
end
$$;

ALTER FUNCTION jobforge.schema_value_problem(p_schema jsonb, p_value jsonb) OWNER TO jobforge_owner;

--
-- Name: schema_version(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_owner
--

CREATE FUNCTION jobforge.schema_version() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select m.name from jobforge.migrations m order by m.name collate "C" desc limit 1
$$;

ALTER FUNCTION jobforge.schema_version() OWNER TO jobforge_owner;

--
-- Name: seal_snapshot(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.seal_snapshot(p_snapshot_id uuid, p_actor_id text DEFAULT NULL::text) RETURNS bytea
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_facts text;
    v_count bigint;
    v_canonical bytea;
begin
    if jobforge.lock_snapshot(v_tenant_id, p_snapshot_id) <> 'READY' then
        perform jobforge.raise_error('SNAPSHOT_NOT_READY', format('snapshot %s is BUILDING', p_snapshot_id),
            'Build it first: jobforge snapshots build.');
    end if;
    -- to_json of a text is its canonical form; keys in alphabetical order; facts by bytes.
    select count(*), coalesce(string_agg('{"fact_key":' || to_json(i.fact_key)::text
            || ',"fact_type":' || to_json(i.fact_type)::text
            || ',"payload_hash":"' || encode(i.payload_hash, 'hex')
            || '","source_sha256":"' || encode(d.content_sha256, 'hex') || '"}', ','
            order by i.fact_type collate "C", i.fact_key collate "C", i.payload_hash), '')
    into v_count, v_facts
    from jobforge.snapshot_items i
    join jobforge.facts f on f.tenant_id = i.tenant_id and f.fact_id = i.fact_id
    join jobforge.document_versions d
        on d.tenant_id = f.tenant_id and d.document_version_id = f.document_version_id
    where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id;
    v_canonical := convert_to('{"facts":[' || v_facts || '],"snapshot_id":"' || p_snapshot_id
        || '","snapshot_version":"BPC-SNAPSHOT-1"}', 'UTF8');
    update jobforge.data_snapshots s
    set status = 'SEALED', snapshot_canonical = v_canonical, snapshot_hash = sha256(v_canonical),
        sealed_at = clock_timestamp(), sealed_by = left(p_actor_id, 500)
    where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    perform jobforge.append_event('DataSnapshot', p_snapshot_id, 'SNAPSHOT_SEALED',
        jsonb_build_object('fact_count', v_count, 'snapshot_hash', encode(sha256(v_canonical), 'hex')),
        p_actor_id);
    return sha256(v_canonical);
end
$$;

ALTER FUNCTION jobforge.seal_snapshot(p_snapshot_id uuid, p_actor_id text) OWNER TO jobforge_definer;

--
-- Name: send_wake(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.send_wake() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    if coalesce(current_query(), '') !~* '\mprepare(\s|/\*.*?\*/|--[^\n]*\n)+transaction\M' then
        perform jobforge.notify_now(new.channel);
    end if;
    return null;
end
$$;

ALTER FUNCTION jobforge.send_wake() OWNER TO jobforge_definer;

--
-- Name: set_connector_config(text, jsonb, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.set_connector_config(p_connector text, p_config jsonb, p_enabled boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_problem text;
begin
    perform jobforge.check_one_of('connector', p_connector, array['connector.http.request',
        'connector.webhook.deliver', 'connector.report.generate']);
    v_problem := case when p_config is null then 'the payload must be of type object'
        else jobforge.check_payload(jobforge.connector_config_schema(p_connector), p_config) end;
    if v_problem is not null or p_enabled is null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('configuration of %s: %s', p_connector,
            coalesce(replace(v_problem, 'the payload', 'it'), 'it is enabled or not')),
            'docs/connectors.md has the range of every member.');
    elsif exists (select from jsonb_object_keys(p_config -> 'headers') h(name)
            where lower(h.name) in ('authorization', 'proxy-authorization', 'cookie')) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a configuration holds no secrets',
            'Put the secret into the deployment''s list and name it in the payload: auth.secret_ref.');
    end if;
    perform jobforge.json_bytes(p_config, 'configuration', 262144);
    insert into jobforge.connector_configs as c (tenant_id, connector, config, enabled)
    values (v_tenant_id, p_connector, p_config, p_enabled)
    on conflict (tenant_id, connector) do update
        set config = excluded.config, enabled = excluded.enabled, updated_at = clock_timestamp();
end
$$;

ALTER FUNCTION jobforge.set_connector_config(p_connector text, p_config jsonb, p_enabled boolean) OWNER TO jobforge_definer;

--
-- Name: set_job_type(text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb DEFAULT '{}'::jsonb) RETURNS jobforge.job_types
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_known text[] := array['description', 'backoff', 'backoff_base_seconds', 'backoff_jitter',
        'max_attempts', 'lease_seconds', 'timeout_seconds', 'default_priority', 'concurrency_limit',
        'tenant_concurrency_limit', 'rate_limit_per_minute', 'tenant_rate_limit_per_minute',
        'retention_days', 'failure_retention_days', 'enabled', 'payload_schema', 'internal'];
    v_row jobforge.job_types;
    v_bad text;
begin
    if p_policy is null or jsonb_typeof(p_policy) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the policy of a job type is a JSON object', '');
    end if;
    select k into v_bad from jsonb_object_keys(p_policy) k where k <> all(v_known) limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('a job type has no setting %L', v_bad),
            'Known: ' || array_to_string(v_known, ', '));
    end if;
    v_bad := case when p_policy -> 'payload_schema' <> 'null'
        then jobforge.check_schema(p_policy -> 'payload_schema') end;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('payload_schema: %s', replace(v_bad, 'the payload', 'the schema')),
            'docs/connectors.md has the keywords that are checked.');
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
        enabled = v_row.enabled, payload_schema = v_row.payload_schema, internal = v_row.internal,
        updated_at = clock_timestamp()
    where t.type = p_type returning t.* into v_row;
    -- Made with its first limit, so that claims never wait for each other to make it (claim_allowance).
    insert into jobforge.turns (tenant_id, what)
    values ('00000000-0000-0000-0000-000000000000', 'claims of ' || p_type) on conflict do nothing;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('job type %s: %s', p_type,
        jobforge.refusal_text(sqlerrm, v_row, p_policy)),
        'docs/jobs.md has the range of every setting.');
end
$$;

ALTER FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb) OWNER TO jobforge_engine;

--
-- Name: set_source_enabled(text, boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.set_source_enabled(p_source text, p_enabled boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
begin
    if p_enabled is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a source is enabled or not', 'Say true or false.');
    end if;
    update jobforge.sources s set enabled = p_enabled, updated_at = clock_timestamp()
    where s.tenant_id = v_tenant_id and s.source_id = v_source_id and s.enabled <> p_enabled;
end
$$;

ALTER FUNCTION jobforge.set_source_enabled(p_source text, p_enabled boolean) OWNER TO jobforge_definer;

--
-- Name: set_source_rules(text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.set_source_rules(p_source text, p_rules jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
    v_row jobforge.source_rules;
begin
    perform jobforge.check_members('the rules of a source', p_rules, array['exclude_keywords',
        'require_keywords', 'allowed_path', 'rate_limit_override']);
    insert into jobforge.source_rules (tenant_id, source_id) values (v_tenant_id, v_source_id)
    on conflict do nothing;
    select r.* into v_row from jobforge.source_rules r
    where r.tenant_id = v_tenant_id and r.source_id = v_source_id for no key update;
    v_row := jsonb_populate_record(v_row, p_rules);
    update jobforge.source_rules r
    set exclude_keywords = v_row.exclude_keywords, require_keywords = v_row.require_keywords,
        allowed_path = v_row.allowed_path, rate_limit_override = v_row.rate_limit_override
    where r.tenant_id = v_tenant_id and r.source_id = v_source_id;
    perform jobforge.govern_source(v_tenant_id, v_source_id, '{}');
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range or invalid_parameter_value or datatype_mismatch or feature_not_supported then
    perform jobforge.raise_error('VALIDATION_ERROR', format('rules of source %s: %s', p_source,
        jobforge.refusal_text(sqlerrm, v_row, p_rules)),
        'docs/sources.md has the range of every member.');
end
$$;

ALTER FUNCTION jobforge.set_source_rules(p_source text, p_rules jsonb) OWNER TO jobforge_definer;

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
    min_priority smallint DEFAULT 0 NOT NULL,
    max_leased_jobs integer DEFAULT 1000 NOT NULL,
    CONSTRAINT tenants_concurrency_positive CHECK ((concurrency_limit >= 0)),
    CONSTRAINT tenants_max_leased_jobs_range CHECK (((max_leased_jobs >= 0) AND (max_leased_jobs <= 1000000))),
    CONSTRAINT tenants_min_priority_range CHECK (((min_priority >= 0) AND (min_priority <= 3))),
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
    SET row_security TO 'on'
    AS $$
declare
    v_row jobforge.tenants;
    v_bad text;
begin
    if p_changes is null or jsonb_typeof(p_changes) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the changes of a tenant are a JSON object', '');
    end if;
    select k into v_bad from jsonb_object_keys(p_changes) k
    where k not in ('name', 'status', 'max_waiting_jobs', 'max_waiting_bytes', 'concurrency_limit',
        'min_priority', 'max_leased_jobs') limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('a tenant has no setting %L', v_bad),
            'Known: name, status, max_waiting_jobs, max_waiting_bytes, concurrency_limit, min_priority, '
            'max_leased_jobs.');
    end if;
    -- Not for update: a tenant that has made an API key in an open transaction shares the key of this row
    -- (foreign keys), and could not be suspended.
    select t.* into v_row from jobforge.tenants t where t.tenant_id = p_tenant_id for no key update;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no tenant %s', p_tenant_id), '');
    end if;
    if p_changes ->> 'name' <> v_row.name then
        perform jobforge.claim_tenant_name(p_changes ->> 'name', p_tenant_id);
    end if;
    v_row := jsonb_populate_record(v_row, p_changes);
    update jobforge.tenants t
    set name = v_row.name, status = v_row.status, max_waiting_jobs = v_row.max_waiting_jobs,
        max_waiting_bytes = v_row.max_waiting_bytes, concurrency_limit = v_row.concurrency_limit,
        min_priority = v_row.min_priority, max_leased_jobs = v_row.max_leased_jobs
    where t.tenant_id = p_tenant_id;
    -- Of a tenant that was made before create_tenant did so.
    insert into jobforge.turns (tenant_id, what) values (p_tenant_id, 'claims') on conflict do nothing;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('tenant %s: %s', p_tenant_id,
        jobforge.refusal_text(sqlerrm, v_row, p_changes)), '');
end
$$;

ALTER FUNCTION jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) OWNER TO jobforge_engine;

--
-- Name: tenant_defaults; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.tenant_defaults (
    only_row boolean DEFAULT true NOT NULL,
    max_waiting_jobs bigint DEFAULT 1000000,
    max_waiting_bytes bigint DEFAULT 1073741824,
    reserved_percent integer DEFAULT 10 NOT NULL,
    CONSTRAINT tenant_defaults_is_one_row CHECK (only_row),
    CONSTRAINT tenant_defaults_quota_positive CHECK (((max_waiting_jobs >= 0) AND (max_waiting_bytes >= 0))),
    CONSTRAINT tenant_defaults_reserve_range CHECK (((reserved_percent >= 1) AND (reserved_percent <= 50)))
);

ALTER TABLE jobforge.tenant_defaults OWNER TO jobforge_owner;

--
-- Name: set_tenant_defaults(jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.set_tenant_defaults(p_changes jsonb DEFAULT '{}'::jsonb) RETURNS jobforge.tenant_defaults
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_row jobforge.tenant_defaults;
    v_bad text;
begin
    if p_changes is null or jsonb_typeof(p_changes) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the defaults of tenants are a JSON object', '');
    end if;
    select k into v_bad from jsonb_object_keys(p_changes) k
    where k not in ('max_waiting_jobs', 'max_waiting_bytes', 'reserved_percent') limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('tenants have no default for %L', v_bad),
            'Known: max_waiting_jobs, max_waiting_bytes, reserved_percent.');
    end if;
    select d.* into v_row from jobforge.tenant_defaults d for update;
    v_row := jsonb_populate_record(v_row, p_changes);
    update jobforge.tenant_defaults d
    set max_waiting_jobs = v_row.max_waiting_jobs, max_waiting_bytes = v_row.max_waiting_bytes,
        reserved_percent = v_row.reserved_percent;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
    or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', 'a quota is a whole number, 0 or more, or null; '
        'reserved_percent is 1 to 50', '');
end
$$;

ALTER FUNCTION jobforge.set_tenant_defaults(p_changes jsonb) OWNER TO jobforge_engine;

--
-- Name: set_webhook_endpoint(uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.set_webhook_endpoint(p_id uuid, p_settings jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.webhook_endpoints := jobforge.lock_endpoint(v_tenant_id, p_id);
begin
    perform jobforge.check_members('an endpoint', p_settings, array['description', 'disable_after']);
    v_row := jsonb_populate_record(v_row, p_settings);
    perform jobforge.check_length('the description of an endpoint', v_row.description, 0, 1000);
    update jobforge.webhook_endpoints e
    set description = v_row.description, disable_after = v_row.disable_after
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
exception when check_violation or invalid_text_representation or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', 'endpoint: ' || jobforge.refusal_text(sqlerrm, v_row, p_settings), '');
end
$$;

ALTER FUNCTION jobforge.set_webhook_endpoint(p_id uuid, p_settings jsonb) OWNER TO jobforge_definer;

--
-- Name: set_webhook_endpoint_status(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.check_one_of('status of an endpoint', p_status, array['ACTIVE', 'DISABLED']);
    if p_status = 'ACTIVE' then
        update jobforge.webhook_endpoints e
        set status = 'ACTIVE', permanent_failures = 0, disabled_at = null, disabled_reason = null
        where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
    else
        -- Disabled already: since when and why stays.
        update jobforge.webhook_endpoints e
        set status = 'DISABLED', disabled_at = coalesce(e.disabled_at, clock_timestamp()),
            disabled_reason = coalesce(e.disabled_reason, 'by hand')
        where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
    end if;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', p_id::text);
    end if;
end
$$;

ALTER FUNCTION jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) OWNER TO jobforge_definer;

--
-- Name: set_webhook_subscriptions(uuid, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[]) RETURNS TABLE(webhook_subscription_id uuid, event_type text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_kept uuid[] := array(select s.webhook_subscription_id
        from jobforge.subscribe_webhook(p_webhook_endpoint_id, p_event_types) s);
begin
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
        and s.webhook_subscription_id <> all(v_kept);
    return query
    select s.webhook_subscription_id, s.event_type from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
    order by s.event_type;
end
$$;

ALTER FUNCTION jobforge.set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[]) OWNER TO jobforge_definer;

--
-- Name: shortest_lease(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.shortest_lease() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select min(t.lease_seconds) from jobforge.job_types t
$$;

ALTER FUNCTION jobforge.shortest_lease() OWNER TO jobforge_engine;

--
-- Name: signing_secrets(jobforge.webhook_endpoints); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.signing_secrets(p_endpoint jobforge.webhook_endpoints) RETURNS bytea[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
    return array[p_endpoint.secret_ciphertext] || array(
        select r.secret_ciphertext from jobforge.webhook_replaced_secrets r
        where r.tenant_id = p_endpoint.tenant_id and r.webhook_endpoint_id = p_endpoint.webhook_endpoint_id
            and r.expires_at > clock_timestamp()
        order by r.replaced_at desc);
end
$$;

ALTER FUNCTION jobforge.signing_secrets(p_endpoint jobforge.webhook_endpoints) OWNER TO jobforge_definer;

--
-- Name: snapshot_facts(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.snapshot_facts(p_snapshot_id uuid) RETURNS TABLE(fact_type text, fact_key text, payload_canonical bytea, source_sha256 bytea, source_name text, numbers jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if not exists (select from jobforge.data_snapshots s
            where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id) then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    end if;
    return query
    select i.fact_type, i.fact_key, f.payload_canonical, v.content_sha256, d.name,
        (select s.numbers from jobforge.fact_sources s
            where s.tenant_id = f.tenant_id and s.fact_id = f.fact_id
            order by coalesce(jsonb_array_length(s.numbers), 0) limit 1)
    from jobforge.snapshot_items i
    join jobforge.facts f on f.tenant_id = i.tenant_id and f.fact_id = i.fact_id
    join jobforge.document_versions v
        on v.tenant_id = f.tenant_id and v.document_version_id = f.document_version_id
    join jobforge.documents d on d.tenant_id = v.tenant_id and d.document_id = v.document_id
    where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id
    order by i.fact_type collate "C", i.fact_key collate "C", i.payload_hash;
end
$$;

ALTER FUNCTION jobforge.snapshot_facts(p_snapshot_id uuid) OWNER TO jobforge_definer;

--
-- Name: snooze_job(text, uuid, uuid, bigint, double precision, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision, p_claim_id uuid DEFAULT NULL::uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    SET row_security TO 'on'
    AS $$
begin
    perform from jobforge.snooze_jobs(p_worker, array[p_tenant_id], array[p_job_id], array[p_token],
        array[p_seconds], array[p_claim_id]);
    if found then
        perform jobforge.raise_refused(p_worker, p_tenant_id, p_job_id, p_token, p_claim_id);
    end if;
end
$$;

ALTER FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision, p_claim_id uuid) OWNER TO jobforge_engine;

--
-- Name: snooze_jobs(text, uuid[], uuid[], bigint[], double precision[], uuid[], boolean); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[], p_claim_ids uuid[] DEFAULT NULL::uuid[], p_skip_locked boolean DEFAULT false) RETURNS TABLE(tenant_id uuid, job_id uuid, lease_token bigint, state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_input record;
    v_job jobforge.jobs;
    v_wrote boolean := pg_current_xact_id_if_assigned() is not null;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_settle(p_tenants, p_job_ids, p_tokens, p_claim_ids, cardinality(p_seconds),
        'p_seconds');
    perform jobforge.check_elements(p_seconds, 'p_seconds');
    if 'NaN' = any(p_seconds) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_seconds must be numbers', '');
    end if;
    for v_input in
        select i.* from unnest(p_tenants, p_job_ids, p_tokens, p_seconds, p_claim_ids)
            as i(tenant_id, job_id, token, seconds, claim_id)
        order by i.tenant_id, i.job_id
    loop
        select * into v_job from jobforge.lock_lease(p_worker, v_input.tenant_id, v_input.job_id,
            v_input.token, v_input.claim_id, p_skip_locked);
        if found then
            perform jobforge.requeue_job(v_job, clock_timestamp()
                    + interval '1 second' * least(greatest(v_input.seconds, 0), 31622400),
                'SNOOZED', null, true, false);
        else
            tenant_id := v_input.tenant_id;
            job_id := v_input.job_id;
            lease_token := v_input.token;
            state := jobforge.refusal(p_worker, tenant_id, job_id, lease_token, v_input.claim_id);
            perform jobforge.refuse_beside_writes(v_wrote, state, p_worker, tenant_id, job_id, lease_token);
            return next;
        end if;
    end loop;
end
$$;

ALTER FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[], p_claim_ids uuid[], p_skip_locked boolean) OWNER TO jobforge_engine;

--
-- Name: spans_tenants(name); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.spans_tenants(p_login name) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when r.rolsuper then 'superuser' when r.rolbypassrls then 'bypassrls'
        else (select m.name from unnest(array['jobforge_owner', 'jobforge_worker', 'jobforge_gateway',
                'jobforge_engine', 'jobforge_definer', 'jobforge_observer']) m(name)
            where pg_has_role(r.oid, m.name::name, 'member') limit 1) end
    from pg_roles r where r.rolname = p_login
$$;

ALTER FUNCTION jobforge.spans_tenants(p_login name) OWNER TO jobforge_engine;

--
-- Name: start_collection(uuid, uuid, uuid, timestamp with time zone, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.start_collection(p_tenant_id uuid, p_intake uuid, p_source uuid, p_at timestamp with time zone, p_actor_id text, p_trace_id text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_job_id uuid := jobforge.enqueue_step(p_tenant_id, 'COLLECT_PRICES',
        jsonb_build_object('intake_id', p_intake, 'source_id', p_source), null, null, p_at, p_trace_id, p_actor_id);
begin
    update jobforge.collections c set job_id = v_job_id, round = c.round + 1, progress = null
    where c.tenant_id = p_tenant_id and c.intake_id = p_intake and c.source_id = p_source;
    return v_job_id;
end
$$;

ALTER FUNCTION jobforge.start_collection(p_tenant_id uuid, p_intake uuid, p_source uuid, p_at timestamp with time zone, p_actor_id text, p_trace_id text) OWNER TO jobforge_definer;

--
-- Name: step_is_done(uuid, uuid, text, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.step_is_done(p_tenant_id uuid, p_job_id uuid, p_type text, p_payload jsonb) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $_$
declare
    v_member text := case p_type when 'PARSE_FACTS' then 'document_version_id'
        when 'BUILD_SNAPSHOT' then 'snapshot_id' when 'DELIVER_WEBHOOK' then 'webhook_delivery_id'
        when 'RUN_RULE_TESTS' then 'rule_package_version_id' when 'COLLECT_PRICES' then 'intake_id'
        else 'passport_version_id' end;
    v_id uuid;
begin
    if (p_payload ->> v_member ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$') is not true then
        return false;
    end if;
    v_id := (p_payload ->> v_member)::uuid;
    case p_type
    when 'PARSE_FACTS' then
        return exists (select from jobforge.document_versions v where v.tenant_id = p_tenant_id
            and v.document_version_id = v_id and v.status <> 'UPLOADED');
    when 'BUILD_SNAPSHOT' then
        return exists (select from jobforge.data_snapshots s where s.tenant_id = p_tenant_id
            and s.snapshot_id = v_id and s.status <> 'BUILDING');
    when 'COMPILE_PASSPORT' then
        return exists (select from jobforge.passport_versions v where v.tenant_id = p_tenant_id
            and v.passport_version_id = v_id);
    when 'SIGN_PASSPORT' then
        return exists (select from jobforge.passport_versions v where v.tenant_id = p_tenant_id
            and v.passport_version_id = v_id and v.signature is not null);
    when 'GENERATE_QR' then
        return exists (select from jobforge.passport_versions v where v.tenant_id = p_tenant_id
            and v.passport_version_id = v_id and v.qr_payload is not null);
    when 'RUN_RULE_TESTS' then
        return exists (select from jobforge.rule_tests_runs r where r.tenant_id = p_tenant_id
            and r.run_id = p_job_id);
    when 'DELIVER_WEBHOOK' then
        return exists (select from jobforge.webhook_deliveries d where d.tenant_id = p_tenant_id
            and d.webhook_delivery_id = v_id and d.status <> 'PENDING');
    else
        return exists (select from jobforge.valuations v where v.tenant_id = p_tenant_id
            and v.intake_id = v_id and v.job_id = p_job_id);
    end case;
end
$_$;

ALTER FUNCTION jobforge.step_is_done(p_tenant_id uuid, p_job_id uuid, p_type text, p_payload jsonb) OWNER TO jobforge_engine;

--
-- Name: store_api_response(text, text, bytea, integer, jsonb, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.store_api_response(p_key_id text, p_idempotency_key text, p_request_hash bytea, p_status integer, p_headers jsonb, p_body bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_first text := jobforge.first_key_id(v_tenant_id, p_key_id);
begin
    perform jobforge.check_api_request(p_idempotency_key, p_request_hash);
    if (p_status between 200 and 299 and jsonb_typeof(p_headers) = 'object'
            and octet_length(p_body) <= 16777216) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'an answer that is kept has a status from 200 to 299, headers and a body of at most 16 MiB', '');
    end if;
    perform jobforge.end_turn(v_tenant_id, format('api_request %s %s', v_first, p_idempotency_key));
    insert into jobforge.api_requests (tenant_id, key_id, idempotency_key, request_hash, status, headers,
        body)
    values (v_tenant_id, v_first, p_idempotency_key, p_request_hash, p_status, p_headers, p_body)
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('IDEMPOTENCY_CONFLICT', 'this Idempotency-Key has an answer already',
            'Call begin_api_request in the same transaction first.');
    end if;
end
$$;

ALTER FUNCTION jobforge.store_api_response(p_key_id text, p_idempotency_key text, p_request_hash bytea, p_status integer, p_headers jsonb, p_body bytea) OWNER TO jobforge_definer;

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
    loop
        insert into jobforge.artifacts (tenant_id, sha256, content) values (p_tenant_id, v_sha256, v_content)
        on conflict do nothing;
        exit when found;
        perform from jobforge.artifacts a where a.tenant_id = p_tenant_id and a.sha256 = v_sha256 for key share;
        exit when found;
    end loop;
    return v_sha256;
end
$$;

ALTER FUNCTION jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) OWNER TO jobforge_definer;

--
-- Name: store_compiled(uuid, uuid, uuid, uuid, bytea, bytea, bytea, bytea, text, timestamp with time zone, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.store_compiled(p_passport_version_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, p_payload bytea, p_proof bytea, p_proof_root_hash bytea, p_receipt bytea, p_compiler_build_id text, p_issued_at timestamp with time zone, p_signing_key_id text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_stored bytea;
begin
    -- In one condition: this is a step of every passport.
    if (p_passport_version_id is not null and octet_length(p_payload) > 0 and octet_length(p_proof) > 0
            and octet_length(p_proof_root_hash) = 32 and octet_length(p_receipt) > 0
            and length(p_compiler_build_id) between 1 and 200 and length(p_signing_key_id) between 1 and 200
            and p_issued_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00') is not true then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a compiled version has an id, a payload, a proof with a '
            'root hash of 32 bytes, a receipt, a build id and a key id of 1 to 200 characters, and an issue '
            'time within the years 1 to 9999', '');
    end if;
    -- Versions of one passport are numbered one after the other.
    perform from jobforge.passports p
    where p.tenant_id = v_tenant_id and p.passport_id = p_passport_id for no key update;
    select v.receipt_hash into v_stored from jobforge.passport_versions v
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_passport_version_id;
    if found and v_stored = sha256(p_receipt) then
        return false;
    elsif found then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('passport version %s was compiled with another receipt', p_passport_version_id),
            'Compile a new version.');
    end if;
    perform jobforge.check_compilable(v_tenant_id, p_passport_id, p_snapshot_id, p_rpv);
    insert into jobforge.passport_versions (tenant_id, passport_version_id, passport_id, version_number,
        snapshot_id, rule_package_version_id, payload_canonical, payload_hash, proof_canonical,
        proof_sha256, proof_root_hash, receipt_canonical, receipt_hash, compiler_build_id, issued_at,
        signing_key_id)
    values (v_tenant_id, p_passport_version_id, p_passport_id,
        (select coalesce(max(v.version_number), 0) + 1 from jobforge.passport_versions v
            where v.tenant_id = v_tenant_id and v.passport_id = p_passport_id),
        p_snapshot_id, p_rpv, p_payload, sha256(p_payload), p_proof, sha256(p_proof), p_proof_root_hash,
        p_receipt, sha256(p_receipt), p_compiler_build_id, p_issued_at, p_signing_key_id)
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('passport %s has a version with the same inputs, build and issue time', p_passport_id),
            'Use that version, or another issue time.');
    end if;
    perform jobforge.append_event('PassportVersion', p_passport_version_id, 'PASSPORT_COMPILED',
        jsonb_build_object('build_id', p_compiler_build_id, 'rules_id', p_rpv, 'snapshot_id', p_snapshot_id));
    perform jobforge.enqueue_follow_up(v_tenant_id, 'SIGN_PASSPORT',
        jsonb_build_object('passport_version_id', p_passport_version_id), 1, 'sign-' || p_passport_version_id);
    return true;
end
$$;

ALTER FUNCTION jobforge.store_compiled(p_passport_version_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, p_payload bytea, p_proof bytea, p_proof_root_hash bytea, p_receipt bytea, p_compiler_build_id text, p_issued_at timestamp with time zone, p_signing_key_id text) OWNER TO jobforge_engine;

--
-- Name: store_facts(uuid, text[], text[], bytea[], text[], jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.store_facts(p_document_version_id uuid, p_fact_types text[], p_fact_keys text[], p_payloads bytea[], p_places text[], p_numbers jsonb DEFAULT NULL::jsonb) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET row_security TO 'on'
    AS $_$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_status text := jobforge.lock_document_version(v_tenant_id, p_document_version_id);
    v_now timestamptz := clock_timestamp();
    v_count integer;
begin
    if v_status = 'REJECTED' then
        perform jobforge.raise_error('DOCUMENT_REJECTED',
            format('document version %s was rejected', p_document_version_id), 'Upload it corrected.');
    elsif v_status = 'UPLOADED' then
        perform jobforge.check_elements(p_fact_types, 'p_fact_types');
        perform jobforge.check_elements(p_fact_keys, 'p_fact_keys');
        perform jobforge.check_elements(p_payloads, 'p_payloads');
        perform jobforge.check_elements(p_places, 'p_places');
        perform jobforge.check_same_length(cardinality(p_fact_types), cardinality(p_fact_keys), 'p_fact_keys');
        perform jobforge.check_same_length(cardinality(p_fact_types), cardinality(p_payloads), 'p_payloads');
        perform jobforge.check_same_length(cardinality(p_fact_types), cardinality(p_places), 'p_places');
        if p_numbers is not null then
            if jsonb_typeof(p_numbers) <> 'array'
                or jsonb_path_exists(p_numbers, 'strict $[*] ? (@.type() <> "array")') then
                perform jobforge.raise_error('VALIDATION_ERROR', 'p_numbers must be an array of arrays', '');
            end if;
            perform jobforge.check_same_length(cardinality(p_fact_types), jsonb_array_length(p_numbers),
                'p_numbers');
        end if;
        begin
            insert into jobforge.facts (tenant_id, fact_id, fact_type, fact_key, schema_version, payload,
                payload_canonical, payload_hash, document_version_id)
            select v_tenant_id, jobforge.uuid_v7(i.now), i.fact_type, i.fact_key, 1,
                convert_from(i.payload, 'UTF8')::jsonb, i.payload, i.payload_hash, p_document_version_id
            from (select u.fact_type, u.fact_key, u.payload, sha256(u.payload) as payload_hash,
                    v_now + u.n * interval '1 microsecond' as now
                from unnest(p_fact_types, p_fact_keys, p_payloads)
                    with ordinality as u(fact_type, fact_key, payload, n)
                order by u.fact_type collate "C", u.fact_key collate "C", 4) i
            on conflict do nothing;
        exception when data_exception then
            perform jobforge.raise_error('VALIDATION_ERROR', 'the payload of a fact is not JSON: ' || sqlerrm, '');
        end;
        -- A statement of its own: it sees what others have stored meanwhile.
        insert into jobforge.fact_sources (tenant_id, document_version_id, fact_id, place, numbers)
        select v_tenant_id, p_document_version_id, (select f.fact_id from jobforge.facts f
                where f.tenant_id = v_tenant_id and f.fact_type = i.fact_type and f.fact_key = i.fact_key
                    and f.schema_version = 1 and f.payload_hash = i.payload_hash), i.place,
            nullif(i.numbers, '[]')
        from (select u.fact_type, u.fact_key, sha256(u.payload) as payload_hash, u.place,
                p_numbers -> (u.n - 1)::integer as numbers
            from unnest(p_fact_types, p_fact_keys, p_payloads, p_places)
                with ordinality as u(fact_type, fact_key, payload, place, n)
            order by u.n offset 0) i
        on conflict do nothing;
    end if;
    select count(*) into v_count from jobforge.fact_sources s
    where s.tenant_id = v_tenant_id and s.document_version_id = p_document_version_id;
    if v_status = 'UPLOADED' then
        update jobforge.document_versions v set status = 'VALIDATED', settled_at = clock_timestamp()
        where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
        perform jobforge.append_event('DocumentVersion', p_document_version_id, 'FACTS_PARSED',
            jsonb_build_object('fact_count', v_count));
    end if;
    return v_count;
end
$_$;

ALTER FUNCTION jobforge.store_facts(p_document_version_id uuid, p_fact_types text[], p_fact_keys text[], p_payloads bytea[], p_places text[], p_numbers jsonb) OWNER TO jobforge_definer;

--
-- Name: store_log_head(bigint, bytea, bytea[], text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.store_log_head(p_tree_size bigint, p_root_hash bytea, p_frontier bytea[], p_checkpoint text, p_key_id text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_length bigint;
    v_head record;
begin
    if octet_length(p_root_hash) is distinct from 32 or p_frontier is null
        or exists (select from unnest(p_frontier) f(hash) where octet_length(f.hash) is distinct from 32) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'the root and the frontier of a log are hashes of 32 bytes', '');
    end if;
    perform jobforge.check_length('a checkpoint', p_checkpoint, 1, 10000);
    perform jobforge.check_length('the id of a signing key', p_key_id, 1, 200);
    select h.tree_size, h.root_hash into v_head from jobforge.log_heads h
    where h.tenant_id = v_tenant_id order by h.tree_size desc limit 1;
    if v_head.tree_size = p_tree_size and v_head.root_hash = p_root_hash then
        return;
    elsif v_head.tree_size = p_tree_size then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('the head of size %s has another root', p_tree_size),
            'The log was changed: run jobforge audit verify.');
    end if;
    select coalesce(max(l.log_index) + 1, 0) into v_length from jobforge.event_log l
    where l.tenant_id = v_tenant_id;
    if p_tree_size is null or p_tree_size > v_length or p_tree_size < coalesce(v_head.tree_size, 0) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a head of size %s does not fit a log of %s entries and a last head of %s', p_tree_size,
                v_length, coalesce(v_head.tree_size, 0)), '');
    end if;
    insert into jobforge.log_heads (tenant_id, tree_size, root_hash, frontier, checkpoint, key_id)
    values (v_tenant_id, p_tree_size, p_root_hash, p_frontier, p_checkpoint, p_key_id);
end
$$;

ALTER FUNCTION jobforge.store_log_head(p_tree_size bigint, p_root_hash bytea, p_frontier bytea[], p_checkpoint text, p_key_id text) OWNER TO jobforge_definer;

--
-- Name: store_price_points(uuid, uuid, jsonb, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.store_price_points(p_intake uuid, p_source uuid, p_points jsonb, p_job uuid DEFAULT NULL::uuid, OUT inserted integer, OUT updated integer, OUT kept integer, OUT points json) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.lock_intake(v_tenant_id, p_intake);
    if not exists (select from jobforge.sources s
            where s.tenant_id = v_tenant_id and s.source_id = p_source) then
        perform jobforge.raise_not_found('source', coalesce(p_source::text, 'NULL'));
    elsif p_points is null or jsonb_typeof(p_points) <> 'array' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'price points are a JSON array', '');
    end if;
    with given as (
        select distinct on (g.dedupe_key) g.*
        from jsonb_array_elements(p_points) with ordinality e(point, n)
        cross join lateral jsonb_populate_record(null::jobforge.price_points, e.point) g
        order by g.dedupe_key, (g.price_type = 'sold') desc, g.match_strength desc, e.n
    ), stored as (
        insert into jobforge.price_points as p (tenant_id, price_point_id, intake_id, source_id, dedupe_key,
            external_id, url, title, price_cents, currency, price_type, observed_at, match_strength, raw,
            first_job_id)
        select v_tenant_id, jobforge.uuid_v7(clock_timestamp()), p_intake, p_source, g.dedupe_key,
            g.external_id, g.url, g.title, g.price_cents, g.currency, g.price_type, g.observed_at,
            g.match_strength, g.raw, p_job
        from given g
        on conflict (tenant_id, intake_id, source_id, dedupe_key) do update
            set external_id = excluded.external_id, url = excluded.url, title = excluded.title,
                price_cents = excluded.price_cents, currency = excluded.currency,
                price_type = excluded.price_type, observed_at = excluded.observed_at,
                match_strength = excluded.match_strength, raw = excluded.raw,
                updated_at = clock_timestamp()
            where ((excluded.price_type = 'sold'), excluded.match_strength)
                > ((p.price_type = 'sold'), p.match_strength)
        returning p.xmax = 0 as is_new
    )
    select count(*) filter (where s.is_new), count(*) filter (where not s.is_new)
    into inserted, updated from stored s;
    kept := jsonb_array_length(p_points) - inserted - updated;
    update jobforge.collections c set progress = null
    where c.tenant_id = v_tenant_id and c.intake_id = p_intake and c.source_id = p_source
        and c.progress is not null;
    points := jobforge.points_of_intake(v_tenant_id, p_intake);
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range or datetime_field_overflow or invalid_datetime_format
        or invalid_parameter_value or datatype_mismatch then
    perform jobforge.raise_error('VALIDATION_ERROR', 'price point: ' || jobforge.refusal_text(sqlerrm), '');
end
$$;

ALTER FUNCTION jobforge.store_price_points(p_intake uuid, p_source uuid, p_points jsonb, p_job uuid, OUT inserted integer, OUT updated integer, OUT kept integer, OUT points json) OWNER TO jobforge_definer;

--
-- Name: store_qr(uuid, text, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.store_qr(p_pv uuid, p_qr_payload text, p_qr_png bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_version record := jobforge.lock_passport_version(v_tenant_id, p_pv);
begin
    if (length(p_qr_payload) between 1 and 4296 and octet_length(p_qr_png) > 0) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a QR code has 1 to 4296 characters (what the largest one holds) and an image', '');
    elsif v_version.qr_payload = p_qr_payload then
        return false;
    elsif v_version.qr_payload is not null then
        perform jobforge.raise_error('INVALID_PASSPORT_STATUS',
            format('passport version %s has another QR code', p_pv), 'A QR code is printed once for ever.');
    elsif v_version.status <> 'SIGNED' then
        perform jobforge.raise_passport_status(p_pv, v_version.status, 'given a QR code', 'SIGNED');
    end if;
    update jobforge.passport_versions v set qr_payload = p_qr_payload, qr_png = p_qr_png
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    perform jobforge.append_event('PassportVersion', p_pv, 'QR_GENERATED',
        jsonb_build_object('qr_payload', p_qr_payload));
    return true;
end
$$;

ALTER FUNCTION jobforge.store_qr(p_pv uuid, p_qr_payload text, p_qr_png bytea) OWNER TO jobforge_engine;

--
-- Name: store_signature(uuid, bytea, text, bytea, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.store_signature(p_pv uuid, p_signature bytea, p_key_id text, p_public_key bytea, p_receipt_signed bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_version record := jobforge.lock_passport_version(v_tenant_id, p_pv);
begin
    if (octet_length(p_signature) = 64 and p_key_id is not null and octet_length(p_receipt_signed) > 0) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a signature has 64 bytes, the id of its key and the receipt it signs', '');
    elsif v_version.status = 'SIGNED' and v_version.signing_key_id = p_key_id
        and v_version.signature = p_signature then
        return false;
    elsif v_version.status <> 'COMPILING' then
        perform jobforge.raise_passport_status(p_pv, v_version.status, 'signed', 'COMPILING');
    elsif v_version.signing_key_id <> p_key_id then
        perform jobforge.raise_error('INVALID_SIGNING_KEY',
            format('passport version %s is to be signed with key %s, not %s', p_pv,
                v_version.signing_key_id, p_key_id), 'The key id is fixed when the compilation is asked for.');
    end if;
    perform jobforge.keep_signing_key(v_tenant_id, p_key_id, p_public_key);
    update jobforge.passport_versions v
    set status = 'SIGNED', signature = p_signature, signing_key_public = p_public_key,
        receipt_signed = p_receipt_signed, signed_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    perform jobforge.append_event('PassportVersion', p_pv, 'PASSPORT_SIGNED',
        jsonb_build_object('key_id', p_key_id));
    perform jobforge.enqueue_follow_up(v_tenant_id, 'GENERATE_QR',
        jsonb_build_object('passport_version_id', p_pv), 2, 'qr-' || p_pv);
    return true;
end
$$;

ALTER FUNCTION jobforge.store_signature(p_pv uuid, p_signature bytea, p_key_id text, p_public_key bytea, p_receipt_signed bytea) OWNER TO jobforge_engine;

--
-- Name: store_test_run(uuid, uuid, bigint, integer, integer, integer, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.store_test_run(p_run_id uuid, p_rpv uuid, p_seed bigint, p_total integer, p_passed integer, p_failed integer, p_first_failure jsonb) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
    v_status text := case when p_failed = 0 and p_passed >= 500 then 'PASSED' else 'FAILED' end;
    v_stored record;
begin
    if p_run_id is null or p_seed is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a run has an id and a seed', '');
    end if;
    select r.status, r.rule_package_version_id into v_stored from jobforge.rule_tests_runs r
    where r.tenant_id = v_tenant_id and r.run_id = p_run_id;
    if found and v_stored.rule_package_version_id = p_rpv then
        return v_stored.status;
    elsif found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('run %s belongs to rule version %s', p_run_id, v_stored.rule_package_version_id), '');
    elsif (p_passed >= 0 and p_failed >= 0 and p_passed::bigint + p_failed = p_total) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%s passed and %s failed cases are not %s', p_passed, p_failed, p_total), '');
    end if;
    insert into jobforge.rule_tests_runs (tenant_id, run_id, rule_package_version_id, seed, total_cases,
        passed_count, failed_count, status, first_failure)
    values (v_tenant_id, p_run_id, p_rpv, p_seed, p_total, p_passed, p_failed, v_status, p_first_failure);
    if v_status = 'PASSED' and v_rules.status = 'DRAFT' then
        update jobforge.rule_package_versions v set status = 'VALIDATED', validated_at = clock_timestamp()
        where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    end if;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'TESTS_RUN', jsonb_build_object(
        'passed', p_passed, 'run_id', p_run_id, 'status', v_status, 'total_cases', p_total));
    return v_status;
end
$$;

ALTER FUNCTION jobforge.store_test_run(p_run_id uuid, p_rpv uuid, p_seed bigint, p_total integer, p_passed integer, p_failed integer, p_first_failure jsonb) OWNER TO jobforge_definer;

--
-- Name: store_valuation(uuid, jsonb, uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.store_valuation(p_intake uuid, p_valuation jsonb, p_job uuid DEFAULT NULL::uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.valuations;
begin
    perform jobforge.check_members('a valuation', p_valuation, array['currency', 'comparables', 'outliers',
        'p10', 'p20', 'p40', 'p50', 'p60', 'p80', 'p90', 'mean_cents', 'confidence', 'explanation']);
    perform jobforge.lock_intake(v_tenant_id, p_intake);
    v_row := jsonb_populate_record(null::jobforge.valuations, p_valuation);
    insert into jobforge.valuations as v (tenant_id, intake_id, currency, comparables, outliers, p10, p20,
        p40, p50, p60, p80, p90, mean_cents, confidence, explanation, job_id)
    values (v_tenant_id, p_intake, v_row.currency, v_row.comparables, v_row.outliers, v_row.p10, v_row.p20,
        v_row.p40, v_row.p50, v_row.p60, v_row.p80, v_row.p90, v_row.mean_cents, v_row.confidence,
        v_row.explanation, p_job)
    on conflict (tenant_id, intake_id) do update
        set currency = excluded.currency, comparables = excluded.comparables, outliers = excluded.outliers,
            p10 = excluded.p10, p20 = excluded.p20, p40 = excluded.p40, p50 = excluded.p50,
            p60 = excluded.p60, p80 = excluded.p80, p90 = excluded.p90, mean_cents = excluded.mean_cents,
            confidence = excluded.confidence, explanation = excluded.explanation,
            computed_at = excluded.computed_at, job_id = excluded.job_id;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', 'valuation: ' || jobforge.refusal_text(sqlerrm), '');
end
$$;

ALTER FUNCTION jobforge.store_valuation(p_intake uuid, p_valuation jsonb, p_job uuid) OWNER TO jobforge_definer;

--
-- Name: subscribe_webhook(uuid, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) RETURNS TABLE(webhook_subscription_id uuid, event_type text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_unknown text;
    v_names text[];
begin
    perform from jobforge.webhook_endpoints e
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_webhook_endpoint_id for no key update;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', p_webhook_endpoint_id::text);
    end if;
    select string_agg(quote_literal(coalesce(w.name, '')), ', ' order by w.n)
        filter (where n.event_type is null and w.name is distinct from '*'),
        array_agg(distinct coalesce(n.event_type, w.name))
    into v_unknown, v_names
    from unnest(p_event_types) with ordinality w(name, n)
    left join jobforge.event_names() n on w.name in (n.event_type, n.alias);
    if v_unknown is not null or v_names is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            case when v_names is null then 'no event named' else format('no such event: %s', v_unknown) end,
            (select 'Known: *, ' || string_agg(n.event_type || coalesce(' = ' || n.alias, ''), ', ')
                from jobforge.event_names() n) || '.');
    end if;
    insert into jobforge.webhook_subscriptions (tenant_id, webhook_subscription_id, webhook_endpoint_id,
        event_type)
    select v_tenant_id, jobforge.uuid_v7(clock_timestamp()), p_webhook_endpoint_id, w.name
    from unnest(v_names) w(name)
    on conflict do nothing;
    return query
    select s.webhook_subscription_id, s.event_type from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
        and s.event_type = any(v_names)
    order by s.event_type;
end
$$;

ALTER FUNCTION jobforge.subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) OWNER TO jobforge_definer;

--
-- Name: take_all_tokens(text, uuid, integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.take_all_tokens(p_type text, p_tenant_id uuid, p_used integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    v_policy record;
begin
    select t.rate_limit_per_minute, t.tenant_rate_limit_per_minute into v_policy
    from jobforge.job_types t where t.type = p_type;
    perform jobforge.take_tokens('00000000-0000-0000-0000-000000000000', p_type,
        v_policy.rate_limit_per_minute, p_used);
    perform jobforge.take_tokens(p_tenant_id, p_type, v_policy.tenant_rate_limit_per_minute, p_used);
end
$$;

ALTER FUNCTION jobforge.take_all_tokens(p_type text, p_tenant_id uuid, p_used integer) OWNER TO jobforge_engine;

--
-- Name: take_idempotency_key(uuid, text, text, uuid, jsonb, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
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
-- Name: take_turn(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.take_turn(p_tenant_id uuid, p_what text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    perform from jobforge.turns t where t.tenant_id = p_tenant_id and t.what = p_what for no key update;
    if not found then
        insert into jobforge.turns as t (tenant_id, what) values (p_tenant_id, p_what)
        on conflict (tenant_id, what) do update set what = excluded.what;
    end if;
end
$$;

ALTER FUNCTION jobforge.take_turn(p_tenant_id uuid, p_what text) OWNER TO jobforge_definer;

--
-- Name: access_denials; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.access_denials (
    tenant_id uuid NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    route text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL,
    pending bigint NOT NULL,
    noted_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT access_denials_pending_not_negative CHECK ((pending >= 0)),
    CONSTRAINT access_denials_reason_length CHECK (((length(reason) >= 1) AND (length(reason) <= 100))),
    CONSTRAINT access_denials_route_length CHECK (((length(route) >= 1) AND (length(route) <= 300)))
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.access_denials FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.access_denials OWNER TO jobforge_owner;

--
-- Name: tell_access_denied(jobforge.access_denials); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.tell_access_denied(p_row jobforge.access_denials) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
begin
    perform jobforge.append_key_event(p_row.key_id, 'ACCESS_DENIED', jsonb_build_object(
        'route', p_row.route, 'reason', p_row.reason, 'count', p_row.pending), 'key:' || p_row.key_id);
    update jobforge.access_denials d set pending = 0, noted_at = clock_timestamp()
    where d.tenant_id = p_row.tenant_id and d.key_id = p_row.key_id and d.route = p_row.route;
end
$$;

ALTER FUNCTION jobforge.tell_access_denied(p_row jobforge.access_denials) OWNER TO jobforge_definer;

--
-- Name: tenant_claim_jobs(text, integer, text[], integer); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_claim_jobs(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer DEFAULT 60) RETURNS TABLE(tenant_id uuid, job_id uuid, type text, payload jsonb, attempts integer, max_attempts integer, priority smallint, scheduled_at timestamp with time zone, created_at timestamp with time zone, started_at timestamp with time zone, lease_token bigint, lease_expires_at timestamp with time zone, interrupted boolean, idempotency_key text, trace_id text, created_by text, timeout_seconds integer, claim_id uuid, interruptions smallint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_worker record := jobforge.tenant_worker(p_worker);
    v_limit integer := p_limit;
    v_fit integer;
    v_job record;
begin
    perform jobforge.check_own_types(p_types);
    perform jobforge.note_tenant_worker(v_worker.worker_id, p_types);
    if p_limit between 1 and 10000 then
        v_limit := least(p_limit, jobforge.leases_left(v_worker.tenant_id));
    end if;
    loop
        begin
            for v_job in
                select c.* from jobforge.claim_jobs(v_worker.worker_id, v_limit, p_types,
                    array[v_worker.tenant_id], p_lease_seconds, p_by_reference => true) c
            loop
                if v_job.row_ids is null then  -- small: the claim has answered with its jobs
                    tenant_id := v_job.tenant_id;
                    job_id := v_job.job_id;
                    type := v_job.type;
                    payload := v_job.payload;
                    attempts := v_job.attempts;
                    max_attempts := v_job.max_attempts;
                    priority := v_job.priority;
                    scheduled_at := v_job.scheduled_at;
                    created_at := v_job.created_at;
                    started_at := v_job.started_at;
                    lease_token := v_job.lease_token;
                    lease_expires_at := v_job.lease_expires_at;
                    interrupted := v_job.interrupted;
                    idempotency_key := v_job.idempotency_key;
                    trace_id := v_job.trace_id;
                    created_by := v_job.created_by;
                    timeout_seconds := v_job.timeout_seconds;
                    claim_id := v_job.claim_id;
                    interruptions := v_job.interruptions;
                    return next;
                    continue;
                end if;
                v_fit := greatest(1, jobforge.rows_that_fit(v_job.row_ids, 16777216));
                if v_fit < cardinality(v_job.row_ids) then
                    raise exception using errcode = 'JFFIT';
                end if;
                return query
                select r.tenant_id, r.job_id, r.type, r.payload, r.attempts, r.max_attempts, r.priority,
                    r.scheduled_at, r.created_at, r.started_at, r.lease_token, r.lease_expires_at,
                    r.interrupted, r.idempotency_key, r.trace_id, r.created_by, r.timeout_seconds,
                    r.claim_id, r.interruptions
                from jobforge.read_claimed(v_job.claim_id, v_job.row_ids) r;
            end loop;
            return;
        exception when sqlstate 'JFFIT' then
            v_limit := v_fit;  -- less than before
        end;
    end loop;
end
$$;

ALTER FUNCTION jobforge.tenant_claim_jobs(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer) OWNER TO jobforge_engine;

--
-- Name: tenant_complete_job(text, uuid, bigint, uuid, jsonb); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_complete_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_result jsonb, OUT state text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_open_job(v_worker.tenant_id, p_job_id);
    select c.state into state from jobforge.complete_jobs(v_worker.worker_id, array[v_worker.tenant_id],
        array[p_job_id], array[p_token], array[p_result], array[p_claim_id]) c;
    perform jobforge.refuse_beside_writes(true, state, v_worker.worker_id, v_worker.tenant_id, p_job_id, p_token);
    state := coalesce(state, 'DONE');
end
$$;

ALTER FUNCTION jobforge.tenant_complete_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_result jsonb, OUT state text) OWNER TO jobforge_engine;

--
-- Name: tenant_end_unreadable_jobs(text, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_end_unreadable_jobs(p_worker text, p_types text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_own_types(p_types);
    return jobforge.end_unreadable_jobs(p_types, p_tenants => array[v_worker.tenant_id]);
end
$$;

ALTER FUNCTION jobforge.tenant_end_unreadable_jobs(p_worker text, p_types text[]) OWNER TO jobforge_engine;

--
-- Name: tenant_fail_job(text, uuid, bigint, uuid, jsonb, double precision); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_fail_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_open_job(v_worker.tenant_id, p_job_id);
    perform jobforge.check_error(p_error);
    select f.status, f.scheduled_at into status, scheduled_at
    from jobforge.fail_jobs(v_worker.worker_id, array[v_worker.tenant_id], array[p_job_id], array[p_token],
        array[p_error], array[p_retry_after], array[p_claim_id]) f;
    perform jobforge.refuse_beside_writes(true, status, v_worker.worker_id, v_worker.tenant_id, p_job_id, p_token);
end
$$;

ALTER FUNCTION jobforge.tenant_fail_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone) OWNER TO jobforge_engine;

--
-- Name: tenant_heartbeat_jobs(text, uuid[], bigint[], integer, uuid[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_heartbeat_jobs(p_worker text, p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer DEFAULT 60, p_claim_ids uuid[] DEFAULT NULL::uuid[]) RETURNS TABLE(job_id uuid, lease_token bigint, state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_elements(p_job_ids, 'p_job_ids');
    return query
    select h.job_id, h.lease_token, h.state from jobforge.heartbeat_jobs(v_worker.worker_id,
        array_fill(v_worker.tenant_id, array[cardinality(p_job_ids)]), p_job_ids, p_tokens, p_lease_seconds,
        p_claim_ids) h;
    perform jobforge.note_tenant_worker(v_worker.worker_id, null);
end
$$;

ALTER FUNCTION jobforge.tenant_heartbeat_jobs(p_worker text, p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]) OWNER TO jobforge_engine;

--
-- Name: tenant_rows(uuid, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_rows(p_tenant_id uuid, p_tables text[]) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    v_table text;
    v_count bigint;
    v_found text[] := '{}';
begin
    foreach v_table in array p_tables loop
        execute format('select count(*) from jobforge.%I where tenant_id = $1', v_table)
            into v_count using p_tenant_id;
        if v_count > 0 then
            v_found := v_found || format('%s: %s', v_table, v_count);
        end if;
    end loop;
    return nullif(array_to_string(v_found, ', '), '');
end
$_$;

ALTER FUNCTION jobforge.tenant_rows(p_tenant_id uuid, p_tables text[]) OWNER TO jobforge_engine;

--
-- Name: tenant_snooze_job(text, uuid, bigint, uuid, double precision); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_snooze_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_seconds double precision, OUT state text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_worker record := jobforge.tenant_worker(p_worker);
begin
    perform jobforge.check_open_job(v_worker.tenant_id, p_job_id);
    select s.state into state from jobforge.snooze_jobs(v_worker.worker_id, array[v_worker.tenant_id],
        array[p_job_id], array[p_token], array[p_seconds], array[p_claim_id]) s;
    perform jobforge.refuse_beside_writes(true, state, v_worker.worker_id, v_worker.tenant_id, p_job_id, p_token);
    state := coalesce(state, 'DONE');
end
$$;

ALTER FUNCTION jobforge.tenant_snooze_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_seconds double precision, OUT state text) OWNER TO jobforge_engine;

--
-- Name: tenant_tables(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_tables(OUT kept text[], OUT data text[], OUT counts text[]) RETURNS record
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select array['events', 'event_log', 'log_heads', 'events_to_log', 'passport_acceptances',
            'passport_versions', 'passports',
            'signing_keys', 'documents', 'document_versions', 'facts', 'fact_sources', 'data_snapshots',
            'snapshot_items', 'battery_products', 'rule_packages', 'rule_package_versions', 'rule_fields',
            'rule_tests_runs', 'api_keys', 'intakes'],
        array['webhook_deliveries', 'webhook_replaced_secrets', 'webhook_subscriptions', 'webhook_endpoints',
            'valuations', 'price_points', 'collections', 'source_rules', 'sources', 'jobs', 'finished_jobs',
            'schedules', 'connector_configs', 'access_policies', 'tenant_logins'],
        array['job_artifacts', 'artifacts', 'attempt_records', 'idempotency_keys', 'governors', 'access_denials',
            'access_versions', 'api_requests', 'counter_deltas', 'counter_totals', 'rate_buckets',
            'tenant_measures', 'tenant_usage', 'turns']
$$;

ALTER FUNCTION jobforge.tenant_tables(OUT kept text[], OUT data text[], OUT counts text[]) OWNER TO jobforge_engine;

--
-- Name: tenant_waiting(uuid); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.tenant_waiting(p_tenant_id uuid, OUT jobs bigint, OUT bytes bigint) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
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

ALTER FUNCTION jobforge.tenant_waiting(p_tenant_id uuid, OUT jobs bigint, OUT bytes bigint) OWNER TO jobforge_definer;

--
-- Name: tenant_worker(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenant_worker(p_worker text, OUT tenant_id uuid, OUT worker_id text) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
begin
    tenant_id := jobforge.acting_tenant();
    if p_worker is null or p_worker !~ '^[!-.0-~]{1,100}$' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'a worker id has 1 to 100 visible ASCII characters without a slash', '');
    end if;
    worker_id := tenant_id || '/' || p_worker;
end
$_$;

ALTER FUNCTION jobforge.tenant_worker(p_worker text, OUT tenant_id uuid, OUT worker_id text) OWNER TO jobforge_engine;

--
-- Name: tenants_with_open_events(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.tenants_with_open_events() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select distinct u.tenant_id from jobforge.events_to_log u
$$;

ALTER FUNCTION jobforge.tenants_with_open_events() OWNER TO jobforge_engine;

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
-- Name: token_floor(); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.token_floor() RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint - 1) << 32;
end
$$;

ALTER FUNCTION jobforge.token_floor() OWNER TO jobforge_engine;

--
-- Name: try_turn(uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.try_turn(p_tenant_id uuid, p_what text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    perform from jobforge.turns t where t.tenant_id = p_tenant_id and t.what = p_what
    for no key update skip locked;
    if found then
        return true;
    end if;
    -- Taken, or the first ever: then the row is made. Two that make it at once wait for each other once.
    insert into jobforge.turns (tenant_id, what)
    select p_tenant_id, p_what where not exists (select from jobforge.turns t
        where t.tenant_id = p_tenant_id and t.what = p_what)
    on conflict do nothing;
    return found;
end
$$;

ALTER FUNCTION jobforge.try_turn(p_tenant_id uuid, p_what text) OWNER TO jobforge_definer;

--
-- Name: unsubscribe_webhook(uuid, text[]); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_unknown text;
    v_names text[];
    v_count integer;
begin
    perform jobforge.lock_endpoint(v_tenant_id, p_webhook_endpoint_id);
    select string_agg(quote_literal(coalesce(w.name, '')), ', ' order by w.n)
        filter (where n.event_type is null and w.name is distinct from '*'),
        array_agg(distinct coalesce(n.event_type, w.name))
    into v_unknown, v_names
    from unnest(p_event_types) with ordinality w(name, n)
    left join jobforge.event_names() n on w.name in (n.event_type, n.alias);
    if v_unknown is not null or v_names is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            case when v_names is null then 'no event named' else format('no such event: %s', v_unknown) end,
            'jobforge webhooks list shows the events of each endpoint.');
    end if;
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
        and s.event_type = any(v_names);
    get diagnostics v_count = row_count;
    return v_count;
end
$$;

ALTER FUNCTION jobforge.unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) OWNER TO jobforge_definer;

--
-- Name: upload_document(text, text, bytea, text, uuid, uuid, text, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.upload_document(p_kind text, p_name text, p_content bytea, p_media_type text DEFAULT 'application/json'::text, p_document_id uuid DEFAULT NULL::uuid, p_document_version_id uuid DEFAULT NULL::uuid, p_actor_id text DEFAULT NULL::text, p_trace_id text DEFAULT NULL::text, OUT document_id uuid, OUT document_version_id uuid, OUT version integer, OUT deduplicated boolean, OUT job_id uuid) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_sha256 bytea := sha256(p_content);
    v_existing record;
begin
    perform jobforge.check_upload(p_kind, p_name, p_content, p_media_type);
    if p_document_id is not null then
        perform jobforge.lock_document(v_tenant_id, p_document_id, p_kind);
    end if;
    select v.document_id, v.document_version_id, v.version, v.content_sha256 into v_existing
    from jobforge.document_versions v
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    if found and (v_existing.content_sha256 <> v_sha256
            or p_document_id <> v_existing.document_id) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('document version %s exists with other bytes', p_document_version_id),
            'Use a new id, or none.');
    elsif not found and p_document_id is not null then
        select v.document_id, v.document_version_id, v.version into v_existing
        from jobforge.document_versions v
        where v.tenant_id = v_tenant_id and v.document_id = p_document_id and v.content_sha256 = v_sha256;
    end if;
    if v_existing.document_version_id is not null then
        document_id := v_existing.document_id;
        document_version_id := v_existing.document_version_id;
        version := v_existing.version;
        deduplicated := true;
        select k.job_id into job_id from jobforge.idempotency_keys k
        where k.tenant_id = v_tenant_id and k.type = 'PARSE_FACTS'
            and k.idempotency_key = 'parse-' || v_existing.document_version_id;
        return;
    end if;

    deduplicated := false;
    document_version_id := coalesce(p_document_version_id, jobforge.uuid_v7(clock_timestamp()));
    if p_document_id is null then
        document_id := jobforge.uuid_v7(clock_timestamp());
        version := 1;
        insert into jobforge.documents (tenant_id, document_id, kind, name, created_by)
        values (v_tenant_id, document_id, p_kind, p_name, left(p_actor_id, 500));
    else
        document_id := p_document_id;
        select max(v.version) + 1 into version from jobforge.document_versions v
        where v.tenant_id = v_tenant_id and v.document_id = p_document_id;
    end if;
    insert into jobforge.document_versions (tenant_id, document_version_id, document_id, version,
        media_type, content, content_sha256, size_bytes, uploaded_by)
    values (v_tenant_id, document_version_id, document_id, version, p_media_type, p_content, v_sha256,
        octet_length(p_content), left(p_actor_id, 500));
    perform jobforge.append_event('DocumentVersion', document_version_id, 'DOCUMENT_UPLOADED',
        jsonb_build_object('content_sha256', encode(v_sha256, 'hex'), 'document_id', document_id,
            'kind', p_kind, 'version', version), p_actor_id);
    job_id := jobforge.enqueue_step(v_tenant_id, 'PARSE_FACTS',
        jsonb_build_object('document_version_id', document_version_id), 2,
        'parse-' || document_version_id, null, p_trace_id, p_actor_id);
end
$$;

ALTER FUNCTION jobforge.upload_document(p_kind text, p_name text, p_content bytea, p_media_type text, p_document_id uuid, p_document_version_id uuid, p_actor_id text, p_trace_id text, OUT document_id uuid, OUT document_version_id uuid, OUT version integer, OUT deduplicated boolean, OUT job_id uuid) OWNER TO jobforge_definer;

--
-- Name: upload_rules(text, text, text, jsonb, uuid, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.upload_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb DEFAULT '[]'::jsonb, p_rule_package_version_id uuid DEFAULT NULL::uuid, p_actor_id text DEFAULT NULL::text, OUT rule_package_id uuid, OUT rule_package_version_id uuid, OUT version integer, OUT deduplicated boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_dsl bytea := sha256(convert_to(p_dsl_source, 'UTF8'));
    v_tests bytea := sha256(convert_to(coalesce(p_tests_source, ''), 'UTF8'));
begin
    perform jobforge.check_rules(p_package, p_dsl_source, p_tests_source, p_fields);
    insert into jobforge.rule_packages (tenant_id, rule_package_id, name, created_by)
    values (v_tenant_id, jobforge.uuid_v7(clock_timestamp()), p_package, left(p_actor_id, 500))
    on conflict do nothing;
    -- Uploads to one package wait for each other.
    select p.rule_package_id into rule_package_id from jobforge.rule_packages p
    where p.tenant_id = v_tenant_id and p.name = p_package for no key update;
    select v.rule_package_version_id, v.version into rule_package_version_id, version
    from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_id = upload_rules.rule_package_id
        and v.dsl_sha256 = v_dsl and v.tests_sha256 = v_tests and v.status <> 'RETIRED'
    order by v.version desc limit 1;
    deduplicated := found;
    if deduplicated then
        return;
    end if;

    rule_package_version_id := coalesce(p_rule_package_version_id, jobforge.uuid_v7(clock_timestamp()));
    select coalesce(max(v.version), 0) + 1 into version from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_id = upload_rules.rule_package_id;
    insert into jobforge.rule_package_versions (tenant_id, rule_package_version_id, rule_package_id, version,
        dsl_source, dsl_sha256, tests_source, tests_sha256, created_by)
    values (v_tenant_id, rule_package_version_id, rule_package_id, version, p_dsl_source, v_dsl,
        coalesce(p_tests_source, ''), v_tests, left(p_actor_id, 500))
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('rule version %s exists with other sources', rule_package_version_id),
            'Use a new id, or none.');
    end if;
    insert into jobforge.rule_fields (tenant_id, rule_package_version_id, path, type, access, ordinal)
    select v_tenant_id, upload_rules.rule_package_version_id, f.value ->> 'path', f.value ->> 'type',
        f.value ->> 'access', f.n
    from jsonb_array_elements(p_fields) with ordinality f(value, n);
    perform jobforge.append_event('RulePackageVersion', rule_package_version_id, 'RULES_UPLOADED',
        jsonb_build_object('dsl_sha256', encode(v_dsl, 'hex'), 'package', p_package,
            'tests_sha256', encode(v_tests, 'hex'), 'version', version), p_actor_id);
end
$$;

ALTER FUNCTION jobforge.upload_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb, p_rule_package_version_id uuid, p_actor_id text, OUT rule_package_id uuid, OUT rule_package_version_id uuid, OUT version integer, OUT deduplicated boolean) OWNER TO jobforge_definer;

--
-- Name: usage_take(uuid, bigint, bigint, bigint, bigint); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
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

ALTER FUNCTION jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint) OWNER TO jobforge_definer;

--
-- Name: utc_text(timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.utc_text(p_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    select pg_catalog.to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

ALTER FUNCTION jobforge.utc_text(p_at timestamp with time zone) OWNER TO jobforge_definer;

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
-- Name: version_findings(uuid, uuid, bytea); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.version_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea) RETURNS json
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (select json_build_object(
        'counts', json_build_object(
            'PASS', count(*) filter (where f.status = 'PASS'),
            'FAIL', count(*) filter (where f.status = 'FAIL'),
            'WARN', count(*) filter (where f.status = 'WARN'),
            'PENDING', count(*) filter (where f.status = 'PENDING'),
            'NOT_APPLICABLE', count(*) filter (where f.status = 'NOT_APPLICABLE'),
            'UNKNOWN', count(*) filter (where f.status not in
                ('PASS', 'FAIL', 'WARN', 'PENDING', 'NOT_APPLICABLE'))),
        'entries', coalesce(json_agg(json_build_object('entry', f.entry, 'id', f.finding_id,
                'status', f.status, 'evidence', f.evidence,
                'accepted', case when a.entry is not null then json_build_object('reason', a.reason,
                    'accepted_by', a.accepted_by, 'accepted_at', a.accepted_at) end)
            order by f.entry) filter (where f.failing or f.status = 'WARN'), '[]'))
    from jobforge.payload_findings(p_payload) f
    left join jobforge.passport_acceptances a on a.tenant_id = p_tenant_id
        and a.passport_version_id = p_pv and a.entry = f.entry);
end
$$;

ALTER FUNCTION jobforge.version_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea) OWNER TO jobforge_definer;

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
        perform jobforge.notify_wake(p_type);
    end if;
end
$$;

ALTER FUNCTION jobforge.wake(p_type text) OWNER TO jobforge_definer;

--
-- Name: wake_for_moved(text, timestamp with time zone); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.wake_for_moved(p_type text, p_scheduled_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if p_scheduled_at < clock_timestamp() then
        perform jobforge.notify_wake(p_type);
    else
        perform jobforge.wake(p_type);
    end if;
end
$$;

ALTER FUNCTION jobforge.wake_for_moved(p_type text, p_scheduled_at timestamp with time zone) OWNER TO jobforge_definer;

--
-- Name: wake_slot(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_definer
--

CREATE FUNCTION jobforge.wake_slot(p_type text) RETURNS regclass
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return ('jobforge.wake_' || (hashtext(p_type) & 15))::regclass;
end
$$;

ALTER FUNCTION jobforge.wake_slot(p_type text) OWNER TO jobforge_definer;

--
-- Name: worker_heartbeat(text, integer, text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.worker_heartbeat(p_worker text, p_running integer, p_state text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
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

ALTER FUNCTION jobforge.worker_heartbeat(p_worker text, p_running integer, p_state text) OWNER TO jobforge_engine;

--
-- Name: worker_tenant(text); Type: FUNCTION; Schema: jobforge; Owner: jobforge_engine
--

CREATE FUNCTION jobforge.worker_tenant(p_worker text) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when p_worker ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then left(p_worker, 36)::uuid end
$$;

ALTER FUNCTION jobforge.worker_tenant(p_worker text) OWNER TO jobforge_engine;

--
-- Name: access_versions; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.access_versions (
    tenant_id uuid NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT access_versions_positive CHECK ((version >= 1))
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.access_versions FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.access_versions OWNER TO jobforge_owner;

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
    j.last_error,
    j.interruptions
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
    f.last_error,
    f.interruptions
   FROM jobforge.finished_jobs f;

ALTER TABLE jobforge.all_jobs OWNER TO jobforge_owner;

--
-- Name: api_requests; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.api_requests (
    tenant_id uuid NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    request_hash bytea NOT NULL,
    status integer NOT NULL,
    headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    body bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT api_requests_body_length CHECK ((octet_length(body) <= 16777216)),
    CONSTRAINT api_requests_hash_is_sha256 CHECK ((octet_length(request_hash) = 32)),
    CONSTRAINT api_requests_headers_is_object CHECK ((jsonb_typeof(headers) = 'object'::text)),
    CONSTRAINT api_requests_key_form CHECK ((idempotency_key ~ '^[!-~]{1,255}$'::text)),
    CONSTRAINT api_requests_succeeded CHECK (((status >= 200) AND (status <= 299)))
);
ALTER TABLE ONLY jobforge.api_requests ALTER COLUMN body SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.api_requests FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.api_requests OWNER TO jobforge_owner;

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
-- Name: battery_products; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.battery_products (
    tenant_id uuid NOT NULL,
    battery_product_id uuid NOT NULL,
    sku text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    CONSTRAINT battery_products_name_length CHECK (((length(name) >= 1) AND (length(name) <= 500))),
    CONSTRAINT battery_products_sku_length CHECK (((length(sku) >= 1) AND (length(sku) <= 200)))
);

ALTER TABLE ONLY jobforge.battery_products FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.battery_products OWNER TO jobforge_owner;

--
-- Name: claim_turn; Type: SEQUENCE; Schema: jobforge; Owner: jobforge_owner
--

CREATE SEQUENCE jobforge.claim_turn
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobforge.claim_turn OWNER TO jobforge_owner;

--
-- Name: collections; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.collections (
    tenant_id uuid NOT NULL,
    intake_id uuid NOT NULL,
    source_id uuid NOT NULL,
    job_id uuid,
    round integer DEFAULT 0 NOT NULL,
    progress jsonb,
    CONSTRAINT collections_round_has_job CHECK ((((round > 0) = (job_id IS NOT NULL)) AND (round >= 0)))
)
WITH (fillfactor='80');

ALTER TABLE ONLY jobforge.collections FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.collections OWNER TO jobforge_owner;

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
    bytes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT counter_deltas_counter_known CHECK ((counter = ANY (ARRAY['enqueued'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'dead_letter'::text, 'dead_letters_left'::text, 'claimed'::text, 'requeued'::text, 'withdrawn'::text])))
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
    bytes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT counter_totals_counter_known CHECK ((counter = ANY (ARRAY['enqueued'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'dead_letter'::text, 'dead_letters_left'::text, 'claimed'::text, 'requeued'::text, 'withdrawn'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.counter_totals FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.counter_totals OWNER TO jobforge_owner;

--
-- Name: data_snapshots; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.data_snapshots (
    tenant_id uuid NOT NULL,
    snapshot_id uuid NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'BUILDING'::text NOT NULL,
    snapshot_canonical bytea,
    snapshot_hash bytea,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    ready_at timestamp with time zone,
    sealed_at timestamp with time zone,
    sealed_by text,
    CONSTRAINT data_snapshots_hash_matches CHECK ((snapshot_hash = sha256(snapshot_canonical))),
    CONSTRAINT data_snapshots_label_length CHECK ((length(label) <= 500)),
    CONSTRAINT data_snapshots_ready_at CHECK (((status = 'BUILDING'::text) = (ready_at IS NULL))),
    CONSTRAINT data_snapshots_sealed_has_bytes CHECK ((((status = 'SEALED'::text) = (snapshot_canonical IS NOT NULL)) AND ((status = 'SEALED'::text) = (snapshot_hash IS NOT NULL)) AND ((status = 'SEALED'::text) = (sealed_at IS NOT NULL)))),
    CONSTRAINT data_snapshots_status_known CHECK ((status = ANY (ARRAY['BUILDING'::text, 'READY'::text, 'SEALED'::text])))
);
ALTER TABLE ONLY jobforge.data_snapshots ALTER COLUMN snapshot_canonical SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.data_snapshots FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.data_snapshots OWNER TO jobforge_owner;

--
-- Name: document_versions; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.document_versions (
    tenant_id uuid NOT NULL,
    document_version_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    media_type text NOT NULL,
    content bytea NOT NULL,
    content_sha256 bytea NOT NULL,
    size_bytes bigint NOT NULL,
    status text DEFAULT 'UPLOADED'::text NOT NULL,
    rejection jsonb,
    uploaded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    uploaded_by text,
    settled_at timestamp with time zone,
    CONSTRAINT document_versions_hash_matches CHECK ((content_sha256 = sha256(content))),
    CONSTRAINT document_versions_media_type_known CHECK ((media_type = ANY (ARRAY['application/json'::text, 'text/csv'::text]))),
    CONSTRAINT document_versions_rejected_says_why CHECK (((status = 'REJECTED'::text) = (rejection IS NOT NULL))),
    CONSTRAINT document_versions_settled CHECK (((status = 'UPLOADED'::text) = (settled_at IS NULL))),
    CONSTRAINT document_versions_size CHECK (((size_bytes = octet_length(content)) AND (size_bytes <= 67108864))),
    CONSTRAINT document_versions_status_known CHECK ((status = ANY (ARRAY['UPLOADED'::text, 'VALIDATED'::text, 'REJECTED'::text]))),
    CONSTRAINT document_versions_version_positive CHECK ((version >= 1))
);
ALTER TABLE ONLY jobforge.document_versions ALTER COLUMN content SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.document_versions FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.document_versions OWNER TO jobforge_owner;

--
-- Name: documents; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.documents (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    CONSTRAINT documents_kind_known CHECK ((kind = ANY (ARRAY['BOM'::text, 'PCF'::text, 'DUE_DILIGENCE'::text, 'BATTERY_DATA'::text, 'OTHER'::text]))),
    CONSTRAINT documents_name_length CHECK (((length(name) >= 1) AND (length(name) <= 500)))
);

ALTER TABLE ONLY jobforge.documents FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.documents OWNER TO jobforge_owner;

--
-- Name: event_log; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.event_log (
    tenant_id uuid NOT NULL,
    log_index bigint NOT NULL,
    event_id uuid NOT NULL,
    event_hash bytea NOT NULL,
    logged_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    leaf_version smallint DEFAULT 1 NOT NULL,
    head_size bigint,
    CONSTRAINT event_log_hash_is_sha256 CHECK ((length(event_hash) = 32)),
    CONSTRAINT event_log_index_not_negative CHECK ((log_index >= 0)),
    CONSTRAINT event_log_leaf_known CHECK ((((leaf_version = 1) AND (head_size IS NULL)) OR ((leaf_version = 2) AND (head_size IS NOT NULL) AND ((head_size >= 0) AND (head_size <= log_index)))))
);

ALTER TABLE ONLY jobforge.event_log FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.event_log OWNER TO jobforge_owner;

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
    event_seq bigint DEFAULT ((date_part('epoch'::text, clock_timestamp()) * (1000000)::double precision))::bigint NOT NULL,
    CONSTRAINT events_first_has_no_predecessor CHECK (((aggregate_version = 1) = (prev_event_hash IS NULL))),
    CONSTRAINT events_hash_is_sha256 CHECK ((length(event_hash) = 32)),
    CONSTRAINT events_payload_hash_matches CHECK ((payload_hash = sha256(payload_canonical))),
    CONSTRAINT events_version_positive CHECK ((aggregate_version >= 1))
);

ALTER TABLE ONLY jobforge.events FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.events OWNER TO jobforge_owner;

--
-- Name: events_to_log; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.events_to_log (
    tenant_id uuid NOT NULL,
    event_seq bigint NOT NULL,
    event_id uuid NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000');

ALTER TABLE ONLY jobforge.events_to_log FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.events_to_log OWNER TO jobforge_owner;

--
-- Name: fact_sources; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.fact_sources (
    tenant_id uuid NOT NULL,
    document_version_id uuid NOT NULL,
    fact_id uuid NOT NULL,
    place text NOT NULL,
    numbers jsonb
);

ALTER TABLE ONLY jobforge.fact_sources FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.fact_sources OWNER TO jobforge_owner;

--
-- Name: facts; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.facts (
    tenant_id uuid NOT NULL,
    fact_id uuid NOT NULL,
    fact_type text NOT NULL COLLATE pg_catalog."C",
    fact_key text NOT NULL COLLATE pg_catalog."C",
    schema_version integer NOT NULL,
    payload jsonb NOT NULL,
    payload_canonical bytea NOT NULL,
    payload_hash bytea NOT NULL,
    document_version_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT facts_hash_matches CHECK ((payload_hash = sha256(payload_canonical))),
    CONSTRAINT facts_key_length CHECK (((length(fact_key) >= 1) AND (length(fact_key) <= 500))),
    CONSTRAINT facts_schema_version_positive CHECK ((schema_version >= 1)),
    CONSTRAINT facts_type_length CHECK (((length(fact_type) >= 1) AND (length(fact_type) <= 100)))
);
ALTER TABLE ONLY jobforge.facts ALTER COLUMN payload SET COMPRESSION lz4;
ALTER TABLE ONLY jobforge.facts ALTER COLUMN payload_canonical SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.facts FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.facts OWNER TO jobforge_owner;

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
-- Name: intakes; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.intakes (
    tenant_id uuid NOT NULL,
    intake_id uuid NOT NULL,
    denomination text,
    year integer,
    mintmark text,
    series text,
    title text,
    grade text,
    cleaned boolean DEFAULT false NOT NULL,
    scratches boolean DEFAULT false NOT NULL,
    rim_damage boolean DEFAULT false NOT NULL,
    details_damaged boolean DEFAULT false NOT NULL,
    harsh_cleaning boolean DEFAULT false NOT NULL,
    keywords_include text[] DEFAULT '{}'::text[] NOT NULL,
    keywords_exclude text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    CONSTRAINT intakes_keyword_count CHECK (((cardinality(keywords_include) <= 200) AND (cardinality(keywords_exclude) <= 200))),
    CONSTRAINT intakes_no_null_keyword CHECK (((array_position(keywords_include, NULL::text) IS NULL) AND (array_position(keywords_exclude, NULL::text) IS NULL))),
    CONSTRAINT intakes_says_what CHECK (((cardinality(keywords_include) > 0) OR (num_nonnulls(denomination, year, mintmark, series, title) > 0))),
    CONSTRAINT intakes_text_lengths CHECK (((length(denomination) <= 200) AND (length(mintmark) <= 50) AND (length(series) <= 500) AND (length(title) <= 1000) AND (length(grade) <= 100))),
    CONSTRAINT intakes_year_range CHECK (((year >= '-3000'::integer) AND (year <= 3000)))
);

ALTER TABLE ONLY jobforge.intakes FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.intakes OWNER TO jobforge_owner;

--
-- Name: job_artifacts; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.job_artifacts (
    tenant_id uuid NOT NULL,
    job_id uuid NOT NULL,
    name text NOT NULL,
    sha256 bytea NOT NULL,
    CONSTRAINT job_artifacts_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY jobforge.job_artifacts FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.job_artifacts OWNER TO jobforge_owner;

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
-- Name: key_pepper; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.key_pepper (
    single boolean DEFAULT true NOT NULL,
    fingerprint bytea NOT NULL,
    noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT key_pepper_fingerprint_is_sha256 CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT key_pepper_one_row CHECK (single)
);

ALTER TABLE jobforge.key_pepper OWNER TO jobforge_owner;

--
-- Name: log_heads; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.log_heads (
    tenant_id uuid NOT NULL,
    tree_size bigint NOT NULL,
    root_hash bytea NOT NULL,
    frontier bytea[] NOT NULL,
    checkpoint text NOT NULL,
    key_id text NOT NULL,
    signed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT log_heads_root_is_sha256 CHECK ((length(root_hash) = 32)),
    CONSTRAINT log_heads_size_not_negative CHECK ((tree_size >= 0))
);

ALTER TABLE ONLY jobforge.log_heads FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.log_heads OWNER TO jobforge_owner;

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
-- Name: passport_acceptances; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.passport_acceptances (
    tenant_id uuid NOT NULL,
    passport_version_id uuid NOT NULL,
    entry integer NOT NULL,
    finding_id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    evidence text NOT NULL,
    reason text NOT NULL,
    accepted_by text,
    accepted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT passport_acceptances_accepted_by_length CHECK ((length(accepted_by) <= 500)),
    CONSTRAINT passport_acceptances_entry_positive CHECK ((entry >= 1)),
    CONSTRAINT passport_acceptances_names_its_entry CHECK ((finding_id <> ''::text)),
    CONSTRAINT passport_acceptances_reason_length CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
);

ALTER TABLE ONLY jobforge.passport_acceptances FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.passport_acceptances OWNER TO jobforge_owner;

--
-- Name: passport_versions; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.passport_versions (
    tenant_id uuid NOT NULL,
    passport_version_id uuid NOT NULL,
    passport_id uuid NOT NULL,
    version_number integer NOT NULL,
    snapshot_id uuid NOT NULL,
    rule_package_version_id uuid NOT NULL,
    status text DEFAULT 'COMPILING'::text NOT NULL,
    payload_canonical bytea NOT NULL,
    payload_hash bytea NOT NULL,
    proof_canonical bytea NOT NULL,
    proof_sha256 bytea NOT NULL,
    proof_root_hash bytea NOT NULL,
    receipt_canonical bytea NOT NULL,
    receipt_hash bytea NOT NULL,
    receipt_signed bytea,
    compiler_build_id text NOT NULL COLLATE pg_catalog."C",
    issued_at timestamp with time zone NOT NULL,
    signing_key_id text NOT NULL COLLATE pg_catalog."C",
    signature bytea,
    signing_key_public bytea,
    qr_payload text,
    qr_png bytea,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    signed_at timestamp with time zone,
    activated_at timestamp with time zone,
    superseded_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revocation_reason text,
    CONSTRAINT passport_versions_active_has_qr CHECK ((((activated_at IS NULL) OR (qr_payload IS NOT NULL)) AND ((status <> ALL (ARRAY['ACTIVE'::text, 'SUPERSEDED'::text])) OR (activated_at IS NOT NULL)) AND ((status <> ALL (ARRAY['COMPILING'::text, 'SIGNED'::text])) OR (activated_at IS NULL)))),
    CONSTRAINT passport_versions_number_positive CHECK ((version_number >= 1)),
    CONSTRAINT passport_versions_payload_hash_matches CHECK (((status <> 'COMPILING'::text) OR (payload_hash = sha256(payload_canonical)))),
    CONSTRAINT passport_versions_proof_hash_matches CHECK (((status <> 'COMPILING'::text) OR (proof_sha256 = sha256(proof_canonical)))),
    CONSTRAINT passport_versions_proof_root_is_sha256 CHECK ((length(proof_root_hash) = 32)),
    CONSTRAINT passport_versions_qr_is_complete CHECK ((((qr_payload IS NULL) = (qr_png IS NULL)) AND ((qr_payload IS NULL) OR (status <> 'COMPILING'::text)))),
    CONSTRAINT passport_versions_receipt_hash_matches CHECK (((status <> 'COMPILING'::text) OR (receipt_hash = sha256(receipt_canonical)))),
    CONSTRAINT passport_versions_revoked_says_why CHECK ((((status = 'REVOKED'::text) = (revoked_at IS NOT NULL)) AND ((status = 'REVOKED'::text) = (revocation_reason IS NOT NULL)))),
    CONSTRAINT passport_versions_signature_is_ed25519 CHECK (((length(signature) = 64) AND (length(signing_key_public) = 32))),
    CONSTRAINT passport_versions_signed_is_complete CHECK ((((status = 'COMPILING'::text) = (signature IS NULL)) AND ((status = 'COMPILING'::text) = (signing_key_public IS NULL)) AND ((status = 'COMPILING'::text) = (receipt_signed IS NULL)) AND ((status = 'COMPILING'::text) = (signed_at IS NULL)))),
    CONSTRAINT passport_versions_status_known CHECK ((status = ANY (ARRAY['COMPILING'::text, 'SIGNED'::text, 'ACTIVE'::text, 'SUPERSEDED'::text, 'REVOKED'::text]))),
    CONSTRAINT passport_versions_superseded CHECK ((((status <> 'SUPERSEDED'::text) OR (superseded_at IS NOT NULL)) AND ((superseded_at IS NULL) OR (status = ANY (ARRAY['SUPERSEDED'::text, 'REVOKED'::text])))))
)
WITH (fillfactor='90');
ALTER TABLE ONLY jobforge.passport_versions ALTER COLUMN payload_canonical SET COMPRESSION lz4;
ALTER TABLE ONLY jobforge.passport_versions ALTER COLUMN proof_canonical SET COMPRESSION lz4;
ALTER TABLE ONLY jobforge.passport_versions ALTER COLUMN receipt_canonical SET COMPRESSION lz4;
ALTER TABLE ONLY jobforge.passport_versions ALTER COLUMN receipt_signed SET COMPRESSION lz4;
ALTER TABLE ONLY jobforge.passport_versions ALTER COLUMN qr_png SET STORAGE EXTERNAL;
ALTER TABLE ONLY jobforge.passport_versions ALTER COLUMN qr_png SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.passport_versions FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.passport_versions OWNER TO jobforge_owner;

--
-- Name: passports; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.passports (
    tenant_id uuid NOT NULL,
    passport_id uuid NOT NULL,
    battery_product_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text
);

ALTER TABLE ONLY jobforge.passports FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.passports OWNER TO jobforge_owner;

--
-- Name: platform_keys; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.platform_keys (
    key_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    secret_mac bytea NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revoked_by text,
    CONSTRAINT platform_keys_expires_later CHECK ((expires_at > created_at)),
    CONSTRAINT platform_keys_id_form CHECK ((key_id ~ '^[a-z2-7]{16}$'::text)),
    CONSTRAINT platform_keys_mac_is_sha256 CHECK ((octet_length(secret_mac) = 32)),
    CONSTRAINT platform_keys_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT platform_keys_revoked_has_time CHECK (((status = 'REVOKED'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT platform_keys_status_known CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'REVOKED'::text])))
)
WITH (fillfactor='80');

ALTER TABLE jobforge.platform_keys OWNER TO jobforge_owner;

--
-- Name: platform_reads; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.platform_reads (
    key_id text NOT NULL COLLATE pg_catalog."C",
    what text NOT NULL COLLATE pg_catalog."C",
    noted_at timestamp with time zone NOT NULL,
    CONSTRAINT platform_reads_what_length CHECK (((length(what) >= 1) AND (length(what) <= 300)))
)
WITH (fillfactor='50');

ALTER TABLE jobforge.platform_reads OWNER TO jobforge_owner;

--
-- Name: price_points; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.price_points (
    tenant_id uuid NOT NULL,
    price_point_id uuid NOT NULL,
    intake_id uuid NOT NULL,
    source_id uuid NOT NULL,
    dedupe_key text NOT NULL COLLATE pg_catalog."C",
    external_id text,
    url text,
    title text,
    price_cents bigint NOT NULL,
    currency text NOT NULL,
    price_type text NOT NULL,
    observed_at timestamp with time zone,
    match_strength numeric(6,5) NOT NULL,
    raw jsonb,
    first_job_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT price_points_currency_is_code CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT price_points_key_length CHECK (((length(dedupe_key) >= 1) AND (length(dedupe_key) <= 500))),
    CONSTRAINT price_points_match_range CHECK (((match_strength >= (0)::numeric) AND (match_strength <= (1)::numeric))),
    CONSTRAINT price_points_price_not_negative CHECK ((price_cents >= 0)),
    CONSTRAINT price_points_type_known CHECK ((price_type = ANY (ARRAY['sold'::text, 'ask'::text, 'bid'::text])))
)
WITH (fillfactor='90');
ALTER TABLE ONLY jobforge.price_points ALTER COLUMN raw SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.price_points FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.price_points OWNER TO jobforge_owner;

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
-- Name: rule_fields; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.rule_fields (
    tenant_id uuid NOT NULL,
    rule_package_version_id uuid NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    access text NOT NULL,
    ordinal integer NOT NULL
);

ALTER TABLE ONLY jobforge.rule_fields FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.rule_fields OWNER TO jobforge_owner;

--
-- Name: rule_package_versions; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.rule_package_versions (
    tenant_id uuid NOT NULL,
    rule_package_version_id uuid NOT NULL,
    rule_package_id uuid NOT NULL,
    version integer NOT NULL,
    status text DEFAULT 'DRAFT'::text NOT NULL,
    dsl_source text NOT NULL,
    dsl_sha256 bytea NOT NULL,
    tests_source text NOT NULL,
    tests_sha256 bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    validated_at timestamp with time zone,
    published_at timestamp with time zone,
    deprecated_at timestamp with time zone,
    retired_at timestamp with time zone,
    CONSTRAINT rule_package_versions_dsl_hash_matches CHECK ((dsl_sha256 = sha256(convert_to(dsl_source, 'UTF8'::name)))),
    CONSTRAINT rule_package_versions_status_known CHECK ((status = ANY (ARRAY['DRAFT'::text, 'VALIDATED'::text, 'PUBLISHED'::text, 'DEPRECATED'::text, 'RETIRED'::text]))),
    CONSTRAINT rule_package_versions_tests_hash_matches CHECK ((tests_sha256 = sha256(convert_to(tests_source, 'UTF8'::name)))),
    CONSTRAINT rule_package_versions_times CHECK ((((status <> ALL (ARRAY['VALIDATED'::text, 'PUBLISHED'::text, 'DEPRECATED'::text])) OR (validated_at IS NOT NULL)) AND ((status <> ALL (ARRAY['PUBLISHED'::text, 'DEPRECATED'::text])) OR (published_at IS NOT NULL)) AND ((status <> 'DEPRECATED'::text) OR (deprecated_at IS NOT NULL)) AND ((status = 'RETIRED'::text) = (retired_at IS NOT NULL)))),
    CONSTRAINT rule_package_versions_version_positive CHECK ((version >= 1))
);
ALTER TABLE ONLY jobforge.rule_package_versions ALTER COLUMN dsl_source SET COMPRESSION lz4;
ALTER TABLE ONLY jobforge.rule_package_versions ALTER COLUMN tests_source SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.rule_package_versions FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.rule_package_versions OWNER TO jobforge_owner;

--
-- Name: rule_packages; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.rule_packages (
    tenant_id uuid NOT NULL,
    rule_package_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text,
    CONSTRAINT rule_packages_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY jobforge.rule_packages FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.rule_packages OWNER TO jobforge_owner;

--
-- Name: rule_tests_runs; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.rule_tests_runs (
    tenant_id uuid NOT NULL,
    run_id uuid NOT NULL,
    rule_package_version_id uuid NOT NULL,
    seed bigint NOT NULL,
    total_cases integer NOT NULL,
    passed_count integer NOT NULL,
    failed_count integer NOT NULL,
    status text NOT NULL,
    first_failure jsonb,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT rule_tests_runs_counts CHECK (((passed_count >= 0) AND (failed_count >= 0) AND (total_cases = (passed_count + failed_count)))),
    CONSTRAINT rule_tests_runs_status_follows CHECK ((status =
CASE
    WHEN ((failed_count = 0) AND (passed_count >= 500)) THEN 'PASSED'::text
    ELSE 'FAILED'::text
END))
);

ALTER TABLE ONLY jobforge.rule_tests_runs FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.rule_tests_runs OWNER TO jobforge_owner;

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
-- Name: signing_keys; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.signing_keys (
    tenant_id uuid NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    public_key bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    retired_at timestamp with time zone,
    CONSTRAINT signing_keys_id_length CHECK (((length(key_id) >= 1) AND (length(key_id) <= 200))),
    CONSTRAINT signing_keys_is_ed25519 CHECK ((length(public_key) = 32))
);

ALTER TABLE ONLY jobforge.signing_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.signing_keys OWNER TO jobforge_owner;

--
-- Name: snapshot_items; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.snapshot_items (
    tenant_id uuid NOT NULL,
    snapshot_id uuid NOT NULL,
    fact_type text NOT NULL COLLATE pg_catalog."C",
    fact_key text NOT NULL COLLATE pg_catalog."C",
    fact_id uuid NOT NULL,
    payload_hash bytea NOT NULL,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT snapshot_items_hash_is_sha256 CHECK ((length(payload_hash) = 32))
);

ALTER TABLE ONLY jobforge.snapshot_items FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.snapshot_items OWNER TO jobforge_owner;

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
-- Name: tenant_measures; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.tenant_measures (
    tenant_id uuid NOT NULL,
    measured_at timestamp with time zone NOT NULL,
    jobs bigint NOT NULL,
    bytes bigint NOT NULL
);

ALTER TABLE ONLY jobforge.tenant_measures FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.tenant_measures OWNER TO jobforge_owner;

--
-- Name: tenant_usage; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.tenant_usage (
    tenant_id uuid NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.tenant_usage FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.tenant_usage OWNER TO jobforge_owner;

--
-- Name: turns; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.turns (
    tenant_id uuid NOT NULL,
    what text NOT NULL COLLATE pg_catalog."C"
)
WITH (fillfactor='50');

ALTER TABLE ONLY jobforge.turns FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.turns OWNER TO jobforge_owner;

--
-- Name: valuations; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.valuations (
    tenant_id uuid NOT NULL,
    intake_id uuid NOT NULL,
    currency text,
    comparables integer NOT NULL,
    outliers integer NOT NULL,
    p10 bigint,
    p20 bigint,
    p40 bigint,
    p50 bigint,
    p60 bigint,
    p80 bigint,
    p90 bigint,
    mean_cents bigint,
    confidence integer NOT NULL,
    explanation jsonb NOT NULL,
    computed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    job_id uuid,
    CONSTRAINT valuations_confidence_range CHECK (((confidence >= 1) AND (confidence <= 10))),
    CONSTRAINT valuations_counts_not_negative CHECK (((comparables >= 0) AND (outliers >= 0))),
    CONSTRAINT valuations_currency_is_code CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT valuations_explanation_is_object CHECK ((jsonb_typeof(explanation) = 'object'::text)),
    CONSTRAINT valuations_percentiles_rise CHECK (((0 <= p10) AND (p10 <= p20) AND (p20 <= p40) AND (p40 <= p50) AND (p50 <= p60) AND (p60 <= p80) AND (p80 <= p90))),
    CONSTRAINT valuations_value_needs_prices CHECK ((((comparables = 0) = (num_nulls(currency, p10, p20, p40, p50, p60, p80, p90, mean_cents) = 9)) AND (num_nulls(currency, p10, p20, p40, p50, p60, p80, p90, mean_cents) = ANY (ARRAY[0, 9]))))
)
WITH (fillfactor='80');

ALTER TABLE ONLY jobforge.valuations FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.valuations OWNER TO jobforge_owner;

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
-- Name: wake_requests; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.wake_requests (
    type text NOT NULL COLLATE pg_catalog."C",
    channel text DEFAULT 'jobforge_wake'::text NOT NULL
);

ALTER TABLE jobforge.wake_requests OWNER TO jobforge_owner;

--
-- Name: webhook_deliveries; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.webhook_deliveries (
    tenant_id uuid NOT NULL,
    webhook_delivery_id uuid NOT NULL,
    webhook_endpoint_id uuid NOT NULL,
    webhook_subscription_id uuid NOT NULL,
    event_id uuid NOT NULL,
    status text DEFAULT 'PENDING'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    redeliveries integer DEFAULT 0 NOT NULL,
    http_status integer,
    response_headers jsonb,
    response_body bytea,
    delivered_at timestamp with time zone,
    error_message text,
    job_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT webhook_deliveries_attempts_not_negative CHECK (((attempts >= 0) AND (redeliveries >= 0))),
    CONSTRAINT webhook_deliveries_delivered_at CHECK (((status = 'DELIVERED'::text) = (delivered_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_status_known CHECK ((status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text])))
)
WITH (fillfactor='85');
ALTER TABLE ONLY jobforge.webhook_deliveries ALTER COLUMN response_body SET COMPRESSION lz4;

ALTER TABLE ONLY jobforge.webhook_deliveries FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.webhook_deliveries OWNER TO jobforge_owner;

--
-- Name: webhook_replaced_secrets; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.webhook_replaced_secrets (
    tenant_id uuid NOT NULL,
    webhook_endpoint_id uuid NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    secret_ciphertext bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT webhook_replaced_secrets_expires_later CHECK ((expires_at > replaced_at)),
    CONSTRAINT webhook_replaced_secrets_length CHECK (((octet_length(secret_ciphertext) >= 1) AND (octet_length(secret_ciphertext) <= 4096)))
);

ALTER TABLE ONLY jobforge.webhook_replaced_secrets FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.webhook_replaced_secrets OWNER TO jobforge_owner;

--
-- Name: webhook_subscriptions; Type: TABLE; Schema: jobforge; Owner: jobforge_owner
--

CREATE TABLE jobforge.webhook_subscriptions (
    tenant_id uuid NOT NULL,
    webhook_subscription_id uuid NOT NULL,
    webhook_endpoint_id uuid NOT NULL,
    event_type text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY jobforge.webhook_subscriptions FORCE ROW LEVEL SECURITY;

ALTER TABLE jobforge.webhook_subscriptions OWNER TO jobforge_owner;

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
-- Name: access_denials access_denials_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.access_denials
    ADD CONSTRAINT access_denials_pkey PRIMARY KEY (tenant_id, key_id, route);

--
-- Name: access_policies access_policies_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.access_policies
    ADD CONSTRAINT access_policies_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: access_policies access_policies_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.access_policies
    ADD CONSTRAINT access_policies_pkey PRIMARY KEY (tenant_id, policy_id);

--
-- Name: access_versions access_versions_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.access_versions
    ADD CONSTRAINT access_versions_pkey PRIMARY KEY (tenant_id);

--
-- Name: api_keys api_keys_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.api_keys
    ADD CONSTRAINT api_keys_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: api_keys api_keys_id_has_one_tenant; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.api_keys
    ADD CONSTRAINT api_keys_id_has_one_tenant UNIQUE (key_id);

--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, key_id);

--
-- Name: api_keys api_keys_revoked_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.api_keys
    ADD CONSTRAINT api_keys_revoked_by_length CHECK ((length(revoked_by) <= 500)) NOT VALID;

--
-- Name: api_requests api_requests_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.api_requests
    ADD CONSTRAINT api_requests_pkey PRIMARY KEY (tenant_id, key_id, idempotency_key);

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
-- Name: battery_products battery_products_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.battery_products
    ADD CONSTRAINT battery_products_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: battery_products battery_products_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.battery_products
    ADD CONSTRAINT battery_products_pkey PRIMARY KEY (tenant_id, battery_product_id);

--
-- Name: battery_products battery_products_sku_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.battery_products
    ADD CONSTRAINT battery_products_sku_once UNIQUE (tenant_id, sku);

--
-- Name: collections collections_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.collections
    ADD CONSTRAINT collections_pkey PRIMARY KEY (tenant_id, intake_id, source_id);

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
-- Name: data_snapshots data_snapshots_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.data_snapshots
    ADD CONSTRAINT data_snapshots_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: data_snapshots data_snapshots_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.data_snapshots
    ADD CONSTRAINT data_snapshots_pkey PRIMARY KEY (tenant_id, snapshot_id);

--
-- Name: data_snapshots data_snapshots_sealed_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.data_snapshots
    ADD CONSTRAINT data_snapshots_sealed_by_length CHECK ((length(sealed_by) <= 500)) NOT VALID;

--
-- Name: document_versions document_versions_one_number; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.document_versions
    ADD CONSTRAINT document_versions_one_number UNIQUE (tenant_id, document_id, version);

--
-- Name: document_versions document_versions_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.document_versions
    ADD CONSTRAINT document_versions_pkey PRIMARY KEY (tenant_id, document_version_id);

--
-- Name: document_versions document_versions_same_bytes_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.document_versions
    ADD CONSTRAINT document_versions_same_bytes_once UNIQUE (tenant_id, document_id, content_sha256);

--
-- Name: document_versions document_versions_uploaded_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.document_versions
    ADD CONSTRAINT document_versions_uploaded_by_length CHECK ((length(uploaded_by) <= 500)) NOT VALID;

--
-- Name: documents documents_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.documents
    ADD CONSTRAINT documents_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: documents documents_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant_id, document_id);

--
-- Name: event_log event_log_event_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.event_log
    ADD CONSTRAINT event_log_event_once UNIQUE (tenant_id, event_id);

--
-- Name: event_log event_log_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY (tenant_id, log_index);

--
-- Name: events events_actor_id_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.events
    ADD CONSTRAINT events_actor_id_length CHECK ((length(actor_id) <= 500)) NOT VALID;

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
-- Name: events_to_log events_to_log_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.events_to_log
    ADD CONSTRAINT events_to_log_pkey PRIMARY KEY (tenant_id, event_seq);

--
-- Name: fact_sources fact_sources_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.fact_sources
    ADD CONSTRAINT fact_sources_pkey PRIMARY KEY (tenant_id, document_version_id, fact_id);

--
-- Name: facts facts_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (tenant_id, fact_id);

--
-- Name: facts facts_said_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.facts
    ADD CONSTRAINT facts_said_once UNIQUE (tenant_id, fact_type, fact_key, schema_version, payload_hash);

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
-- Name: governors governors_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.governors
    ADD CONSTRAINT governors_pkey PRIMARY KEY (tenant_id, kind, key);

--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, type, idempotency_key);

--
-- Name: intakes intakes_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.intakes
    ADD CONSTRAINT intakes_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: intakes intakes_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.intakes
    ADD CONSTRAINT intakes_pkey PRIMARY KEY (tenant_id, intake_id);

--
-- Name: job_artifacts job_artifacts_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.job_artifacts
    ADD CONSTRAINT job_artifacts_pkey PRIMARY KEY (tenant_id, job_id, name);

--
-- Name: job_types job_types_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.job_types
    ADD CONSTRAINT job_types_pkey PRIMARY KEY (type);

--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (tenant_id, job_id) WITH (fillfactor='45');

--
-- Name: key_pepper key_pepper_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.key_pepper
    ADD CONSTRAINT key_pepper_pkey PRIMARY KEY (single);

--
-- Name: log_heads log_heads_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.log_heads
    ADD CONSTRAINT log_heads_pkey PRIMARY KEY (tenant_id, tree_size);

--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);

--
-- Name: passport_acceptances passport_acceptances_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_acceptances
    ADD CONSTRAINT passport_acceptances_pkey PRIMARY KEY (tenant_id, passport_version_id, entry);

--
-- Name: passport_versions passport_versions_compiled_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_versions
    ADD CONSTRAINT passport_versions_compiled_once UNIQUE (tenant_id, passport_id, snapshot_id, rule_package_version_id, compiler_build_id, issued_at);

--
-- Name: passport_versions passport_versions_one_number; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_versions
    ADD CONSTRAINT passport_versions_one_number UNIQUE (tenant_id, passport_id, version_number);

--
-- Name: passport_versions passport_versions_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_versions
    ADD CONSTRAINT passport_versions_pkey PRIMARY KEY (tenant_id, passport_version_id);

--
-- Name: passports passports_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.passports
    ADD CONSTRAINT passports_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: passports passports_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passports
    ADD CONSTRAINT passports_pkey PRIMARY KEY (tenant_id, passport_id);

--
-- Name: platform_keys platform_keys_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.platform_keys
    ADD CONSTRAINT platform_keys_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: platform_keys platform_keys_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.platform_keys
    ADD CONSTRAINT platform_keys_pkey PRIMARY KEY (key_id);

--
-- Name: platform_keys platform_keys_revoked_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.platform_keys
    ADD CONSTRAINT platform_keys_revoked_by_length CHECK ((length(revoked_by) <= 500)) NOT VALID;

--
-- Name: platform_reads platform_reads_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.platform_reads
    ADD CONSTRAINT platform_reads_pkey PRIMARY KEY (key_id, what);

--
-- Name: price_points price_points_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.price_points
    ADD CONSTRAINT price_points_pkey PRIMARY KEY (tenant_id, price_point_id);

--
-- Name: price_points price_points_seen_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.price_points
    ADD CONSTRAINT price_points_seen_once UNIQUE (tenant_id, intake_id, source_id, dedupe_key);

--
-- Name: rate_buckets rate_buckets_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rate_buckets
    ADD CONSTRAINT rate_buckets_pkey PRIMARY KEY (tenant_id, type);

--
-- Name: rule_fields rule_fields_one_place; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_fields
    ADD CONSTRAINT rule_fields_one_place UNIQUE (tenant_id, rule_package_version_id, ordinal);

--
-- Name: rule_fields rule_fields_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_fields
    ADD CONSTRAINT rule_fields_pkey PRIMARY KEY (tenant_id, rule_package_version_id, path);

--
-- Name: rule_package_versions rule_package_versions_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rule_package_versions
    ADD CONSTRAINT rule_package_versions_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: rule_package_versions rule_package_versions_one_number; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_package_versions
    ADD CONSTRAINT rule_package_versions_one_number UNIQUE (tenant_id, rule_package_id, version);

--
-- Name: rule_package_versions rule_package_versions_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_package_versions
    ADD CONSTRAINT rule_package_versions_pkey PRIMARY KEY (tenant_id, rule_package_version_id);

--
-- Name: rule_packages rule_packages_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rule_packages
    ADD CONSTRAINT rule_packages_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: rule_packages rule_packages_name_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_packages
    ADD CONSTRAINT rule_packages_name_once UNIQUE (tenant_id, name);

--
-- Name: rule_packages rule_packages_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_packages
    ADD CONSTRAINT rule_packages_pkey PRIMARY KEY (tenant_id, rule_package_id);

--
-- Name: rule_tests_runs rule_tests_runs_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_tests_runs
    ADD CONSTRAINT rule_tests_runs_pkey PRIMARY KEY (tenant_id, run_id);

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
-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (tenant_id, key_id);

--
-- Name: snapshot_items snapshot_items_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.snapshot_items
    ADD CONSTRAINT snapshot_items_pkey PRIMARY KEY (tenant_id, snapshot_id, fact_type, fact_key);

--
-- Name: source_rules source_rules_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.source_rules
    ADD CONSTRAINT source_rules_pkey PRIMARY KEY (tenant_id, source_id);

--
-- Name: sources sources_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.sources
    ADD CONSTRAINT sources_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: sources sources_name_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.sources
    ADD CONSTRAINT sources_name_once UNIQUE (tenant_id, name);

--
-- Name: sources sources_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.sources
    ADD CONSTRAINT sources_pkey PRIMARY KEY (tenant_id, source_id);

--
-- Name: tenant_defaults tenant_defaults_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.tenant_defaults
    ADD CONSTRAINT tenant_defaults_pkey PRIMARY KEY (only_row);

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
-- Name: turns turns_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (tenant_id, what);

--
-- Name: valuations valuations_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.valuations
    ADD CONSTRAINT valuations_pkey PRIMARY KEY (tenant_id, intake_id);

--
-- Name: webhook_deliveries webhook_deliveries_one_per_event; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_one_per_event UNIQUE (tenant_id, event_id, webhook_endpoint_id);

--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (tenant_id, webhook_delivery_id);

--
-- Name: webhook_endpoints webhook_endpoints_created_by_length; Type: CHECK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_created_by_length CHECK ((length(created_by) <= 500)) NOT VALID;

--
-- Name: webhook_endpoints webhook_endpoints_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (tenant_id, webhook_endpoint_id);

--
-- Name: webhook_replaced_secrets webhook_replaced_secrets_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_replaced_secrets
    ADD CONSTRAINT webhook_replaced_secrets_pkey PRIMARY KEY (tenant_id, webhook_endpoint_id, replaced_at);

--
-- Name: webhook_subscriptions webhook_subscriptions_once; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_once UNIQUE (tenant_id, webhook_endpoint_id, event_type);

--
-- Name: webhook_subscriptions webhook_subscriptions_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_pkey PRIMARY KEY (tenant_id, webhook_subscription_id);

--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (worker_id);

--
-- Name: api_keys_by_age; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX api_keys_by_age ON jobforge.api_keys USING btree (tenant_id, created_at, key_id);

--
-- Name: api_requests_by_age; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX api_requests_by_age ON jobforge.api_requests USING btree (created_at);

--
-- Name: collections_by_source; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX collections_by_source ON jobforge.collections USING btree (tenant_id, source_id);

--
-- Name: counter_deltas_by_tenant; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX counter_deltas_by_tenant ON jobforge.counter_deltas USING btree (tenant_id);

--
-- Name: events_by_age; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX events_by_age ON jobforge.events USING brin (occurred_at);

--
-- Name: events_by_sequence; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE UNIQUE INDEX events_by_sequence ON jobforge.events USING btree (tenant_id, event_seq);

--
-- Name: fact_sources_by_fact; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX fact_sources_by_fact ON jobforge.fact_sources USING btree (tenant_id, fact_id);

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
-- Name: job_artifacts_by_content; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX job_artifacts_by_content ON jobforge.job_artifacts USING btree (tenant_id, sha256);

--
-- Name: jobs_artifacts; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_artifacts ON jobforge.jobs USING btree (tenant_id, payload_ref) WHERE (payload_ref IS NOT NULL);

--
-- Name: jobs_back_dated; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_back_dated ON jobforge.jobs USING btree (created_at) WHERE ((status = 'QUEUED'::text) AND (NOT interrupted) AND (scheduled_at < created_at));

--
-- Name: jobs_interrupted_of; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_interrupted_of ON jobforge.jobs USING btree (((tenant_id)::text)) WHERE interrupted;

--
-- Name: jobs_leased_over_http; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_leased_over_http ON jobforge.jobs USING btree (((tenant_id)::text)) WHERE ((status = 'RUNNING'::text) AND (lease_owner ~~ '________-____-____-____-____________/%'::text));

--
-- Name: jobs_leases; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_leases ON jobforge.jobs USING btree (type, lease_expires_at) WHERE (status = 'RUNNING'::text);

--
-- Name: jobs_quarantine; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_quarantine ON jobforge.jobs USING btree (type, (((interruptions > 1))::integer), priority, tenant_id, scheduled_at) WHERE (interrupted AND (status = 'QUEUED'::text));

--
-- Name: jobs_quarantined; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_quarantined ON jobforge.jobs USING btree (lease_owner) WHERE (interrupted AND (status = 'RUNNING'::text));

--
-- Name: jobs_ready; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX jobs_ready ON jobforge.jobs USING btree (type, priority, tenant_id, scheduled_at) WHERE ((status = 'QUEUED'::text) AND (NOT interrupted));

--
-- Name: passport_versions_by_id; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX passport_versions_by_id ON jobforge.passport_versions USING btree (passport_version_id);

--
-- Name: passport_versions_one_active; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE UNIQUE INDEX passport_versions_one_active ON jobforge.passport_versions USING btree (tenant_id, passport_id) WHERE (status = 'ACTIVE'::text);

--
-- Name: passports_by_id; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX passports_by_id ON jobforge.passports USING btree (passport_id);

--
-- Name: passports_by_product; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX passports_by_product ON jobforge.passports USING btree (tenant_id, battery_product_id, passport_id);

--
-- Name: rule_package_versions_by_source; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX rule_package_versions_by_source ON jobforge.rule_package_versions USING btree (tenant_id, rule_package_id, dsl_sha256);

--
-- Name: rule_tests_runs_latest; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX rule_tests_runs_latest ON jobforge.rule_tests_runs USING btree (tenant_id, rule_package_version_id, created_at, run_id);

--
-- Name: schedules_due; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX schedules_due ON jobforge.schedules USING btree (next_run_at) WHERE enabled;

--
-- Name: tenant_measures_newest; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX tenant_measures_newest ON jobforge.tenant_measures USING btree (tenant_id, measured_at);

--
-- Name: webhook_deliveries_failed; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX webhook_deliveries_failed ON jobforge.webhook_deliveries USING btree (tenant_id, webhook_endpoint_id, updated_at) WHERE (status = 'FAILED'::text);

--
-- Name: webhook_subscriptions_by_event; Type: INDEX; Schema: jobforge; Owner: jobforge_owner
--

CREATE INDEX webhook_subscriptions_by_event ON jobforge.webhook_subscriptions USING btree (tenant_id, event_type);

--
-- Name: access_denials access_denials_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER access_denials_never_truncated BEFORE TRUNCATE ON jobforge.access_denials FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: access_policies access_policies_never_edited; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER access_policies_never_edited BEFORE UPDATE OR TRUNCATE ON jobforge.access_policies FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: access_versions access_versions_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER access_versions_never_truncated BEFORE TRUNCATE ON jobforge.access_versions FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: api_keys api_keys_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER api_keys_guard BEFORE INSERT OR UPDATE ON jobforge.api_keys FOR EACH ROW EXECUTE FUNCTION jobforge.guard_api_key();

--
-- Name: api_keys api_keys_never_deleted; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER api_keys_never_deleted BEFORE DELETE OR TRUNCATE ON jobforge.api_keys FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: api_requests api_requests_never_edited; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER api_requests_never_edited BEFORE UPDATE OR TRUNCATE ON jobforge.api_requests FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: battery_products battery_products_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER battery_products_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.battery_products FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: data_snapshots data_snapshots_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER data_snapshots_guard BEFORE INSERT OR UPDATE ON jobforge.data_snapshots FOR EACH ROW EXECUTE FUNCTION jobforge.guard_snapshot();

--
-- Name: data_snapshots data_snapshots_never_deleted; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER data_snapshots_never_deleted BEFORE DELETE OR TRUNCATE ON jobforge.data_snapshots FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: document_versions document_versions_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER document_versions_guard BEFORE INSERT OR UPDATE ON jobforge.document_versions FOR EACH ROW EXECUTE FUNCTION jobforge.guard_document_version();

--
-- Name: document_versions document_versions_never_deleted; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER document_versions_never_deleted BEFORE DELETE OR TRUNCATE ON jobforge.document_versions FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: documents documents_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER documents_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.documents FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: event_log event_log_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER event_log_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.event_log FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: events events_wait_for_the_log; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER events_wait_for_the_log AFTER INSERT ON jobforge.events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION jobforge.note_waiting_events();

--
-- Name: events events_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER events_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.events FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: fact_sources fact_sources_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER fact_sources_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.fact_sources FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: facts facts_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER facts_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.facts FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: finished_jobs finished_jobs_fail_delivery; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER finished_jobs_fail_delivery AFTER INSERT ON jobforge.finished_jobs FOR EACH ROW WHEN (((new.type = 'DELIVER_WEBHOOK'::text) AND (new.status <> 'SUCCEEDED'::text))) EXECUTE FUNCTION jobforge.fail_delivery_of_job();

--
-- Name: finished_jobs finished_jobs_guard_update; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER finished_jobs_guard_update BEFORE UPDATE ON jobforge.finished_jobs FOR EACH ROW EXECUTE FUNCTION jobforge.refuse_transition();

--
-- Name: finished_jobs finished_jobs_note_delivery; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER finished_jobs_note_delivery BEFORE INSERT ON jobforge.finished_jobs FOR EACH ROW WHEN (((new.type = 'DELIVER_WEBHOOK'::text) AND (new.status = 'SUCCEEDED'::text) AND (new.result ? 'response'::text))) EXECUTE FUNCTION jobforge.note_delivery_of_job();

--
-- Name: finished_jobs finished_jobs_step_done; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER finished_jobs_step_done AFTER INSERT ON jobforge.finished_jobs FOR EACH ROW WHEN (((new.status = 'SUCCEEDED'::text) AND (new.type = ANY (ARRAY['PARSE_FACTS'::text, 'BUILD_SNAPSHOT'::text, 'COMPILE_PASSPORT'::text, 'SIGN_PASSPORT'::text, 'GENERATE_QR'::text, 'RUN_RULE_TESTS'::text, 'DELIVER_WEBHOOK'::text, 'COLLECT_PRICES'::text])))) EXECUTE FUNCTION jobforge.require_step_done();

--
-- Name: intakes intakes_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER intakes_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.intakes FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: jobs jobs_guard_update; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER jobs_guard_update BEFORE UPDATE ON jobforge.jobs FOR EACH ROW WHEN (((new.tenant_id <> old.tenant_id) OR (new.job_id <> old.job_id) OR (new.type <> old.type) OR (new.created_at <> old.created_at) OR (new.lease_token < old.lease_token) OR ((old.status = 'QUEUED'::text) AND (new.status = 'RUNNING'::text) AND (new.lease_token <= old.lease_token)) OR ((old.status = 'RUNNING'::text) AND (new.status = 'RUNNING'::text) AND ((new.lease_token <> old.lease_token) OR (new.lease_owner <> old.lease_owner) OR (new.claim_id IS DISTINCT FROM old.claim_id))))) EXECUTE FUNCTION jobforge.refuse_transition();

--
-- Name: log_heads log_heads_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER log_heads_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.log_heads FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: passport_acceptances passport_acceptances_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER passport_acceptances_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.passport_acceptances FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: passport_versions passport_versions_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER passport_versions_guard BEFORE UPDATE ON jobforge.passport_versions FOR EACH ROW EXECUTE FUNCTION jobforge.guard_passport_version();

--
-- Name: passport_versions passport_versions_guard_artefacts; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER passport_versions_guard_artefacts BEFORE UPDATE OF payload_canonical, proof_canonical, receipt_canonical ON jobforge.passport_versions FOR EACH ROW WHEN ((((new.payload_canonical IS DISTINCT FROM old.payload_canonical) OR (new.proof_canonical IS DISTINCT FROM old.proof_canonical)) OR (new.receipt_canonical IS DISTINCT FROM old.receipt_canonical))) EXECUTE FUNCTION jobforge.guard_passport_version();

--
-- Name: passport_versions passport_versions_guard_birth; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER passport_versions_guard_birth BEFORE INSERT ON jobforge.passport_versions FOR EACH ROW WHEN ((new.status <> 'COMPILING'::text)) EXECUTE FUNCTION jobforge.guard_passport_version();

--
-- Name: passport_versions passport_versions_never_deleted; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER passport_versions_never_deleted BEFORE DELETE OR TRUNCATE ON jobforge.passport_versions FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: passports passports_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER passports_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.passports FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: platform_keys platform_keys_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER platform_keys_guard BEFORE UPDATE ON jobforge.platform_keys FOR EACH ROW EXECUTE FUNCTION jobforge.guard_platform_key();

--
-- Name: platform_keys platform_keys_never_deleted; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER platform_keys_never_deleted BEFORE DELETE OR TRUNCATE ON jobforge.platform_keys FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: price_points price_points_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER price_points_guard BEFORE UPDATE ON jobforge.price_points FOR EACH ROW WHEN ((((new.tenant_id <> old.tenant_id) OR (new.price_point_id <> old.price_point_id) OR (new.intake_id <> old.intake_id) OR (new.source_id <> old.source_id) OR (new.dedupe_key <> old.dedupe_key) OR (new.created_at <> old.created_at)) OR (new.first_job_id IS DISTINCT FROM old.first_job_id) OR (ROW((new.price_type = 'sold'::text), new.match_strength) <= ROW((old.price_type = 'sold'::text), old.match_strength)))) EXECUTE FUNCTION jobforge.guard_price_point();

--
-- Name: price_points price_points_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER price_points_never_truncated BEFORE TRUNCATE ON jobforge.price_points FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: rule_fields rule_fields_guard_insert; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER rule_fields_guard_insert AFTER INSERT ON jobforge.rule_fields REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION jobforge.guard_rule_fields();

--
-- Name: rule_fields rule_fields_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER rule_fields_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.rule_fields FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: rule_package_versions rule_package_versions_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER rule_package_versions_guard BEFORE INSERT OR UPDATE ON jobforge.rule_package_versions FOR EACH ROW EXECUTE FUNCTION jobforge.guard_rule_version();

--
-- Name: rule_package_versions rule_package_versions_never_deleted; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER rule_package_versions_never_deleted BEFORE DELETE OR TRUNCATE ON jobforge.rule_package_versions FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: rule_packages rule_packages_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER rule_packages_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.rule_packages FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: rule_tests_runs rule_tests_runs_written_once; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER rule_tests_runs_written_once BEFORE DELETE OR UPDATE OR TRUNCATE ON jobforge.rule_tests_runs FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: signing_keys signing_keys_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER signing_keys_guard BEFORE UPDATE ON jobforge.signing_keys FOR EACH ROW EXECUTE FUNCTION jobforge.guard_signing_key();

--
-- Name: signing_keys signing_keys_never_deleted; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER signing_keys_never_deleted BEFORE DELETE OR TRUNCATE ON jobforge.signing_keys FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: snapshot_items snapshot_items_guard_delete; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER snapshot_items_guard_delete AFTER DELETE ON jobforge.snapshot_items REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION jobforge.guard_snapshot_items();

--
-- Name: snapshot_items snapshot_items_guard_insert; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER snapshot_items_guard_insert AFTER INSERT ON jobforge.snapshot_items REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION jobforge.guard_snapshot_items();

--
-- Name: snapshot_items snapshot_items_never_moved; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER snapshot_items_never_moved BEFORE UPDATE OR TRUNCATE ON jobforge.snapshot_items FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: sources sources_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER sources_never_truncated BEFORE TRUNCATE ON jobforge.sources FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: valuations valuations_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER valuations_never_truncated BEFORE TRUNCATE ON jobforge.valuations FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: wake_requests wake_requests_send; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE CONSTRAINT TRIGGER wake_requests_send AFTER INSERT ON jobforge.wake_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION jobforge.send_wake();

--
-- Name: webhook_deliveries webhook_deliveries_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER webhook_deliveries_guard BEFORE INSERT OR UPDATE ON jobforge.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION jobforge.guard_delivery();

--
-- Name: webhook_deliveries webhook_deliveries_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER webhook_deliveries_never_truncated BEFORE TRUNCATE ON jobforge.webhook_deliveries FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: webhook_endpoints webhook_endpoints_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER webhook_endpoints_guard BEFORE UPDATE ON jobforge.webhook_endpoints FOR EACH ROW WHEN (((new.tenant_id <> old.tenant_id) OR (new.webhook_endpoint_id <> old.webhook_endpoint_id) OR (new.created_at <> old.created_at))) EXECUTE FUNCTION jobforge.guard_endpoint();

--
-- Name: webhook_endpoints webhook_endpoints_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER webhook_endpoints_never_truncated BEFORE TRUNCATE ON jobforge.webhook_endpoints FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: webhook_subscriptions webhook_subscriptions_guard; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER webhook_subscriptions_guard BEFORE UPDATE ON jobforge.webhook_subscriptions FOR EACH ROW EXECUTE FUNCTION jobforge.guard_endpoint();

--
-- Name: webhook_subscriptions webhook_subscriptions_never_truncated; Type: TRIGGER; Schema: jobforge; Owner: jobforge_owner
--

CREATE TRIGGER webhook_subscriptions_never_truncated BEFORE TRUNCATE ON jobforge.webhook_subscriptions FOR EACH STATEMENT EXECUTE FUNCTION jobforge.refuse_change();

--
-- Name: access_denials access_denials_key_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.access_denials
    ADD CONSTRAINT access_denials_key_exists FOREIGN KEY (tenant_id, key_id) REFERENCES jobforge.api_keys(tenant_id, key_id);

--
-- Name: access_policies access_policies_key_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.access_policies
    ADD CONSTRAINT access_policies_key_exists FOREIGN KEY (tenant_id, key_id) REFERENCES jobforge.api_keys(tenant_id, key_id);

--
-- Name: access_versions access_versions_tenant_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.access_versions
    ADD CONSTRAINT access_versions_tenant_exists FOREIGN KEY (tenant_id) REFERENCES jobforge.tenants(tenant_id);

--
-- Name: api_keys api_keys_first_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.api_keys
    ADD CONSTRAINT api_keys_first_exists FOREIGN KEY (tenant_id, first_key_id) REFERENCES jobforge.api_keys(tenant_id, key_id);

--
-- Name: api_keys api_keys_rotated_to_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.api_keys
    ADD CONSTRAINT api_keys_rotated_to_exists FOREIGN KEY (tenant_id, rotated_to) REFERENCES jobforge.api_keys(tenant_id, key_id);

--
-- Name: api_keys api_keys_tenant_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.api_keys
    ADD CONSTRAINT api_keys_tenant_exists FOREIGN KEY (tenant_id) REFERENCES jobforge.tenants(tenant_id);

--
-- Name: collections collections_intake_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.collections
    ADD CONSTRAINT collections_intake_exists FOREIGN KEY (tenant_id, intake_id) REFERENCES jobforge.intakes(tenant_id, intake_id);

--
-- Name: collections collections_source_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.collections
    ADD CONSTRAINT collections_source_exists FOREIGN KEY (tenant_id, source_id) REFERENCES jobforge.sources(tenant_id, source_id);

--
-- Name: document_versions document_versions_document_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.document_versions
    ADD CONSTRAINT document_versions_document_exists FOREIGN KEY (tenant_id, document_id) REFERENCES jobforge.documents(tenant_id, document_id);

--
-- Name: fact_sources fact_sources_document_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.fact_sources
    ADD CONSTRAINT fact_sources_document_exists FOREIGN KEY (tenant_id, document_version_id) REFERENCES jobforge.document_versions(tenant_id, document_version_id);

--
-- Name: fact_sources fact_sources_fact_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.fact_sources
    ADD CONSTRAINT fact_sources_fact_exists FOREIGN KEY (tenant_id, fact_id) REFERENCES jobforge.facts(tenant_id, fact_id);

--
-- Name: facts facts_document_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.facts
    ADD CONSTRAINT facts_document_exists FOREIGN KEY (tenant_id, document_version_id) REFERENCES jobforge.document_versions(tenant_id, document_version_id);

--
-- Name: job_artifacts job_artifacts_artifact_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.job_artifacts
    ADD CONSTRAINT job_artifacts_artifact_exists FOREIGN KEY (tenant_id, sha256) REFERENCES jobforge.artifacts(tenant_id, sha256);

--
-- Name: passport_acceptances passport_acceptances_version_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_acceptances
    ADD CONSTRAINT passport_acceptances_version_exists FOREIGN KEY (tenant_id, passport_version_id) REFERENCES jobforge.passport_versions(tenant_id, passport_version_id);

--
-- Name: passport_versions passport_versions_passport_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_versions
    ADD CONSTRAINT passport_versions_passport_exists FOREIGN KEY (tenant_id, passport_id) REFERENCES jobforge.passports(tenant_id, passport_id);

--
-- Name: passport_versions passport_versions_rules_exist; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_versions
    ADD CONSTRAINT passport_versions_rules_exist FOREIGN KEY (tenant_id, rule_package_version_id) REFERENCES jobforge.rule_package_versions(tenant_id, rule_package_version_id);

--
-- Name: passport_versions passport_versions_snapshot_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passport_versions
    ADD CONSTRAINT passport_versions_snapshot_exists FOREIGN KEY (tenant_id, snapshot_id) REFERENCES jobforge.data_snapshots(tenant_id, snapshot_id);

--
-- Name: passports passports_product_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.passports
    ADD CONSTRAINT passports_product_exists FOREIGN KEY (tenant_id, battery_product_id) REFERENCES jobforge.battery_products(tenant_id, battery_product_id);

--
-- Name: platform_reads platform_reads_key_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.platform_reads
    ADD CONSTRAINT platform_reads_key_exists FOREIGN KEY (key_id) REFERENCES jobforge.platform_keys(key_id);

--
-- Name: price_points price_points_intake_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.price_points
    ADD CONSTRAINT price_points_intake_exists FOREIGN KEY (tenant_id, intake_id) REFERENCES jobforge.intakes(tenant_id, intake_id);

--
-- Name: price_points price_points_source_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.price_points
    ADD CONSTRAINT price_points_source_exists FOREIGN KEY (tenant_id, source_id) REFERENCES jobforge.sources(tenant_id, source_id);

--
-- Name: rule_fields rule_fields_version_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_fields
    ADD CONSTRAINT rule_fields_version_exists FOREIGN KEY (tenant_id, rule_package_version_id) REFERENCES jobforge.rule_package_versions(tenant_id, rule_package_version_id);

--
-- Name: rule_package_versions rule_package_versions_package_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_package_versions
    ADD CONSTRAINT rule_package_versions_package_exists FOREIGN KEY (tenant_id, rule_package_id) REFERENCES jobforge.rule_packages(tenant_id, rule_package_id);

--
-- Name: rule_tests_runs rule_tests_runs_version_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.rule_tests_runs
    ADD CONSTRAINT rule_tests_runs_version_exists FOREIGN KEY (tenant_id, rule_package_version_id) REFERENCES jobforge.rule_package_versions(tenant_id, rule_package_version_id);

--
-- Name: snapshot_items snapshot_items_fact_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.snapshot_items
    ADD CONSTRAINT snapshot_items_fact_exists FOREIGN KEY (tenant_id, fact_id) REFERENCES jobforge.facts(tenant_id, fact_id);

--
-- Name: snapshot_items snapshot_items_snapshot_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.snapshot_items
    ADD CONSTRAINT snapshot_items_snapshot_exists FOREIGN KEY (tenant_id, snapshot_id) REFERENCES jobforge.data_snapshots(tenant_id, snapshot_id);

--
-- Name: source_rules source_rules_source_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.source_rules
    ADD CONSTRAINT source_rules_source_exists FOREIGN KEY (tenant_id, source_id) REFERENCES jobforge.sources(tenant_id, source_id);

--
-- Name: tenant_logins tenant_logins_tenant_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.tenant_logins
    ADD CONSTRAINT tenant_logins_tenant_exists FOREIGN KEY (tenant_id) REFERENCES jobforge.tenants(tenant_id);

--
-- Name: valuations valuations_intake_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.valuations
    ADD CONSTRAINT valuations_intake_exists FOREIGN KEY (tenant_id, intake_id) REFERENCES jobforge.intakes(tenant_id, intake_id);

--
-- Name: webhook_deliveries webhook_deliveries_endpoint_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_endpoint_exists FOREIGN KEY (tenant_id, webhook_endpoint_id) REFERENCES jobforge.webhook_endpoints(tenant_id, webhook_endpoint_id);

--
-- Name: webhook_deliveries webhook_deliveries_event_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_event_exists FOREIGN KEY (tenant_id, event_id) REFERENCES jobforge.events(tenant_id, event_id);

--
-- Name: webhook_replaced_secrets webhook_replaced_secrets_endpoint_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_replaced_secrets
    ADD CONSTRAINT webhook_replaced_secrets_endpoint_exists FOREIGN KEY (tenant_id, webhook_endpoint_id) REFERENCES jobforge.webhook_endpoints(tenant_id, webhook_endpoint_id);

--
-- Name: webhook_subscriptions webhook_subscriptions_endpoint_exists; Type: FK CONSTRAINT; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE ONLY jobforge.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_endpoint_exists FOREIGN KEY (tenant_id, webhook_endpoint_id) REFERENCES jobforge.webhook_endpoints(tenant_id, webhook_endpoint_id);

--
-- Name: access_denials; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.access_denials ENABLE ROW LEVEL SECURITY;

--
-- Name: access_policies; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.access_policies ENABLE ROW LEVEL SECURITY;

--
-- Name: access_versions; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.access_versions ENABLE ROW LEVEL SECURITY;

--
-- Name: api_keys; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.api_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: api_requests; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.api_requests ENABLE ROW LEVEL SECURITY;

--
-- Name: artifacts; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.artifacts ENABLE ROW LEVEL SECURITY;

--
-- Name: attempt_records; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.attempt_records ENABLE ROW LEVEL SECURITY;

--
-- Name: battery_products; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.battery_products ENABLE ROW LEVEL SECURITY;

--
-- Name: collections; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.collections ENABLE ROW LEVEL SECURITY;

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
-- Name: data_snapshots; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.data_snapshots ENABLE ROW LEVEL SECURITY;

--
-- Name: document_versions; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.document_versions ENABLE ROW LEVEL SECURITY;

--
-- Name: documents; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.documents ENABLE ROW LEVEL SECURITY;

--
-- Name: access_denials engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.access_denials TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: access_policies engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.access_policies TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: access_versions engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.access_versions TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: api_keys engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.api_keys TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: api_requests engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.api_requests TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: artifacts engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.artifacts TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: attempt_records engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.attempt_records TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: battery_products engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.battery_products TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: collections engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.collections TO jobforge_engine USING (true) WITH CHECK (true);

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
-- Name: data_snapshots engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.data_snapshots TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: document_versions engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.document_versions TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: documents engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.documents TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: event_log engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.event_log TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: events engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.events TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: events_to_log engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.events_to_log TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: fact_sources engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.fact_sources TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: facts engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.facts TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: finished_jobs engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.finished_jobs TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: governors engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.governors TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: idempotency_keys engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.idempotency_keys TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: intakes engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.intakes TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: job_artifacts engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.job_artifacts TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: jobs engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.jobs TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: log_heads engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.log_heads TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: passport_acceptances engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.passport_acceptances TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: passport_versions engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.passport_versions TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: passports engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.passports TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: price_points engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.price_points TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: rate_buckets engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.rate_buckets TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: rule_fields engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.rule_fields TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: rule_package_versions engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.rule_package_versions TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: rule_packages engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.rule_packages TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: rule_tests_runs engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.rule_tests_runs TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: schedules engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.schedules TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: signing_keys engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.signing_keys TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: snapshot_items engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.snapshot_items TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: source_rules engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.source_rules TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: sources engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.sources TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: tenant_logins engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.tenant_logins TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: tenant_measures engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.tenant_measures TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: tenant_usage engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.tenant_usage TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: tenants engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.tenants TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: turns engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.turns TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: valuations engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.valuations TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: webhook_deliveries engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.webhook_deliveries TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: webhook_endpoints engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.webhook_endpoints TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: webhook_replaced_secrets engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.webhook_replaced_secrets TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: webhook_subscriptions engine_all; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY engine_all ON jobforge.webhook_subscriptions TO jobforge_engine USING (true) WITH CHECK (true);

--
-- Name: event_log; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.event_log ENABLE ROW LEVEL SECURITY;

--
-- Name: events; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.events ENABLE ROW LEVEL SECURITY;

--
-- Name: events_to_log; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.events_to_log ENABLE ROW LEVEL SECURITY;

--
-- Name: fact_sources; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.fact_sources ENABLE ROW LEVEL SECURITY;

--
-- Name: facts; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.facts ENABLE ROW LEVEL SECURITY;

--
-- Name: finished_jobs; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.finished_jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: governors; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.governors ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotency_keys; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.idempotency_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: intakes; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.intakes ENABLE ROW LEVEL SECURITY;

--
-- Name: job_artifacts; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.job_artifacts ENABLE ROW LEVEL SECURITY;

--
-- Name: jobs; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: log_heads; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.log_heads ENABLE ROW LEVEL SECURITY;

--
-- Name: passport_acceptances; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.passport_acceptances ENABLE ROW LEVEL SECURITY;

--
-- Name: passport_versions; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.passport_versions ENABLE ROW LEVEL SECURITY;

--
-- Name: passports; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.passports ENABLE ROW LEVEL SECURITY;

--
-- Name: price_points; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.price_points ENABLE ROW LEVEL SECURITY;

--
-- Name: rate_buckets; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rate_buckets ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_fields; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rule_fields ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_package_versions; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rule_package_versions ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_packages; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rule_packages ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_tests_runs; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.rule_tests_runs ENABLE ROW LEVEL SECURITY;

--
-- Name: schedules; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.schedules ENABLE ROW LEVEL SECURITY;

--
-- Name: signing_keys; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.signing_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: snapshot_items; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.snapshot_items ENABLE ROW LEVEL SECURITY;

--
-- Name: source_rules; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.source_rules ENABLE ROW LEVEL SECURITY;

--
-- Name: sources; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.sources ENABLE ROW LEVEL SECURITY;

--
-- Name: tenant_logins; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.tenant_logins ENABLE ROW LEVEL SECURITY;

--
-- Name: tenant_measures; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.tenant_measures ENABLE ROW LEVEL SECURITY;

--
-- Name: access_denials tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.access_denials TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: access_policies tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.access_policies TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: access_versions tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.access_versions TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: api_keys tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.api_keys TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: api_requests tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.api_requests TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: artifacts tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.artifacts TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: attempt_records tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.attempt_records TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: battery_products tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.battery_products TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: collections tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.collections TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

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
-- Name: data_snapshots tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.data_snapshots TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: document_versions tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.document_versions TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: documents tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.documents TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: event_log tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.event_log TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: events tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.events TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: events_to_log tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.events_to_log TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: fact_sources tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.fact_sources TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: facts tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.facts TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: finished_jobs tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.finished_jobs TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: governors tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.governors TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: idempotency_keys tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.idempotency_keys TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: intakes tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.intakes TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: job_artifacts tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.job_artifacts TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: jobs tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.jobs TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: log_heads tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.log_heads TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: passport_acceptances tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.passport_acceptances TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: passport_versions tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.passport_versions TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: passports tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.passports TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: price_points tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.price_points TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: rate_buckets tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.rate_buckets TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: rule_fields tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.rule_fields TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: rule_package_versions tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.rule_package_versions TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: rule_packages tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.rule_packages TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: rule_tests_runs tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.rule_tests_runs TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: schedules tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.schedules TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: signing_keys tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.signing_keys TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: snapshot_items tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.snapshot_items TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: source_rules tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.source_rules TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: sources tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.sources TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenant_logins tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.tenant_logins TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenant_measures tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.tenant_measures TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenant_usage tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.tenant_usage TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenants tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.tenants TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: turns tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.turns TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: valuations tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.valuations TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: webhook_deliveries tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.webhook_deliveries TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: webhook_endpoints tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.webhook_endpoints TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: webhook_replaced_secrets tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.webhook_replaced_secrets TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: webhook_subscriptions tenant_own; Type: POLICY; Schema: jobforge; Owner: jobforge_owner
--

CREATE POLICY tenant_own ON jobforge.webhook_subscriptions TO jobforge_definer, jobforge_gateway, jobforge_tenant USING ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT jobforge.current_tenant() AS current_tenant)));

--
-- Name: tenant_usage; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.tenant_usage ENABLE ROW LEVEL SECURITY;

--
-- Name: tenants; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.tenants ENABLE ROW LEVEL SECURITY;

--
-- Name: turns; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.turns ENABLE ROW LEVEL SECURITY;

--
-- Name: valuations; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.valuations ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_deliveries; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.webhook_deliveries ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_endpoints; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.webhook_endpoints ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_replaced_secrets; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.webhook_replaced_secrets ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_subscriptions; Type: ROW SECURITY; Schema: jobforge; Owner: jobforge_owner
--

ALTER TABLE jobforge.webhook_subscriptions ENABLE ROW LEVEL SECURITY;

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
-- Name: FUNCTION accept_findings(p_tenant_id uuid, p_pv uuid, p_accepted jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.accept_findings(p_tenant_id uuid, p_pv uuid, p_accepted jsonb, p_actor_id text) FROM PUBLIC;

--
-- Name: FUNCTION acting_actor(p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.acting_actor(p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.acting_actor(p_actor_id text) TO jobforge_engine;

--
-- Name: FUNCTION acting_tenant(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.acting_tenant(p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.acting_tenant(p_tenant_id uuid) TO jobforge_engine;

--
-- Name: FUNCTION activate_passport_version(p_pv uuid, p_actor_id text, p_accepted jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.activate_passport_version(p_pv uuid, p_actor_id text, p_accepted jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.activate_passport_version(p_pv uuid, p_actor_id text, p_accepted jsonb) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.activate_passport_version(p_pv uuid, p_actor_id text, p_accepted jsonb) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.activate_passport_version(p_pv uuid, p_actor_id text, p_accepted jsonb) TO jobforge_worker;

--
-- Name: TABLE access_policies; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.access_policies TO jobforge_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobforge.access_policies TO jobforge_definer;

--
-- Name: FUNCTION add_access_policy(p_effect text, p_path_pattern text, p_priority integer, p_method text, p_role text, p_key_id text, p_note text, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.add_access_policy(p_effect text, p_path_pattern text, p_priority integer, p_method text, p_role text, p_key_id text, p_note text, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.add_access_policy(p_effect text, p_path_pattern text, p_priority integer, p_method text, p_role text, p_key_id text, p_note text, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.add_access_policy(p_effect text, p_path_pattern text, p_priority integer, p_method text, p_role text, p_key_id text, p_note text, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.add_access_policy(p_effect text, p_path_pattern text, p_priority integer, p_method text, p_role text, p_key_id text, p_note text, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION add_intake(p_intake jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.add_intake(p_intake jsonb, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.add_intake(p_intake jsonb, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.add_intake(p_intake jsonb, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.add_intake(p_intake jsonb, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION add_manual_prices(p_intake uuid, p_source text, p_prices jsonb, p_actor_id text, p_trace_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.add_manual_prices(p_intake uuid, p_source text, p_prices jsonb, p_actor_id text, p_trace_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.add_manual_prices(p_intake uuid, p_source text, p_prices jsonb, p_actor_id text, p_trace_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.add_manual_prices(p_intake uuid, p_source text, p_prices jsonb, p_actor_id text, p_trace_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.add_manual_prices(p_intake uuid, p_source text, p_prices jsonb, p_actor_id text, p_trace_id text) TO jobforge_worker;

--
-- Name: FUNCTION add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[], p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[], p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[], p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[], p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[], p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION add_webhook_endpoint(p_url text, p_secret_ciphertext bytea, p_description text, p_webhook_endpoint_id uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.add_webhook_endpoint(p_url text, p_secret_ciphertext bytea, p_description text, p_webhook_endpoint_id uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.add_webhook_endpoint(p_url text, p_secret_ciphertext bytea, p_description text, p_webhook_endpoint_id uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.add_webhook_endpoint(p_url text, p_secret_ciphertext bytea, p_description text, p_webhook_endpoint_id uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.add_webhook_endpoint(p_url text, p_secret_ciphertext bytea, p_description text, p_webhook_endpoint_id uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: TABLE governors; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.governors TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.governors TO jobforge_definer;

--
-- Name: FUNCTION after_failure(p_row jobforge.governors, p_now timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.after_failure(p_row jobforge.governors, p_now timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION after_success(p_row jobforge.governors, p_now timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.after_success(p_row jobforge.governors, p_now timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION age_text(p_span interval); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.age_text(p_span interval) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.age_text(p_span interval) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.age_text(p_span interval) TO jobforge_engine;

--
-- Name: FUNCTION answer_bytes(p_payload jsonb, p_bytes integer, p_ref bytea); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.answer_bytes(p_payload jsonb, p_bytes integer, p_ref bytea) FROM PUBLIC;

--
-- Name: FUNCTION append_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.append_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.append_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) TO jobforge_engine;

--
-- Name: FUNCTION append_event_of(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.append_event_of(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.append_event_of(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) TO jobforge_engine;

--
-- Name: FUNCTION append_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.append_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text) FROM PUBLIC;

--
-- Name: FUNCTION append_platform_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.append_platform_event(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) FROM PUBLIC;

--
-- Name: FUNCTION append_platform_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.append_platform_key_event(p_key_id text, p_event_type text, p_payload jsonb, p_actor_id text) FROM PUBLIC;

--
-- Name: FUNCTION append_policy_event(p_change text, p_policy jobforge.access_policies, p_access_version bigint, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.append_policy_event(p_change text, p_policy jobforge.access_policies, p_access_version bigint, p_actor_id text) FROM PUBLIC;

--
-- Name: FUNCTION append_tenant_event(p_event_type text, p_tenant_id uuid, p_payload jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.append_tenant_event(p_event_type text, p_tenant_id uuid, p_payload jsonb) FROM PUBLIC;

--
-- Name: FUNCTION ask_for_wake(p_types text[], p_milliseconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.ask_for_wake(p_types text[], p_milliseconds integer) TO jobforge_worker;

--
-- Name: FUNCTION audit_events(p_after bigint, p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.audit_events(p_after bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.audit_events(p_after bigint, p_limit integer) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.audit_events(p_after bigint, p_limit integer) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.audit_events(p_after bigint, p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION audit_extent(OUT tree_size bigint, OUT heads bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.audit_extent(OUT tree_size bigint, OUT heads bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.audit_extent(OUT tree_size bigint, OUT heads bigint) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.audit_extent(OUT tree_size bigint, OUT heads bigint) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.audit_extent(OUT tree_size bigint, OUT heads bigint) TO jobforge_worker;

--
-- Name: FUNCTION audit_heads(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.audit_heads() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.audit_heads() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.audit_heads() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.audit_heads() TO jobforge_worker;

--
-- Name: FUNCTION audit_heads_page(p_after bigint, p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.audit_heads_page(p_after bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.audit_heads_page(p_after bigint, p_limit integer) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.audit_heads_page(p_after bigint, p_limit integer) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.audit_heads_page(p_after bigint, p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION audit_log(p_after bigint, p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.audit_log(p_after bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.audit_log(p_after bigint, p_limit integer) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.audit_log(p_after bigint, p_limit integer) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.audit_log(p_after bigint, p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION audit_waiting(p_after bigint, p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.audit_waiting(p_after bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.audit_waiting(p_after bigint, p_limit integer) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.audit_waiting(p_after bigint, p_limit integer) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.audit_waiting(p_after bigint, p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.backoff_seconds(p_backoff text, p_attempts integer, p_base_seconds integer) TO jobforge_observer;

--
-- Name: FUNCTION begin_api_request(p_key_id text, p_idempotency_key text, p_request_hash bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.begin_api_request(p_key_id text, p_idempotency_key text, p_request_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.begin_api_request(p_key_id text, p_idempotency_key text, p_request_hash bytea) TO jobforge_gateway;

--
-- Name: FUNCTION bind_login(p_tenant_id uuid, p_login name); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.bind_login(p_tenant_id uuid, p_login name) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.bind_login(p_tenant_id uuid, p_login name) TO jobforge_owner;

--
-- Name: FUNCTION bounded_error(p_error jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.bounded_error(p_error jsonb) FROM PUBLIC;

--
-- Name: FUNCTION build_snapshot(p_snapshot_id uuid, p_actor_id text, p_trace_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.build_snapshot(p_snapshot_id uuid, p_actor_id text, p_trace_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.build_snapshot(p_snapshot_id uuid, p_actor_id text, p_trace_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.build_snapshot(p_snapshot_id uuid, p_actor_id text, p_trace_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.build_snapshot(p_snapshot_id uuid, p_actor_id text, p_trace_id text) TO jobforge_worker;

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
-- Name: FUNCTION cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_claim_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.cancel_running_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_claim_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION cancel_running_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_claim_ids uuid[], p_skip_locked boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.cancel_running_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_claim_ids uuid[], p_skip_locked boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.cancel_running_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_claim_ids uuid[], p_skip_locked boolean) TO jobforge_worker;

--
-- Name: FUNCTION canonical_json(p_value jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.canonical_json(p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.canonical_json(p_value jsonb) TO jobforge_engine;

--
-- Name: FUNCTION check_after(p_after bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_after(p_after bigint) FROM PUBLIC;

--
-- Name: FUNCTION check_api_request(p_idempotency_key text, p_request_hash bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_api_request(p_idempotency_key text, p_request_hash bytea) FROM PUBLIC;

--
-- Name: FUNCTION check_budget(p_attempts integer, p_max_attempts integer, p_reset boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_budget(p_attempts integer, p_max_attempts integer, p_reset boolean) FROM PUBLIC;

--
-- Name: FUNCTION check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer, p_slots integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_claim(p_worker text, p_limit integer, p_types text[], p_type_limits integer[], p_lease_seconds integer, p_slots integer) FROM PUBLIC;

--
-- Name: FUNCTION check_compilable(p_tenant_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_compilable(p_tenant_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_compilable(p_tenant_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid) TO jobforge_engine;

--
-- Name: FUNCTION check_elements(p_array anyarray, p_name text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_elements(p_array anyarray, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_elements(p_array anyarray, p_name text) TO jobforge_engine;

--
-- Name: FUNCTION check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_trace_id text, p_created_by text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_enqueue(p_payload jsonb, p_priority integer, p_max_attempts integer, p_scheduled_at timestamp with time zone, p_idempotency_key text, p_trace_id text, p_created_by text) FROM PUBLIC;

--
-- Name: FUNCTION check_error(p_error jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_error(p_error jsonb) FROM PUBLIC;

--
-- Name: FUNCTION check_facts_exist(p_tenant_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_facts_exist(p_tenant_id uuid, p_fact_ids uuid[], p_document_version_ids uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION check_filter(p_what text, p_value text, p_known text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_filter(p_what text, p_value text, p_known text[]) FROM PUBLIC;

--
-- Name: FUNCTION check_held(p_cap integer, p_tenants uuid[], p_counts integer[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_held(p_cap integer, p_tenants uuid[], p_counts integer[]) FROM PUBLIC;

--
-- Name: FUNCTION check_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[]) FROM PUBLIC;

--
-- Name: FUNCTION check_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) FROM PUBLIC;

--
-- Name: FUNCTION check_length(p_what text, p_value text, p_min integer, p_max integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_length(p_what text, p_value text, p_min integer, p_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_length(p_what text, p_value text, p_min integer, p_max integer) TO jobforge_engine;

--
-- Name: FUNCTION check_may_repeat(p_tenant_id uuid, p_type text, p_done text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_may_repeat(p_tenant_id uuid, p_type text, p_done text) FROM PUBLIC;

--
-- Name: FUNCTION check_members(p_what text, p_value jsonb, p_known text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_members(p_what text, p_value jsonb, p_known text[]) FROM PUBLIC;

--
-- Name: FUNCTION check_one_of(p_what text, p_value text, p_known text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_one_of(p_what text, p_value text, p_known text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_one_of(p_what text, p_value text, p_known text[]) TO jobforge_engine;

--
-- Name: FUNCTION check_open_job(p_tenant_id uuid, p_job_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_open_job(p_tenant_id uuid, p_job_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION check_own_types(p_types text[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_own_types(p_types text[]) FROM PUBLIC;

--
-- Name: FUNCTION check_page(p_limit integer, p_max integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_page(p_limit integer, p_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_page(p_limit integer, p_max integer) TO jobforge_engine;

--
-- Name: FUNCTION check_payload(p_schema jsonb, p_payload jsonb, p_at text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.check_payload(p_schema jsonb, p_payload jsonb, p_at text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_payload(p_schema jsonb, p_payload jsonb, p_at text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.check_payload(p_schema jsonb, p_payload jsonb, p_at text) TO jobforge_engine;

--
-- Name: FUNCTION check_report(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_report(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) FROM PUBLIC;

--
-- Name: FUNCTION check_report_rows(p_rows bigint, p_max_rows bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_report_rows(p_rows bigint, p_max_rows bigint) FROM PUBLIC;

--
-- Name: FUNCTION check_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb) FROM PUBLIC;

--
-- Name: FUNCTION check_same_length(p_expected integer, p_actual integer, p_name text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_same_length(p_expected integer, p_actual integer, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_same_length(p_expected integer, p_actual integer, p_name text) TO jobforge_engine;

--
-- Name: FUNCTION check_schema(p_schema jsonb, p_at text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.check_schema(p_schema jsonb, p_at text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.check_schema(p_schema jsonb, p_at text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.check_schema(p_schema jsonb, p_at text) TO jobforge_engine;

--
-- Name: FUNCTION check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_more integer, p_more_name text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.check_settle(p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_more integer, p_more_name text) FROM PUBLIC;

--
-- Name: FUNCTION check_sources_enabled(p_tenant_id uuid, p_sources text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_sources_enabled(p_tenant_id uuid, p_sources text[]) FROM PUBLIC;

--
-- Name: FUNCTION check_upload(p_kind text, p_name text, p_content bytea, p_media_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.check_upload(p_kind text, p_name text, p_content bytea, p_media_type text) FROM PUBLIC;

--
-- Name: FUNCTION chosen_sources(p_tenant_id uuid, p_sources text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.chosen_sources(p_tenant_id uuid, p_sources text[]) FROM PUBLIC;

--
-- Name: FUNCTION claim_allowance(p_type text, p_tenant_id uuid, p_want integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_allowance(p_type text, p_tenant_id uuid, p_want integer) FROM PUBLIC;

--
-- Name: FUNCTION claim_beside_quarantine(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_beside_quarantine(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION claim_from_lanes(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_from_lanes(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION claim_interrupted(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_priorities integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_interrupted(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_waiting jobforge.quarantine_lanes, p_room integer[], p_slots integer, p_priorities integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_reclaim boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], p_slots integer, p_by_reference boolean, p_seen timestamp with time zone, p_tenant_cap integer, p_held_tenants uuid[], p_held_counts integer[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_reclaim boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], p_slots integer, p_by_reference boolean, p_seen timestamp with time zone, p_tenant_cap integer, p_held_tenants uuid[], p_held_counts integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.claim_jobs(p_worker text, p_limit integer, p_types text[], p_tenants uuid[], p_lease_seconds integer, p_type_limits integer[], p_reclaim boolean, p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], p_slots integer, p_by_reference boolean, p_seen timestamp with time zone, p_tenant_cap integer, p_held_tenants uuid[], p_held_counts integer[]) TO jobforge_worker;

--
-- Name: FUNCTION claim_lane(p_claim jobforge.claim_order, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, OUT row_ids tid[], OUT answer_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_lane(p_claim jobforge.claim_order, p_type text, p_priority smallint, p_tenant_id uuid, p_from timestamp with time zone, p_until timestamp with time zone, p_limit integer, OUT row_ids tid[], OUT answer_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION claim_one_interrupted(p_claim jobforge.claim_order, p_type text, p_often integer, p_priority integer, p_tenant_id uuid, p_from timestamp with time zone, OUT row_id tid, OUT answer_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_one_interrupted(p_claim jobforge.claim_order, p_type text, p_often integer, p_priority integer, p_tenant_id uuid, p_from timestamp with time zone, OUT row_id tid, OUT answer_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION claim_reserve(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order, OUT turn bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_reserve(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order, OUT turn bigint) FROM PUBLIC;

--
-- Name: FUNCTION claim_shares(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_shares(p_claim jobforge.claim_order, p_limit integer, p_types text[], p_room integer[], p_lane_types text[], p_lane_priorities integer[], p_lane_tenants uuid[], p_lane_floors timestamp with time zone[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint, OUT claim jobforge.claim_order) FROM PUBLIC;

--
-- Name: FUNCTION claim_tenant(p_claim jobforge.claim_order, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_types text[], p_room integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_tenant(p_claim jobforge.claim_order, p_priority smallint, p_tenant_id uuid, p_lane_types text[], p_lane_floors timestamp with time zone[], p_until timestamp with time zone, p_limit integer, p_types text[], p_room integer[], OUT row_ids tid[], OUT room integer[], OUT answer_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION claim_tenant_name(p_name text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.claim_tenant_name(p_name text, p_tenant_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION collection_inputs(p_intake uuid, p_source uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.collection_inputs(p_intake uuid, p_source uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.collection_inputs(p_intake uuid, p_source uuid) TO jobforge_worker;

--
-- Name: FUNCTION compile_inputs(p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, OUT snapshot_status text, OUT rules_status text, OUT dsl_sha256 bytea, OUT tests_sha256 bytea, OUT battery_product_id uuid, OUT sku text, OUT name text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.compile_inputs(p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, OUT snapshot_status text, OUT rules_status text, OUT dsl_sha256 bytea, OUT tests_sha256 bytea, OUT battery_product_id uuid, OUT sku text, OUT name text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.compile_inputs(p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, OUT snapshot_status text, OUT rules_status text, OUT dsl_sha256 bytea, OUT tests_sha256 bytea, OUT battery_product_id uuid, OUT sku text, OUT name text) TO jobforge_worker;

--
-- Name: FUNCTION complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb, p_claim_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.complete_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_result jsonb, p_claim_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[], p_claim_ids uuid[], p_skip_locked boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[], p_claim_ids uuid[], p_skip_locked boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.complete_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_results jsonb[], p_claim_ids uuid[], p_skip_locked boolean) TO jobforge_worker;

--
-- Name: FUNCTION connector_config_schema(p_connector text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.connector_config_schema(p_connector text) FROM PUBLIC;

--
-- Name: FUNCTION constraint_sentence(p_constraint text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.constraint_sentence(p_constraint text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.constraint_sentence(p_constraint text) TO jobforge_engine;
GRANT ALL ON FUNCTION jobforge.constraint_sentence(p_constraint text) TO jobforge_definer;

--
-- Name: FUNCTION count_access_denied(p_key_id text, p_route text, p_reason text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.count_access_denied(p_key_id text, p_route text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.count_access_denied(p_key_id text, p_route text, p_reason text) TO jobforge_engine;

--
-- Name: FUNCTION count_delivery(p_tenant_id uuid, p_endpoint uuid, p_status text, p_http_status integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.count_delivery(p_tenant_id uuid, p_endpoint uuid, p_status text, p_http_status integer) FROM PUBLIC;

--
-- Name: FUNCTION counted(p_count bigint, p_one text, p_many text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) TO jobforge_engine;
GRANT ALL ON FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.counted(p_count bigint, p_one text, p_many text) TO jobforge_worker;

--
-- Name: TABLE api_keys; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.api_keys TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.api_keys TO jobforge_definer;

--
-- Name: TABLE api_key_states; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.api_key_states TO jobforge_definer;

--
-- Name: FUNCTION create_api_key(p_key_id text, p_secret_mac bytea, p_name text, p_roles text[], p_expires_at timestamp with time zone, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.create_api_key(p_key_id text, p_secret_mac bytea, p_name text, p_roles text[], p_expires_at timestamp with time zone, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.create_api_key(p_key_id text, p_secret_mac bytea, p_name text, p_roles text[], p_expires_at timestamp with time zone, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.create_api_key(p_key_id text, p_secret_mac bytea, p_name text, p_roles text[], p_expires_at timestamp with time zone, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.create_api_key(p_key_id text, p_secret_mac bytea, p_name text, p_roles text[], p_expires_at timestamp with time zone, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION create_passport(p_battery_product_id uuid, p_passport_id uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.create_passport(p_battery_product_id uuid, p_passport_id uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.create_passport(p_battery_product_id uuid, p_passport_id uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.create_passport(p_battery_product_id uuid, p_passport_id uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.create_passport(p_battery_product_id uuid, p_passport_id uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION create_platform_key(p_key_id text, p_secret_mac bytea, p_name text, p_expires_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.create_platform_key(p_key_id text, p_secret_mac bytea, p_name text, p_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.create_platform_key(p_key_id text, p_secret_mac bytea, p_name text, p_expires_at timestamp with time zone) TO jobforge_owner;

--
-- Name: FUNCTION create_product(p_sku text, p_name text, p_battery_product_id uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.create_product(p_sku text, p_name text, p_battery_product_id uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.create_product(p_sku text, p_name text, p_battery_product_id uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.create_product(p_sku text, p_name text, p_battery_product_id uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.create_product(p_sku text, p_name text, p_battery_product_id uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION create_snapshot(p_label text, p_snapshot_id uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.create_snapshot(p_label text, p_snapshot_id uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.create_snapshot(p_label text, p_snapshot_id uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.create_snapshot(p_label text, p_snapshot_id uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.create_snapshot(p_label text, p_snapshot_id uuid, p_actor_id text) TO jobforge_worker;

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
-- Name: TABLE sources; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.sources TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.sources TO jobforge_definer;

--
-- Name: FUNCTION default_source(p_tenant_id uuid, p_source_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.default_source(p_tenant_id uuid, p_source_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION delete_tenant(p_tenant_id uuid, p_confirm_name text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.delete_tenant(p_tenant_id uuid, p_confirm_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.delete_tenant(p_tenant_id uuid, p_confirm_name text) TO jobforge_owner;

--
-- Name: FUNCTION delivery_is_routine(p_delivery_id uuid, p_job_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.delivery_is_routine(p_delivery_id uuid, p_job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.delivery_is_routine(p_delivery_id uuid, p_job_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION delivery_to_send(p_delivery_id uuid, OUT status text, OUT url text, OUT endpoint_status text, OUT secret_ciphertext bytea, OUT webhook_endpoint_id uuid, OUT event_id uuid, OUT event_type text, OUT aggregate_type text, OUT aggregate_id uuid, OUT occurred_at timestamp with time zone, OUT payload_canonical bytea, OUT secret_ciphertexts bytea[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.delivery_to_send(p_delivery_id uuid, OUT status text, OUT url text, OUT endpoint_status text, OUT secret_ciphertext bytea, OUT webhook_endpoint_id uuid, OUT event_id uuid, OUT event_type text, OUT aggregate_type text, OUT aggregate_id uuid, OUT occurred_at timestamp with time zone, OUT payload_canonical bytea, OUT secret_ciphertexts bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.delivery_to_send(p_delivery_id uuid, OUT status text, OUT url text, OUT endpoint_status text, OUT secret_ciphertext bytea, OUT webhook_endpoint_id uuid, OUT event_id uuid, OUT event_type text, OUT aggregate_type text, OUT aggregate_id uuid, OUT occurred_at timestamp with time zone, OUT payload_canonical bytea, OUT secret_ciphertexts bytea[]) TO jobforge_worker;

--
-- Name: FUNCTION deprecate_rules(p_rpv uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.deprecate_rules(p_rpv uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.deprecate_rules(p_rpv uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.deprecate_rules(p_rpv uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.deprecate_rules(p_rpv uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION doctor_logins(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.doctor_logins() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.doctor_logins() TO jobforge_owner;
GRANT ALL ON FUNCTION jobforge.doctor_logins() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.doctor_logins() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.doctor_logins() TO jobforge_gateway;

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
-- Name: FUNCTION document_to_parse(p_document_version_id uuid, OUT kind text, OUT media_type text, OUT status text, OUT content bytea, OUT content_sha256 bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.document_to_parse(p_document_version_id uuid, OUT kind text, OUT media_type text, OUT status text, OUT content bytea, OUT content_sha256 bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.document_to_parse(p_document_version_id uuid, OUT kind text, OUT media_type text, OUT status text, OUT content bytea, OUT content_sha256 bytea) TO jobforge_worker;

--
-- Name: FUNCTION enable_test_types(p_enabled boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.enable_test_types(p_enabled boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enable_test_types(p_enabled boolean) TO jobforge_owner;

--
-- Name: FUNCTION end_api_key(p_tenant_id uuid, p_key_id text, p_reason text, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.end_api_key(p_tenant_id uuid, p_key_id text, p_reason text, p_actor_id text) FROM PUBLIC;

--
-- Name: FUNCTION end_frozen_sessions(p_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.end_frozen_sessions(p_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.end_frozen_sessions(p_seconds integer) TO jobforge_worker;

--
-- Name: TABLE jobs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.jobs TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.jobs TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.jobs TO jobforge_gateway;

--
-- Name: FUNCTION end_if_unreadable(p_job jobforge.jobs); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.end_if_unreadable(p_job jobforge.jobs) FROM PUBLIC;

--
-- Name: FUNCTION end_turn(p_tenant_id uuid, p_what text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.end_turn(p_tenant_id uuid, p_what text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.end_turn(p_tenant_id uuid, p_what text) TO jobforge_engine;

--
-- Name: FUNCTION end_unreadable_jobs(p_types text[], p_limit integer, p_tenants uuid[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.end_unreadable_jobs(p_types text[], p_limit integer, p_tenants uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.end_unreadable_jobs(p_types text[], p_limit integer, p_tenants uuid[]) TO jobforge_worker;

--
-- Name: FUNCTION enqueue_collections(p_intake uuid, p_sources text[], p_stagger_seconds double precision, p_actor_id text, p_trace_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.enqueue_collections(p_intake uuid, p_sources text[], p_stagger_seconds double precision, p_actor_id text, p_trace_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enqueue_collections(p_intake uuid, p_sources text[], p_stagger_seconds double precision, p_actor_id text, p_trace_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.enqueue_collections(p_intake uuid, p_sources text[], p_stagger_seconds double precision, p_actor_id text, p_trace_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.enqueue_collections(p_intake uuid, p_sources text[], p_stagger_seconds double precision, p_actor_id text, p_trace_id text) TO jobforge_worker;

--
-- Name: FUNCTION enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint, OUT min_priority smallint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint, OUT min_priority smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enqueue_context(p_tenant_id uuid, OUT tenant_id uuid, OUT max_waiting_jobs bigint, OUT max_waiting_bytes bigint, OUT min_priority smallint) TO jobforge_definer;

--
-- Name: FUNCTION enqueue_follow_up(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.enqueue_follow_up(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enqueue_follow_up(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text) TO jobforge_engine;

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
-- Name: FUNCTION enqueue_step(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.enqueue_step(p_tenant_id uuid, p_type text, p_payload jsonb, p_priority integer, p_key text, p_scheduled_at timestamp with time zone, p_trace_id text, p_created_by text) FROM PUBLIC;

--
-- Name: FUNCTION enter_platform_request(p_key_id text, p_secret_mac bytea, p_changes boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.enter_platform_request(p_key_id text, p_secret_mac bytea, p_changes boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enter_platform_request(p_key_id text, p_secret_mac bytea, p_changes boolean) TO jobforge_gateway;

--
-- Name: FUNCTION enter_request(p_key_id text, p_key_version bigint, p_access_version bigint, p_changes boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.enter_request(p_key_id text, p_key_version bigint, p_access_version bigint, p_changes boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.enter_request(p_key_id text, p_key_version bigint, p_access_version bigint, p_changes boolean) TO jobforge_gateway;

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
-- Name: FUNCTION event_hash(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_aggregate_version bigint, p_event_type text, p_actor_id text, p_occurred_at timestamp with time zone, p_payload_hash bytea, p_prev_event_hash bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.event_hash(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_aggregate_version bigint, p_event_type text, p_actor_id text, p_occurred_at timestamp with time zone, p_payload_hash bytea, p_prev_event_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.event_hash(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid, p_aggregate_version bigint, p_event_type text, p_actor_id text, p_occurred_at timestamp with time zone, p_payload_hash bytea, p_prev_event_hash bytea) TO jobforge_engine;

--
-- Name: FUNCTION event_names(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.event_names() FROM PUBLIC;

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
-- Name: FUNCTION explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interruptions integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.explain_place(p_tenant_id uuid, p_job_id uuid, p_type text, p_priority integer, p_scheduled_at timestamp with time zone, p_interruptions integer) FROM PUBLIC;

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
-- Name: FUNCTION extend_event_log(p_limit integer, OUT tree_size bigint, OUT frontier bytea[], OUT new_hashes bytea[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.extend_event_log(p_limit integer, OUT tree_size bigint, OUT frontier bytea[], OUT new_hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.extend_event_log(p_limit integer, OUT tree_size bigint, OUT frontier bytea[], OUT new_hashes bytea[]) TO jobforge_worker;

--
-- Name: FUNCTION fail_delivery_of_job(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.fail_delivery_of_job() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fail_delivery_of_job() TO jobforge_owner;

--
-- Name: FUNCTION fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, p_claim_id uuid, OUT status text, OUT scheduled_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, p_claim_id uuid, OUT status text, OUT scheduled_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fail_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_error jsonb, p_retry_after double precision, p_claim_id uuid, OUT status text, OUT scheduled_at timestamp with time zone) TO jobforge_worker;

--
-- Name: FUNCTION fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[], p_claim_ids uuid[], p_skip_locked boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[], p_claim_ids uuid[], p_skip_locked boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fail_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_errors jsonb[], p_retry_after double precision[], p_claim_ids uuid[], p_skip_locked boolean) TO jobforge_worker;

--
-- Name: FUNCTION fan_out_event(p_tenant_id uuid, p_event_id uuid, p_event_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.fan_out_event(p_tenant_id uuid, p_event_id uuid, p_event_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fan_out_event(p_tenant_id uuid, p_event_id uuid, p_event_type text) TO jobforge_engine;

--
-- Name: FUNCTION find_api_key(p_key_id text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.find_api_key(p_key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.find_api_key(p_key_id text) TO jobforge_gateway;

--
-- Name: FUNCTION find_lanes(p_types text[], p_tenants uuid[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.find_lanes(p_types text[], p_tenants uuid[]) TO jobforge_worker;

--
-- Name: FUNCTION find_source(p_tenant_id uuid, p_source text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.find_source(p_tenant_id uuid, p_source text) FROM PUBLIC;

--
-- Name: FUNCTION finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.finish_job(p_job jobforge.jobs, p_status text, p_outcome text, p_error jsonb, p_token bigint) TO jobforge_engine;

--
-- Name: FUNCTION first_key_id(p_tenant_id uuid, p_key_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.first_key_id(p_tenant_id uuid, p_key_id text) FROM PUBLIC;

--
-- Name: FUNCTION flush_access_denied(p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.flush_access_denied(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.flush_access_denied(p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION fold_counters(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.fold_counters() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.fold_counters() TO jobforge_worker;

--
-- Name: FUNCTION full_xid(p_xid xid, p_next bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.full_xid(p_xid xid, p_next bigint) FROM PUBLIC;

--
-- Name: FUNCTION generate_report(p_payload jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.generate_report(p_payload jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.generate_report(p_payload jsonb) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.generate_report(p_payload jsonb) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.generate_report(p_payload jsonb) TO jobforge_worker;

--
-- Name: FUNCTION get_api_key(p_key_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_api_key(p_key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_api_key(p_key_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_api_key(p_key_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_api_key(p_key_id text) TO jobforge_worker;

--
-- Name: FUNCTION get_artifact(p_artifact_ref text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_artifact(p_artifact_ref text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_artifact(p_artifact_ref text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_artifact(p_artifact_ref text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_artifact(p_artifact_ref text) TO jobforge_worker;

--
-- Name: FUNCTION get_connector_config(p_connector text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_connector_config(p_connector text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_connector_config(p_connector text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_connector_config(p_connector text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_connector_config(p_connector text) TO jobforge_worker;

--
-- Name: FUNCTION get_document_content(p_document_version_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_document_content(p_document_version_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_document_content(p_document_version_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_document_content(p_document_version_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_document_content(p_document_version_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION get_document_version(p_document_version_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_document_version(p_document_version_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_document_version(p_document_version_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_document_version(p_document_version_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_document_version(p_document_version_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION get_intake(p_intake uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_intake(p_intake uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_intake(p_intake uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_intake(p_intake uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_intake(p_intake uuid) TO jobforge_worker;

--
-- Name: FUNCTION get_job(p_job_id uuid, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_job(p_job_id uuid, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: TABLE job_types; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.job_types TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.job_types TO jobforge_definer;

--
-- Name: FUNCTION get_job_type(p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.get_job_type(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_job_type(p_type text) TO jobforge_owner;
GRANT ALL ON FUNCTION jobforge.get_job_type(p_type text) TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.get_job_type(p_type text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_job_type(p_type text) TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.get_job_type(p_type text) TO jobforge_tenant;

--
-- Name: FUNCTION get_passport_version(p_pv uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_passport_version(p_pv uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_passport_version(p_pv uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_passport_version(p_pv uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_passport_version(p_pv uuid) TO jobforge_worker;

--
-- Name: FUNCTION get_rules(p_rpv uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_rules(p_rpv uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_rules(p_rpv uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_rules(p_rpv uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_rules(p_rpv uuid) TO jobforge_worker;

--
-- Name: FUNCTION get_snapshot(p_snapshot_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_snapshot(p_snapshot_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_snapshot(p_snapshot_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_snapshot(p_snapshot_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_snapshot(p_snapshot_id uuid) TO jobforge_worker;

--
-- Name: TABLE source_rules; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.source_rules TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.source_rules TO jobforge_definer;

--
-- Name: TABLE source_states; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.source_states TO jobforge_definer;

--
-- Name: FUNCTION get_source(p_source text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_source(p_source text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_source(p_source text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_source(p_source text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_source(p_source text) TO jobforge_worker;

--
-- Name: FUNCTION get_valuation(p_intake uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.get_valuation(p_intake uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.get_valuation(p_intake uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.get_valuation(p_intake uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.get_valuation(p_intake uuid) TO jobforge_worker;

--
-- Name: FUNCTION govern_source(p_tenant_id uuid, p_source_id uuid, p_settings jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.govern_source(p_tenant_id uuid, p_source_id uuid, p_settings jsonb) FROM PUBLIC;

--
-- Name: FUNCTION governor_configure(p_kind text, p_key text, p_settings jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_configure(p_kind text, p_key text, p_settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.governor_configure(p_kind text, p_key text, p_settings jsonb) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.governor_configure(p_kind text, p_key text, p_settings jsonb) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.governor_configure(p_kind text, p_key text, p_settings jsonb) TO jobforge_worker;

--
-- Name: FUNCTION governor_enter(p_kind text, p_key text, p_rate_per_minute integer, OUT verdict text, OUT wait_ms bigint, OUT generation bigint, OUT probe boolean, OUT reason text, OUT decided_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_enter(p_kind text, p_key text, p_rate_per_minute integer, OUT verdict text, OUT wait_ms bigint, OUT generation bigint, OUT probe boolean, OUT reason text, OUT decided_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.governor_enter(p_kind text, p_key text, p_rate_per_minute integer, OUT verdict text, OUT wait_ms bigint, OUT generation bigint, OUT probe boolean, OUT reason text, OUT decided_at timestamp with time zone) TO jobforge_worker;

--
-- Name: FUNCTION governor_obstacle(p_row jobforge.governors, p_now timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_obstacle(p_row jobforge.governors, p_now timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION governor_pace(p_rate integer, p_burst integer, OUT step interval, OUT slack interval); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_pace(p_rate integer, p_burst integer, OUT step interval, OUT slack interval) FROM PUBLIC;

--
-- Name: FUNCTION governor_pause(p_kind text, p_key text, p_until timestamp with time zone, p_reason text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_pause(p_kind text, p_key text, p_until timestamp with time zone, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.governor_pause(p_kind text, p_key text, p_until timestamp with time zone, p_reason text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.governor_pause(p_kind text, p_key text, p_until timestamp with time zone, p_reason text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.governor_pause(p_kind text, p_key text, p_until timestamp with time zone, p_reason text) TO jobforge_worker;

--
-- Name: FUNCTION governor_report(p_kind text, p_key text, p_generation bigint, p_ok boolean, p_retry_after_ms bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_report(p_kind text, p_key text, p_generation bigint, p_ok boolean, p_retry_after_ms bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.governor_report(p_kind text, p_key text, p_generation bigint, p_ok boolean, p_retry_after_ms bigint) TO jobforge_worker;

--
-- Name: FUNCTION governor_resume(p_kind text, p_key text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_resume(p_kind text, p_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.governor_resume(p_kind text, p_key text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.governor_resume(p_kind text, p_key text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.governor_resume(p_kind text, p_key text) TO jobforge_worker;

--
-- Name: FUNCTION governor_wait_ms(p_row jobforge.governors, p_free_at timestamp with time zone, p_now timestamp with time zone, p_step interval); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.governor_wait_ms(p_row jobforge.governors, p_free_at timestamp with time zone, p_now timestamp with time zone, p_step interval) FROM PUBLIC;

--
-- Name: FUNCTION grow_event_log(p_limit integer, OUT taken bigint, OUT log_length bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.grow_event_log(p_limit integer, OUT taken bigint, OUT log_length bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.grow_event_log(p_limit integer, OUT taken bigint, OUT log_length bigint) TO jobforge_worker;

--
-- Name: FUNCTION guard_api_key(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_api_key() FROM PUBLIC;

--
-- Name: FUNCTION guard_delivery(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_delivery() FROM PUBLIC;

--
-- Name: FUNCTION guard_document_version(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_document_version() FROM PUBLIC;

--
-- Name: FUNCTION guard_endpoint(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_endpoint() FROM PUBLIC;

--
-- Name: FUNCTION guard_passport_version(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_passport_version() FROM PUBLIC;

--
-- Name: FUNCTION guard_platform_key(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_platform_key() FROM PUBLIC;

--
-- Name: FUNCTION guard_price_point(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_price_point() FROM PUBLIC;

--
-- Name: FUNCTION guard_rule_fields(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_rule_fields() FROM PUBLIC;

--
-- Name: FUNCTION guard_rule_version(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_rule_version() FROM PUBLIC;

--
-- Name: FUNCTION guard_signing_key(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_signing_key() FROM PUBLIC;

--
-- Name: FUNCTION guard_snapshot(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_snapshot() FROM PUBLIC;

--
-- Name: FUNCTION guard_snapshot_items(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.guard_snapshot_items() FROM PUBLIC;

--
-- Name: FUNCTION has_long_number(p_value jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.has_long_number(p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.has_long_number(p_value jsonb) TO jobforge_engine;

--
-- Name: FUNCTION has_several_tenants(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.has_several_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.has_several_tenants() TO jobforge_worker;

--
-- Name: FUNCTION heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.heartbeat_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]) TO jobforge_worker;

--
-- Name: FUNCTION in_start_order(p_rows tid[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.in_start_order(p_rows tid[]) FROM PUBLIC;

--
-- Name: FUNCTION insert_api_key(p_row jobforge.api_keys, p_old text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.insert_api_key(p_row jobforge.api_keys, p_old text) FROM PUBLIC;

--
-- Name: FUNCTION interrupted_lanes(p_types text[], p_tenants uuid[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.interrupted_lanes(p_types text[], p_tenants uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION is_unlimited(p_type text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.is_unlimited(p_type text, p_tenant_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION job_changes(p_since pg_snapshot, p_at timestamp with time zone, p_running uuid[], p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.job_changes(p_since pg_snapshot, p_at timestamp with time zone, p_running uuid[], p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.job_changes(p_since pg_snapshot, p_at timestamp with time zone, p_running uuid[], p_limit integer) TO jobforge_gateway;

--
-- Name: FUNCTION job_is_leased(p_session text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.job_is_leased(p_session text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.job_is_leased(p_session text) TO jobforge_worker;

--
-- Name: FUNCTION job_stats(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.job_stats(p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION json_bytes(p_value jsonb, p_what text, p_max integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.json_bytes(p_value jsonb, p_what text, p_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.json_bytes(p_value jsonb, p_what text, p_max integer) TO jobforge_engine;

--
-- Name: FUNCTION keep_job_artifact(p_job_id uuid, p_name text, p_content bytea, p_media_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.keep_job_artifact(p_job_id uuid, p_name text, p_content bytea, p_media_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.keep_job_artifact(p_job_id uuid, p_name text, p_content bytea, p_media_type text) TO jobforge_worker;

--
-- Name: FUNCTION keep_signing_key(p_tenant_id uuid, p_key_id text, p_public_key bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.keep_signing_key(p_tenant_id uuid, p_key_id text, p_public_key bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.keep_signing_key(p_tenant_id uuid, p_key_id text, p_public_key bytea) TO jobforge_engine;

--
-- Name: FUNCTION key_aggregate(p_key_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.key_aggregate(p_key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.key_aggregate(p_key_id text) TO jobforge_engine;

--
-- Name: FUNCTION key_holder(p_tenant_id uuid, p_type text, p_key text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.key_holder(p_tenant_id uuid, p_type text, p_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.key_holder(p_tenant_id uuid, p_type text, p_key text) TO jobforge_engine;

--
-- Name: FUNCTION last_log_head(p_at_most bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.last_log_head(p_at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.last_log_head(p_at_most bigint) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.last_log_head(p_at_most bigint) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.last_log_head(p_at_most bigint) TO jobforge_worker;

--
-- Name: FUNCTION lease_fate(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.lease_fate(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.lease_state(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION leases_left(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.leases_left(p_tenant_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION list_access_policies(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_access_policies() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_access_policies() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_access_policies() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_access_policies() TO jobforge_worker;

--
-- Name: FUNCTION list_api_keys(p_status text, p_limit integer, p_before text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_api_keys(p_status text, p_limit integer, p_before text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_api_keys(p_status text, p_limit integer, p_before text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_api_keys(p_status text, p_limit integer, p_before text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_api_keys(p_status text, p_limit integer, p_before text) TO jobforge_worker;

--
-- Name: FUNCTION list_attempts(p_job_id uuid, p_tenant_id uuid, p_limit integer, p_after bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid, p_limit integer, p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid, p_limit integer, p_after bigint) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid, p_limit integer, p_after bigint) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_attempts(p_job_id uuid, p_tenant_id uuid, p_limit integer, p_after bigint) TO jobforge_worker;

--
-- Name: FUNCTION list_collections(p_intake uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_collections(p_intake uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_collections(p_intake uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_collections(p_intake uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_collections(p_intake uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_connector_configs(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_connector_configs() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_connector_configs() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_connector_configs() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_connector_configs() TO jobforge_worker;

--
-- Name: FUNCTION list_document_versions(p_kind text, p_status text, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_document_versions(p_kind text, p_status text, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_document_versions(p_kind text, p_status text, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_document_versions(p_kind text, p_status text, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_document_versions(p_kind text, p_status text, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_events(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_limit integer, p_after bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_events(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_limit integer, p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_events(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_limit integer, p_after bigint) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_events(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_limit integer, p_after bigint) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_events(p_aggregate_type text, p_aggregate_id uuid, p_event_type text, p_limit integer, p_after bigint) TO jobforge_worker;

--
-- Name: FUNCTION list_facts(p_document_version_id uuid, p_fact_type text, p_key_prefix text, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_facts(p_document_version_id uuid, p_fact_type text, p_key_prefix text, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_facts(p_document_version_id uuid, p_fact_type text, p_key_prefix text, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_facts(p_document_version_id uuid, p_fact_type text, p_key_prefix text, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_facts(p_document_version_id uuid, p_fact_type text, p_key_prefix text, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_governors(p_kind text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_governors(p_kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_governors(p_kind text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_governors(p_kind text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_governors(p_kind text) TO jobforge_worker;

--
-- Name: FUNCTION list_intakes(p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_intakes(p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_intakes(p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_intakes(p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_intakes(p_limit integer, p_before uuid) TO jobforge_worker;

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
-- Name: FUNCTION list_passport_versions(p_passport_id uuid, p_status text, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_passport_versions(p_passport_id uuid, p_status text, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_passport_versions(p_passport_id uuid, p_status text, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_passport_versions(p_passport_id uuid, p_status text, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_passport_versions(p_passport_id uuid, p_status text, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_passports(p_battery_product_id uuid, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_passports(p_battery_product_id uuid, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_passports(p_battery_product_id uuid, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_passports(p_battery_product_id uuid, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_passports(p_battery_product_id uuid, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_platform_keys(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.list_platform_keys() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_platform_keys() TO jobforge_owner;

--
-- Name: FUNCTION list_price_points(p_intake uuid, p_source text, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_price_points(p_intake uuid, p_source text, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_price_points(p_intake uuid, p_source text, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_price_points(p_intake uuid, p_source text, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_price_points(p_intake uuid, p_source text, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_products(p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_products(p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_products(p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_products(p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_products(p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_rules(p_package text, p_status text, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_rules(p_package text, p_status text, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_rules(p_package text, p_status text, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_rules(p_package text, p_status text, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_rules(p_package text, p_status text, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_signing_keys(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_signing_keys() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_signing_keys() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_signing_keys() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_signing_keys() TO jobforge_worker;

--
-- Name: FUNCTION list_snapshots(p_status text, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_snapshots(p_status text, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_snapshots(p_status text, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_snapshots(p_status text, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_snapshots(p_status text, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_sources(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_sources() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_sources() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_sources() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_sources() TO jobforge_worker;

--
-- Name: FUNCTION list_tenants(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.list_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_tenants() TO jobforge_owner;

--
-- Name: FUNCTION list_webhook_deliveries(p_endpoint uuid, p_status text, p_event_id uuid, p_limit integer, p_before uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_webhook_deliveries(p_endpoint uuid, p_status text, p_event_id uuid, p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_webhook_deliveries(p_endpoint uuid, p_status text, p_event_id uuid, p_limit integer, p_before uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_webhook_deliveries(p_endpoint uuid, p_status text, p_event_id uuid, p_limit integer, p_before uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_webhook_deliveries(p_endpoint uuid, p_status text, p_event_id uuid, p_limit integer, p_before uuid) TO jobforge_worker;

--
-- Name: FUNCTION list_webhook_endpoints(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_webhook_endpoints() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_webhook_endpoints() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_webhook_endpoints() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_webhook_endpoints() TO jobforge_worker;

--
-- Name: FUNCTION list_webhook_subscriptions(p_endpoint uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.list_webhook_subscriptions(p_endpoint uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.list_webhook_subscriptions(p_endpoint uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.list_webhook_subscriptions(p_endpoint uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.list_webhook_subscriptions(p_endpoint uuid) TO jobforge_worker;

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
-- Name: FUNCTION lock_api_key(p_tenant_id uuid, p_key_id text, p_alone boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_api_key(p_tenant_id uuid, p_key_id text, p_alone boolean) FROM PUBLIC;

--
-- Name: FUNCTION lock_building_snapshot(p_tenant_id uuid, p_snapshot_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_building_snapshot(p_tenant_id uuid, p_snapshot_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION lock_delivery(p_tenant_id uuid, p_delivery_id uuid, OUT status text, OUT event_id uuid, OUT webhook_endpoint_id uuid, OUT redeliveries integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_delivery(p_tenant_id uuid, p_delivery_id uuid, OUT status text, OUT event_id uuid, OUT webhook_endpoint_id uuid, OUT redeliveries integer) FROM PUBLIC;

--
-- Name: FUNCTION lock_document(p_tenant_id uuid, p_document_id uuid, p_kind text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_document(p_tenant_id uuid, p_document_id uuid, p_kind text) FROM PUBLIC;

--
-- Name: FUNCTION lock_document_version(p_tenant_id uuid, p_document_version_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_document_version(p_tenant_id uuid, p_document_version_id uuid) FROM PUBLIC;

--
-- Name: TABLE webhook_endpoints; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.webhook_endpoints TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.webhook_endpoints TO jobforge_definer;

--
-- Name: FUNCTION lock_endpoint(p_tenant_id uuid, p_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_endpoint(p_tenant_id uuid, p_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION lock_governor(p_tenant_id uuid, p_kind text, p_key text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_governor(p_tenant_id uuid, p_kind text, p_key text) FROM PUBLIC;

--
-- Name: FUNCTION lock_intake(p_tenant_id uuid, p_intake uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_intake(p_tenant_id uuid, p_intake uuid) FROM PUBLIC;

--
-- Name: FUNCTION lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid, p_skip_locked boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.lock_lease(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid, p_skip_locked boolean) FROM PUBLIC;

--
-- Name: FUNCTION lock_passport_version(p_tenant_id uuid, p_pv uuid, OUT status text, OUT passport_id uuid, OUT signing_key_id text, OUT signature bytea, OUT qr_payload text, OUT revocation_reason text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_passport_version(p_tenant_id uuid, p_pv uuid, OUT status text, OUT passport_id uuid, OUT signing_key_id text, OUT signature bytea, OUT qr_payload text, OUT revocation_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.lock_passport_version(p_tenant_id uuid, p_pv uuid, OUT status text, OUT passport_id uuid, OUT signing_key_id text, OUT signature bytea, OUT qr_payload text, OUT revocation_reason text) TO jobforge_engine;

--
-- Name: FUNCTION lock_rules(p_tenant_id uuid, p_rpv uuid, OUT status text, OUT version integer, OUT package text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_rules(p_tenant_id uuid, p_rpv uuid, OUT status text, OUT version integer, OUT package text) FROM PUBLIC;

--
-- Name: FUNCTION lock_snapshot(p_tenant_id uuid, p_snapshot_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.lock_snapshot(p_tenant_id uuid, p_snapshot_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION log_waiting_events(p_tenant_id uuid, p_limit integer, p_leaf_version smallint, p_head_size bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.log_waiting_events(p_tenant_id uuid, p_limit integer, p_leaf_version smallint, p_head_size bigint) FROM PUBLIC;

--
-- Name: FUNCTION longest_lease(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.longest_lease() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.longest_lease() TO jobforge_worker;

--
-- Name: FUNCTION lower_interrupted(p_waiting jobforge.quarantine_lanes, p_turn bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.lower_interrupted(p_waiting jobforge.quarantine_lanes, p_turn bigint) FROM PUBLIC;

--
-- Name: FUNCTION lower_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[], p_turn bigint, OUT types text[], OUT priorities integer[], OUT tenants uuid[], OUT floors timestamp with time zone[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.lower_lanes(p_types text[], p_priorities integer[], p_tenants uuid[], p_floors timestamp with time zone[], p_turn bigint, OUT types text[], OUT priorities integer[], OUT tenants uuid[], OUT floors timestamp with time zone[]) FROM PUBLIC;

--
-- Name: FUNCTION mark_snapshot_ready(p_snapshot_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.mark_snapshot_ready(p_snapshot_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.mark_snapshot_ready(p_snapshot_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION match_acceptances(p_pv uuid, p_payload bytea, p_accepted jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.match_acceptances(p_pv uuid, p_payload bytea, p_accepted jsonb) FROM PUBLIC;

--
-- Name: FUNCTION may_repeat_internal(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.may_repeat_internal(p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.may_repeat_internal(p_tenant_id uuid) TO jobforge_definer;

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
-- Name: FUNCTION next_access_version(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.next_access_version(p_tenant_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION note_access_denied(p_key_id text, p_route text, p_reason text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.note_access_denied(p_key_id text, p_route text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.note_access_denied(p_key_id text, p_route text, p_reason text) TO jobforge_gateway;

--
-- Name: FUNCTION note_delivery(p_delivery_id uuid, p_status text, p_http_status integer, p_response_headers jsonb, p_response_body bytea, p_error_message text, p_endpoint_fault boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.note_delivery(p_delivery_id uuid, p_status text, p_http_status integer, p_response_headers jsonb, p_response_body bytea, p_error_message text, p_endpoint_fault boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.note_delivery(p_delivery_id uuid, p_status text, p_http_status integer, p_response_headers jsonb, p_response_body bytea, p_error_message text, p_endpoint_fault boolean) TO jobforge_worker;

--
-- Name: FUNCTION note_delivery_of_job(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.note_delivery_of_job() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.note_delivery_of_job() TO jobforge_owner;

--
-- Name: FUNCTION note_head_accepted(p_kept_size bigint, p_kept_root bytea, p_size bigint, p_root bytea, p_reason text, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.note_head_accepted(p_kept_size bigint, p_kept_root bytea, p_size bigint, p_root bytea, p_reason text, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.note_head_accepted(p_kept_size bigint, p_kept_root bytea, p_size bigint, p_root bytea, p_reason text, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION note_healthy(p_row jobforge.governors); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.note_healthy(p_row jobforge.governors) FROM PUBLIC;

--
-- Name: FUNCTION note_pepper(p_fingerprint bytea, p_replace boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.note_pepper(p_fingerprint bytea, p_replace boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.note_pepper(p_fingerprint bytea, p_replace boolean) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.note_pepper(p_fingerprint bytea, p_replace boolean) TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.note_pepper(p_fingerprint bytea, p_replace boolean) TO jobforge_owner;

--
-- Name: FUNCTION note_platform_read(p_key_id text, p_event_type text, p_what text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.note_platform_read(p_key_id text, p_event_type text, p_what text) FROM PUBLIC;

--
-- Name: FUNCTION note_tenant_worker(p_worker text, p_types text[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.note_tenant_worker(p_worker text, p_types text[]) FROM PUBLIC;

--
-- Name: FUNCTION note_waiting_events(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.note_waiting_events() FROM PUBLIC;

--
-- Name: FUNCTION notify_limit(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.notify_limit() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.notify_limit() TO jobforge_engine;

--
-- Name: FUNCTION notify_now(p_channel text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.notify_now(p_channel text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.notify_now(p_channel text) TO jobforge_engine;

--
-- Name: FUNCTION notify_wake(p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.notify_wake(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.notify_wake(p_type text) TO jobforge_engine;

--
-- Name: FUNCTION notify_workers(p_channel text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.notify_workers(p_channel text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.notify_workers(p_channel text) TO jobforge_engine;

--
-- Name: FUNCTION passport_artifacts(p_pv uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.passport_artifacts(p_pv uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.passport_artifacts(p_pv uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.passport_artifacts(p_pv uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.passport_artifacts(p_pv uuid) TO jobforge_worker;

--
-- Name: FUNCTION passport_for_qr(p_pv uuid, OUT status text, OUT receipt_signed bytea, OUT qr_payload text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.passport_for_qr(p_pv uuid, OUT status text, OUT receipt_signed bytea, OUT qr_payload text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.passport_for_qr(p_pv uuid, OUT status text, OUT receipt_signed bytea, OUT qr_payload text) TO jobforge_worker;

--
-- Name: FUNCTION passport_to_sign(p_pv uuid, OUT status text, OUT receipt_canonical bytea, OUT receipt_hash bytea, OUT signing_key_id text, OUT signature bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.passport_to_sign(p_pv uuid, OUT status text, OUT receipt_canonical bytea, OUT receipt_hash bytea, OUT signing_key_id text, OUT signature bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.passport_to_sign(p_pv uuid, OUT status text, OUT receipt_canonical bytea, OUT receipt_hash bytea, OUT signing_key_id text, OUT signature bytea) TO jobforge_worker;

--
-- Name: FUNCTION pause_source(p_source text, p_until timestamp with time zone, p_reason text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.pause_source(p_source text, p_until timestamp with time zone, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.pause_source(p_source text, p_until timestamp with time zone, p_reason text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.pause_source(p_source text, p_until timestamp with time zone, p_reason text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.pause_source(p_source text, p_until timestamp with time zone, p_reason text) TO jobforge_worker;

--
-- Name: FUNCTION payload_fault(p_tenant_id uuid, p_payload jsonb, p_ref bytea); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.payload_fault(p_tenant_id uuid, p_payload jsonb, p_ref bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.payload_fault(p_tenant_id uuid, p_payload jsonb, p_ref bytea) TO jobforge_definer;

--
-- Name: FUNCTION payload_findings(p_payload bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.payload_findings(p_payload bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.payload_findings(p_payload bytea) TO jobforge_engine;

--
-- Name: FUNCTION peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_want integer) FROM PUBLIC;

--
-- Name: FUNCTION pepper_fingerprint(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.pepper_fingerprint() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.pepper_fingerprint() TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.pepper_fingerprint() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.pepper_fingerprint() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.pepper_fingerprint() TO jobforge_owner;

--
-- Name: FUNCTION platform_add_tenant(p_name text, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_add_tenant(p_name text, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_add_tenant(p_name text, p_tenant_id uuid) TO jobforge_gateway;

--
-- Name: FUNCTION platform_change_tenant(p_tenant_id uuid, p_changes jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_change_tenant(p_tenant_id uuid, p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_change_tenant(p_tenant_id uuid, p_changes jsonb) TO jobforge_gateway;

--
-- Name: FUNCTION platform_change_type(p_type text, p_policy jsonb, p_new boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_change_type(p_type text, p_policy jsonb, p_new boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_change_type(p_type text, p_policy jsonb, p_new boolean) TO jobforge_gateway;

--
-- Name: FUNCTION platform_read(p_what text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_read(p_what text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_read(p_what text) TO jobforge_gateway;

--
-- Name: FUNCTION platform_refused(p_route text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_refused(p_route text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_refused(p_route text) TO jobforge_gateway;

--
-- Name: FUNCTION platform_remove_tenant(p_tenant_id uuid, p_confirm_name text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_remove_tenant(p_tenant_id uuid, p_confirm_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_remove_tenant(p_tenant_id uuid, p_confirm_name text) TO jobforge_gateway;

--
-- Name: FUNCTION platform_tenant(p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_tenant(p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_tenant(p_tenant_id uuid) TO jobforge_gateway;

--
-- Name: FUNCTION platform_tenants(p_limit integer, p_after uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_tenants(p_limit integer, p_after uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_tenants(p_limit integer, p_after uuid) TO jobforge_gateway;

--
-- Name: FUNCTION platform_type(p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_type(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_type(p_type text) TO jobforge_gateway;

--
-- Name: FUNCTION platform_types(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.platform_types() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.platform_types() TO jobforge_gateway;

--
-- Name: FUNCTION pointer_to(p_at text, p_name text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.pointer_to(p_at text, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.pointer_to(p_at text, p_name text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.pointer_to(p_at text, p_name text) TO jobforge_engine;

--
-- Name: FUNCTION points_of_intake(p_tenant_id uuid, p_intake uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.points_of_intake(p_tenant_id uuid, p_intake uuid) FROM PUBLIC;

--
-- Name: FUNCTION prune_api_requests(p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.prune_api_requests(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.prune_api_requests(p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION prune_finished(p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.prune_finished(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.prune_finished(p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION prune_governors(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.prune_governors() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.prune_governors() TO jobforge_worker;

--
-- Name: FUNCTION prune_wake_requests(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.prune_wake_requests() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.prune_wake_requests() TO jobforge_worker;

--
-- Name: FUNCTION prune_workers(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.prune_workers() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.prune_workers() TO jobforge_worker;

--
-- Name: FUNCTION public_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea, p_proof bytea); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.public_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea, p_proof bytea) FROM PUBLIC;

--
-- Name: FUNCTION public_passport(p_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.public_passport(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.public_passport(p_id uuid) TO jobforge_gateway;

--
-- Name: FUNCTION publish_rules(p_rpv uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.publish_rules(p_rpv uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.publish_rules(p_rpv uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.publish_rules(p_rpv uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.publish_rules(p_rpv uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION pull_forward(p_tenant_id uuid, p_type text, p_job_ids uuid[], p_rate integer, p_burst integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.pull_forward(p_tenant_id uuid, p_type text, p_job_ids uuid[], p_rate integer, p_burst integer) FROM PUBLIC;

--
-- Name: TABLE finished_jobs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.finished_jobs TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.finished_jobs TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.finished_jobs TO jobforge_gateway;

--
-- Name: FUNCTION put_back(p_done jobforge.finished_jobs, p_at timestamp with time zone, p_reset boolean, p_max_attempts integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.put_back(p_done jobforge.finished_jobs, p_at timestamp with time zone, p_reset boolean, p_max_attempts integer) FROM PUBLIC;

--
-- Name: FUNCTION quota_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.quota_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint) FROM PUBLIC;

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
-- Name: FUNCTION raise_internal(p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.raise_internal(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.raise_internal(p_type text) TO jobforge_engine;

--
-- Name: FUNCTION raise_min_priority(p_priority integer, p_min integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.raise_min_priority(p_priority integer, p_min integer) FROM PUBLIC;

--
-- Name: FUNCTION raise_not_found(p_what text, p_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.raise_not_found(p_what text, p_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.raise_not_found(p_what text, p_id text) TO jobforge_engine;

--
-- Name: FUNCTION raise_passport_status(p_pv uuid, p_status text, p_deed text, p_needed text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.raise_passport_status(p_pv uuid, p_status text, p_deed text, p_needed text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.raise_passport_status(p_pv uuid, p_status text, p_deed text, p_needed text) TO jobforge_engine;

--
-- Name: FUNCTION raise_refused(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.raise_refused(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION raise_transition(p_what text, p_id text, p_from text, p_to text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.raise_transition(p_what text, p_id text, p_from text, p_to text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.raise_transition(p_what text, p_id text, p_from text, p_to text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.raise_transition(p_what text, p_id text, p_from text, p_to text) TO jobforge_engine;

--
-- Name: FUNCTION raise_unreadable(p_what text, p_too_large boolean, p_max integer); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.raise_unreadable(p_what text, p_too_large boolean, p_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.raise_unreadable(p_what text, p_too_large boolean, p_max integer) TO jobforge_engine;

--
-- Name: FUNCTION read_claimed(p_claim_id uuid, p_rows tid[], p_inline_bytes integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.read_claimed(p_claim_id uuid, p_rows tid[], p_inline_bytes integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.read_claimed(p_claim_id uuid, p_rows tid[], p_inline_bytes integer) TO jobforge_worker;

--
-- Name: FUNCTION read_payload(p_tenant_id uuid, p_job_id uuid, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.read_payload(p_tenant_id uuid, p_job_id uuid, p_claim_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.read_payload(p_tenant_id uuid, p_job_id uuid, p_claim_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION readable(p_value jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.readable(p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.readable(p_value jsonb) TO jobforge_engine;

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
-- Name: FUNCTION redeliver_failed(p_endpoint uuid, p_since timestamp with time zone, p_limit integer, p_until timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.redeliver_failed(p_endpoint uuid, p_since timestamp with time zone, p_limit integer, p_until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.redeliver_failed(p_endpoint uuid, p_since timestamp with time zone, p_limit integer, p_until timestamp with time zone) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.redeliver_failed(p_endpoint uuid, p_since timestamp with time zone, p_limit integer, p_until timestamp with time zone) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.redeliver_failed(p_endpoint uuid, p_since timestamp with time zone, p_limit integer, p_until timestamp with time zone) TO jobforge_worker;

--
-- Name: FUNCTION redeliver_webhook(p_delivery_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.redeliver_webhook(p_delivery_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.redeliver_webhook(p_delivery_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.redeliver_webhook(p_delivery_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.redeliver_webhook(p_delivery_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION refusal(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.refusal(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_claim_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION refusal_text(p_message text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.refusal_text(p_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.refusal_text(p_message text) TO jobforge_engine;
GRANT ALL ON FUNCTION jobforge.refusal_text(p_message text) TO jobforge_definer;

--
-- Name: FUNCTION refusal_text(p_message text, p_row anyelement, p_input jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.refusal_text(p_message text, p_row anyelement, p_input jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.refusal_text(p_message text, p_row anyelement, p_input jsonb) TO jobforge_engine;
GRANT ALL ON FUNCTION jobforge.refusal_text(p_message text, p_row anyelement, p_input jsonb) TO jobforge_definer;

--
-- Name: FUNCTION refuse_beside_writes(p_wrote boolean, p_state text, p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.refuse_beside_writes(p_wrote boolean, p_state text, p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint) FROM PUBLIC;

--
-- Name: FUNCTION refuse_change(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.refuse_change() FROM PUBLIC;

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
-- Name: FUNCTION reject_document(p_document_version_id uuid, p_rejection jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.reject_document(p_document_version_id uuid, p_rejection jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.reject_document(p_document_version_id uuid, p_rejection jsonb) TO jobforge_worker;

--
-- Name: FUNCTION release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_skip_locked boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_skip_locked boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.release_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_claim_ids uuid[], p_skip_locked boolean) TO jobforge_worker;

--
-- Name: FUNCTION remove_access_policy(p_policy_id uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.remove_access_policy(p_policy_id uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.remove_access_policy(p_policy_id uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.remove_access_policy(p_policy_id uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.remove_access_policy(p_policy_id uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION remove_connector_config(p_connector text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.remove_connector_config(p_connector text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.remove_connector_config(p_connector text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.remove_connector_config(p_connector text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.remove_connector_config(p_connector text) TO jobforge_worker;

--
-- Name: FUNCTION remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text, p_fact_key text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text, p_fact_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text, p_fact_key text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text, p_fact_key text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text, p_fact_key text) TO jobforge_worker;

--
-- Name: FUNCTION remove_webhook_endpoint(p_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.remove_webhook_endpoint(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.remove_webhook_endpoint(p_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.remove_webhook_endpoint(p_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.remove_webhook_endpoint(p_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION remove_webhook_subscription(p_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.remove_webhook_subscription(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.remove_webhook_subscription(p_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.remove_webhook_subscription(p_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.remove_webhook_subscription(p_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION reopen_snapshot(p_snapshot_id uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.reopen_snapshot(p_snapshot_id uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.reopen_snapshot(p_snapshot_id uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.reopen_snapshot(p_snapshot_id uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.reopen_snapshot(p_snapshot_id uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION report_days(p_from timestamp with time zone, p_to timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_days(p_from timestamp with time zone, p_to timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION report_job_analytics(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_job_analytics(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.report_job_analytics(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.report_job_analytics(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.report_job_analytics(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_worker;

--
-- Name: FUNCTION report_jobs(p_tenant_id uuid, p_from timestamp with time zone, p_to timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_jobs(p_tenant_id uuid, p_from timestamp with time zone, p_to timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION report_ms(p_us bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_ms(p_us bigint) FROM PUBLIC;

--
-- Name: FUNCTION report_tenant_usage(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_tenant_usage(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.report_tenant_usage(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.report_tenant_usage(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.report_tenant_usage(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_worker;

--
-- Name: FUNCTION report_time(p_name text, p_text text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_time(p_name text, p_text text) FROM PUBLIC;

--
-- Name: FUNCTION report_top_n(p_text text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_top_n(p_text text) FROM PUBLIC;

--
-- Name: FUNCTION report_usage_summary(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.report_usage_summary(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.report_usage_summary(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.report_usage_summary(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.report_usage_summary(p_from timestamp with time zone, p_to timestamp with time zone, p_top_n integer, p_max_days integer, p_max_rows bigint) TO jobforge_worker;

--
-- Name: FUNCTION request_compile(p_passport_id uuid, p_snapshot_id uuid, p_rule_package_version_id uuid, p_signing_key_id text, p_issued_at timestamp with time zone, p_passport_version_id uuid, p_actor_id text, p_trace_id text, OUT passport_version_id uuid, OUT issued_at timestamp with time zone, OUT job_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.request_compile(p_passport_id uuid, p_snapshot_id uuid, p_rule_package_version_id uuid, p_signing_key_id text, p_issued_at timestamp with time zone, p_passport_version_id uuid, p_actor_id text, p_trace_id text, OUT passport_version_id uuid, OUT issued_at timestamp with time zone, OUT job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.request_compile(p_passport_id uuid, p_snapshot_id uuid, p_rule_package_version_id uuid, p_signing_key_id text, p_issued_at timestamp with time zone, p_passport_version_id uuid, p_actor_id text, p_trace_id text, OUT passport_version_id uuid, OUT issued_at timestamp with time zone, OUT job_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.request_compile(p_passport_id uuid, p_snapshot_id uuid, p_rule_package_version_id uuid, p_signing_key_id text, p_issued_at timestamp with time zone, p_passport_version_id uuid, p_actor_id text, p_trace_id text, OUT passport_version_id uuid, OUT issued_at timestamp with time zone, OUT job_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.request_compile(p_passport_id uuid, p_snapshot_id uuid, p_rule_package_version_id uuid, p_signing_key_id text, p_issued_at timestamp with time zone, p_passport_version_id uuid, p_actor_id text, p_trace_id text, OUT passport_version_id uuid, OUT issued_at timestamp with time zone, OUT job_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION request_rule_tests(p_rule_package_version_id uuid, p_seed bigint, p_actor_id text, p_trace_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.request_rule_tests(p_rule_package_version_id uuid, p_seed bigint, p_actor_id text, p_trace_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.request_rule_tests(p_rule_package_version_id uuid, p_seed bigint, p_actor_id text, p_trace_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.request_rule_tests(p_rule_package_version_id uuid, p_seed bigint, p_actor_id text, p_trace_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.request_rule_tests(p_rule_package_version_id uuid, p_seed bigint, p_actor_id text, p_trace_id text) TO jobforge_worker;

--
-- Name: FUNCTION requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_crashed boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_crashed boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.requeue_job(p_job jobforge.jobs, p_at timestamp with time zone, p_outcome text, p_error jsonb, p_uncount boolean, p_crashed boolean) TO jobforge_engine;

--
-- Name: FUNCTION require_payload(p_type text, p_schema jsonb, p_payload jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.require_payload(p_type text, p_schema jsonb, p_payload jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.require_payload(p_type text, p_schema jsonb, p_payload jsonb) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.require_payload(p_type text, p_schema jsonb, p_payload jsonb) TO jobforge_engine;

--
-- Name: FUNCTION require_platform_key(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.require_platform_key() FROM PUBLIC;

--
-- Name: FUNCTION require_read_committed(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.require_read_committed() FROM PUBLIC;

--
-- Name: FUNCTION require_step_done(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.require_step_done() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.require_step_done() TO jobforge_owner;

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
-- Name: FUNCTION result_sizes(p_results jsonb[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.result_sizes(p_results jsonb[]) FROM PUBLIC;

--
-- Name: FUNCTION resume_source(p_source text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.resume_source(p_source text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.resume_source(p_source text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.resume_source(p_source text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.resume_source(p_source text) TO jobforge_worker;

--
-- Name: FUNCTION retire_rules(p_rpv uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.retire_rules(p_rpv uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.retire_rules(p_rpv uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.retire_rules(p_rpv uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.retire_rules(p_rpv uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.retry_jobs(p_status text, p_type text, p_error_code text, p_finished_after timestamp with time zone, p_finished_before timestamp with time zone, p_scheduled_at timestamp with time zone, p_reset_attempts boolean, p_limit integer, p_tenant_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION revoke_api_key(p_key_id text, p_reason text, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.revoke_api_key(p_key_id text, p_reason text, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.revoke_api_key(p_key_id text, p_reason text, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.revoke_api_key(p_key_id text, p_reason text, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.revoke_api_key(p_key_id text, p_reason text, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION revoke_passport_version(p_pv uuid, p_reason text, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.revoke_passport_version(p_pv uuid, p_reason text, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.revoke_passport_version(p_pv uuid, p_reason text, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.revoke_passport_version(p_pv uuid, p_reason text, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.revoke_passport_version(p_pv uuid, p_reason text, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION revoke_platform_key(p_key_id text, p_reason text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.revoke_platform_key(p_key_id text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.revoke_platform_key(p_key_id text, p_reason text) TO jobforge_owner;

--
-- Name: FUNCTION rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea, p_overlap interval, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea, p_overlap interval, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea, p_overlap interval, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea, p_overlap interval, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.rotate_api_key(p_key_id text, p_new_key_id text, p_secret_mac bytea, p_overlap interval, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION rotate_webhook_secret(p_webhook_endpoint_id uuid, p_secret_ciphertext bytea, p_overlap interval); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.rotate_webhook_secret(p_webhook_endpoint_id uuid, p_secret_ciphertext bytea, p_overlap interval) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.rotate_webhook_secret(p_webhook_endpoint_id uuid, p_secret_ciphertext bytea, p_overlap interval) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.rotate_webhook_secret(p_webhook_endpoint_id uuid, p_secret_ciphertext bytea, p_overlap interval) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.rotate_webhook_secret(p_webhook_endpoint_id uuid, p_secret_ciphertext bytea, p_overlap interval) TO jobforge_worker;

--
-- Name: FUNCTION rows_that_fit(p_rows tid[], p_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.rows_that_fit(p_rows tid[], p_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION rule_fields_of(p_rpv uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.rule_fields_of(p_rpv uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.rule_fields_of(p_rpv uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.rule_fields_of(p_rpv uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.rule_fields_of(p_rpv uuid) TO jobforge_worker;

--
-- Name: FUNCTION rules_to_test(p_rpv uuid, OUT status text, OUT dsl_source text, OUT tests_source text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.rules_to_test(p_rpv uuid, OUT status text, OUT dsl_source text, OUT tests_source text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.rules_to_test(p_rpv uuid, OUT status text, OUT dsl_source text, OUT tests_source text) TO jobforge_worker;

--
-- Name: FUNCTION run_schedules(p_limit integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.run_schedules(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.run_schedules(p_limit integer) TO jobforge_worker;

--
-- Name: FUNCTION save_collection_progress(p_intake uuid, p_source uuid, p_progress jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.save_collection_progress(p_intake uuid, p_source uuid, p_progress jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.save_collection_progress(p_intake uuid, p_source uuid, p_progress jsonb) TO jobforge_worker;

--
-- Name: FUNCTION save_source(p_source jsonb, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.save_source(p_source jsonb, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.save_source(p_source jsonb, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.save_source(p_source jsonb, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.save_source(p_source jsonb, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION schema_count_problem(p_schema jsonb, p_count integer, p_least text, p_most text, p_unit text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_count_problem(p_schema jsonb, p_count integer, p_least text, p_most text, p_unit text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_count_problem(p_schema jsonb, p_count integer, p_least text, p_most text, p_unit text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.schema_count_problem(p_schema jsonb, p_count integer, p_least text, p_most text, p_unit text) TO jobforge_engine;

--
-- Name: FUNCTION schema_items_problem(p_schema jsonb, p_value jsonb, p_at text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_items_problem(p_schema jsonb, p_value jsonb, p_at text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_items_problem(p_schema jsonb, p_value jsonb, p_at text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.schema_items_problem(p_schema jsonb, p_value jsonb, p_at text) TO jobforge_engine;

--
-- Name: FUNCTION schema_members_problem(p_schema jsonb, p_value jsonb, p_at text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_members_problem(p_schema jsonb, p_value jsonb, p_at text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_members_problem(p_schema jsonb, p_value jsonb, p_at text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.schema_members_problem(p_schema jsonb, p_value jsonb, p_at text) TO jobforge_engine;

--
-- Name: FUNCTION schema_number_problem(p_schema jsonb, p_value numeric); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_number_problem(p_schema jsonb, p_value numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_number_problem(p_schema jsonb, p_value numeric) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.schema_number_problem(p_schema jsonb, p_value numeric) TO jobforge_engine;

--
-- Name: FUNCTION schema_string_problem(p_schema jsonb, p_value text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_string_problem(p_schema jsonb, p_value text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_string_problem(p_schema jsonb, p_value text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.schema_string_problem(p_schema jsonb, p_value text) TO jobforge_engine;

--
-- Name: FUNCTION schema_type_problem(p_schema jsonb, p_value jsonb, p_kind text); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_type_problem(p_schema jsonb, p_value jsonb, p_kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_type_problem(p_schema jsonb, p_value jsonb, p_kind text) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.schema_type_problem(p_schema jsonb, p_value jsonb, p_kind text) TO jobforge_engine;

--
-- Name: FUNCTION schema_value_problem(p_schema jsonb, p_value jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_value_problem(p_schema jsonb, p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_value_problem(p_schema jsonb, p_value jsonb) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.schema_value_problem(p_schema jsonb, p_value jsonb) TO jobforge_engine;

--
-- Name: FUNCTION schema_version(); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.schema_version() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_worker;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_observer;
GRANT ALL ON FUNCTION jobforge.schema_version() TO jobforge_tenant;

--
-- Name: FUNCTION seal_snapshot(p_snapshot_id uuid, p_actor_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.seal_snapshot(p_snapshot_id uuid, p_actor_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.seal_snapshot(p_snapshot_id uuid, p_actor_id text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.seal_snapshot(p_snapshot_id uuid, p_actor_id text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.seal_snapshot(p_snapshot_id uuid, p_actor_id text) TO jobforge_worker;

--
-- Name: FUNCTION send_wake(); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.send_wake() FROM PUBLIC;

--
-- Name: FUNCTION set_connector_config(p_connector text, p_config jsonb, p_enabled boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.set_connector_config(p_connector text, p_config jsonb, p_enabled boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_connector_config(p_connector text, p_config jsonb, p_enabled boolean) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.set_connector_config(p_connector text, p_config jsonb, p_enabled boolean) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.set_connector_config(p_connector text, p_config jsonb, p_enabled boolean) TO jobforge_worker;

--
-- Name: FUNCTION set_job_type(p_type text, p_policy jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_job_type(p_type text, p_policy jsonb) TO jobforge_owner;

--
-- Name: FUNCTION set_source_enabled(p_source text, p_enabled boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.set_source_enabled(p_source text, p_enabled boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_source_enabled(p_source text, p_enabled boolean) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.set_source_enabled(p_source text, p_enabled boolean) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.set_source_enabled(p_source text, p_enabled boolean) TO jobforge_worker;

--
-- Name: FUNCTION set_source_rules(p_source text, p_rules jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.set_source_rules(p_source text, p_rules jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_source_rules(p_source text, p_rules jsonb) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.set_source_rules(p_source text, p_rules jsonb) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.set_source_rules(p_source text, p_rules jsonb) TO jobforge_worker;

--
-- Name: TABLE tenants; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenants TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.tenants TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.tenants TO jobforge_gateway;

--
-- Name: FUNCTION set_tenant(p_tenant_id uuid, p_changes jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_tenant(p_tenant_id uuid, p_changes jsonb) TO jobforge_owner;

--
-- Name: TABLE tenant_defaults; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,UPDATE ON TABLE jobforge.tenant_defaults TO jobforge_engine;

--
-- Name: FUNCTION set_tenant_defaults(p_changes jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.set_tenant_defaults(p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_tenant_defaults(p_changes jsonb) TO jobforge_owner;

--
-- Name: FUNCTION set_webhook_endpoint(p_id uuid, p_settings jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.set_webhook_endpoint(p_id uuid, p_settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_webhook_endpoint(p_id uuid, p_settings jsonb) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.set_webhook_endpoint(p_id uuid, p_settings jsonb) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.set_webhook_endpoint(p_id uuid, p_settings jsonb) TO jobforge_worker;

--
-- Name: FUNCTION set_webhook_endpoint_status(p_id uuid, p_status text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) TO jobforge_worker;

--
-- Name: FUNCTION set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_worker;

--
-- Name: FUNCTION shortest_lease(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.shortest_lease() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.shortest_lease() TO jobforge_worker;

--
-- Name: FUNCTION signing_secrets(p_endpoint jobforge.webhook_endpoints); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.signing_secrets(p_endpoint jobforge.webhook_endpoints) FROM PUBLIC;

--
-- Name: FUNCTION snapshot_facts(p_snapshot_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.snapshot_facts(p_snapshot_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.snapshot_facts(p_snapshot_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.snapshot_facts(p_snapshot_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.snapshot_facts(p_snapshot_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision, p_claim_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision, p_claim_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.snooze_job(p_worker text, p_tenant_id uuid, p_job_id uuid, p_token bigint, p_seconds double precision, p_claim_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[], p_claim_ids uuid[], p_skip_locked boolean); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[], p_claim_ids uuid[], p_skip_locked boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.snooze_jobs(p_worker text, p_tenants uuid[], p_job_ids uuid[], p_tokens bigint[], p_seconds double precision[], p_claim_ids uuid[], p_skip_locked boolean) TO jobforge_worker;

--
-- Name: FUNCTION spans_tenants(p_login name); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.spans_tenants(p_login name) FROM PUBLIC;

--
-- Name: FUNCTION start_collection(p_tenant_id uuid, p_intake uuid, p_source uuid, p_at timestamp with time zone, p_actor_id text, p_trace_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.start_collection(p_tenant_id uuid, p_intake uuid, p_source uuid, p_at timestamp with time zone, p_actor_id text, p_trace_id text) FROM PUBLIC;

--
-- Name: FUNCTION step_is_done(p_tenant_id uuid, p_job_id uuid, p_type text, p_payload jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.step_is_done(p_tenant_id uuid, p_job_id uuid, p_type text, p_payload jsonb) FROM PUBLIC;

--
-- Name: FUNCTION store_api_response(p_key_id text, p_idempotency_key text, p_request_hash bytea, p_status integer, p_headers jsonb, p_body bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_api_response(p_key_id text, p_idempotency_key text, p_request_hash bytea, p_status integer, p_headers jsonb, p_body bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_api_response(p_key_id text, p_idempotency_key text, p_request_hash bytea, p_status integer, p_headers jsonb, p_body bytea) TO jobforge_gateway;

--
-- Name: FUNCTION store_artifact(p_tenant_id uuid, p_value jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) TO jobforge_engine;

--
-- Name: FUNCTION store_compiled(p_passport_version_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, p_payload bytea, p_proof bytea, p_proof_root_hash bytea, p_receipt bytea, p_compiler_build_id text, p_issued_at timestamp with time zone, p_signing_key_id text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.store_compiled(p_passport_version_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, p_payload bytea, p_proof bytea, p_proof_root_hash bytea, p_receipt bytea, p_compiler_build_id text, p_issued_at timestamp with time zone, p_signing_key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_compiled(p_passport_version_id uuid, p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid, p_payload bytea, p_proof bytea, p_proof_root_hash bytea, p_receipt bytea, p_compiler_build_id text, p_issued_at timestamp with time zone, p_signing_key_id text) TO jobforge_worker;

--
-- Name: FUNCTION store_facts(p_document_version_id uuid, p_fact_types text[], p_fact_keys text[], p_payloads bytea[], p_places text[], p_numbers jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_facts(p_document_version_id uuid, p_fact_types text[], p_fact_keys text[], p_payloads bytea[], p_places text[], p_numbers jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_facts(p_document_version_id uuid, p_fact_types text[], p_fact_keys text[], p_payloads bytea[], p_places text[], p_numbers jsonb) TO jobforge_worker;

--
-- Name: FUNCTION store_log_head(p_tree_size bigint, p_root_hash bytea, p_frontier bytea[], p_checkpoint text, p_key_id text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_log_head(p_tree_size bigint, p_root_hash bytea, p_frontier bytea[], p_checkpoint text, p_key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_log_head(p_tree_size bigint, p_root_hash bytea, p_frontier bytea[], p_checkpoint text, p_key_id text) TO jobforge_worker;

--
-- Name: FUNCTION store_price_points(p_intake uuid, p_source uuid, p_points jsonb, p_job uuid, OUT inserted integer, OUT updated integer, OUT kept integer, OUT points json); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_price_points(p_intake uuid, p_source uuid, p_points jsonb, p_job uuid, OUT inserted integer, OUT updated integer, OUT kept integer, OUT points json) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_price_points(p_intake uuid, p_source uuid, p_points jsonb, p_job uuid, OUT inserted integer, OUT updated integer, OUT kept integer, OUT points json) TO jobforge_worker;

--
-- Name: FUNCTION store_qr(p_pv uuid, p_qr_payload text, p_qr_png bytea); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.store_qr(p_pv uuid, p_qr_payload text, p_qr_png bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_qr(p_pv uuid, p_qr_payload text, p_qr_png bytea) TO jobforge_worker;

--
-- Name: FUNCTION store_signature(p_pv uuid, p_signature bytea, p_key_id text, p_public_key bytea, p_receipt_signed bytea); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.store_signature(p_pv uuid, p_signature bytea, p_key_id text, p_public_key bytea, p_receipt_signed bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_signature(p_pv uuid, p_signature bytea, p_key_id text, p_public_key bytea, p_receipt_signed bytea) TO jobforge_worker;

--
-- Name: FUNCTION store_test_run(p_run_id uuid, p_rpv uuid, p_seed bigint, p_total integer, p_passed integer, p_failed integer, p_first_failure jsonb); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_test_run(p_run_id uuid, p_rpv uuid, p_seed bigint, p_total integer, p_passed integer, p_failed integer, p_first_failure jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_test_run(p_run_id uuid, p_rpv uuid, p_seed bigint, p_total integer, p_passed integer, p_failed integer, p_first_failure jsonb) TO jobforge_worker;

--
-- Name: FUNCTION store_valuation(p_intake uuid, p_valuation jsonb, p_job uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.store_valuation(p_intake uuid, p_valuation jsonb, p_job uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.store_valuation(p_intake uuid, p_valuation jsonb, p_job uuid) TO jobforge_worker;

--
-- Name: FUNCTION subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_worker;

--
-- Name: FUNCTION take_all_tokens(p_type text, p_tenant_id uuid, p_used integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.take_all_tokens(p_type text, p_tenant_id uuid, p_used integer) FROM PUBLIC;

--
-- Name: FUNCTION take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.take_idempotency_key(p_tenant_id uuid, p_type text, p_key text, p_job_id uuid, p_payload jsonb, p_now timestamp with time zone) TO jobforge_engine;

--
-- Name: FUNCTION take_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_used integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.take_tokens(p_tenant_id uuid, p_type text, p_per_minute integer, p_used integer) FROM PUBLIC;

--
-- Name: FUNCTION take_turn(p_tenant_id uuid, p_what text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.take_turn(p_tenant_id uuid, p_what text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.take_turn(p_tenant_id uuid, p_what text) TO jobforge_engine;

--
-- Name: TABLE access_denials; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.access_denials TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.access_denials TO jobforge_definer;

--
-- Name: FUNCTION tell_access_denied(p_row jobforge.access_denials); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.tell_access_denied(p_row jobforge.access_denials) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tell_access_denied(p_row jobforge.access_denials) TO jobforge_engine;

--
-- Name: FUNCTION tenant_claim_jobs(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_claim_jobs(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tenant_claim_jobs(p_worker text, p_limit integer, p_types text[], p_lease_seconds integer) TO jobforge_gateway;

--
-- Name: FUNCTION tenant_complete_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_result jsonb, OUT state text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_complete_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_result jsonb, OUT state text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tenant_complete_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_result jsonb, OUT state text) TO jobforge_gateway;

--
-- Name: FUNCTION tenant_end_unreadable_jobs(p_worker text, p_types text[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_end_unreadable_jobs(p_worker text, p_types text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tenant_end_unreadable_jobs(p_worker text, p_types text[]) TO jobforge_gateway;

--
-- Name: FUNCTION tenant_fail_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_fail_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tenant_fail_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_error jsonb, p_retry_after double precision, OUT status text, OUT scheduled_at timestamp with time zone) TO jobforge_gateway;

--
-- Name: FUNCTION tenant_heartbeat_jobs(p_worker text, p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_heartbeat_jobs(p_worker text, p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tenant_heartbeat_jobs(p_worker text, p_job_ids uuid[], p_tokens bigint[], p_lease_seconds integer, p_claim_ids uuid[]) TO jobforge_gateway;

--
-- Name: FUNCTION tenant_rows(p_tenant_id uuid, p_tables text[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_rows(p_tenant_id uuid, p_tables text[]) FROM PUBLIC;

--
-- Name: FUNCTION tenant_snooze_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_seconds double precision, OUT state text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_snooze_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_seconds double precision, OUT state text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tenant_snooze_job(p_worker text, p_job_id uuid, p_token bigint, p_claim_id uuid, p_seconds double precision, OUT state text) TO jobforge_gateway;

--
-- Name: FUNCTION tenant_tables(OUT kept text[], OUT data text[], OUT counts text[]); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_tables(OUT kept text[], OUT data text[], OUT counts text[]) FROM PUBLIC;

--
-- Name: FUNCTION tenant_waiting(p_tenant_id uuid, OUT jobs bigint, OUT bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.tenant_waiting(p_tenant_id uuid, OUT jobs bigint, OUT bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION tenant_worker(p_worker text, OUT tenant_id uuid, OUT worker_id text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenant_worker(p_worker text, OUT tenant_id uuid, OUT worker_id text) FROM PUBLIC;

--
-- Name: FUNCTION tenants_with_open_events(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.tenants_with_open_events() FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.tenants_with_open_events() TO jobforge_worker;

--
-- Name: FUNCTION time_text(p_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.time_text(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.time_text(p_at timestamp with time zone) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.time_text(p_at timestamp with time zone) TO jobforge_engine;

--
-- Name: FUNCTION token_floor(); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.token_floor() FROM PUBLIC;

--
-- Name: FUNCTION try_turn(p_tenant_id uuid, p_what text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.try_turn(p_tenant_id uuid, p_what text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.try_turn(p_tenant_id uuid, p_what text) TO jobforge_engine;

--
-- Name: FUNCTION unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[]) TO jobforge_worker;

--
-- Name: FUNCTION upload_document(p_kind text, p_name text, p_content bytea, p_media_type text, p_document_id uuid, p_document_version_id uuid, p_actor_id text, p_trace_id text, OUT document_id uuid, OUT document_version_id uuid, OUT version integer, OUT deduplicated boolean, OUT job_id uuid); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.upload_document(p_kind text, p_name text, p_content bytea, p_media_type text, p_document_id uuid, p_document_version_id uuid, p_actor_id text, p_trace_id text, OUT document_id uuid, OUT document_version_id uuid, OUT version integer, OUT deduplicated boolean, OUT job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.upload_document(p_kind text, p_name text, p_content bytea, p_media_type text, p_document_id uuid, p_document_version_id uuid, p_actor_id text, p_trace_id text, OUT document_id uuid, OUT document_version_id uuid, OUT version integer, OUT deduplicated boolean, OUT job_id uuid) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.upload_document(p_kind text, p_name text, p_content bytea, p_media_type text, p_document_id uuid, p_document_version_id uuid, p_actor_id text, p_trace_id text, OUT document_id uuid, OUT document_version_id uuid, OUT version integer, OUT deduplicated boolean, OUT job_id uuid) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.upload_document(p_kind text, p_name text, p_content bytea, p_media_type text, p_document_id uuid, p_document_version_id uuid, p_actor_id text, p_trace_id text, OUT document_id uuid, OUT document_version_id uuid, OUT version integer, OUT deduplicated boolean, OUT job_id uuid) TO jobforge_worker;

--
-- Name: FUNCTION upload_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb, p_rule_package_version_id uuid, p_actor_id text, OUT rule_package_id uuid, OUT rule_package_version_id uuid, OUT version integer, OUT deduplicated boolean); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.upload_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb, p_rule_package_version_id uuid, p_actor_id text, OUT rule_package_id uuid, OUT rule_package_version_id uuid, OUT version integer, OUT deduplicated boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.upload_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb, p_rule_package_version_id uuid, p_actor_id text, OUT rule_package_id uuid, OUT rule_package_version_id uuid, OUT version integer, OUT deduplicated boolean) TO jobforge_tenant;
GRANT ALL ON FUNCTION jobforge.upload_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb, p_rule_package_version_id uuid, p_actor_id text, OUT rule_package_id uuid, OUT rule_package_version_id uuid, OUT version integer, OUT deduplicated boolean) TO jobforge_gateway;
GRANT ALL ON FUNCTION jobforge.upload_rules(p_package text, p_dsl_source text, p_tests_source text, p_fields jsonb, p_rule_package_version_id uuid, p_actor_id text, OUT rule_package_id uuid, OUT rule_package_version_id uuid, OUT version integer, OUT deduplicated boolean) TO jobforge_worker;

--
-- Name: FUNCTION usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.usage_take(p_tenant_id uuid, p_jobs bigint, p_bytes bigint, p_max_jobs bigint, p_max_bytes bigint) FROM PUBLIC;

--
-- Name: FUNCTION utc_text(p_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.utc_text(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.utc_text(p_at timestamp with time zone) TO jobforge_engine;

--
-- Name: FUNCTION uuid_v7(p_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

REVOKE ALL ON FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) TO jobforge_definer;
GRANT ALL ON FUNCTION jobforge.uuid_v7(p_at timestamp with time zone) TO jobforge_engine;

--
-- Name: FUNCTION version_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.version_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.version_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea) TO jobforge_engine;

--
-- Name: FUNCTION wake(p_type text); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.wake(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobforge.wake(p_type text) TO jobforge_engine;

--
-- Name: FUNCTION wake_for_moved(p_type text, p_scheduled_at timestamp with time zone); Type: ACL; Schema: jobforge; Owner: jobforge_definer
--

REVOKE ALL ON FUNCTION jobforge.wake_for_moved(p_type text, p_scheduled_at timestamp with time zone) FROM PUBLIC;

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
-- Name: FUNCTION worker_tenant(p_worker text); Type: ACL; Schema: jobforge; Owner: jobforge_engine
--

REVOKE ALL ON FUNCTION jobforge.worker_tenant(p_worker text) FROM PUBLIC;

--
-- Name: TABLE access_versions; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.access_versions TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.access_versions TO jobforge_definer;

--
-- Name: TABLE all_jobs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.all_jobs TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.all_jobs TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.all_jobs TO jobforge_gateway;

--
-- Name: TABLE api_requests; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.api_requests TO jobforge_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobforge.api_requests TO jobforge_definer;

--
-- Name: TABLE artifacts; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.artifacts TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.artifacts TO jobforge_definer;

--
-- Name: COLUMN artifacts.media_type; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT UPDATE(media_type) ON TABLE jobforge.artifacts TO jobforge_definer;

--
-- Name: TABLE attempt_records; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.attempt_records TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.attempt_records TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.attempt_records TO jobforge_gateway;

--
-- Name: TABLE battery_products; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.battery_products TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.battery_products TO jobforge_definer;

--
-- Name: SEQUENCE claim_turn; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT USAGE ON SEQUENCE jobforge.claim_turn TO jobforge_engine;

--
-- Name: TABLE collections; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.collections TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.collections TO jobforge_definer;

--
-- Name: TABLE connector_configs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.connector_configs TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.connector_configs TO jobforge_definer;
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
-- Name: TABLE data_snapshots; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.data_snapshots TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.data_snapshots TO jobforge_definer;

--
-- Name: TABLE document_versions; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.document_versions TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.document_versions TO jobforge_definer;

--
-- Name: TABLE documents; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.documents TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.documents TO jobforge_definer;

--
-- Name: TABLE event_log; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.event_log TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.event_log TO jobforge_definer;

--
-- Name: TABLE events; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.events TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.events TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.events TO jobforge_gateway;

--
-- Name: TABLE events_to_log; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.events_to_log TO jobforge_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobforge.events_to_log TO jobforge_definer;

--
-- Name: TABLE fact_sources; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.fact_sources TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.fact_sources TO jobforge_definer;

--
-- Name: TABLE facts; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.facts TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.facts TO jobforge_definer;

--
-- Name: TABLE idempotency_keys; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.idempotency_keys TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.idempotency_keys TO jobforge_definer;

--
-- Name: TABLE intakes; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.intakes TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.intakes TO jobforge_definer;

--
-- Name: TABLE job_artifacts; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.job_artifacts TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.job_artifacts TO jobforge_definer;

--
-- Name: TABLE job_attempts; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.job_attempts TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.job_attempts TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.job_attempts TO jobforge_gateway;

--
-- Name: TABLE job_results; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT ON TABLE jobforge.job_results TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.job_results TO jobforge_engine;
GRANT SELECT ON TABLE jobforge.job_results TO jobforge_gateway;

--
-- Name: TABLE key_pepper; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.key_pepper TO jobforge_engine;

--
-- Name: TABLE log_heads; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.log_heads TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.log_heads TO jobforge_definer;

--
-- Name: TABLE passport_acceptances; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.passport_acceptances TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.passport_acceptances TO jobforge_definer;

--
-- Name: TABLE passport_versions; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.passport_versions TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.passport_versions TO jobforge_definer;

--
-- Name: TABLE passports; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.passports TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.passports TO jobforge_definer;

--
-- Name: TABLE platform_keys; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.platform_keys TO jobforge_engine;

--
-- Name: TABLE platform_reads; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.platform_reads TO jobforge_engine;

--
-- Name: TABLE price_points; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.price_points TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.price_points TO jobforge_definer;

--
-- Name: TABLE rate_buckets; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.rate_buckets TO jobforge_engine;

--
-- Name: TABLE rule_fields; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.rule_fields TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.rule_fields TO jobforge_definer;

--
-- Name: TABLE rule_package_versions; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.rule_package_versions TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.rule_package_versions TO jobforge_definer;

--
-- Name: TABLE rule_packages; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.rule_packages TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.rule_packages TO jobforge_definer;

--
-- Name: TABLE rule_tests_runs; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.rule_tests_runs TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.rule_tests_runs TO jobforge_definer;

--
-- Name: TABLE schedules; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.schedules TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.schedules TO jobforge_definer;
GRANT SELECT ON TABLE jobforge.schedules TO jobforge_gateway;

--
-- Name: TABLE signing_keys; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.signing_keys TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.signing_keys TO jobforge_definer;

--
-- Name: TABLE snapshot_items; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.snapshot_items TO jobforge_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobforge.snapshot_items TO jobforge_definer;

--
-- Name: TABLE tenant_logins; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenant_logins TO jobforge_engine;

--
-- Name: TABLE tenant_measures; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenant_measures TO jobforge_engine;
GRANT SELECT,INSERT ON TABLE jobforge.tenant_measures TO jobforge_definer;

--
-- Name: TABLE tenant_usage; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenant_usage TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.tenant_usage TO jobforge_definer;

--
-- Name: TABLE turns; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.turns TO jobforge_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.turns TO jobforge_definer;

--
-- Name: TABLE valuations; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.valuations TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.valuations TO jobforge_definer;

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
-- Name: TABLE wake_requests; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT INSERT ON TABLE jobforge.wake_requests TO jobforge_definer;
GRANT SELECT,INSERT,DELETE ON TABLE jobforge.wake_requests TO jobforge_engine;

--
-- Name: TABLE webhook_deliveries; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.webhook_deliveries TO jobforge_engine;
GRANT SELECT,INSERT,UPDATE ON TABLE jobforge.webhook_deliveries TO jobforge_definer;

--
-- Name: TABLE webhook_replaced_secrets; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.webhook_replaced_secrets TO jobforge_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobforge.webhook_replaced_secrets TO jobforge_definer;

--
-- Name: TABLE webhook_subscriptions; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.webhook_subscriptions TO jobforge_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobforge.webhook_subscriptions TO jobforge_definer;

--
-- Name: TABLE workers; Type: ACL; Schema: jobforge; Owner: jobforge_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobforge.workers TO jobforge_engine;

--
-- PostgreSQL database dump complete
--

