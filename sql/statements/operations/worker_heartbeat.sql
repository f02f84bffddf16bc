select jobforge.worker_heartbeat($1, $2, $3)
