select pg_catalog.quote_ident($1), pg_catalog.pg_has_role($1::name, 'jobforge_tenant', 'member')
