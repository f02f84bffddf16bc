-- Events of the tenant, oldest first; the next page starts after the last event_seq of this one.
create or replace function jobforge.list_events(p_aggregate_type text default null,
    p_aggregate_id uuid default null, p_event_type text default null, p_limit integer default 50,
    p_after bigint default 0)
    returns table (event_seq bigint, event_id uuid, aggregate_type text, aggregate_id uuid,
        aggregate_version bigint, event_type text, actor_id text, payload_canonical bytea,
        event_hash bytea, occurred_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_after(p_after);
    return query
    select e.event_seq, e.event_id, e.aggregate_type, e.aggregate_id, e.aggregate_version, e.event_type,
        e.actor_id, e.payload_canonical, e.event_hash, e.occurred_at
    from jobforge.events e
    where e.tenant_id = v_tenant_id and e.event_seq > p_after
        and (p_aggregate_type is null or e.aggregate_type = p_aggregate_type)
        and (p_aggregate_id is null or e.aggregate_id = p_aggregate_id)
        and (p_event_type is null or e.event_type = p_event_type)
    order by e.event_seq limit p_limit;
end
$$;

-- Everything an auditor recomputes: all columns, with the event's place in the log.
create or replace function jobforge.audit_events(p_after bigint default 0, p_limit integer default 10000)
    returns table (tenant_id uuid, event_id uuid, aggregate_type text, aggregate_id uuid,
        aggregate_version bigint, event_type text, actor_id text, payload_canonical bytea,
        payload_hash bytea, prev_event_hash bytea, event_hash bytea, occurred_at timestamptz,
        event_seq bigint, log_index bigint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select e.tenant_id, e.event_id, e.aggregate_type, e.aggregate_id, e.aggregate_version, e.event_type,
        e.actor_id, e.payload_canonical, e.payload_hash, e.prev_event_hash, e.event_hash, e.occurred_at,
        e.event_seq, l.log_index
    from jobforge.events e
    left join jobforge.event_log l on l.tenant_id = e.tenant_id and l.event_id = e.event_id
    where e.tenant_id = v_tenant_id and e.event_seq > p_after
    order by e.event_seq limit p_limit;
end
$$;

-- Dropped first: a release before answered fewer columns.
drop function if exists jobforge.audit_log(bigint, integer);
create or replace function jobforge.audit_log(p_after bigint default -1, p_limit integer default 10000)
    returns table (log_index bigint, event_id uuid, event_hash bytea, logged_at timestamptz,
        leaf_version smallint, head_size bigint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select l.log_index, l.event_id, l.event_hash, l.logged_at, l.leaf_version, l.head_size
    from jobforge.event_log l
    where l.tenant_id = v_tenant_id and l.log_index > p_after order by l.log_index limit p_limit;
end
$$;

-- Events that wait for their place in the log. An event that has neither was never written by
-- append_event.
create or replace function jobforge.audit_waiting(p_after bigint default 0, p_limit integer default 10000)
    returns table (event_seq bigint, event_id uuid)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select u.event_seq, u.event_id from jobforge.events_to_log u
    where u.tenant_id = v_tenant_id and u.event_seq > p_after order by u.event_seq limit p_limit;
end
$$;

-- NULL would answer an empty page, as if there were nothing more.
create or replace function jobforge.check_after(p_after bigint) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_after is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_after is a number, not NULL',
            'Leave it out for the first page.');
    end if;
end
$$;

create or replace function jobforge.audit_heads()
    returns table (tree_size bigint, root_hash bytea, frontier bytea[], checkpoint text, key_id text,
        signed_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select h.tree_size, h.root_hash, h.frontier, h.checkpoint, h.key_id, h.signed_at
    from jobforge.log_heads h where h.tenant_id = v_tenant_id order by h.tree_size;
end
$$;
alter function jobforge.list_events owner to jobforge_definer;
alter function jobforge.audit_events owner to jobforge_definer;
alter function jobforge.audit_log owner to jobforge_definer;
alter function jobforge.audit_waiting owner to jobforge_definer;
alter function jobforge.check_after owner to jobforge_definer;
alter function jobforge.audit_heads owner to jobforge_definer;
revoke execute on function jobforge.list_events, jobforge.audit_events, jobforge.audit_log,
    jobforge.audit_waiting, jobforge.check_after, jobforge.audit_heads from public;
grant execute on function jobforge.list_events, jobforge.audit_events, jobforge.audit_log,
    jobforge.audit_waiting, jobforge.audit_heads to jobforge_tenant, jobforge_gateway, jobforge_worker;
