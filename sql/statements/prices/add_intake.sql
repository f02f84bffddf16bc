select jobforge.add_intake($1, $2)
