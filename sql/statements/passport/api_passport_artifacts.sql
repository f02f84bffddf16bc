select payload_canonical, proof_canonical, receipt_signed, qr_png
from jobforge.passport_artifacts($1)
