-- What a passport says of itself. A version with failing compliance entries is put into force only if
-- each of them was accepted with a reason; the acceptance is kept as long as the version.
--
-- Safe while workers of the version before run: a table that they do not know, and an index.
create table jobforge.passport_acceptances (
    tenant_id            uuid        not null,
    passport_version_id  uuid        not null,
    entry                integer     not null,
    finding_id           text        collate "C" not null,
    status               text        collate "C" not null,
    evidence             text        not null,
    reason               text        not null,
    accepted_by          text,
    accepted_at          timestamptz not null default pg_catalog.clock_timestamp(),
    constraint passport_acceptances_pkey primary key (tenant_id, passport_version_id, entry),
    constraint passport_acceptances_version_exists foreign key (tenant_id, passport_version_id)
        references jobforge.passport_versions,
    constraint passport_acceptances_entry_positive check (entry >= 1),
    constraint passport_acceptances_names_its_entry check (finding_id <> ''),
    constraint passport_acceptances_reason_length check (pg_catalog.length(reason) between 1 and 1000),
    constraint passport_acceptances_accepted_by_length check (pg_catalog.length(accepted_by) <= 500)
);
alter table jobforge.passport_acceptances owner to jobforge_owner;
alter table jobforge.passport_acceptances enable row level security;
alter table jobforge.passport_acceptances force row level security;

-- The public page of a passport names it before anybody knows its tenant, as that of a version does.
create index passports_by_id on jobforge.passports (passport_id);
