select jobforge.note_delivery($1, $2, $3, $4, $5, $6, $7)::text
