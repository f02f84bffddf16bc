select pg_catalog.row_to_json(a), a.lease_token::text
from jobforge.get_job($1) j
left join lateral jobforge.list_attempts(j.job_id, p_limit => $2, p_after => $3) a on true
