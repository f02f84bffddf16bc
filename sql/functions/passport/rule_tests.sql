-- Asks for RUN_RULE_TESTS: key tests-<version>-<seed>, priority 2. Another seed is another run.
create or replace function jobforge.request_rule_tests(p_rule_package_version_id uuid,
    p_seed bigint default 0, p_actor_id text default null, p_trace_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_tests boolean;
begin
    if p_seed is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a seed is a number, not NULL', '');
    end if;
    select v.tests_source <> '' into v_tests from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rule_package_version_id;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rule_package_version_id::text);
    elsif not v_tests then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('rule version %s has no tests', p_rule_package_version_id), 'Upload it with its tests.');
    end if;
    return jobforge.enqueue_step(v_tenant_id, 'RUN_RULE_TESTS',
        jsonb_build_object('rule_package_version_id', p_rule_package_version_id, 'seed', p_seed), 2,
        format('tests-%s-%s', p_rule_package_version_id, p_seed), null, p_trace_id, p_actor_id);
end
$$;

create or replace function jobforge.rules_to_test(p_rpv uuid, out status text, out dsl_source text,
    out tests_source text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select v.status, v.dsl_source, v.tests_source into status, dsl_source, tests_source
    from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;

-- Keeps the outcome of a run (its id is the job's) and answers its status: PASSED with no failure and
-- at least 500 passed cases. A DRAFT that passes becomes VALIDATED. The same run again: nothing new.
create or replace function jobforge.store_test_run(p_run_id uuid, p_rpv uuid, p_seed bigint,
    p_total integer, p_passed integer, p_failed integer, p_first_failure jsonb) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
    v_status text := case when p_failed = 0 and p_passed >= 500 then 'PASSED' else 'FAILED' end;
    v_stored record;
begin
    if p_run_id is null or p_seed is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a run has an id and a seed', '');
    end if;
    select r.status, r.rule_package_version_id into v_stored from jobforge.rule_tests_runs r
    where r.tenant_id = v_tenant_id and r.run_id = p_run_id;
    if found and v_stored.rule_package_version_id = p_rpv then
        return v_stored.status;
    elsif found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('run %s belongs to rule version %s', p_run_id, v_stored.rule_package_version_id), '');
    elsif (p_passed >= 0 and p_failed >= 0 and p_passed::bigint + p_failed = p_total) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%s passed and %s failed cases are not %s', p_passed, p_failed, p_total), '');
    end if;
    insert into jobforge.rule_tests_runs (tenant_id, run_id, rule_package_version_id, seed, total_cases,
        passed_count, failed_count, status, first_failure)
    values (v_tenant_id, p_run_id, p_rpv, p_seed, p_total, p_passed, p_failed, v_status, p_first_failure);
    if v_status = 'PASSED' and v_rules.status = 'DRAFT' then
        update jobforge.rule_package_versions v set status = 'VALIDATED', validated_at = clock_timestamp()
        where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    end if;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'TESTS_RUN', jsonb_build_object(
        'passed', p_passed, 'run_id', p_run_id, 'status', v_status, 'total_cases', p_total));
    return v_status;
end
$$;

-- Status, version and package of a rule version, its row locked. NOT_FOUND.
create or replace function jobforge.lock_rules(p_tenant_id uuid, p_rpv uuid,
    out status text, out version integer, out package text)
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    select v.status, v.version, p.name into status, version, package
    from jobforge.rule_package_versions v
    join jobforge.rule_packages p on p.tenant_id = v.tenant_id and p.rule_package_id = v.rule_package_id
    where v.tenant_id = p_tenant_id and v.rule_package_version_id = p_rpv
    for no key update of v;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;
alter function jobforge.request_rule_tests owner to jobforge_definer;
alter function jobforge.rules_to_test owner to jobforge_definer;
alter function jobforge.store_test_run owner to jobforge_definer;
alter function jobforge.lock_rules owner to jobforge_definer;
revoke execute on function jobforge.request_rule_tests, jobforge.rules_to_test, jobforge.store_test_run,
    jobforge.lock_rules from public;
grant execute on function jobforge.request_rule_tests to jobforge_tenant, jobforge_gateway, jobforge_worker;
grant execute on function jobforge.rules_to_test, jobforge.store_test_run to jobforge_worker;
