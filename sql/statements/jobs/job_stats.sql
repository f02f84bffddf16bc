select * from jobforge.job_stats()
