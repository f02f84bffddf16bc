select *
from jobforge.list_jobs(p_status => $1, p_type => $2, p_limit => $3, p_before => $4,
    p_error_code => $5, p_created_after => $6, p_created_before => $7)
