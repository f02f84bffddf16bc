select jobforge.revoke_platform_key($1, $2)::text
