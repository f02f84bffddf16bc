select jobforge.explain_job($1)
