create or replace function jobforge.list_snapshots(p_status text default null, p_limit integer default 50,
    p_before uuid default null)
    returns table (snapshot_id uuid, label text, status text, snapshot_hash bytea, fact_count bigint,
        created_at timestamptz, created_by text, ready_at timestamptz, sealed_at timestamptz, sealed_by text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('status of a snapshot', p_status, array['BUILDING', 'READY', 'SEALED']);
    return query
    select s.snapshot_id, s.label, s.status, s.snapshot_hash,
        (select count(*) from jobforge.snapshot_items i
            where i.tenant_id = s.tenant_id and i.snapshot_id = s.snapshot_id),
        s.created_at, s.created_by, s.ready_at, s.sealed_at, s.sealed_by
    from jobforge.data_snapshots s
    where s.tenant_id = v_tenant_id and (p_status is null or s.status = p_status)
        and (p_before is null or s.snapshot_id < p_before)
    order by s.snapshot_id desc limit p_limit;
end
$$;

create or replace function jobforge.get_snapshot(p_snapshot_id uuid)
    returns table (snapshot_id uuid, label text, status text, snapshot_hash bytea, fact_count bigint,
        created_at timestamptz, created_by text, ready_at timestamptz, sealed_at timestamptz, sealed_by text,
        snapshot_canonical bytea)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select s.snapshot_id, s.label, s.status, s.snapshot_hash,
        (select count(*) from jobforge.snapshot_items i
            where i.tenant_id = s.tenant_id and i.snapshot_id = s.snapshot_id),
        s.created_at, s.created_by, s.ready_at, s.sealed_at, s.sealed_by, s.snapshot_canonical
    from jobforge.data_snapshots s where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    if not found then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    end if;
end
$$;

-- The facts of a snapshot, in the byte order of its canonical form. `numbers` are the places whose
-- strings are numbers in every document that says the fact: a document that was corrected, by quotes
-- around them, has the same fact and fewer of them.
-- Joins go by key, whatever the statistics say (parse_facts.sql has the reason).
drop function if exists jobforge.snapshot_facts(uuid);
create or replace function jobforge.snapshot_facts(p_snapshot_id uuid)
    returns table (fact_type text, fact_key text, payload_canonical bytea, source_sha256 bytea,
        source_name text, numbers jsonb)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_material = off as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if not exists (select from jobforge.data_snapshots s
            where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id) then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    end if;
    return query
    select i.fact_type, i.fact_key, f.payload_canonical, v.content_sha256, d.name,
        (select s.numbers from jobforge.fact_sources s
            where s.tenant_id = f.tenant_id and s.fact_id = f.fact_id
            order by coalesce(jsonb_array_length(s.numbers), 0) limit 1)
    from jobforge.snapshot_items i
    join jobforge.facts f on f.tenant_id = i.tenant_id and f.fact_id = i.fact_id
    join jobforge.document_versions v
        on v.tenant_id = f.tenant_id and v.document_version_id = f.document_version_id
    join jobforge.documents d on d.tenant_id = v.tenant_id and d.document_id = v.document_id
    where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id
    order by i.fact_type collate "C", i.fact_key collate "C", i.payload_hash;
end
$$;
alter function jobforge.list_snapshots owner to jobforge_definer;
alter function jobforge.get_snapshot owner to jobforge_definer;
alter function jobforge.snapshot_facts owner to jobforge_definer;
revoke execute on function jobforge.list_snapshots, jobforge.get_snapshot, jobforge.snapshot_facts from public;
grant execute on function jobforge.list_snapshots, jobforge.get_snapshot, jobforge.snapshot_facts
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
