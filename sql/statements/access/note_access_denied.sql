select jobforge.note_access_denied($1, $2, $3)::text
