-- doctor_session_defaults of the other logins that have a role of ours: each session begins with its
-- login's.
select r.rolname::text, c.name, c.value
from pg_catalog.pg_db_role_setting s
join pg_catalog.pg_roles r on r.oid = s.setrole
cross join lateral (select pg_catalog.split_part(e.entry, '=', 1) as name,
    pg_catalog.substr(e.entry, pg_catalog.strpos(e.entry, '=') + 1) as value
    from pg_catalog.unnest(s.setconfig) e(entry)) c
where r.rolname <> current_user and s.setdatabase
    in (0, (select d.oid from pg_catalog.pg_database d
    where d.datname = pg_catalog.current_database())) and c.name
    in ('default_transaction_isolation', 'default_transaction_read_only', 'row_security',
    'statement_timeout', 'lock_timeout', 'idle_session_timeout',
    'idle_in_transaction_session_timeout', 'transaction_timeout')
    and exists (select from pg_catalog.pg_roles m where m.rolname
    in ('jobforge_owner', 'jobforge_worker', 'jobforge_gateway', 'jobforge_tenant',
    'jobforge_observer') and pg_catalog.pg_has_role(r.oid, m.oid, 'member'))
order by 1, 2
