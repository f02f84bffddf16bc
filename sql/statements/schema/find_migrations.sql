select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n
    on n.oid = c.relnamespace where n.nspname = 'jobforge' and c.relname = 'function_sources')
