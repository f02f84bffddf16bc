select jobforge.prune_finished(1000)
