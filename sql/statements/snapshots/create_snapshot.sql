select jobforge.create_snapshot($1, $2, $3)
