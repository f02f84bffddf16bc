select pg_catalog.json_build_object('job_id', $1::uuid, 'status', 'QUEUED', 'scheduled_at',
    jobforge.reschedule_job($1, $2, $3, $4))
