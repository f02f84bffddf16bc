-- The steps of SIGN_PASSPORT and GENERATE_QR. Those that write run as jobforge_engine (store_compiled
-- says why).
create or replace function jobforge.passport_to_sign(p_pv uuid, out status text, out receipt_canonical bytea,
    out receipt_hash bytea, out signing_key_id text, out signature bytea)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

-- COMPILING -> SIGNED, PASSPORT_SIGNED, and GENERATE_QR (key qr-<version>, priority 2). False when it
-- bears this signature by this key already. Errors: NOT_FOUND, INVALID_PASSPORT_STATUS,
-- INVALID_SIGNING_KEY (the key id belongs to another public key, or is not the receipt's).
create or replace function jobforge.store_signature(p_pv uuid, p_signature bytea, p_key_id text,
    p_public_key bytea, p_receipt_signed bytea) returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

-- Remembers the public half of a key id; the id of another key is refused.
create or replace function jobforge.keep_signing_key(p_tenant_id uuid, p_key_id text, p_public_key bytea)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
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

create or replace function jobforge.passport_for_qr(p_pv uuid, out status text, out receipt_signed bytea,
    out qr_payload text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

-- The QR code of a SIGNED version, QR_GENERATED. False when it has this one already, whatever its
-- status is by now. Another one, or no SIGNED version: INVALID_PASSPORT_STATUS.
create or replace function jobforge.store_qr(p_pv uuid, p_qr_payload text, p_qr_png bytea) returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
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

-- The small columns of a passport version, its row locked. NOT_FOUND.
create or replace function jobforge.lock_passport_version(p_tenant_id uuid, p_pv uuid, out status text,
    out passport_id uuid, out signing_key_id text, out signature bytea, out qr_payload text,
    out revocation_reason text)
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
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

create or replace function jobforge.raise_passport_status(p_pv uuid, p_status text, p_deed text,
    p_needed text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('INVALID_PASSPORT_STATUS',
        format('passport version %s is %s and cannot be %s', p_pv, p_status, p_deed),
        format('It must be %s.', p_needed));
end
$$;
alter function jobforge.passport_to_sign owner to jobforge_definer;
alter function jobforge.store_signature owner to jobforge_engine;
alter function jobforge.keep_signing_key owner to jobforge_definer;
alter function jobforge.passport_for_qr owner to jobforge_definer;
alter function jobforge.store_qr owner to jobforge_engine;
alter function jobforge.lock_passport_version owner to jobforge_definer;
alter function jobforge.raise_passport_status owner to jobforge_definer;
revoke execute on function jobforge.passport_to_sign, jobforge.store_signature, jobforge.keep_signing_key,
    jobforge.passport_for_qr, jobforge.store_qr, jobforge.lock_passport_version,
    jobforge.raise_passport_status from public;
grant execute on function jobforge.keep_signing_key, jobforge.lock_passport_version,
    jobforge.raise_passport_status to jobforge_engine;
grant execute on function jobforge.passport_to_sign, jobforge.store_signature, jobforge.passport_for_qr,
    jobforge.store_qr to jobforge_worker;
