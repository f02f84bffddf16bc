select jobforge.read_payload($1, $2, $3)
