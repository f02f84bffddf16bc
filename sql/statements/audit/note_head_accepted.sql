select jobforge.note_head_accepted($1, nullif($2, ''::bytea), $3, $4, $5, $6)
