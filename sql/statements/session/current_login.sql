select pg_catalog.quote_ident(current_user) as login
