-- The hashes of a passport's artefacts are compared when it is born and not again at every update:
-- no artefact changes later (guard_passport_version), and hashing a proof once more for the
-- signature and once more for the QR code took a tenth of the server's time for a passport.
--
-- Safe while workers of the version before run: whatever passed the old constraints passes these,
-- so nothing needs to be read again under the lock.
alter table jobforge.passport_versions
    drop constraint passport_versions_payload_hash_matches,
    drop constraint passport_versions_proof_hash_matches,
    drop constraint passport_versions_receipt_hash_matches,
    add constraint passport_versions_payload_hash_matches
        check (status <> 'COMPILING' or payload_hash = pg_catalog.sha256(payload_canonical)) not valid,
    add constraint passport_versions_proof_hash_matches
        check (status <> 'COMPILING' or proof_sha256 = pg_catalog.sha256(proof_canonical)) not valid,
    add constraint passport_versions_receipt_hash_matches
        check (status <> 'COMPILING' or receipt_hash = pg_catalog.sha256(receipt_canonical)) not valid;
alter table jobforge.passport_versions validate constraint passport_versions_payload_hash_matches;
alter table jobforge.passport_versions validate constraint passport_versions_proof_hash_matches;
alter table jobforge.passport_versions validate constraint passport_versions_receipt_hash_matches;
