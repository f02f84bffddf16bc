-- The public page of a passport names a version before anybody knows its tenant.
--
-- Safe while workers of the version before run: an index only. Passport versions are few beside jobs,
-- and the column never changes, so that no later update of a row pays for it.
create index passport_versions_by_id on jobforge.passport_versions (passport_version_id);
