-- A session with row_security = off gets SQLSTATE 42501 instead of rows wherever a policy applies, in
-- definer functions too. Each of them therefore switches it on for itself. Here for all of them: a
-- new one must not be forgotten.
do $$
declare
    v_function record;
begin
    for v_function in
        select p.oid::pg_catalog.regprocedure as name from pg_catalog.pg_proc p
        where p.pronamespace = 'jobforge'::pg_catalog.regnamespace and p.prosecdef
            and not coalesce('row_security=on' = any (p.proconfig), false)
    loop
        execute pg_catalog.format('alter function %s set row_security = on', v_function.name);
    end loop;
end
$$;
