select jobforge.remove_access_policy($1, $2)::text
