-- Deleting a tenant: for one that was made by mistake, and for one of the job engine alone.
--
-- What an auditor may ask for is never deleted here: events and their log, passports, the documents,
-- facts, rules and products behind them, API keys (they are named as actors), intakes. A tenant that
-- has any such row can be suspended and not deleted; triggers refuse to delete most of these rows
-- anyway (guard_immutable.sql). Other rows are deleted when p_confirm_name repeats the tenant's name
-- and the tenant is suspended, so that nothing new arrives meanwhile.
--
-- Which tables are kept, which hold data, which only count: each table with a tenant_id is in one of
-- the three lists (a test compares them with the catalog). Data comes in the order of foreign keys.
create or replace function jobforge.tenant_tables(out kept text[], out data text[], out counts text[])
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select array['events', 'event_log', 'log_heads', 'events_to_log', 'passport_acceptances',
            'passport_versions', 'passports',
            'signing_keys', 'documents', 'document_versions', 'facts', 'fact_sources', 'data_snapshots',
            'snapshot_items', 'battery_products', 'rule_packages', 'rule_package_versions', 'rule_fields',
            'rule_tests_runs', 'api_keys', 'intakes'],
        array['webhook_deliveries', 'webhook_replaced_secrets', 'webhook_subscriptions', 'webhook_endpoints',
            'valuations', 'price_points', 'collections', 'source_rules', 'sources', 'jobs', 'finished_jobs',
            'schedules', 'connector_configs', 'access_policies', 'tenant_logins'],
        array['job_artifacts', 'artifacts', 'attempt_records', 'idempotency_keys', 'governors', 'access_denials',
            'access_versions', 'api_requests', 'counter_deltas', 'counter_totals', 'rate_buckets',
            'tenant_measures', 'tenant_usage', 'turns']
$$;

-- "jobs: 3, webhook_endpoints: 1": the rows of a tenant in these tables; NULL without any.
create or replace function jobforge.tenant_rows(p_tenant_id uuid, p_tables text[]) returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_table text;
    v_count bigint;
    v_found text[] := '{}';
begin
    foreach v_table in array p_tables loop
        execute format('select count(*) from jobforge.%I where tenant_id = $1', v_table)
            into v_count using p_tenant_id;
        if v_count > 0 then
            v_found := v_found || format('%s: %s', v_table, v_count);
        end if;
    end loop;
    return nullif(array_to_string(v_found, ', '), '');
end
$$;

-- Answers what has been deleted with the tenant, or ''.
create or replace function jobforge.delete_tenant(p_tenant_id uuid, p_confirm_name text default null)
    returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tables record := jobforge.tenant_tables();
    v_tenant jobforge.tenants;
    v_kept text;
    v_data text;
    v_table text;
begin
    select t.* into v_tenant from jobforge.tenants t where t.tenant_id = p_tenant_id for update;
    if not found then
        perform jobforge.raise_not_found('tenant', p_tenant_id::text);
    end if;
    v_kept := jobforge.tenant_rows(p_tenant_id, v_tables.kept);
    if v_kept is not null then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('tenant %s has records that are kept (%s)', v_tenant.name, v_kept),
            'Suspend it: jobforge tenants set TENANT status=SUSPENDED. docs/access.md says what is kept.');
    end if;
    v_data := jobforge.tenant_rows(p_tenant_id, v_tables.data);
    if p_confirm_name is distinct from v_tenant.name and (v_data is not null or p_confirm_name is not null) then
        perform jobforge.raise_error('VALIDATION_ERROR', case when p_confirm_name is null
            then format('tenant %s has data (%s)', v_tenant.name, v_data)
            else format('%L is not the name of tenant %s', p_confirm_name, p_tenant_id) end,
            'To delete its data with it, repeat its name: --with-data NAME.');
    elsif v_data is not null and v_tenant.status <> 'SUSPENDED' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('tenant %s is %s and has data (%s)', v_tenant.name, lower(v_tenant.status), v_data),
            'Suspend it first: jobforge tenants set TENANT status=SUSPENDED.');
    elsif exists (select from jobforge.jobs j where j.tenant_id = p_tenant_id and j.status = 'RUNNING') then
        perform jobforge.raise_error('INVALID_TRANSITION', format('jobs of tenant %s are running', v_tenant.name),
            'Wait until they have ended, or cancel them: jobforge jobs cancel.');
    end if;
    foreach v_table in array v_tables.data || v_tables.counts loop
        execute format('delete from jobforge.%I where tenant_id = $1', v_table) using p_tenant_id;
    end loop;
    delete from jobforge.tenants t where t.tenant_id = p_tenant_id;
    return coalesce(v_data, '');
end
$$;
alter function jobforge.tenant_tables owner to jobforge_engine;
alter function jobforge.tenant_rows owner to jobforge_engine;
alter function jobforge.delete_tenant owner to jobforge_engine;
revoke execute on function jobforge.tenant_tables, jobforge.tenant_rows, jobforge.delete_tenant from public;
grant execute on function jobforge.delete_tenant to jobforge_owner;
