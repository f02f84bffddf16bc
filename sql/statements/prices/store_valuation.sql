select jobforge.store_valuation($1, $2, $3)::text
