select status, receipt_signed, qr_payload from jobforge.passport_for_qr($1)
