select jobforge.store_api_response($1, $2, $3, $4, $5, $6)::text
