select jobforge.store_test_run($1, $2, $3, $4, $5, $6, $7)
