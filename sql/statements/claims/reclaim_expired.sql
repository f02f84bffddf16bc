select jobforge.reclaim_expired(null)
