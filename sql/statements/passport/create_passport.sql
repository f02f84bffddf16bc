select jobforge.create_passport($1, $2, $3)
