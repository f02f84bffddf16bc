-- Keys that administer the installation: tenants and job types, over the HTTP API.
--
-- Safe while workers of the version before run: new tables only.

-- A platform key has no tenant. Only the engine reads these tables: a gateway's login cannot learn a mac,
-- and without the mac of a key no function of the platform does anything for it.
create table jobforge.platform_keys (
    key_id        text        collate "C" not null,
    name          text        not null,
    secret_mac    bytea       not null,
    status        text        not null default 'ACTIVE',
    expires_at    timestamptz,
    created_at    timestamptz not null default pg_catalog.clock_timestamp(),
    created_by    text        not null,
    last_used_at  timestamptz,
    revoked_at    timestamptz,
    revoked_by    text,
    constraint platform_keys_pkey primary key (key_id),
    constraint platform_keys_id_form check (key_id ~ '^[a-z2-7]{16}$'),
    constraint platform_keys_name_length check (pg_catalog.length(name) between 1 and 200),
    constraint platform_keys_mac_is_sha256 check (pg_catalog.octet_length(secret_mac) = 32),
    constraint platform_keys_status_known check (status in ('ACTIVE', 'REVOKED')),
    constraint platform_keys_expires_later check (expires_at > created_at),
    constraint platform_keys_revoked_has_time check ((status = 'REVOKED') = (revoked_at is not null))
) with (fillfactor = 80);

-- When a platform key's look at something was last written to the trail: once a minute is enough.
create table jobforge.platform_reads (
    key_id    text        collate "C" not null,
    what      text        collate "C" not null,
    noted_at  timestamptz not null,
    constraint platform_reads_pkey primary key (key_id, what),
    constraint platform_reads_key_exists foreign key (key_id) references jobforge.platform_keys,
    constraint platform_reads_what_length check (pg_catalog.length(what) between 1 and 300)
) with (fillfactor = 50);

alter table jobforge.platform_keys owner to jobforge_owner;
alter table jobforge.platform_reads owner to jobforge_owner;
