select jobforge.store_log_head($1, $2, $3, $4, $5)::text
