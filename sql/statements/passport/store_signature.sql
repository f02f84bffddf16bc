select jobforge.store_signature($1, $2, $3, $4, $5)
