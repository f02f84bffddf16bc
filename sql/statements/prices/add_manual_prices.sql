select jobforge.add_manual_prices($1, $2, $3, $4)
