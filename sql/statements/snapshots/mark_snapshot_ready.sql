select jobforge.mark_snapshot_ready($1)
