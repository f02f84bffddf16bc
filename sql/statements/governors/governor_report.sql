select jobforge.governor_report($1, $2, $3, $4, $5)
