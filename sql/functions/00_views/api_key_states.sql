-- An API key as people see it: all but its mac. expired is by the database's clock.
create or replace view jobforge.api_key_states with (security_invoker = true) as
    select k.tenant_id, k.key_id, k.name, k.roles, k.status, k.version, k.expires_at,
        coalesce(k.expires_at <= clock_timestamp(), false) as expired, k.rotated_to, k.first_key_id,
        k.created_at, k.created_by, k.last_used_at, k.revoked_at, k.revoked_by
    from jobforge.api_keys k;
alter view jobforge.api_key_states owner to jobforge_owner;
