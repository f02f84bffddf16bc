select jobforge.bind_login($1, $2::name)::text
