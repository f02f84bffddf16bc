select inserted, updated, kept, points from jobforge.store_price_points($1, $2, $3, $4)
