-- The life of a rule version: VALIDATED -> PUBLISHED -> DEPRECATED -> RETIRED; DRAFT and VALIDATED may
-- be RETIRED. Being there already is success without a second event.

create or replace function jobforge.publish_rules(p_rpv uuid, p_actor_id text default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
begin
    if v_rules.status = 'PUBLISHED' then
        return;
    elsif v_rules.status in ('DEPRECATED', 'RETIRED') then
        perform jobforge.raise_transition('rule version', p_rpv::text, v_rules.status, 'PUBLISHED');
    elsif v_rules.status = 'DRAFT' or 'PASSED' is distinct from (
            select r.status from jobforge.rule_tests_runs r
            where r.tenant_id = v_tenant_id and r.rule_package_version_id = p_rpv
            order by r.created_at desc, r.run_id desc limit 1) then
        perform jobforge.raise_error('RULE_TESTS_FAILED',
            format('the latest test run of rule version %s has not passed', p_rpv),
            'Run its tests: jobforge rules test; publishing needs 500 passed cases and no failure.');
    end if;
    update jobforge.rule_package_versions v set status = 'PUBLISHED', published_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'RULES_PUBLISHED',
        jsonb_build_object('package', v_rules.package, 'version', v_rules.version), p_actor_id);
end
$$;

create or replace function jobforge.deprecate_rules(p_rpv uuid, p_actor_id text default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
begin
    if v_rules.status = 'DEPRECATED' then
        return;
    elsif v_rules.status <> 'PUBLISHED' then
        perform jobforge.raise_transition('rule version', p_rpv::text, v_rules.status, 'DEPRECATED');
    end if;
    update jobforge.rule_package_versions v set status = 'DEPRECATED', deprecated_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'RULES_DEPRECATED',
        jsonb_build_object('package', v_rules.package, 'version', v_rules.version), p_actor_id);
end
$$;

create or replace function jobforge.retire_rules(p_rpv uuid, p_actor_id text default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_rules record := jobforge.lock_rules(v_tenant_id, p_rpv);
begin
    if v_rules.status = 'RETIRED' then
        return;
    elsif v_rules.status = 'PUBLISHED' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('rule version %s is PUBLISHED', p_rpv), 'Deprecate it first.');
    end if;
    update jobforge.rule_package_versions v set status = 'RETIRED', retired_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    perform jobforge.append_event('RulePackageVersion', p_rpv, 'RULES_RETIRED',
        jsonb_build_object('package', v_rules.package, 'version', v_rules.version), p_actor_id);
end
$$;
alter function jobforge.publish_rules owner to jobforge_definer;
alter function jobforge.deprecate_rules owner to jobforge_definer;
alter function jobforge.retire_rules owner to jobforge_definer;
revoke execute on function jobforge.publish_rules, jobforge.deprecate_rules, jobforge.retire_rules from public;
grant execute on function jobforge.publish_rules, jobforge.deprecate_rules, jobforge.retire_rules
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
