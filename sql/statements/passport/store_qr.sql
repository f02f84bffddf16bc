select jobforge.store_qr($1, $2, $3)
