select jobforge.snooze_job($1, $2, $3, $4, $6, $5)
