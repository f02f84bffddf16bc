select jobforge.create_product($1, $2, $3, $4)
