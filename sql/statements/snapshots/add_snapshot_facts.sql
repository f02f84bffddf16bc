select jobforge.add_snapshot_facts($1, $2, $3, $4)
