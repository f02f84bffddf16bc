select pg_catalog.json_build_object('job_id', j.job_id, 'status', j.status, 'result', j.result,
    'artifact_ref', j.result_ref, 'last_error', j.last_error, 'completed_at', j.completed_at)
from jobforge.get_job($1) j
