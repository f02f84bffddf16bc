select jobforge.reschedule_job($1, $2, $3, $4)
