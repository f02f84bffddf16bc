-- The steps of PARSE_FACTS, for workers: read the bytes, then store the facts or the rejection.
create or replace function jobforge.document_to_parse(p_document_version_id uuid, out kind text,
    out media_type text, out status text, out content bytea, out content_sha256 bytea)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

-- Stores what a document says: UPLOADED -> VALIDATED, FACTS_PARSED. A fact that is known already (same
-- type, key and bytes) is not stored twice, only its source. Answers how many facts the document
-- says. Repeated: nothing new. A REJECTED document: DOCUMENT_REJECTED.
-- Facts go in by key order: two documents with the same facts wait for each other, never in a circle.
--
-- p_numbers: for each fact an array of the JSON pointers whose strings are numbers in the document.
-- Workers of earlier releases leave it out.
--
-- The stored facts are looked up one by one by their key: as a join, on a table whose statistics say
-- "empty", every fact was compared with every other (50,000 facts: over ten minutes).
drop function if exists jobforge.store_facts(uuid, text[], text[], bytea[], text[]);
create or replace function jobforge.store_facts(p_document_version_id uuid, p_fact_types text[],
    p_fact_keys text[], p_payloads bytea[], p_places text[], p_numbers jsonb default null)
    returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off as $$
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
$$;

-- UPLOADED -> REJECTED with the reason and its place: {"code", "message", "pointer" or "line" ...}.
create or replace function jobforge.reject_document(p_document_version_id uuid, p_rejection jsonb)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

create or replace function jobforge.lock_document_version(p_tenant_id uuid, p_document_version_id uuid)
    returns text
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
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
alter function jobforge.document_to_parse owner to jobforge_definer;
alter function jobforge.store_facts owner to jobforge_definer;
alter function jobforge.reject_document owner to jobforge_definer;
alter function jobforge.lock_document_version owner to jobforge_definer;
revoke execute on function jobforge.document_to_parse, jobforge.store_facts, jobforge.reject_document,
    jobforge.lock_document_version from public;
grant execute on function jobforge.document_to_parse, jobforge.store_facts, jobforge.reject_document
    to jobforge_worker;
