-- Rule versions with the latest run of their tests, newest first.
create or replace function jobforge.list_rules(p_package text default null, p_status text default null,
    p_limit integer default 50, p_before uuid default null)
    returns table (rule_package_version_id uuid, rule_package_id uuid, package text, version integer,
        status text, dsl_sha256 bytea, tests_sha256 bytea, created_at timestamptz, created_by text,
        validated_at timestamptz, published_at timestamptz, deprecated_at timestamptz,
        retired_at timestamptz, run_id uuid, run_status text, run_seed bigint, run_total_cases integer,
        run_passed_count integer, run_failed_count integer, run_first_failure jsonb,
        run_created_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('status of a rule version', p_status,
        array['DRAFT', 'VALIDATED', 'PUBLISHED', 'DEPRECATED', 'RETIRED']);
    return query
    select v.rule_package_version_id, v.rule_package_id, p.name, v.version, v.status, v.dsl_sha256,
        v.tests_sha256, v.created_at, v.created_by, v.validated_at, v.published_at, v.deprecated_at,
        v.retired_at, r.run_id, r.status, r.seed, r.total_cases, r.passed_count, r.failed_count,
        r.first_failure, r.created_at
    from jobforge.rule_package_versions v
    join jobforge.rule_packages p on p.tenant_id = v.tenant_id and p.rule_package_id = v.rule_package_id
    left join lateral (select l.* from jobforge.rule_tests_runs l
        where l.tenant_id = v.tenant_id and l.rule_package_version_id = v.rule_package_version_id
        order by l.created_at desc, l.run_id desc limit 1) r on true
    where v.tenant_id = v_tenant_id and (p_package is null or p.name = p_package)
        and (p_status is null or v.status = p_status)
        and (p_before is null or v.rule_package_version_id < p_before)
    order by v.rule_package_version_id desc limit p_limit;
end
$$;

create or replace function jobforge.get_rules(p_rpv uuid)
    returns table (rule_package_version_id uuid, rule_package_id uuid, package text, version integer,
        status text, dsl_sha256 bytea, tests_sha256 bytea, created_at timestamptz, created_by text,
        validated_at timestamptz, published_at timestamptz, deprecated_at timestamptz,
        retired_at timestamptz, run_id uuid, run_status text, run_seed bigint, run_total_cases integer,
        run_passed_count integer, run_failed_count integer, run_first_failure jsonb,
        run_created_at timestamptz, dsl_source text, tests_source text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.rule_package_version_id, v.rule_package_id, p.name, v.version, v.status, v.dsl_sha256,
        v.tests_sha256, v.created_at, v.created_by, v.validated_at, v.published_at, v.deprecated_at,
        v.retired_at, r.run_id, r.status, r.seed, r.total_cases, r.passed_count, r.failed_count,
        r.first_failure, r.created_at, v.dsl_source, v.tests_source
    from jobforge.rule_package_versions v
    join jobforge.rule_packages p on p.tenant_id = v.tenant_id and p.rule_package_id = v.rule_package_id
    left join lateral (select l.* from jobforge.rule_tests_runs l
        where l.tenant_id = v.tenant_id and l.rule_package_version_id = v.rule_package_version_id
        order by l.created_at desc, l.run_id desc limit 1) r on true
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;

create or replace function jobforge.rule_fields_of(p_rpv uuid)
    returns table (path text, type text, access text, ordinal integer)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if not exists (select from jobforge.rule_package_versions v
            where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv) then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
    return query
    select f.path, f.type, f.access, f.ordinal from jobforge.rule_fields f
    where f.tenant_id = v_tenant_id and f.rule_package_version_id = p_rpv order by f.ordinal;
end
$$;
alter function jobforge.list_rules owner to jobforge_definer;
alter function jobforge.get_rules owner to jobforge_definer;
alter function jobforge.rule_fields_of owner to jobforge_definer;
revoke execute on function jobforge.list_rules, jobforge.get_rules, jobforge.rule_fields_of from public;
grant execute on function jobforge.list_rules, jobforge.get_rules, jobforge.rule_fields_of
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
