-- What anybody may know of a passport version whose id he has read from a battery: no key, no tenant.
-- No row: there is none, or it was never signed. Runs as the engine, because the tenant is not known.
--
-- `fields` are those that the signed payload itself marks as public, in the order of the rules:
-- [{"path", "value"}]. Nothing else of the payload leaves this function.
--
-- An id is unique within a tenant only, and a tenant may choose it. Who copies another's id comes
-- later: the first row is the one that was printed.
create or replace function jobforge.public_passport(p_pv uuid)
    returns table (status text, product_name text, issued_at timestamptz, superseded_at timestamptz,
        revoked_at timestamptz, revocation_reason text, payload_hash text, proof_root_hash text,
        receipt_hash text, signing_key_id text, qr_payload text, fields json)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_version record;
    v_payload json;
begin
    select v.tenant_id, v.rule_package_version_id, v.status, v.issued_at, v.superseded_at, v.revoked_at,
        v.revocation_reason, v.payload_canonical, v.payload_hash, v.proof_root_hash, v.receipt_hash,
        v.signing_key_id, v.signature, v.qr_payload
    into v_version from jobforge.passport_versions v
    where v.passport_version_id = p_pv order by v.created_at, v.tenant_id limit 1;
    if not found or v_version.signature is null then
        return;
    end if;
    v_payload := convert_from(v_version.payload_canonical, 'UTF8');
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
            where a.value = 'public');
end
$$;
alter function jobforge.public_passport owner to jobforge_engine;
revoke execute on function jobforge.public_passport from public;
grant execute on function jobforge.public_passport to jobforge_gateway;
