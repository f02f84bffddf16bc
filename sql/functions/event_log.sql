-- The log over all chains of a tenant (docs/audit.md): which tenants have events that wait for their
-- place. Spans tenants, and says nothing but their ids.
create or replace function jobforge.tenants_with_open_events() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select distinct u.tenant_id from jobforge.events_to_log u
$$;

-- Gives the current tenant's waiting events their places, in event_seq order, at most p_limit. An
-- event is visible only after its commit, so a later call appends later commits.
--
-- Answers the last stored head's size and frontier (0 and none without one) and the hashes of every
-- entry since: what the caller needs for the next head, also if a call before was committed without
-- one. A row of nulls: somebody else is at it. Store the head in the same transaction.
create or replace function jobforge.extend_event_log(p_limit integer default 10000, out tree_size bigint,
    out frontier bytea[], out new_hashes bytea[])
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_next bigint;
begin
    perform jobforge.check_page(p_limit, 1000000);
    if not jobforge.try_turn(v_tenant_id, 'event_log') then
        return;
    end if;
    select coalesce(max(l.log_index) + 1, 0) into v_next from jobforge.event_log l
    where l.tenant_id = v_tenant_id;
    with taken as (
        delete from jobforge.events_to_log u
        where u.tenant_id = v_tenant_id and u.event_seq in (select w.event_seq
            from jobforge.events_to_log w where w.tenant_id = v_tenant_id order by w.event_seq limit p_limit)
        returning u.event_seq, u.event_id
    )
    insert into jobforge.event_log (tenant_id, log_index, event_id, event_hash)
    select v_tenant_id, v_next + row_number() over (order by t.event_seq) - 1, e.event_id, e.event_hash
    from taken t join jobforge.events e on e.tenant_id = v_tenant_id and e.event_id = t.event_id;
    select h.tree_size, h.frontier into tree_size, frontier from jobforge.log_heads h
    where h.tenant_id = v_tenant_id order by h.tree_size desc limit 1;
    tree_size := coalesce(tree_size, 0);
    frontier := coalesce(frontier, '{}');
    new_hashes := array(select l.event_hash from jobforge.event_log l
        where l.tenant_id = v_tenant_id and l.log_index >= extend_event_log.tree_size order by l.log_index);
end
$$;

-- Keeps a signed head. The same size and root again: nothing. A size beyond the log, or behind the
-- last head, is VALIDATION_ERROR; another root for a size that has one is INVALID_TRANSITION.
create or replace function jobforge.store_log_head(p_tree_size bigint, p_root_hash bytea,
    p_frontier bytea[], p_checkpoint text, p_key_id text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_length bigint;
    v_head record;
begin
    if octet_length(p_root_hash) is distinct from 32 or p_frontier is null
        or exists (select from unnest(p_frontier) f(hash) where octet_length(f.hash) is distinct from 32) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'the root and the frontier of a log are hashes of 32 bytes', '');
    end if;
    perform jobforge.check_length('a checkpoint', p_checkpoint, 1, 10000);
    perform jobforge.check_length('the id of a signing key', p_key_id, 1, 200);
    select h.tree_size, h.root_hash into v_head from jobforge.log_heads h
    where h.tenant_id = v_tenant_id order by h.tree_size desc limit 1;
    if v_head.tree_size = p_tree_size and v_head.root_hash = p_root_hash then
        return;
    elsif v_head.tree_size = p_tree_size then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('the head of size %s has another root', p_tree_size),
            'The log was changed: run jobforge audit verify.');
    end if;
    select coalesce(max(l.log_index) + 1, 0) into v_length from jobforge.event_log l
    where l.tenant_id = v_tenant_id;
    if p_tree_size is null or p_tree_size > v_length or p_tree_size < coalesce(v_head.tree_size, 0) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a head of size %s does not fit a log of %s entries and a last head of %s', p_tree_size,
                v_length, coalesce(v_head.tree_size, 0)), '');
    end if;
    insert into jobforge.log_heads (tenant_id, tree_size, root_hash, frontier, checkpoint, key_id)
    values (v_tenant_id, p_tree_size, p_root_hash, p_frontier, p_checkpoint, p_key_id);
end
$$;
alter function jobforge.tenants_with_open_events owner to jobforge_engine;
alter function jobforge.extend_event_log owner to jobforge_definer;
alter function jobforge.store_log_head owner to jobforge_definer;
revoke execute on function jobforge.tenants_with_open_events, jobforge.extend_event_log,
    jobforge.store_log_head from public;
grant execute on function jobforge.tenants_with_open_events, jobforge.extend_event_log,
    jobforge.store_log_head to jobforge_worker;
