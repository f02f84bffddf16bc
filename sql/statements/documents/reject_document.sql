select jobforge.reject_document($1, $2)::text
