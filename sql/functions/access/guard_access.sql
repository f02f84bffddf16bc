-- What an API key is (its mac, roles, name, birth) never changes: a key with other rights is another
-- key. It can end sooner, be followed by another one, be revoked, each with a new version; a use
-- leaves the version alone. REVOKED is the end.
create or replace function jobforge.guard_api_key() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'ACTIVE' or new.version <> 1 or new.rotated_to is not null then
            perform jobforge.raise_transition('API key', new.key_id, null, new.status);
        end if;
    elsif (new.tenant_id, new.key_id, new.first_key_id, new.name, new.secret_mac, new.roles,
            new.created_at, new.created_by)
        is distinct from (old.tenant_id, old.key_id, old.first_key_id, old.name, old.secret_mac, old.roles,
            old.created_at, old.created_by)
        or (old.status = 'REVOKED' and (new.status, new.revoked_at, new.revoked_by)
            is distinct from (old.status, old.revoked_at, old.revoked_by))
        or (old.rotated_to is not null and new.rotated_to is distinct from old.rotated_to)
        or (old.expires_at is not null and coalesce(new.expires_at > old.expires_at, true))
        or new.version - old.version <> ((new.status, new.expires_at, new.rotated_to)
            is distinct from (old.status, old.expires_at, old.rotated_to))::integer then
        perform jobforge.raise_transition('API key', old.key_id, old.status, new.status);
    end if;
    return new;
end
$$;
alter function jobforge.guard_api_key owner to jobforge_owner;
revoke execute on function jobforge.guard_api_key from public;
create or replace trigger api_keys_guard before insert or update on jobforge.api_keys
    for each row execute function jobforge.guard_api_key();
