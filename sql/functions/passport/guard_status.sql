-- The status graphs of docs/jobs.md, held by the database for every role. What a row is (its keys,
-- content, hashes, birth) never changes; the hashes are CHECKs over the bytes, so bytes that keep
-- their hash are the bytes themselves.

create or replace function jobforge.guard_document_version() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'UPLOADED' then
            perform jobforge.raise_transition('document version', new.document_version_id::text, null,
                new.status);
        end if;
    elsif old.status <> 'UPLOADED' or new.status not in ('VALIDATED', 'REJECTED')
        or (new.tenant_id, new.document_version_id, new.document_id, new.version, new.media_type,
            new.content_sha256, new.size_bytes, new.uploaded_at, new.uploaded_by)
        is distinct from (old.tenant_id, old.document_version_id, old.document_id, old.version,
            old.media_type, old.content_sha256, old.size_bytes, old.uploaded_at, old.uploaded_by) then
        perform jobforge.raise_transition('document version', old.document_version_id::text, old.status,
            new.status);
    end if;
    return new;
end
$$;
create or replace trigger document_versions_guard before insert or update on jobforge.document_versions
    for each row execute function jobforge.guard_document_version();

create or replace function jobforge.guard_snapshot() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'BUILDING' then
            perform jobforge.raise_transition('snapshot', new.snapshot_id::text, null, new.status);
        end if;
    elsif old.status = 'SEALED' then
        perform jobforge.raise_error('SNAPSHOT_SEALED', format('snapshot %s is sealed', old.snapshot_id),
            'A sealed snapshot never changes; create a new one.');
    elsif (old.status, new.status) not in
            (('BUILDING', 'READY'), ('READY', 'BUILDING'), ('READY', 'SEALED'))
        or (new.tenant_id, new.snapshot_id, new.label, new.created_at, new.created_by)
        is distinct from (old.tenant_id, old.snapshot_id, old.label, old.created_at, old.created_by) then
        perform jobforge.raise_transition('snapshot', old.snapshot_id::text, old.status, new.status);
    end if;
    return new;
end
$$;
create or replace trigger data_snapshots_guard before insert or update on jobforge.data_snapshots
    for each row execute function jobforge.guard_snapshot();

-- Items come and go only while their snapshot is BUILDING. Once per statement, not per item; the
-- snapshot's row lock makes a writer wait for a seal that is under way (and the other way round).
create or replace function jobforge.guard_snapshot_items() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_snapshot record;
begin
    for v_snapshot in
        select s.snapshot_id, s.status from jobforge.data_snapshots s
        where (s.tenant_id, s.snapshot_id) in (select i.tenant_id, i.snapshot_id from touched i)
        order by s.tenant_id, s.snapshot_id
        for share
    loop
        if v_snapshot.status = 'SEALED' then
            perform jobforge.raise_error('SNAPSHOT_SEALED',
                format('snapshot %s is sealed', v_snapshot.snapshot_id),
                'A sealed snapshot never changes; create a new one.');
        elsif v_snapshot.status <> 'BUILDING' then
            perform jobforge.raise_error('INVALID_TRANSITION',
                format('snapshot %s is %s', v_snapshot.snapshot_id, v_snapshot.status),
                'Reopen it to change its facts.');
        end if;
    end loop;
    return null;
end
$$;
create or replace trigger snapshot_items_guard_insert after insert on jobforge.snapshot_items
    referencing new table as touched for each statement execute function jobforge.guard_snapshot_items();
create or replace trigger snapshot_items_guard_delete after delete on jobforge.snapshot_items
    referencing old table as touched for each statement execute function jobforge.guard_snapshot_items();

create or replace function jobforge.guard_rule_version() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'DRAFT' then
            perform jobforge.raise_transition('rule version', new.rule_package_version_id::text, null,
                new.status);
        end if;
    elsif (old.status, new.status) not in (('DRAFT', 'VALIDATED'), ('VALIDATED', 'PUBLISHED'),
            ('PUBLISHED', 'DEPRECATED'), ('DEPRECATED', 'RETIRED'), ('DRAFT', 'RETIRED'),
            ('VALIDATED', 'RETIRED'))
        or (new.tenant_id, new.rule_package_version_id, new.rule_package_id, new.version, new.dsl_sha256,
            new.tests_sha256, new.created_at, new.created_by)
        is distinct from (old.tenant_id, old.rule_package_version_id, old.rule_package_id, old.version,
            old.dsl_sha256, old.tests_sha256, old.created_at, old.created_by)
        or (new.status <> 'VALIDATED' and new.validated_at is distinct from old.validated_at)
        or (new.status <> 'PUBLISHED' and new.published_at is distinct from old.published_at)
        or (new.status <> 'DEPRECATED' and new.deprecated_at is distinct from old.deprecated_at) then
        perform jobforge.raise_transition('rule version', old.rule_package_version_id::text, old.status,
            new.status);
    elsif new.status in ('VALIDATED', 'PUBLISHED') and 'PASSED' is distinct from (
            select r.status from jobforge.rule_tests_runs r
            where r.tenant_id = new.tenant_id and r.rule_package_version_id = new.rule_package_version_id
            order by r.created_at desc, r.run_id desc limit 1) then
        perform jobforge.raise_error('RULE_TESTS_FAILED',
            format('the latest test run of rule version %s has not passed', old.rule_package_version_id),
            'Run its tests: jobforge rules test.');
    end if;
    return new;
end
$$;
create or replace trigger rule_package_versions_guard before insert or update
    on jobforge.rule_package_versions for each row execute function jobforge.guard_rule_version();

-- Fields belong to the source: they come with it, never later.
create or replace function jobforge.guard_rule_fields() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if exists (select from touched f join jobforge.rule_package_versions v
        on v.tenant_id = f.tenant_id and v.rule_package_version_id = f.rule_package_version_id
        where v.status <> 'DRAFT') then
        perform jobforge.raise_error('INVALID_TRANSITION',
            'fields are added with their rule version, while it is a DRAFT', 'Upload a new version.');
    end if;
    return null;
end
$$;
create or replace trigger rule_fields_guard_insert after insert on jobforge.rule_fields
    referencing new table as touched for each statement execute function jobforge.guard_rule_fields();

create or replace function jobforge.guard_signing_key() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if (new.tenant_id, new.key_id, new.public_key, new.created_at)
        is distinct from (old.tenant_id, old.key_id, old.public_key, old.created_at)
        or (old.retired_at is not null and new.retired_at is distinct from old.retired_at) then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('signing key %s can be retired, nothing else', old.key_id),
            'A new key has a new key id: receipts signed with the old one must still verify.');
    end if;
    return new;
end
$$;
create or replace trigger signing_keys_guard before update on jobforge.signing_keys
    for each row execute function jobforge.guard_signing_key();

do $$
declare
    v_function text;
begin
    foreach v_function in array array['guard_document_version', 'guard_snapshot', 'guard_snapshot_items',
        'guard_rule_version', 'guard_rule_fields', 'guard_signing_key']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_owner', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
