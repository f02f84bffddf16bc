-- A snapshot collects facts while BUILDING; BUILD_SNAPSHOT makes it READY; a READY one is sealed or
-- reopened. Items change only while BUILDING.

-- p_snapshot_id that exists with the same label: that one.
create or replace function jobforge.create_snapshot(p_label text default '', p_snapshot_id uuid default null,
    p_actor_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_snapshot_id uuid := coalesce(p_snapshot_id, jobforge.uuid_v7(clock_timestamp()));
begin
    perform jobforge.check_length('the label of a snapshot', coalesce(p_label, ''), 0, 500);
    insert into jobforge.data_snapshots (tenant_id, snapshot_id, label, created_by)
    values (v_tenant_id, v_snapshot_id, coalesce(p_label, ''), left(p_actor_id, 500))
    on conflict do nothing;
    if not found and not exists (select from jobforge.data_snapshots s where s.tenant_id = v_tenant_id
            and s.snapshot_id = v_snapshot_id and s.label = coalesce(p_label, '')) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('snapshot %s exists with another label', v_snapshot_id), 'Use a new id, or none.');
    end if;
    return v_snapshot_id;
end
$$;

-- Adds facts by id and all facts of documents; answers how many are new in it. Another fact of the
-- same type and key is VALIDATION_ERROR naming both.
-- Joins go by key, whatever the statistics say (parse_facts.sql has the reason).
create or replace function jobforge.add_snapshot_facts(p_snapshot_id uuid, p_fact_ids uuid[] default '{}',
    p_document_version_ids uuid[] default '{}', p_actor_id text default null) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_material = off as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_bad record;
    v_added integer;
    v_wanted uuid[];
begin
    perform jobforge.lock_building_snapshot(v_tenant_id, p_snapshot_id);
    perform jobforge.check_facts_exist(v_tenant_id, p_fact_ids, p_document_version_ids);
    v_wanted := array(
        select unnest(p_fact_ids)
        union
        select s.fact_id from jobforge.fact_sources s
        where s.tenant_id = v_tenant_id and s.document_version_id = any(p_document_version_ids));
    insert into jobforge.snapshot_items (tenant_id, snapshot_id, fact_type, fact_key, fact_id, payload_hash)
    select v_tenant_id, p_snapshot_id, f.fact_type, f.fact_key, f.fact_id, f.payload_hash
    from jobforge.facts f where f.tenant_id = v_tenant_id and f.fact_id = any(v_wanted)
    order by f.fact_id
    on conflict do nothing;
    get diagnostics v_added = row_count;
    select f.fact_type, f.fact_key, f.fact_id, i.fact_id as held into v_bad
    from jobforge.facts f
    join jobforge.snapshot_items i on i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id
        and i.fact_type = f.fact_type and i.fact_key = f.fact_key and i.fact_id <> f.fact_id
    where f.tenant_id = v_tenant_id and f.fact_id = any(v_wanted)
    order by f.fact_type, f.fact_key, f.fact_id limit 1;
    if found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('facts %s and %s are both %s %s', v_bad.held, v_bad.fact_id, v_bad.fact_type,
                v_bad.fact_key), 'A snapshot holds one fact of a type and key; remove one of them.');
    end if;
    return v_added;
end
$$;

-- Every named fact and document is there, and every document has been parsed.
create or replace function jobforge.check_facts_exist(p_tenant_id uuid, p_fact_ids uuid[],
    p_document_version_ids uuid[]) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_document record;
    v_missing uuid;
begin
    select w.fact_id into v_missing from unnest(p_fact_ids) w(fact_id)
    where not exists (select from jobforge.facts f where f.tenant_id = p_tenant_id and f.fact_id = w.fact_id)
    limit 1;
    if found then
        perform jobforge.raise_not_found('fact', coalesce(v_missing::text, 'NULL'));
    end if;
    select w.id, v.status into v_document from unnest(p_document_version_ids) w(id)
    left join jobforge.document_versions v on v.tenant_id = p_tenant_id and v.document_version_id = w.id
    where v.status is distinct from 'VALIDATED' limit 1;
    if found and v_document.status is null then
        perform jobforge.raise_not_found('document version', coalesce(v_document.id::text, 'NULL'));
    elsif found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('document version %s is %s', v_document.id, v_document.status),
            'Its facts can be added when it is VALIDATED.');
    end if;
