select * from jobforge.get_job($1)
