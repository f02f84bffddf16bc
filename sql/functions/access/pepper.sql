-- The fingerprint of the pepper that this database's keys were made with; null before the first key, and in a
-- database whose keys are older than migration 0026.
create or replace function jobforge.pepper_fingerprint() returns bytea
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select p.fingerprint from jobforge.key_pepper p
$$;

-- After a key was made. The first one stays unless p_replace says that the change is meant. Not for a tenant's
-- own login: the fingerprint is one for all tenants.
create or replace function jobforge.note_pepper(p_fingerprint bytea, p_replace boolean default false) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if octet_length(p_fingerprint) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the fingerprint of a pepper has 32 bytes', '');
    end if;
    insert into jobforge.key_pepper as p (fingerprint) values (p_fingerprint)
    on conflict (single) do update set fingerprint = excluded.fingerprint, noted_at = clock_timestamp()
    where p_replace and p.fingerprint <> excluded.fingerprint;
end
$$;
alter function jobforge.pepper_fingerprint owner to jobforge_engine;
alter function jobforge.note_pepper owner to jobforge_engine;
revoke execute on function jobforge.pepper_fingerprint, jobforge.note_pepper from public;
grant execute on function jobforge.pepper_fingerprint
    to jobforge_tenant, jobforge_gateway, jobforge_worker, jobforge_owner;
grant execute on function jobforge.note_pepper to jobforge_gateway, jobforge_worker, jobforge_owner;
