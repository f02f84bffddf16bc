select jobforge.seal_snapshot($1, $2)
