select jobforge.register_worker($1, $2, $3, $4, $5, $6)
