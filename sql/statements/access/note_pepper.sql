select jobforge.note_pepper($1, $2)::text
