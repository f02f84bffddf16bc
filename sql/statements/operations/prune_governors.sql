select jobforge.prune_governors()
