select event_seq, event_id from jobforge.audit_waiting($1, $2)
