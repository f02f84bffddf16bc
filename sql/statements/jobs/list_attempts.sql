select * from jobforge.list_attempts($1)
