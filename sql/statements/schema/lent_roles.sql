select coalesce(pg_catalog.string_agg(
    pg_catalog.format('revoke %I from current_user;', r.name), ' '), '')
from pg_catalog.regexp_split_to_table(
    pg_catalog.btrim(pg_catalog.current_setting('jobforge.lent_roles')), ' +') r(name)
where r.name <> ''
