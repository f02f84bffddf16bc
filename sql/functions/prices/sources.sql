-- Where prices come from. What is configured is here; how a source is doing is its governor's
-- (kind source, key its id), which save_source and set_source_rules keep in step.

-- A source by its name: a new one, or the members that p_source names changed.
create or replace function jobforge.save_source(p_source jsonb, p_actor_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.sources;
    v_source_id uuid;
begin
    perform jobforge.check_members('a source', p_source, array['name', 'source_id', 'adapter', 'enabled',
        'base_url', 'rate_limit_per_minute', 'reputation_weight', 'tier', 'config', 'burst',
        'failure_threshold', 'open_seconds', 'probe_seconds']);
    v_source_id := coalesce((p_source ->> 'source_id')::uuid, jobforge.uuid_v7(clock_timestamp()));
    -- Under the lock of its name: two that save a new source at once make one.
    perform jobforge.take_turn(v_tenant_id, 'source ' || coalesce(p_source ->> 'name', ''));
    select s.* into v_row from jobforge.sources s
    where s.tenant_id = v_tenant_id and s.name = p_source ->> 'name' for no key update;
    if found then
        if v_row.source_id <> v_source_id and p_source ? 'source_id' then
            perform jobforge.raise_error('VALIDATION_ERROR', format('source %s has the id %s', v_row.name,
                v_row.source_id), 'Leave source_id out to change it.');
        end if;
        v_row := jsonb_populate_record(v_row, p_source);
        update jobforge.sources s
        set adapter = v_row.adapter, enabled = v_row.enabled, base_url = v_row.base_url,
            rate_limit_per_minute = v_row.rate_limit_per_minute, tier = v_row.tier,
            reputation_weight = v_row.reputation_weight, config = v_row.config,
            updated_at = clock_timestamp()
        where s.tenant_id = v_tenant_id and s.source_id = v_row.source_id;
    else
        v_row := jsonb_populate_record(jobforge.default_source(v_tenant_id, v_source_id), p_source);
        insert into jobforge.sources (tenant_id, source_id, name, adapter, enabled, base_url,
            rate_limit_per_minute, reputation_weight, tier, config, created_by)
        values (v_tenant_id, v_source_id, v_row.name, v_row.adapter, v_row.enabled, v_row.base_url,
            v_row.rate_limit_per_minute, v_row.reputation_weight, v_row.tier, v_row.config,
            left(p_actor_id, 500));
    end if;
    perform jobforge.govern_source(v_tenant_id, v_row.source_id, p_source);
    return v_row.source_id;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', format('source %s: %s', p_source ->> 'name',
        jobforge.refusal_text(sqlerrm, v_row, p_source)),
        'docs/sources.md has the range of every member.');
when unique_violation then
    perform jobforge.raise_error('VALIDATION_ERROR', format('there is another source %s', v_source_id),
        'Use a new id, or none.');
end
$$;

-- What a new source is, where nothing else is said: the table's own defaults.
create or replace function jobforge.default_source(p_tenant_id uuid, p_source_id uuid)
    returns jobforge.sources
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.sources;
begin
    v_row.tenant_id := p_tenant_id;
    v_row.source_id := p_source_id;
    v_row.adapter := 'http_json';
    v_row.enabled := true;
    v_row.rate_limit_per_minute := 60;
    v_row.reputation_weight := 0.5;
    v_row.tier := 2;
    v_row.config := '{}';
    return v_row;
end
$$;

-- The governor of a source: the rate of its rules, or its own, and what p_settings names.
create or replace function jobforge.govern_source(p_tenant_id uuid, p_source_id uuid, p_settings jsonb)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.governor_configure('source', p_source_id::text, jsonb_build_object('rate_per_minute', (
            select coalesce(r.rate_limit_override, s.rate_limit_per_minute) from jobforge.sources s
            left join jobforge.source_rules r on r.tenant_id = s.tenant_id and r.source_id = s.source_id
            where s.tenant_id = p_tenant_id and s.source_id = p_source_id))
        || coalesce((select jsonb_object_agg(m.key, m.value) from jsonb_each(p_settings) m
            where m.key in ('burst', 'failure_threshold', 'open_seconds', 'probe_seconds')), '{}'));
