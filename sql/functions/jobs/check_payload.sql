-- Payloads against the schema of their type: a subset of JSON Schema (draft 2020-12). The same words
-- as src/services/connectors/json_schema.h, which the handlers use; tests/services/json_schema_cases.json holds both to
-- the same answers. A keyword speaks of its own kind of value only; numbers are equal by value.

-- The first problem, "/url is required", or NULL. Never quotes the value: it may hold a secret.
create or replace function jobforge.check_payload(p_schema jsonb, p_payload jsonb, p_at text default '')
    returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_kind text := jsonb_typeof(p_payload);
    v_problem text := coalesce(jobforge.schema_type_problem(p_schema, p_payload, v_kind),
        jobforge.schema_value_problem(p_schema, p_payload),
        case v_kind when 'number' then jobforge.schema_number_problem(p_schema, (p_payload #>> '{}')::numeric)
            when 'string' then jobforge.schema_string_problem(p_schema, p_payload #>> '{}')
            when 'array' then jobforge.schema_count_problem(p_schema, jsonb_array_length(p_payload),
                'minItems', 'maxItems', 'items') end);
begin
    if v_problem is not null then
        return format('%s %s', coalesce(nullif(p_at, ''), 'the payload'), v_problem);
    end if;
    return case v_kind when 'array' then jobforge.schema_items_problem(p_schema, p_payload, p_at)
        when 'object' then jobforge.schema_members_problem(p_schema, p_payload, p_at) end;
end
$$;

create or replace function jobforge.schema_type_problem(p_schema jsonb, p_value jsonb, p_kind text)
    returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_types text[];
begin
    if not p_schema ? 'type' then
        return null;
    end if;
    v_types := case jsonb_typeof(p_schema -> 'type') when 'array'
        then array(select jsonb_array_elements_text(p_schema -> 'type')) else array[p_schema ->> 'type'] end;
    if p_kind = any(v_types) or (p_kind = 'number' and 'integer' = any(v_types)
            and (p_value #>> '{}')::numeric = trunc((p_value #>> '{}')::numeric)) then
        return null;
    end if;
    return 'must be of type ' || array_to_string(v_types, ' or ');
end
$$;

create or replace function jobforge.schema_value_problem(p_schema jsonb, p_value jsonb) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_schema -> 'const' <> p_value then
        return format('must be %s', p_schema -> 'const');
    elsif p_schema ? 'enum' and not exists (
            select from jsonb_array_elements(p_schema -> 'enum') e(allowed) where e.allowed = p_value) then
        return 'must be one of ' || (select string_agg(e.allowed::text, ', ' order by e.n)
            from jsonb_array_elements(p_schema -> 'enum') with ordinality e(allowed, n));
    end if;
    return null;
end
$$;

create or replace function jobforge.schema_number_problem(p_schema jsonb, p_value numeric) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    return case when p_value < (p_schema ->> 'minimum')::numeric
            then format('must be at least %s', p_schema ->> 'minimum')
        when p_value > (p_schema ->> 'maximum')::numeric
            then format('must be at most %s', p_schema ->> 'maximum') end;
end
$$;

create or replace function jobforge.schema_count_problem(p_schema jsonb, p_count integer, p_least text,
    p_most text, p_unit text) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    return case when p_count < (p_schema ->> p_least)::bigint
            then format('must have at least %s %s', p_schema ->> p_least, p_unit)
        when p_count > (p_schema ->> p_most)::bigint
            then format('must have at most %s %s', p_schema ->> p_most, p_unit) end;
end
$$;

-- Patterns go by code points ("C"), not by the database's locale.
create or replace function jobforge.schema_string_problem(p_schema jsonb, p_value text) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    return coalesce(jobforge.schema_count_problem(p_schema, length(p_value), 'minLength', 'maxLength',
            'characters'),
        case when p_value collate "C" !~ (p_schema ->> 'pattern')
            then 'must match ' || (p_schema ->> 'pattern') end,
        case p_schema ->> 'format' when 'uuid' then
            case when p_value !~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then 'must be a UUID' end
        when 'uri' then
            case when octet_length(p_value) > 8192 or p_value collate "C" !~ '^https?://[^\x01-\x20\x7f]+$'
                then 'must be an http or https URL' end end);
end
$$;

create or replace function jobforge.schema_items_problem(p_schema jsonb, p_value jsonb, p_at text)
    returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_item record;
    v_problem text;
begin
    if p_schema ? 'items' then
        for v_item in select e.value, e.n from jsonb_array_elements(p_value) with ordinality e(value, n) loop
            v_problem := jobforge.check_payload(p_schema -> 'items', v_item.value,
                format('%s/%s', p_at, v_item.n - 1));
            exit when v_problem is not null;
        end loop;
    end if;
    return v_problem;
end
$$;

create or replace function jobforge.schema_members_problem(p_schema jsonb, p_value jsonb, p_at text)
    returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_missing text;
    v_member record;
    v_rule jsonb;
    v_problem text;
begin
    select r.name into v_missing
    from jsonb_array_elements_text(p_schema -> 'required') with ordinality r(name, n)
    where not p_value ? r.name order by r.n limit 1;
    if v_missing is not null then
        return format('%s is required', jobforge.pointer_to(p_at, v_missing));
    end if;
    for v_member in select m.key, m.value from jsonb_each(p_value) m order by m.key collate "C" loop
        v_rule := coalesce(p_schema -> 'properties' -> v_member.key, p_schema -> 'additionalProperties');
        v_problem := case jsonb_typeof(v_rule)
            when 'object' then
                jobforge.check_payload(v_rule, v_member.value, jobforge.pointer_to(p_at, v_member.key))
            when 'boolean' then case when not v_rule::boolean
                then format('%s is not a known member', jobforge.pointer_to(p_at, v_member.key)) end end;
        exit when v_problem is not null;
    end loop;
    return v_problem;
end
$$;

-- One step more of a JSON pointer (RFC 6901).
create or replace function jobforge.pointer_to(p_at text, p_name text) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    return p_at || '/' || replace(replace(p_name, '~', '~0'), '/', '~1');
end
$$;

-- What is wrong with a schema, or NULL. A keyword that is not checked is refused: a schema must not
-- promise what it does not keep. What one node may say is itself a schema; the nodes below are
-- visited one by one.
create or replace function jobforge.check_schema(p_schema jsonb, p_at text default '') returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_problem text := jobforge.check_payload($node$ {
        "type": "object", "additionalProperties": false,
        "properties": {
            "$schema": {}, "$id": {}, "title": {}, "description": {}, "default": {}, "examples": {},
            "type": {
                "type": ["string", "array"], "minItems": 1,
                "pattern": "^(null|boolean|integer|number|string|array|object)$",
                "items": {"enum": ["null", "boolean", "integer", "number", "string", "array", "object"]}
            },
            "const": {}, "enum": {"type": "array", "minItems": 1},
            "minimum": {"type": "number"}, "maximum": {"type": "number"},
            "minLength": {"type": "integer", "minimum": 0}, "maxLength": {"type": "integer", "minimum": 0},
            "pattern": {"type": "string"}, "format": {"enum": ["uuid", "uri"]},
            "minItems": {"type": "integer", "minimum": 0}, "maxItems": {"type": "integer", "minimum": 0},
            "items": {"type": "object"},
            "required": {"type": "array", "items": {"type": "string"}},
            "properties": {"type": "object", "additionalProperties": {"type": "object"}},
            "additionalProperties": {"type": ["boolean", "object"]}
        }
    } $node$, p_schema, p_at);
    v_below record;
begin
    if v_problem is not null then
        return v_problem;
    end if;
    begin
        perform '' ~ (p_schema ->> 'pattern');
    exception when invalid_regular_expression then
        return format('%s/pattern must be a pattern', p_at);
    end;
    for v_below in
        select p_schema -> 'items' as node, p_at || '/items' as at where p_schema ? 'items'
        union all
        select p_schema -> 'additionalProperties', p_at || '/additionalProperties'
        where jsonb_typeof(p_schema -> 'additionalProperties') = 'object'
        union all
        select p.value, jobforge.pointer_to(p_at || '/properties', p.key)
        from jsonb_each(p_schema -> 'properties') p
    loop
        v_problem := jobforge.check_schema(v_below.node, v_below.at);
        exit when v_problem is not null;
    end loop;
    return v_problem;
end
$$;

-- JOB_PAYLOAD_INVALID unless the payload fits. What is not an object at all is check_enqueue's matter.
create or replace function jobforge.require_payload(p_type text, p_schema jsonb, p_payload jsonb)
    returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_problem text := case when jsonb_typeof(p_payload) = 'object'
        then jobforge.check_payload(p_schema, p_payload) end;
begin
    if v_problem is not null then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID', format('%s: %s', p_type, v_problem),
            'select payload_schema from jobforge.get_job_type(type) shows what is asked for.');
    end if;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['check_payload', 'schema_type_problem', 'schema_value_problem',
        'schema_number_problem', 'schema_count_problem', 'schema_string_problem', 'schema_items_problem',
        'schema_members_problem', 'pointer_to', 'check_schema', 'require_payload']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_owner', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
        execute pg_catalog.format('grant execute on function jobforge.%I to jobforge_definer, jobforge_engine',
            v_function);
    end loop;
end
$$;
