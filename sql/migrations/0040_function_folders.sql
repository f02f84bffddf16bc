-- The files of functions lie in folders by subject, under new names: the old names are forgotten, so that
-- `jobforge migrate` does not report them as functions that this program does not have.
do $$
begin
    if pg_catalog.to_regclass('jobforge.function_sources') is not null then
        delete from jobforge.function_sources where name not like '%/%';
    end if;
end
$$;
