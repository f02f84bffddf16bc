select 1 from pg_catalog.pg_database where datname = $1