end
$$;

-- Sets the rules that p_rules names.
create or replace function jobforge.set_source_rules(p_source text, p_rules jsonb) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
    v_row jobforge.source_rules;
begin
    perform jobforge.check_members('the rules of a source', p_rules, array['exclude_keywords',
        'require_keywords', 'allowed_path', 'rate_limit_override']);
    insert into jobforge.source_rules (tenant_id, source_id) values (v_tenant_id, v_source_id)
    on conflict do nothing;
    select r.* into v_row from jobforge.source_rules r
    where r.tenant_id = v_tenant_id and r.source_id = v_source_id for no key update;
    v_row := jsonb_populate_record(v_row, p_rules);
    update jobforge.source_rules r
    set exclude_keywords = v_row.exclude_keywords, require_keywords = v_row.require_keywords,
        allowed_path = v_row.allowed_path, rate_limit_override = v_row.rate_limit_override
    where r.tenant_id = v_tenant_id and r.source_id = v_source_id;
    perform jobforge.govern_source(v_tenant_id, v_source_id, '{}');
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range or invalid_parameter_value or datatype_mismatch or feature_not_supported then
    perform jobforge.raise_error('VALIDATION_ERROR', format('rules of source %s: %s', p_source,
        jobforge.refusal_text(sqlerrm, v_row, p_rules)),
        'docs/sources.md has the range of every member.');
end
$$;

-- A disabled source gets no new jobs; those that wait fail with SOURCE_DISABLED when they run.
create or replace function jobforge.set_source_enabled(p_source text, p_enabled boolean) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
begin
    if p_enabled is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a source is enabled or not', 'Say true or false.');
    end if;
    update jobforge.sources s set enabled = p_enabled, updated_at = clock_timestamp()
    where s.tenant_id = v_tenant_id and s.source_id = v_source_id and s.enabled <> p_enabled;
end
$$;

-- governor_pause and governor_resume, by the name of a source.
create or replace function jobforge.pause_source(p_source text, p_until timestamptz default 'infinity',
    p_reason text default '') returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.governor_pause('source',
        jobforge.find_source(jobforge.acting_tenant(), p_source)::text, p_until, p_reason);
end
$$;

create or replace function jobforge.resume_source(p_source text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.governor_resume('source',
        jobforge.find_source(jobforge.acting_tenant(), p_source)::text);
end
$$;

create or replace function jobforge.list_sources() returns setof jobforge.source_states
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.source_states;
begin
    for v_row in
        select s.* from jobforge.source_states s where s.tenant_id = v_tenant_id order by s.tier, s.name
    loop
        v_row.config := jobforge.readable(v_row.config);
        return next v_row;
    end loop;
end
$$;

create or replace function jobforge.get_source(p_source text) returns setof jobforge.source_states
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
    v_row jobforge.source_states;
begin
    select s.* into v_row from jobforge.source_states s
    where s.tenant_id = v_tenant_id and s.source_id = v_source_id;
    v_row.config := jobforge.readable(v_row.config);
    return next v_row;
end
$$;

-- The id of a source by its name or id (no name has the form of an id). NOT_FOUND.
create or replace function jobforge.find_source(p_tenant_id uuid, p_source text) returns uuid
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_source_id uuid;
begin
    select s.source_id into v_source_id from jobforge.sources s
    where s.tenant_id = p_tenant_id and s.name = p_source;
    if not found then
        select s.source_id into v_source_id from jobforge.sources s
        where s.tenant_id = p_tenant_id and s.source_id::text = lower(p_source);
    end if;
    if v_source_id is null then
        perform jobforge.raise_not_found('source', coalesce(p_source, 'NULL'));
    end if;
    return v_source_id;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['save_source', 'default_source', 'govern_source', 'set_source_rules',
        'set_source_enabled', 'pause_source', 'resume_source', 'list_sources', 'get_source', 'find_source']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_definer', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.save_source, jobforge.set_source_rules, jobforge.set_source_enabled,
    jobforge.pause_source, jobforge.resume_source, jobforge.list_sources, jobforge.get_source
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
