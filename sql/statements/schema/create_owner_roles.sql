-- The schema must have its owner before the first migration, which gives objects to that role.
do $$
declare
    v_role text;
begin
    foreach v_role in array array['jobforge_owner', 'jobforge_definer', 'jobforge_engine'] loop
        if not exists (select from pg_catalog.pg_roles r where r.rolname = v_role) then
            begin
                execute pg_catalog.format('create role %I nologin', v_role);
            exception when duplicate_object or unique_violation then
                null;  -- another database of this server made it at the same moment
            end;
        end if;
    end loop;
end
$$
