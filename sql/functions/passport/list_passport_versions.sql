-- Passport versions without their bytes (sizes instead), newest first. octet_length of a compressed
-- value is known without reading it.
create or replace function jobforge.list_passport_versions(p_passport_id uuid default null,
    p_status text default null, p_limit integer default 50, p_before uuid default null)
    returns table (passport_version_id uuid, passport_id uuid, version_number integer,
        battery_product_id uuid, sku text, name text, snapshot_id uuid, rule_package_version_id uuid,
        status text, payload_hash bytea, proof_root_hash bytea, receipt_hash bytea, compiler_build_id text,
        issued_at timestamptz, signing_key_id text, signature bytea, qr_payload text, payload_bytes integer,
        proof_bytes integer, receipt_bytes integer, qr_png_bytes integer, created_at timestamptz,
        signed_at timestamptz, activated_at timestamptz, superseded_at timestamptz, revoked_at timestamptz,
        revocation_reason text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
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

-- One version as in the list, and what its document says of itself (version_findings).
drop function if exists jobforge.get_passport_version(uuid);
create or replace function jobforge.get_passport_version(p_pv uuid)
    returns table (passport_version_id uuid, passport_id uuid, version_number integer,
        battery_product_id uuid, sku text, name text, snapshot_id uuid, rule_package_version_id uuid,
        status text, payload_hash bytea, proof_root_hash bytea, receipt_hash bytea, compiler_build_id text,
        issued_at timestamptz, signing_key_id text, signature bytea, qr_payload text, payload_bytes integer,
        proof_bytes integer, receipt_bytes integer, qr_png_bytes integer, created_at timestamptz,
        signed_at timestamptz, activated_at timestamptz, superseded_at timestamptz, revoked_at timestamptz,
        revocation_reason text, findings json)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
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

-- The bytes of a passport version, for replay, export and the public page.
create or replace function jobforge.passport_artifacts(p_pv uuid)
    returns table (payload_canonical bytea, proof_canonical bytea, receipt_canonical bytea,
        receipt_signed bytea, qr_payload text, qr_png bytea, signing_key_id text, signing_key_public bytea)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

create or replace function jobforge.list_signing_keys()
    returns table (key_id text, public_key bytea, created_at timestamptz, retired_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select k.key_id, k.public_key, k.created_at, k.retired_at from jobforge.signing_keys k
    where k.tenant_id = v_tenant_id order by k.created_at, k.key_id;
end
$$;
alter function jobforge.list_passport_versions owner to jobforge_definer;
alter function jobforge.get_passport_version owner to jobforge_definer;
alter function jobforge.passport_artifacts owner to jobforge_definer;
alter function jobforge.list_signing_keys owner to jobforge_definer;
revoke execute on function jobforge.list_passport_versions, jobforge.get_passport_version,
    jobforge.passport_artifacts, jobforge.list_signing_keys from public;
grant execute on function jobforge.list_passport_versions, jobforge.get_passport_version,
    jobforge.passport_artifacts, jobforge.list_signing_keys
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
