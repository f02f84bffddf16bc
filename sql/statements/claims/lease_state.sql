select jobforge.lease_state($1, $2, $3, $4, $5)
