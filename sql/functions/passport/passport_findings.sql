-- What a compiled document says of itself: the compliance entries of its payload, and which failing
-- ones were accepted.
--
-- The statuses are a closed set: PASS, FAIL, WARN, PENDING, NOT_APPLICABLE. Rules cannot compute any
-- other. What an earlier release compiled may hold one; it counts as failing, because it is unknown
-- whether it is harmless. So does an entry without a member, and a payload without a list of entries (as
-- one entry without an id, which cannot be accepted).
create or replace function jobforge.payload_findings(p_payload bytea)
    returns table (entry integer, finding_id text, status text, evidence text, failing boolean)
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
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

-- {"counts": {status: number}, "entries": [...]}: the entries that fail or warn, in the order of the
-- payload, each with its acceptance or null. UNKNOWN counts what has no status of the closed set.
create or replace function jobforge.version_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea)
    returns json
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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

-- Which failing entries p_accepted, [{"id", "reason"}], accepts. Where entries share an id, the first
-- acceptance of it is for the first of them, and so on: each needs its own. VALIDATION_ERROR for an
-- acceptance that has no entry.
create or replace function jobforge.match_acceptances(p_pv uuid, p_payload bytea, p_accepted jsonb)
    returns table (entry integer, finding_id text, status text, evidence text, reason text)
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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

-- COMPLIANCE_FAILED unless p_accepted has a reason for each failing entry of the version; details
-- {"findings": [{"id", "status", "evidence"}]} are those without. What is accepted is kept, with an
-- event for each.
create or replace function jobforge.accept_findings(p_tenant_id uuid, p_pv uuid, p_accepted jsonb,
    p_actor_id text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
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
alter function jobforge.payload_findings owner to jobforge_definer;
alter function jobforge.version_findings owner to jobforge_definer;
alter function jobforge.match_acceptances owner to jobforge_definer;
alter function jobforge.accept_findings owner to jobforge_definer;
revoke execute on function jobforge.payload_findings, jobforge.version_findings, jobforge.match_acceptances,
    jobforge.accept_findings from public;
grant execute on function jobforge.payload_findings, jobforge.version_findings to jobforge_engine;
