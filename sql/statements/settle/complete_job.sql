select jobforge.complete_job($1, $2, $3, $4, $6, $5)
