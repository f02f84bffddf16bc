select pg_catalog.pg_has_role(session_user, 'jobforge_gateway', 'usage'), session_user::text
