select j.job_id from jobforge.list_jobs(p_status => 'RUNNING', p_limit => 1000) j
