select payload_schema from jobforge.get_job_type($1)
