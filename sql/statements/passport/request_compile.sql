select passport_version_id, issued_at, job_id
from jobforge.request_compile($1, $2, $3, $4, p_issued_at => $5, p_passport_version_id => $6,
    p_actor_id => $7)
