-- COMPILING -> SIGNED -> ACTIVE -> SUPERSEDED; SIGNED, ACTIVE, SUPERSEDED -> REVOKED. The QR code
-- comes while SIGNED. Artefacts are set once: the signature with SIGNED, the QR code once, and the
-- rest at birth, where CHECKs compare them with their hashes. Completeness of each status is a CHECK,
-- one ACTIVE per passport a unique index.
create or replace function jobforge.guard_passport_version() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
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
alter function jobforge.guard_passport_version owner to jobforge_owner;
revoke execute on function jobforge.guard_passport_version from public;
-- Conditions stand in the triggers where they can: to call the function with a new row copies the row
-- three times, 280 KB each, and a statement that does not name an artefact cannot change one.
create or replace trigger passport_versions_guard before update on jobforge.passport_versions
    for each row execute function jobforge.guard_passport_version();
create or replace trigger passport_versions_guard_artefacts
    before update of payload_canonical, proof_canonical, receipt_canonical on jobforge.passport_versions
    for each row when ((new.payload_canonical, new.proof_canonical, new.receipt_canonical)
        is distinct from (old.payload_canonical, old.proof_canonical, old.receipt_canonical))
    execute function jobforge.guard_passport_version();
create or replace trigger passport_versions_guard_birth before insert on jobforge.passport_versions
    for each row when (new.status <> 'COMPILING') execute function jobforge.guard_passport_version();
