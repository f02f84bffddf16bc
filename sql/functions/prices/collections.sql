-- One job COLLECT_PRICES for each source (all that are enabled, where none is named), the k-th new
-- one k * p_stagger_seconds from now: sources behind one host are not asked at the same moment. A
-- job that still waits or runs for an intake and source is the answer, not a second one: two callers
-- meet at the row in collections.
create or replace function jobforge.enqueue_collections(p_intake uuid, p_sources text[] default null,
    p_stagger_seconds double precision default 10, p_actor_id text default null,
    p_trace_id text default null)
    returns table (source_id uuid, name text, job_id uuid, scheduled_at timestamptz, deduplicated boolean)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_now timestamptz := clock_timestamp();
    v_added integer := 0;
    v_source record;
begin
    if p_stagger_seconds is null or p_stagger_seconds not between 0 and 86400 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a stagger of %s seconds is not between 0 and 86400', p_stagger_seconds), '');
    elsif not exists (select from jobforge.intakes i
            where i.tenant_id = v_tenant_id and i.intake_id = p_intake) then
        perform jobforge.raise_not_found('intake', coalesce(p_intake::text, 'NULL'));
    end if;
    perform jobforge.check_sources_enabled(v_tenant_id, p_sources);
    insert into jobforge.collections (tenant_id, intake_id, source_id)
    select v_tenant_id, p_intake, s.source_id
    from jobforge.chosen_sources(v_tenant_id, p_sources) s order by s.source_id
    on conflict do nothing;
    -- Locked in the order of their ids, so that two calls cannot deadlock; answered by tier and name.
    perform from jobforge.collections c
    where c.tenant_id = v_tenant_id and c.intake_id = p_intake
    order by c.source_id for no key update;
    for v_source in
        select s.source_id, s.name, j.job_id, j.scheduled_at
        from jobforge.chosen_sources(v_tenant_id, p_sources) s
        join jobforge.collections c
            on c.tenant_id = v_tenant_id and c.intake_id = p_intake and c.source_id = s.source_id
        left join jobforge.jobs j on j.tenant_id = c.tenant_id and j.job_id = c.job_id
        order by s.tier, s.name
    loop
        source_id := v_source.source_id;
        name := v_source.name;
        job_id := v_source.job_id;
        scheduled_at := v_source.scheduled_at;
        deduplicated := v_source.job_id is not null;
        if not deduplicated then
            scheduled_at := v_now + v_added * p_stagger_seconds * interval '1 second';
            v_added := v_added + 1;
            job_id := jobforge.start_collection(v_tenant_id, p_intake, source_id, scheduled_at, p_actor_id,
                p_trace_id);
        end if;
        return next;
    end loop;
end
$$;

create or replace function jobforge.start_collection(p_tenant_id uuid, p_intake uuid, p_source uuid,
    p_at timestamptz, p_actor_id text, p_trace_id text) returns uuid
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_job_id uuid := jobforge.enqueue_step(p_tenant_id, 'COLLECT_PRICES',
        jsonb_build_object('intake_id', p_intake, 'source_id', p_source), null, null, p_at, p_trace_id, p_actor_id);
begin
    update jobforge.collections c set job_id = v_job_id, round = c.round + 1, progress = null
    where c.tenant_id = p_tenant_id and c.intake_id = p_intake and c.source_id = p_source;
    return v_job_id;
end
$$;

-- Prices that people give, for a source with the adapter manual: a COLLECT_PRICES job that brings them
-- along. What a price is, the handler checks. Answers the job.
create or replace function jobforge.add_manual_prices(p_intake uuid, p_source text, p_prices jsonb,
    p_actor_id text default null, p_trace_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_source_id uuid := jobforge.find_source(v_tenant_id, p_source);
begin
    if not exists (select from jobforge.intakes i
            where i.tenant_id = v_tenant_id and i.intake_id = p_intake) then
        perform jobforge.raise_not_found('intake', coalesce(p_intake::text, 'NULL'));
    elsif (select s.adapter from jobforge.sources s
            where s.tenant_id = v_tenant_id and s.source_id = v_source_id) <> 'manual' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('source %s is not manual: it is asked, not told', p_source),
            'Add one for prices by hand: jobforge sources add NAME --adapter manual');
    elsif p_prices is null or jsonb_typeof(p_prices) <> 'array' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_prices is a JSON list of prices', '');
    end if;
    perform jobforge.json_bytes(p_prices, 'list of prices', 1048576);
    return jobforge.enqueue_step(v_tenant_id, 'COLLECT_PRICES', jsonb_build_object('intake_id', p_intake,
        'source_id', v_source_id, 'prices', p_prices), null, null, null, p_trace_id, p_actor_id);
