select snapshot_canonical from jobforge.get_snapshot($1)
