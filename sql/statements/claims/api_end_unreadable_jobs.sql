select jobforge.tenant_end_unreadable_jobs($1, $2)
