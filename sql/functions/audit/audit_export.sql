-- A tenant's trail up to one signed head, in pages. All of it was committed when the head was signed and
-- never changes, so pages that are read at different times fit together.

-- The newest head's size, and how many heads there are up to it. 0 and 0 before the first.
create or replace function jobforge.audit_extent(out tree_size bigint, out heads bigint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select coalesce(max(h.tree_size), 0), count(*) into audit_extent.tree_size, audit_extent.heads
    from jobforge.log_heads h where h.tenant_id = v_tenant_id;
end
$$;

-- Heads after a size, the smallest first.
create or replace function jobforge.audit_heads_page(p_after bigint default 0, p_limit integer default 1000)
    returns table (tree_size bigint, root_hash bytea, frontier bytea[], checkpoint text, key_id text,
        signed_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit, 100000);
    perform jobforge.check_after(p_after);
    return query
    select h.tree_size, h.root_hash, h.frontier, h.checkpoint, h.key_id, h.signed_at from jobforge.log_heads h
    where h.tenant_id = v_tenant_id and h.tree_size > p_after order by h.tree_size limit p_limit;
end
$$;
alter function jobforge.audit_extent owner to jobforge_definer;
alter function jobforge.audit_heads_page owner to jobforge_definer;
revoke execute on function jobforge.audit_extent, jobforge.audit_heads_page from public;
grant execute on function jobforge.audit_extent, jobforge.audit_heads_page
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
