select taken, log_length from jobforge.grow_event_log()