end
$$;

-- Names are looked up before sources are: one that is not there is NOT_FOUND also where there is none.
create or replace function jobforge.chosen_sources(p_tenant_id uuid, p_sources text[])
    returns table (source_id uuid, name text, tier integer, enabled boolean)
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_ids uuid[] := array(select jobforge.find_source(p_tenant_id, n.name) from unnest(p_sources) n(name));
begin
    return query
    select s.source_id, s.name, s.tier, s.enabled from jobforge.sources s
    where s.tenant_id = p_tenant_id
        and case when p_sources is null then s.enabled else s.source_id = any(v_ids) end;
end
$$;

create or replace function jobforge.check_sources_enabled(p_tenant_id uuid, p_sources text[]) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_source record;
begin
    select count(*) as chosen, min(s.name) filter (where not s.enabled) as disabled into v_source
    from jobforge.chosen_sources(p_tenant_id, p_sources) s;
    if v_source.disabled is not null then
        perform jobforge.raise_error('SOURCE_DISABLED', format('source %s is disabled', v_source.disabled),
            'Enable it first: jobforge sources enable NAME.');
    elsif v_source.chosen = 0 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'there is no source to collect from',
            'Add one, or enable one: jobforge sources list shows them.');
    end if;
end
$$;

create or replace function jobforge.list_collections(p_intake uuid)
    returns table (source_id uuid, name text, job_id uuid, round integer, status text, attempts integer,
        scheduled_at timestamptz, completed_at timestamptz, last_error jsonb)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select c.source_id, s.name, c.job_id, c.round, j.status, j.attempts, j.scheduled_at, j.completed_at,
        jobforge.readable(j.last_error)
    from jobforge.collections c
    join jobforge.sources s on s.tenant_id = c.tenant_id and s.source_id = c.source_id
    left join jobforge.all_jobs j on j.tenant_id = c.tenant_id and j.job_id = c.job_id
    where c.tenant_id = v_tenant_id and c.intake_id = p_intake and c.round > 0
    order by s.tier, s.name;
end
$$;

-- What COLLECT_PRICES needs to know, in one look.
create or replace function jobforge.collection_inputs(p_intake uuid, p_source uuid) returns json
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_inputs json;
begin
    select json_build_object(
        'source', json_build_object('source_id', s.source_id, 'name', s.name, 'adapter', s.adapter,
            'enabled', s.enabled, 'base_url', s.base_url, 'rate_limit_per_minute', s.rate_limit_per_minute,
            'reputation_weight', s.reputation_weight, 'tier', s.tier, 'config', s.config),
        'rules', json_build_object('exclude_keywords', s.exclude_keywords, 'require_keywords',
            s.require_keywords, 'allowed_path', s.allowed_path, 'rate_limit_override', s.rate_limit_override),
        'intake', (select row_to_json(i) from jobforge.get_intake(p_intake) i),
        'progress', (select c.progress from jobforge.collections c where c.tenant_id = v_tenant_id
            and c.intake_id = p_intake and c.source_id = p_source))
    into v_inputs
    from jobforge.source_states s where s.tenant_id = v_tenant_id and s.source_id = p_source;
    if not found then
        perform jobforge.raise_not_found('source', coalesce(p_source::text, 'NULL'));
    end if;
    return v_inputs;
end
$$;

-- Where a job that ran out of tokens between pages goes on; NULL is the start.
create or replace function jobforge.save_collection_progress(p_intake uuid, p_source uuid, p_progress jsonb)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if octet_length(p_progress::text) > 1048576 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the progress of a collection is over 1 MiB', '');
    end if;
    perform jobforge.lock_intake(v_tenant_id, p_intake);
    if not exists (select from jobforge.sources s
            where s.tenant_id = v_tenant_id and s.source_id = p_source) then
        perform jobforge.raise_not_found('source', coalesce(p_source::text, 'NULL'));
    end if;
    -- A job that was enqueued by hand has no row yet.
    insert into jobforge.collections as c (tenant_id, intake_id, source_id, progress)
    values (v_tenant_id, p_intake, p_source, p_progress)
    on conflict (tenant_id, intake_id, source_id) do update set progress = excluded.progress;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['enqueue_collections', 'start_collection', 'add_manual_prices', 'chosen_sources',
        'check_sources_enabled', 'list_collections', 'collection_inputs', 'save_collection_progress']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_definer', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.enqueue_collections, jobforge.list_collections, jobforge.add_manual_prices
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
grant execute on function jobforge.collection_inputs, jobforge.save_collection_progress to jobforge_worker;
