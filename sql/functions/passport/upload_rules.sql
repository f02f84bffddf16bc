-- Keeps a version of a rule package as DRAFT, with its fields ([{path, type, access}] in order). The
-- same sources as a version that is not retired are that version. They are not compiled here: the
-- caller has (SQL keeps the bytes and their hashes). Errors: FORBIDDEN, VALIDATION_ERROR, PAYLOAD_LIMIT.
create or replace function jobforge.upload_rules(
    p_package text,
    p_dsl_source text,
    p_tests_source text,
    p_fields jsonb default '[]',
    p_rule_package_version_id uuid default null,
    p_actor_id text default null,
    out rule_package_id uuid,
    out rule_package_version_id uuid,
    out version integer,
    out deduplicated boolean)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_dsl bytea := sha256(convert_to(p_dsl_source, 'UTF8'));
    v_tests bytea := sha256(convert_to(coalesce(p_tests_source, ''), 'UTF8'));
begin
    perform jobforge.check_rules(p_package, p_dsl_source, p_tests_source, p_fields);
    insert into jobforge.rule_packages (tenant_id, rule_package_id, name, created_by)
    values (v_tenant_id, jobforge.uuid_v7(clock_timestamp()), p_package, left(p_actor_id, 500))
    on conflict do nothing;
    -- Uploads to one package wait for each other.
    select p.rule_package_id into rule_package_id from jobforge.rule_packages p
    where p.tenant_id = v_tenant_id and p.name = p_package for no key update;
    select v.rule_package_version_id, v.version into rule_package_version_id, version
    from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_id = upload_rules.rule_package_id
        and v.dsl_sha256 = v_dsl and v.tests_sha256 = v_tests and v.status <> 'RETIRED'
    order by v.version desc limit 1;
    deduplicated := found;
    if deduplicated then
        return;
    end if;

    rule_package_version_id := coalesce(p_rule_package_version_id, jobforge.uuid_v7(clock_timestamp()));
    select coalesce(max(v.version), 0) + 1 into version from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_id = upload_rules.rule_package_id;
    insert into jobforge.rule_package_versions (tenant_id, rule_package_version_id, rule_package_id, version,
        dsl_source, dsl_sha256, tests_source, tests_sha256, created_by)
    values (v_tenant_id, rule_package_version_id, rule_package_id, version, p_dsl_source, v_dsl,
        coalesce(p_tests_source, ''), v_tests, left(p_actor_id, 500))
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('rule version %s exists with other sources', rule_package_version_id),
            'Use a new id, or none.');
    end if;
    insert into jobforge.rule_fields (tenant_id, rule_package_version_id, path, type, access, ordinal)
    select v_tenant_id, upload_rules.rule_package_version_id, f.value ->> 'path', f.value ->> 'type',
        f.value ->> 'access', f.n
    from jsonb_array_elements(p_fields) with ordinality f(value, n);
    perform jobforge.append_event('RulePackageVersion', rule_package_version_id, 'RULES_UPLOADED',
        jsonb_build_object('dsl_sha256', encode(v_dsl, 'hex'), 'package', p_package,
            'tests_sha256', encode(v_tests, 'hex'), 'version', version), p_actor_id);
end
$$;

create or replace function jobforge.check_rules(p_package text, p_dsl_source text, p_tests_source text,
    p_fields jsonb) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_length('the name of a rule package', p_package, 1, 200);
    if coalesce(p_dsl_source, '') = '' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a rule package needs rules', '');
    elsif octet_length(p_dsl_source) + octet_length(coalesce(p_tests_source, '')) > 16777216 then
        perform jobforge.raise_error('PAYLOAD_LIMIT', 'rules and tests have more than 16 MiB together',
            'Split the package.');
    elsif p_fields is null or jsonb_typeof(p_fields) <> 'array' or exists (
            select from jsonb_array_elements(p_fields) f(value)
            where coalesce(f.value ->> 'path', '') = '' or coalesce(f.value ->> 'type', '') = ''
                or coalesce(f.value ->> 'access', '') = '') then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'fields are an array of objects with path, type and access', '');
    elsif (select count(*) <> count(distinct f.value ->> 'path') from jsonb_array_elements(p_fields) f(value)) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a field is named twice', '');
    end if;
end
$$;
alter function jobforge.upload_rules owner to jobforge_definer;
alter function jobforge.check_rules owner to jobforge_definer;
revoke execute on function jobforge.upload_rules, jobforge.check_rules from public;
grant execute on function jobforge.upload_rules to jobforge_tenant, jobforge_gateway, jobforge_worker;
