select jobforge.save_source($1, $2)
