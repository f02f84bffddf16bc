-- The newest migration of this database: what a program compares with the one it was built with
-- (src/engine/schema/schema_check.h). Owned by the owner role, which alone reads the table.
create or replace function jobforge.schema_version() returns text
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select m.name from jobforge.migrations m order by m.name collate "C" desc limit 1
$$;
alter function jobforge.schema_version owner to jobforge_owner;
revoke execute on function jobforge.schema_version from public;
grant execute on function jobforge.schema_version
    to jobforge_worker, jobforge_gateway, jobforge_observer, jobforge_owner, jobforge_tenant;
