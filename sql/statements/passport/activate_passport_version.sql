select jobforge.activate_passport_version($1, $2, $3)
