select jobforge.prune_workers()
