select jobforge.cancel_job($1, $2)
