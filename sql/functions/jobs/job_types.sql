-- Sets the policy of a job type from the members of p_policy; what is not named keeps its value (or
-- gets the default for a new type). An unknown member is VALIDATION_ERROR: a typing error must not
-- pass silently.
create or replace function jobforge.set_job_type(p_type text, p_policy jsonb default '{}')
    returns jobforge.job_types
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_known text[] := array['description', 'backoff', 'backoff_base_seconds', 'backoff_jitter',
        'max_attempts', 'lease_seconds', 'timeout_seconds', 'default_priority', 'concurrency_limit',
        'tenant_concurrency_limit', 'rate_limit_per_minute', 'tenant_rate_limit_per_minute',
        'retention_days', 'failure_retention_days', 'enabled', 'payload_schema', 'internal'];
    v_row jobforge.job_types;
    v_bad text;
begin
    if p_policy is null or jsonb_typeof(p_policy) <> 'object' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the policy of a job type is a JSON object', '');
    end if;
    select k into v_bad from jsonb_object_keys(p_policy) k where k <> all(v_known) limit 1;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('a job type has no setting %L', v_bad),
            'Known: ' || array_to_string(v_known, ', '));
    end if;
    v_bad := case when p_policy -> 'payload_schema' <> 'null'
        then jobforge.check_schema(p_policy -> 'payload_schema') end;
    if v_bad is not null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('payload_schema: %s', replace(v_bad, 'the payload', 'the schema')),
            'docs/connectors.md has the keywords that are checked.');
    end if;
    insert into jobforge.job_types (type) values (p_type) on conflict do nothing;
    select t.* into v_row from jobforge.job_types t where t.type = p_type for update;
    v_row := jsonb_populate_record(v_row, p_policy);
    update jobforge.job_types t
    set description = v_row.description, backoff = v_row.backoff,
        backoff_base_seconds = v_row.backoff_base_seconds, backoff_jitter = v_row.backoff_jitter,
        max_attempts = v_row.max_attempts, lease_seconds = v_row.lease_seconds,
        timeout_seconds = v_row.timeout_seconds, default_priority = v_row.default_priority,
        concurrency_limit = v_row.concurrency_limit,
        tenant_concurrency_limit = v_row.tenant_concurrency_limit,
        rate_limit_per_minute = v_row.rate_limit_per_minute,
        tenant_rate_limit_per_minute = v_row.tenant_rate_limit_per_minute,
        retention_days = v_row.retention_days, failure_retention_days = v_row.failure_retention_days,
        enabled = v_row.enabled, payload_schema = v_row.payload_schema, internal = v_row.internal,
        updated_at = clock_timestamp()
    where t.type = p_type returning t.* into v_row;
    -- Made with its first limit, so that claims never wait for each other to make it (claim_allowance).
    insert into jobforge.turns (tenant_id, what)
    values ('00000000-0000-0000-0000-000000000000', 'claims of ' || p_type) on conflict do nothing;
    return v_row;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('job type %s: %s', p_type,
        jobforge.refusal_text(sqlerrm, v_row, p_policy)),
        'docs/jobs.md has the range of every setting.');
end
$$;

-- test.* are there to try the engine with: in production a tenant could kill workers with them.
-- `jobforge migrate` switches them on where BPC_ENV is dev or test, and off in prod.
create or replace function jobforge.enable_test_types(p_enabled boolean) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    if p_enabled is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_enabled is true or false, not NULL', '');
    end if;
    update jobforge.job_types t set enabled = p_enabled, updated_at = clock_timestamp()
    where t.type in ('test.echo', 'test.sleep', 'test.fail', 'test.crash') and t.enabled <> p_enabled;
end
$$;

create or replace function jobforge.list_job_types() returns setof jobforge.job_types
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select t.* from jobforge.job_types t order by t.type
$$;

create or replace function jobforge.get_job_type(p_type text) returns jobforge.job_types
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.job_types;
begin
    select t.* into v_row from jobforge.job_types t where t.type = p_type;
    if not found then
        perform jobforge.raise_error('NOT_FOUND', format('there is no job type %L', p_type), '');
    end if;
    return v_row;
end
$$;
alter function jobforge.set_job_type owner to jobforge_engine;
alter function jobforge.enable_test_types owner to jobforge_engine;
alter function jobforge.list_job_types owner to jobforge_engine;
alter function jobforge.get_job_type owner to jobforge_engine;
revoke execute on function jobforge.set_job_type, jobforge.enable_test_types, jobforge.list_job_types,
    jobforge.get_job_type from public;
grant execute on function jobforge.set_job_type, jobforge.enable_test_types to jobforge_owner;
grant execute on function jobforge.list_job_types, jobforge.get_job_type
    to jobforge_owner, jobforge_worker, jobforge_gateway, jobforge_observer, jobforge_tenant;
