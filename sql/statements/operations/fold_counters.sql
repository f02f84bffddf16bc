select jobforge.fold_counters()
