-- A function that does not exist is no error here: to_regprocedure answers NULL.
select pg_catalog.to_regprocedure('jobforge.schema_version()') is not null as present