end
$$;

create or replace function jobforge.remove_snapshot_fact(p_snapshot_id uuid, p_fact_type text,
    p_fact_key text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.lock_building_snapshot(v_tenant_id, p_snapshot_id);
    delete from jobforge.snapshot_items i
    where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id and i.fact_type = p_fact_type
        and i.fact_key = p_fact_key;
    if not found then
        perform jobforge.raise_not_found('fact in the snapshot:', format('%s %s', p_fact_type, p_fact_key));
    end if;
end
$$;

-- READY -> BUILDING, to change its facts. BUILDING already: nothing.
create or replace function jobforge.reopen_snapshot(p_snapshot_id uuid, p_actor_id text default null)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    if jobforge.lock_snapshot(v_tenant_id, p_snapshot_id) = 'READY' then
        update jobforge.data_snapshots s set status = 'BUILDING', ready_at = null
        where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
        perform jobforge.append_event('DataSnapshot', p_snapshot_id, 'SNAPSHOT_REOPENED', '{}', p_actor_id);
    end if;
end
$$;

-- Asks for BUILD_SNAPSHOT. No idempotency key: after a reopen it must run again, and a second run on
-- a READY snapshot does nothing.
create or replace function jobforge.build_snapshot(p_snapshot_id uuid, p_actor_id text default null,
    p_trace_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.lock_snapshot(v_tenant_id, p_snapshot_id);
    return jobforge.enqueue_step(v_tenant_id, 'BUILD_SNAPSHOT',
        jsonb_build_object('snapshot_id', p_snapshot_id), null, null, null, p_trace_id, p_actor_id);
end
$$;

-- The status of a snapshot that is not sealed, its row locked. NOT_FOUND, SNAPSHOT_SEALED.
create or replace function jobforge.lock_snapshot(p_tenant_id uuid, p_snapshot_id uuid) returns text
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_status text;
begin
    select s.status into v_status from jobforge.data_snapshots s
    where s.tenant_id = p_tenant_id and s.snapshot_id = p_snapshot_id
    for no key update;
    if not found then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    elsif v_status = 'SEALED' then
        perform jobforge.raise_error('SNAPSHOT_SEALED', format('snapshot %s is sealed', p_snapshot_id),
            'A sealed snapshot never changes; create a new one.');
    end if;
    return v_status;
end
$$;

create or replace function jobforge.lock_building_snapshot(p_tenant_id uuid, p_snapshot_id uuid)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    if jobforge.lock_snapshot(p_tenant_id, p_snapshot_id) <> 'BUILDING' then
        perform jobforge.raise_error('INVALID_TRANSITION', format('snapshot %s is READY', p_snapshot_id),
            'Reopen it to change its facts.');
    end if;
end
$$;
alter function jobforge.create_snapshot owner to jobforge_definer;
alter function jobforge.add_snapshot_facts owner to jobforge_definer;
alter function jobforge.check_facts_exist owner to jobforge_definer;
alter function jobforge.remove_snapshot_fact owner to jobforge_definer;
alter function jobforge.reopen_snapshot owner to jobforge_definer;
alter function jobforge.build_snapshot owner to jobforge_definer;
alter function jobforge.lock_snapshot owner to jobforge_definer;
alter function jobforge.lock_building_snapshot owner to jobforge_definer;
revoke execute on function jobforge.create_snapshot, jobforge.add_snapshot_facts, jobforge.check_facts_exist,
    jobforge.remove_snapshot_fact, jobforge.reopen_snapshot, jobforge.build_snapshot, jobforge.lock_snapshot,
    jobforge.lock_building_snapshot from public;
grant execute on function jobforge.create_snapshot, jobforge.add_snapshot_facts,
    jobforge.remove_snapshot_fact, jobforge.reopen_snapshot, jobforge.build_snapshot
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
