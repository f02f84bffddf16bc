select jobforge.revoke_passport_version($1, $2, $3)::text
