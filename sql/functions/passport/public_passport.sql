-- What is public of a passport whose id was read from a battery: no key, no tenant. No row:
-- there is none, or it was never signed. Runs as the engine, because the tenant is not known.
--
-- p_id is the id of a version, or that of a passport, which is printed on the battery and leads to its
-- ACTIVE version; without one, to the version that was active last; without one, to the newest that is
-- signed. `current` is the passport's ACTIVE version.
--
-- `fields` are those that the signed payload itself marks as public, in the order of the rules:
-- [{"path", "value"}]. `findings` are public_findings; `versions` are all signed versions of the
-- passport with their hashes, so that the page can say to which of them a printed code belongs.
-- Nothing else of the payload leaves this function.
--
-- An id is unique within a tenant only, and a tenant may choose it. A tenant that copies another's id comes
-- later: the first row is the one that was printed.
drop function if exists jobforge.public_passport(uuid);
create or replace function jobforge.public_passport(p_id uuid)
    returns table (status text, product_name text, issued_at timestamptz, superseded_at timestamptz,
        revoked_at timestamptz, revocation_reason text, payload_hash text, proof_root_hash text,
        receipt_hash text, signing_key_id text, qr_payload text, fields json, passport_id uuid,
        passport_version_id uuid, version_number integer, current uuid, signature bytea,
        signing_key_public bytea, receipt_is_of_version boolean, findings json, versions json)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

-- The compliance entries for everybody: {"counts": {status: number}, "entries": [{"id", "status",
-- "evidence", "reason", "accepted_on"}]}, those that fail or warn.
--
-- An entry's texts are shown only where the rules say them literally (their node of the proof is a
-- CONST): a text that rules compute may hold a value that is not public. Otherwise they are null.
-- The person who accepted an entry is for the tenant only; that and why it was accepted is public.
create or replace function jobforge.public_findings(p_tenant_id uuid, p_pv uuid, p_payload bytea,
    p_proof bytea) returns json
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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
alter function jobforge.public_passport owner to jobforge_engine;
alter function jobforge.public_findings owner to jobforge_engine;
revoke execute on function jobforge.public_passport, jobforge.public_findings from public;
grant execute on function jobforge.public_passport to jobforge_gateway;
