do $$
declare
    v_role text;
    v_roles text := '';
    v_creators text := '';
begin
    foreach v_role in array array['jobforge_owner', 'jobforge_definer', 'jobforge_engine'] loop
        if exists (select from pg_catalog.pg_roles r where r.rolname = v_role)
            and not pg_catalog.pg_has_role(current_user, v_role, 'usage') then
            execute pg_catalog.format('grant %I to current_user', v_role);
            v_roles := v_roles || ' ' || v_role;
        end if;
    end loop;
    if exists (select from pg_catalog.pg_namespace n where n.nspname = 'jobforge')
        and not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
        foreach v_role in array array['jobforge_definer', 'jobforge_engine'] loop
            if not pg_catalog.has_schema_privilege(v_role, 'jobforge', 'create') then
                execute pg_catalog.format('grant create on schema jobforge to %I', v_role);
                v_creators := v_creators || ' ' || v_role;
            end if;
        end loop;
    end if;
    perform pg_catalog.set_config('jobforge.lent_roles', v_roles, true);
    perform pg_catalog.set_config('jobforge.lent_creators', v_creators, true);
end
$$
