-- The log over all chains of a tenant (docs/audit.md): which tenants have events that wait for their
-- place. Spans tenants, and says nothing but their ids.
create or replace function jobforge.tenants_with_open_events() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select distinct u.tenant_id from jobforge.events_to_log u
$$;

-- The newest stored head of the current tenant, of those that cover at most p_at_most entries (NULL: of
-- all); no row without one.
create or replace function jobforge.last_log_head(p_at_most bigint default null)
    returns table (tree_size bigint, root_hash bytea, frontier bytea[], checkpoint text, key_id text)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select h.tree_size, h.root_hash, h.frontier, h.checkpoint, h.key_id from jobforge.log_heads h
    where h.tenant_id = jobforge.require_tenant(null) and (p_at_most is null or h.tree_size <= p_at_most)
    order by h.tree_size desc limit 1
$$;

-- Gives waiting events their places in the log, in event_seq order, at most p_limit. How many.
-- p_head_size: of the newest head, which is beyond a log that was cut; the caller finds that.
create or replace function jobforge.log_waiting_events(p_tenant_id uuid, p_limit integer,
    p_leaf_version smallint, p_head_size bigint) returns bigint
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_next bigint;
    v_taken bigint;
    v_logged bigint;
begin
    select coalesce(max(l.log_index) + 1, 0) into v_next from jobforge.event_log l
    where l.tenant_id = p_tenant_id;
    with taken as (
        delete from jobforge.events_to_log u
        where u.tenant_id = p_tenant_id and u.event_seq in (select w.event_seq
            from jobforge.events_to_log w where w.tenant_id = p_tenant_id order by w.event_seq limit p_limit)
        returning u.event_seq, u.event_id
    ), logged as (
        insert into jobforge.event_log (tenant_id, log_index, event_id, event_hash, leaf_version, head_size)
        select p_tenant_id, v_next + row_number() over (order by t.event_seq) - 1, e.event_id, e.event_hash,
            p_leaf_version, case when p_head_size is not null then least(p_head_size, v_next) end
        from taken t join jobforge.events e on e.tenant_id = p_tenant_id and e.event_id = t.event_id
        returning event_id
    )
    select (select count(*) from taken), (select count(*) from logged) into v_taken, v_logged;
    -- Going on would remove the only trace.
    if v_logged <> v_taken then
        perform jobforge.raise_error('LOG_HEAD_MISMATCH',
            format(case v_taken - v_logged when 1
                then '%s event that waited for a place in the log is not there any more'
                else '%s events that waited for a place in the log are not there any more' end, v_taken - v_logged),
            'Run jobforge audit verify.');
    end if;
    return v_taken;
end
$$;

-- Gives the current tenant's waiting events their places, at most p_limit, as leaves of form 2. An event
-- is visible only after its commit, so a later call appends later commits.
--
-- Answers how many it took and the log's length with them; a row of nulls: another worker is at it. The
-- caller checks the last head, reads the leaves (audit_log) and stores a head over all of them in the
-- same transaction: entries without a head are what is left when heads are removed, and are refused.
create or replace function jobforge.grow_event_log(p_limit integer default 10000, out taken bigint,
    out log_length bigint)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_head_size bigint;
begin
    perform jobforge.check_page(p_limit, 1000000);
    if not jobforge.try_turn(v_tenant_id, 'event_log') then
        return;
    end if;
    select max(h.tree_size) into v_head_size from jobforge.log_heads h where h.tenant_id = v_tenant_id;
    taken := jobforge.log_waiting_events(v_tenant_id, p_limit, 2::smallint, coalesce(v_head_size, 0));
    select coalesce(max(l.log_index) + 1, 0) into log_length from jobforge.event_log l
    where l.tenant_id = v_tenant_id;
end
$$;

-- The same for workers of the release before: leaves of form 1. Answers the last stored head's size and
-- frontier (0 and none without one) and the hashes of every entry since. A row of nulls: another worker
-- is at it, or there are leaves of form 2 without a head, which hashes alone cannot describe.
create or replace function jobforge.extend_event_log(p_limit integer default 10000, out tree_size bigint,
    out frontier bytea[], out new_hashes bytea[])
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_head record;
begin
    perform jobforge.check_page(p_limit, 1000000);
    if not jobforge.try_turn(v_tenant_id, 'event_log') then
        return;
    end if;
    select h.tree_size, h.frontier into v_head from jobforge.log_heads h
    where h.tenant_id = v_tenant_id order by h.tree_size desc limit 1;
    if exists (select from jobforge.event_log l where l.tenant_id = v_tenant_id
            and l.log_index >= coalesce(v_head.tree_size, 0) and l.leaf_version <> 1) then
        return;
    end if;
    perform jobforge.log_waiting_events(v_tenant_id, p_limit, 1::smallint, null);
    tree_size := coalesce(v_head.tree_size, 0);
    frontier := coalesce(v_head.frontier, '{}');
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

-- Notes in the audit trail that an operator let a log go on from another head than the one that was
-- kept (jobforge audit accept-head).
create or replace function jobforge.note_head_accepted(p_kept_size bigint, p_kept_root bytea, p_size bigint,
    p_root bytea, p_reason text, p_actor_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_length bigint;
begin
    select coalesce(max(l.log_index) + 1, 0) into v_length from jobforge.event_log l
    where l.tenant_id = v_tenant_id;
    -- What was kept may be beyond the log, and may be unreadable; what is accepted is the log.
    if p_size is null or p_size not between 0 and v_length or octet_length(p_root) is distinct from 32
        or p_kept_size not between 0 and 9007199254740991 or octet_length(p_kept_root) <> 32 or (p_kept_size is null) <> (p_kept_root is null) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a head has a size from 0 to %s (the log) and a root of 32 bytes', v_length), '');
    end if;
    perform jobforge.check_length('the reason', p_reason, 1, 2000);
    return jobforge.append_event('System', v_tenant_id, 'LOG_HEAD_ACCEPTED', jsonb_build_object(
        'kept', case when p_kept_size is not null then
            jsonb_build_object('tree_size', p_kept_size, 'root_hash', encode(p_kept_root, 'hex')) end,
        'accepted', jsonb_build_object('tree_size', p_size, 'root_hash', encode(p_root, 'hex')),
        'reason', p_reason), p_actor_id);
end
$$;
alter function jobforge.tenants_with_open_events owner to jobforge_engine;
alter function jobforge.last_log_head owner to jobforge_definer;
alter function jobforge.log_waiting_events owner to jobforge_definer;
alter function jobforge.grow_event_log owner to jobforge_definer;
alter function jobforge.extend_event_log owner to jobforge_definer;
alter function jobforge.store_log_head owner to jobforge_definer;
alter function jobforge.note_head_accepted owner to jobforge_definer;
revoke execute on function jobforge.tenants_with_open_events, jobforge.last_log_head,
    jobforge.log_waiting_events, jobforge.grow_event_log, jobforge.extend_event_log,
    jobforge.store_log_head, jobforge.note_head_accepted from public;
grant execute on function jobforge.last_log_head to jobforge_tenant, jobforge_gateway, jobforge_worker;
grant execute on function jobforge.tenants_with_open_events, jobforge.grow_event_log,
    jobforge.extend_event_log, jobforge.store_log_head, jobforge.note_head_accepted to jobforge_worker;
