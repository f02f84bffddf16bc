select jobforge.remove_snapshot_fact($1, $2, $3)::text
