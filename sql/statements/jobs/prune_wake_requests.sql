select jobforge.prune_wake_requests()
