-- Whether there is another tenant whose jobs could want the slots that one tenant's jobs would fill.
-- Workers ask with each look.
create or replace function jobforge.has_several_tenants() returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select count(*) > 1 from (select from jobforge.tenants t where t.status = 'ACTIVE' limit 2) t
$$;
alter function jobforge.has_several_tenants owner to jobforge_engine;
revoke execute on function jobforge.has_several_tenants from public;
grant execute on function jobforge.has_several_tenants to jobforge_worker;
