-- Which pepper the keys of this database were made with. A node with another one knows none of the keys, and
-- could not tell that from a caller's mistake.
--
-- Safe while workers of the version before run: a new table only. Empty until the next key is made.

-- At most one row. An HMAC of a fixed text under the pepper, which has 256 random bits: the fingerprint says
-- whether two peppers are the same one, and nothing else.
create table jobforge.key_pepper (
    single       boolean     not null default true,
    fingerprint  bytea       not null,
    noted_at     timestamptz not null default pg_catalog.clock_timestamp(),
    constraint key_pepper_pkey primary key (single),
    constraint key_pepper_one_row check (single),
    constraint key_pepper_fingerprint_is_sha256 check (pg_catalog.octet_length(fingerprint) = 32)
);
alter table jobforge.key_pepper owner to jobforge_owner;
