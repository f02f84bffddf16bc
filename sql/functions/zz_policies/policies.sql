-- Which role sees which rows. Applied again whenever this file changes.
--   jobforge_engine                      every tenant (worker functions only run as it)
--   jobforge_definer, _tenant, _gateway  rows of the current tenant; unknown tenant: none
-- (select ...) around current_tenant(): asked once per statement, not once per row.
do $$
declare
    v_table text;
    v_policy record;
begin
    for v_policy in select p.tablename, p.policyname from pg_catalog.pg_policies p where p.schemaname = 'jobforge'
    loop
        execute pg_catalog.format('drop policy %I on jobforge.%I', v_policy.policyname, v_policy.tablename);
    end loop;
    for v_table in
        select c.relname from pg_catalog.pg_class c
        where c.relnamespace = 'jobforge'::regnamespace and c.relkind = 'r' and c.relrowsecurity
    loop
        execute pg_catalog.format('create policy engine_all on jobforge.%I to jobforge_engine '
            'using (true) with check (true)', v_table);
        execute pg_catalog.format('create policy tenant_own on jobforge.%I to jobforge_definer, '
            'jobforge_tenant, jobforge_gateway using (tenant_id = (select jobforge.current_tenant())) '
            'with check (tenant_id = (select jobforge.current_tenant()))', v_table);
        execute pg_catalog.format('grant select, insert, update, delete on jobforge.%I to jobforge_engine',
            v_table);
    end loop;
end
$$;

grant usage on schema jobforge to jobforge_definer, jobforge_engine, jobforge_worker, jobforge_gateway,
    jobforge_tenant, jobforge_observer;
grant select, insert, update, delete on jobforge.workers, jobforge.job_types to jobforge_engine;
grant select on jobforge.job_types to jobforge_definer;
grant select, update on jobforge.tenant_defaults to jobforge_engine;
grant select, insert, update on jobforge.platform_keys, jobforge.platform_reads, jobforge.key_pepper
    to jobforge_engine;
grant select, insert, update, delete on jobforge.turns to jobforge_definer;
grant select, insert on jobforge.tenant_measures to jobforge_definer;
grant usage on sequence jobforge.claim_turn to jobforge_engine;
grant insert on jobforge.wake_requests to jobforge_definer, jobforge_engine;
grant select, delete on jobforge.wake_requests to jobforge_engine;
grant select, insert, update, delete on jobforge.jobs, jobforge.finished_jobs, jobforge.tenant_usage,
    jobforge.schedules, jobforge.connector_configs to jobforge_definer;
grant select, insert on jobforge.attempt_records, jobforge.idempotency_keys, jobforge.artifacts,
    jobforge.counter_deltas, jobforge.events to jobforge_definer;
-- To share a row that is there already (store_artifact); nothing changes it, and a CHECK holds its content.
grant update (media_type) on jobforge.artifacts to jobforge_definer;
grant select on jobforge.counter_totals, jobforge.tenants to jobforge_definer;
-- The pipeline. Update where a row has a status, or is locked before its children are written
-- (triggers refuse every other change); delete only where something may leave.
grant select, insert on jobforge.facts, jobforge.fact_sources, jobforge.rule_fields,
    jobforge.rule_tests_runs, jobforge.event_log, jobforge.log_heads, jobforge.passport_acceptances
    to jobforge_definer;
grant select, insert, delete on jobforge.webhook_subscriptions to jobforge_definer;
grant select, insert, update on jobforge.documents, jobforge.document_versions, jobforge.data_snapshots,
    jobforge.battery_products, jobforge.passports, jobforge.rule_packages, jobforge.rule_package_versions,
    jobforge.passport_versions, jobforge.signing_keys, jobforge.webhook_endpoints,
    jobforge.webhook_deliveries to jobforge_definer;
grant select, insert, delete on jobforge.snapshot_items, jobforge.events_to_log to jobforge_definer;
-- Sources and prices. Intakes: locked, never changed (a trigger refuses).
grant select, insert, update on jobforge.governors, jobforge.sources, jobforge.source_rules, jobforge.intakes,
    jobforge.price_points, jobforge.valuations, jobforge.collections to jobforge_definer;
grant select, insert, delete on jobforge.webhook_replaced_secrets to jobforge_definer;
grant delete on jobforge.webhook_endpoints, jobforge.governors to jobforge_definer;
grant select, insert on jobforge.job_artifacts to jobforge_definer;
-- Access. These tables are read through functions only: api_keys has the macs.
grant select, insert, update on jobforge.api_keys, jobforge.access_versions, jobforge.access_denials
    to jobforge_definer;
grant select, insert, delete on jobforge.access_policies, jobforge.api_requests to jobforge_definer;
grant select on jobforge.api_key_states to jobforge_definer;
grant select on jobforge.all_jobs, jobforge.job_attempts, jobforge.job_results
    to jobforge_definer, jobforge_engine, jobforge_gateway;
grant select on jobforge.source_states to jobforge_definer;
-- A gateway may read the current tenant's rows directly. A tenant's own login has functions only: with
-- SELECT on a table, EXPLAIN tells how many rows all tenants have together.
grant select on jobforge.jobs, jobforge.finished_jobs, jobforge.attempt_records, jobforge.tenants,
    jobforge.schedules, jobforge.connector_configs, jobforge.events to jobforge_gateway;
revoke select on jobforge.jobs, jobforge.finished_jobs, jobforge.attempt_records, jobforge.tenants,
    jobforge.schedules, jobforge.connector_configs, jobforge.events, jobforge.all_jobs,
    jobforge.job_attempts, jobforge.job_results from jobforge_tenant;
do $$
begin
    for v_slot in 0..15 loop
        execute pg_catalog.format('grant select on sequence jobforge.wake_%s to jobforge_definer', v_slot);
        execute pg_catalog.format('grant select, update on sequence jobforge.wake_%s to jobforge_engine', v_slot);
    end loop;
end
$$;
