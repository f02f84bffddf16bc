-- The tenant this connection may act for, or NULL: then nothing is visible.
--
-- A login bound in tenant_logins has that tenant, whatever app.tenant_id says. A gateway or worker
-- login serves many tenants and says which in app.tenant_id ('' and unset both mean none: the
-- setting is '' after a transaction that set it, FACTS). Everybody else has no tenant. Text that is
-- not a uuid is VALIDATION_ERROR. Every statement of a tenant comes by here, each table's policy once
-- more: the usual spelling is told by two cheap looks, and only others are matched with the pattern
-- of all that uuid's input function accepts.
-- session_user, not current_user: inside a definer function current_user is the definer.
create or replace function jobforge.current_tenant() returns uuid
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid;
    v_named text;
begin
    select l.tenant_id into v_tenant_id
    from jobforge.tenant_logins l where l.login_role = session_user;
    if found then
        return v_tenant_id;
    end if;
    if pg_has_role(session_user, 'jobforge_gateway', 'member')
        or pg_has_role(session_user, 'jobforge_worker', 'member') then
        v_named := nullif(current_setting('app.tenant_id', true), '');
        if (v_named like '________-____-____-____-____________'
                and translate(v_named, '0123456789abcdefABCDEF', '') = '----') is false
            and v_named !~ '^(([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}|\{([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}\})$' then
            perform jobforge.raise_error('VALIDATION_ERROR',
                format('the setting app.tenant_id is %L, which is not a uuid', left(v_named, 100)),
                'Set it to the id of a tenant.');
        end if;
        return v_named::uuid;
    end if;
    return null;
end
$$;
alter function jobforge.current_tenant owner to jobforge_engine;
revoke execute on function jobforge.current_tenant from public;
grant execute on function jobforge.current_tenant
    to jobforge_definer, jobforge_tenant, jobforge_gateway, jobforge_worker, jobforge_owner, jobforge_observer;
