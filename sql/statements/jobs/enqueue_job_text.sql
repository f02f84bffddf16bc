-- For a connection whose parameters are texts.
select e.job_id::text, e.deduplicated::text
from jobforge.enqueue_job($1, $2::jsonb, $3::integer, $4::timestamptz, $5, $6::integer, $7) e
