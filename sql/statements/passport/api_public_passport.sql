select p.status, p.product_name, pg_catalog.to_char(p.issued_at at time zone 'UTC',
    'YYYY-MM-DD'), pg_catalog.to_char(p.superseded_at at time zone 'UTC', 'YYYY-MM-DD'),
    pg_catalog.to_char(p.revoked_at at time zone 'UTC', 'YYYY-MM-DD'), p.revocation_reason,
    p.payload_hash, p.proof_root_hash, p.receipt_hash, p.signing_key_id, p.qr_payload, p.fields,
    p.passport_id, p.passport_version_id, p.version_number, p.current, p.signature,
    p.signing_key_public, p.receipt_is_of_version, p.findings, p.versions
from jobforge.public_passport($1) p
