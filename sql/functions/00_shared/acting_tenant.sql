-- The tenant for which something is about to be changed: known and active, else FORBIDDEN. Readers
-- and handlers use require_tenant: a suspended tenant may look, and its begun work ends.
drop function if exists jobforge.acting_tenant();
create or replace function jobforge.acting_tenant(p_tenant_id uuid default null) returns uuid
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    return (select c.tenant_id from jobforge.enqueue_context(p_tenant_id) c);
end
$$;

create or replace function jobforge.check_page(p_limit integer, p_max integer default 1000) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_limit is null or p_limit not between 1 and p_max then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('limit %s is not between 1 and %s', p_limit, p_max), '');
    end if;
end
$$;

create or replace function jobforge.check_one_of(p_what text, p_value text, p_known text[]) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_value is null or p_value <> all(p_known) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%L is not a %s', coalesce(p_value, ''), p_what),
            'Known: ' || array_to_string(p_known, ', ') || '.');
    end if;
end
$$;

-- A filter: NULL lets everything through. A misspelt one would answer an empty list.
create or replace function jobforge.check_filter(p_what text, p_value text, p_known text[]) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_value is not null then
        perform jobforge.check_one_of(p_what, p_value, p_known);
    end if;
end
$$;

create or replace function jobforge.check_length(p_what text, p_value text, p_min integer, p_max integer)
    returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_value is null or length(p_value) not between p_min and p_max then
        perform jobforge.raise_error('VALIDATION_ERROR', format('%s has %s to %s characters, not %s',
            p_what, p_min, p_max, coalesce(length(p_value)::text, 'none')), '');
    end if;
end
$$;

create or replace function jobforge.raise_not_found(p_what text, p_id text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('NOT_FOUND', format('there is no %s %s', p_what, coalesce(p_id, 'NULL')), '');
end
$$;
alter function jobforge.acting_tenant owner to jobforge_definer;
alter function jobforge.check_page owner to jobforge_definer;
alter function jobforge.check_one_of owner to jobforge_definer;
alter function jobforge.check_filter owner to jobforge_definer;
alter function jobforge.check_length owner to jobforge_definer;
alter function jobforge.raise_not_found owner to jobforge_definer;
revoke execute on function jobforge.acting_tenant, jobforge.check_page, jobforge.check_one_of,
    jobforge.check_filter, jobforge.check_length, jobforge.raise_not_found from public;
grant execute on function jobforge.acting_tenant, jobforge.check_page, jobforge.check_one_of, jobforge.check_length,
    jobforge.raise_not_found to jobforge_engine;
