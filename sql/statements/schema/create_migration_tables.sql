create schema if not exists jobforge;
alter schema jobforge owner to jobforge_owner;
create table if not exists jobforge.migrations (
    name         text        collate "C" not null,
    checksum     text        not null,
    applied_at   timestamptz not null default pg_catalog.clock_timestamp(),
    applied_by   text        not null,
    duration_ms  bigint      not null,
    constraint migrations_pkey primary key (name),
    constraint migrations_checksum_is_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);
create table if not exists jobforge.function_sources (
    name        text        collate "C" not null,
    checksum    text        not null,
    applied_at  timestamptz not null default pg_catalog.clock_timestamp(),
    constraint function_sources_pkey primary key (name),
    constraint function_sources_checksum_is_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);
alter table jobforge.migrations owner to jobforge_owner;
alter table jobforge.function_sources owner to jobforge_owner
