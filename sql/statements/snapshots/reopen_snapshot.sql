select jobforge.reopen_snapshot($1, $2)::text
