do $$
declare
    v_role text;
begin
    foreach v_role in array pg_catalog.regexp_split_to_array(
        pg_catalog.btrim(pg_catalog.current_setting('jobforge.lent_creators')), ' +') loop
        if v_role <> '' then
            execute pg_catalog.format('revoke create on schema jobforge from %I', v_role);
        end if;
    end loop;
    foreach v_role in array pg_catalog.regexp_split_to_array(
        pg_catalog.btrim(pg_catalog.current_setting('jobforge.lent_roles')), ' +') loop
        if v_role <> '' then
            execute pg_catalog.format('revoke %I from current_user', v_role);
        end if;
    end loop;
end
$$
