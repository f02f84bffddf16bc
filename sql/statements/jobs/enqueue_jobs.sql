select e.job_id, e.deduplicated
from jobforge.enqueue_jobs($1, $2, $3::integer[], $4::timestamptz[], $5::text[], $6::integer[],
    $7::text[], $8) e
order by e.ordinal
