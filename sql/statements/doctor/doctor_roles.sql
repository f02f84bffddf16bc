select r.name, e.rolname is not null as present, coalesce(e.rolcanlogin or e.rolsuper
    or e.rolbypassrls, false) as too_much, coalesce(pg_catalog.pg_has_role(current_user, e.oid,
    'usage'), false) as member, current_user::text as login,
    (select c.rolsuper from pg_catalog.pg_roles c where c.rolname = current_user) as superuser
from pg_catalog.unnest(array['jobforge_owner', 'jobforge_definer', 'jobforge_engine',
    'jobforge_worker', 'jobforge_gateway', 'jobforge_tenant', 'jobforge_observer']) r(name)
left join pg_catalog.pg_roles e on e.rolname = r.name
