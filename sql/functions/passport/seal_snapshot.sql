-- BUILD_SNAPSHOT's step: BUILDING -> READY (also with no facts). True when this call did it; READY
-- already is success and adds no second event. SEALED: SNAPSHOT_SEALED.
create or replace function jobforge.mark_snapshot_ready(p_snapshot_id uuid) returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if jobforge.lock_snapshot(v_tenant_id, p_snapshot_id) = 'READY' then
        return false;
    end if;
    update jobforge.data_snapshots s set status = 'READY', ready_at = clock_timestamp()
    where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    perform jobforge.append_event('DataSnapshot', p_snapshot_id, 'SNAPSHOT_READY',
        jsonb_build_object('fact_count', (select count(*) from jobforge.snapshot_items i
            where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id)));
    return true;
end
$$;

-- BPC-SNAPSHOT-1: READY -> SEALED, for ever. Answers the hash of the canonical form. Errors:
-- NOT_FOUND, SNAPSHOT_NOT_READY, SNAPSHOT_SEALED.
-- Joins go by key, whatever the statistics say (parse_facts.sql has the reason).
create or replace function jobforge.seal_snapshot(p_snapshot_id uuid, p_actor_id text default null)
    returns bytea
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_material = off as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_facts text;
    v_count bigint;
    v_canonical bytea;
begin
    if jobforge.lock_snapshot(v_tenant_id, p_snapshot_id) <> 'READY' then
        perform jobforge.raise_error('SNAPSHOT_NOT_READY', format('snapshot %s is BUILDING', p_snapshot_id),
            'Build it first: jobforge snapshots build.');
    end if;
    -- to_json of a text is its canonical form; keys in alphabetical order; facts by bytes.
    select count(*), coalesce(string_agg('{"fact_key":' || to_json(i.fact_key)::text
            || ',"fact_type":' || to_json(i.fact_type)::text
            || ',"payload_hash":"' || encode(i.payload_hash, 'hex')
            || '","source_sha256":"' || encode(d.content_sha256, 'hex') || '"}', ','
            order by i.fact_type collate "C", i.fact_key collate "C", i.payload_hash), '')
    into v_count, v_facts
    from jobforge.snapshot_items i
    join jobforge.facts f on f.tenant_id = i.tenant_id and f.fact_id = i.fact_id
    join jobforge.document_versions d
        on d.tenant_id = f.tenant_id and d.document_version_id = f.document_version_id
    where i.tenant_id = v_tenant_id and i.snapshot_id = p_snapshot_id;
    v_canonical := convert_to('{"facts":[' || v_facts || '],"snapshot_id":"' || p_snapshot_id
        || '","snapshot_version":"BPC-SNAPSHOT-1"}', 'UTF8');
    update jobforge.data_snapshots s
    set status = 'SEALED', snapshot_canonical = v_canonical, snapshot_hash = sha256(v_canonical),
        sealed_at = clock_timestamp(), sealed_by = left(p_actor_id, 500)
    where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    perform jobforge.append_event('DataSnapshot', p_snapshot_id, 'SNAPSHOT_SEALED',
        jsonb_build_object('fact_count', v_count, 'snapshot_hash', encode(sha256(v_canonical), 'hex')),
        p_actor_id);
    return sha256(v_canonical);
end
$$;
alter function jobforge.mark_snapshot_ready owner to jobforge_definer;
alter function jobforge.seal_snapshot owner to jobforge_definer;
revoke execute on function jobforge.mark_snapshot_ready, jobforge.seal_snapshot from public;
grant execute on function jobforge.mark_snapshot_ready to jobforge_worker;
grant execute on function jobforge.seal_snapshot to jobforge_tenant, jobforge_gateway, jobforge_worker;
