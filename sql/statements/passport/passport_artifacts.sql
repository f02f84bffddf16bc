select payload_canonical, proof_canonical, receipt_signed, qr_payload, qr_png, signing_key_id,
    signing_key_public
from jobforge.passport_artifacts($1)
