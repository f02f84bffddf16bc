-- What a tenant has settled for a connector: defaults that are limits too, a payload narrows them
-- and never widens them (the handlers see to that).

-- What a configuration may say. requests_per_minute is a limit for each host.
create or replace function jobforge.connector_config_schema(p_connector text) returns jsonb
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_calls jsonb := $schema$ {
        "allowlist": {
            "type": "array", "minItems": 1, "maxItems": 100,
            "items": {"type": "string", "maxLength": 255, "pattern": "^([*][.])?[0-9a-z:]([0-9a-z.:-]*[0-9a-z:])?$"}
        },
        "headers": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 8192}},
        "requests_per_minute": {"type": "integer", "minimum": 1, "maximum": 60000}
    } $schema$;
    v_own jsonb := case p_connector
        when 'connector.http.request' then v_calls || $schema$ {
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 300000},
            "max_response_bytes": {"type": "integer", "minimum": 1, "maximum": 10485760},
            "follow_redirects": {"type": "integer", "minimum": 0, "maximum": 10},
            "redact_headers": {
                "type": "array", "maxItems": 50,
                "items": {"type": "string", "minLength": 1, "maxLength": 100}
            }
        } $schema$
        when 'connector.webhook.deliver' then v_calls || $schema$ {
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 60000}
        } $schema$
        when 'connector.report.generate' then $schema$ {
            "max_rows": {"type": "integer", "minimum": 1, "maximum": 10000000},
            "max_period_days": {"type": "integer", "minimum": 1, "maximum": 3660}
        } $schema$ end;
begin
    return jsonb_build_object('type', 'object', 'additionalProperties', false, 'properties', v_own);
end
$$;

create or replace function jobforge.set_connector_config(p_connector text, p_config jsonb,
    p_enabled boolean default true) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_problem text;
begin
    perform jobforge.check_one_of('connector', p_connector, array['connector.http.request',
        'connector.webhook.deliver', 'connector.report.generate']);
    v_problem := case when p_config is null then 'the payload must be of type object'
        else jobforge.check_payload(jobforge.connector_config_schema(p_connector), p_config) end;
    if v_problem is not null or p_enabled is null then
        perform jobforge.raise_error('VALIDATION_ERROR', format('configuration of %s: %s', p_connector,
            coalesce(replace(v_problem, 'the payload', 'it'), 'it is enabled or not')),
            'docs/connectors.md has the range of every member.');
    elsif exists (select from jsonb_object_keys(p_config -> 'headers') h(name)
            where lower(h.name) in ('authorization', 'proxy-authorization', 'cookie')) then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a configuration holds no secrets',
            'Put the secret into the deployment''s list and name it in the payload: auth.secret_ref.');
    end if;
    perform jobforge.json_bytes(p_config, 'configuration', 262144);
    insert into jobforge.connector_configs as c (tenant_id, connector, config, enabled)
    values (v_tenant_id, p_connector, p_config, p_enabled)
    on conflict (tenant_id, connector) do update
        set config = excluded.config, enabled = excluded.enabled, updated_at = clock_timestamp();
end
$$;

-- {} where nothing is settled; "enabled": false stands in it when the connector is switched off.
-- VALIDATION_ERROR for one of an older version that cannot be sent: what it limits must not be lifted.
create or replace function jobforge.get_connector_config(p_connector text) returns jsonb
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.connector_configs;
begin
    select c.* into v_row from jobforge.connector_configs c
    where c.tenant_id = v_tenant_id and c.connector = p_connector;
    if jobforge.readable(v_row.config) ? 'unreadable' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('configuration of %s: it has a number of more than 400 digits', p_connector), 'Set it again.');
    end if;
    return coalesce(v_row.config || case when v_row.enabled then '{}' else '{"enabled": false}' end::jsonb, '{}');
end
$$;

-- From then on the connector has no limits but its own. NOT_FOUND.
create or replace function jobforge.remove_connector_config(p_connector text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    delete from jobforge.connector_configs c where c.tenant_id = v_tenant_id and c.connector = p_connector;
    if not found then
        perform jobforge.raise_not_found('configuration of connector', p_connector);
    end if;
end
$$;

create or replace function jobforge.list_connector_configs()
    returns table (connector text, config jsonb, enabled boolean, created_at timestamptz,
        updated_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select c.connector, jobforge.readable(c.config), c.enabled, c.created_at, c.updated_at
    from jobforge.connector_configs c where c.tenant_id = v_tenant_id order by c.connector;
end
$$;
alter function jobforge.connector_config_schema owner to jobforge_definer;
alter function jobforge.set_connector_config owner to jobforge_definer;
alter function jobforge.get_connector_config owner to jobforge_definer;
alter function jobforge.remove_connector_config owner to jobforge_definer;
alter function jobforge.list_connector_configs owner to jobforge_definer;
revoke execute on function jobforge.connector_config_schema, jobforge.set_connector_config,
    jobforge.get_connector_config, jobforge.remove_connector_config, jobforge.list_connector_configs from public;
grant execute on function jobforge.set_connector_config, jobforge.get_connector_config,
    jobforge.remove_connector_config, jobforge.list_connector_configs to jobforge_tenant, jobforge_gateway, jobforge_worker;
