-- Repeated after a lost answer it is a success: it answers SETTLED then.
select jobforge.tenant_snooze_job($1, $2, $3, $4, $5)
