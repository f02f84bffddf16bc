-- Repeated after a lost answer it is a success: it answers SETTLED then.
select f.status, pg_catalog.row_to_json(f)
from jobforge.tenant_fail_job($1, $2, $3, $4, $5, $6) f
