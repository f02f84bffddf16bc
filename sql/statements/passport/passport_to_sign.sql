select receipt_canonical, signing_key_id from jobforge.passport_to_sign($1)
