-- Locks by name, for what has no row of its own to lock. Rows of a private table, because an advisory
-- lock can be taken, and seen in pg_locks, by every login of the server: one that holds the lock of a
-- type stopped all claims of it. A turn ends with the transaction that took it.
--
-- Sequential scans are off: a session that made its plans while there were few turns read all of them.
--
-- Turns that many will want stay as rows; those of one use (an Idempotency-Key) are ended with
-- end_turn, which removes them at commit.

-- Waits for the turn. The callers' lock_timeout bounds that.
create or replace function jobforge.take_turn(p_tenant_id uuid, p_what text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    perform from jobforge.turns t where t.tenant_id = p_tenant_id and t.what = p_what for no key update;
    if not found then
        insert into jobforge.turns as t (tenant_id, what) values (p_tenant_id, p_what)
        on conflict (tenant_id, what) do update set what = excluded.what;
    end if;
end
$$;

-- Takes the turn if it is free, without waiting, and says whether.
create or replace function jobforge.try_turn(p_tenant_id uuid, p_what text) returns boolean
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    perform from jobforge.turns t where t.tenant_id = p_tenant_id and t.what = p_what
    for no key update skip locked;
    if found then
        return true;
    end if;
    -- Taken, or the first ever: then the row is made. Two that make it at once wait for each other once.
    insert into jobforge.turns (tenant_id, what)
    select p_tenant_id, p_what where not exists (select from jobforge.turns t
        where t.tenant_id = p_tenant_id and t.what = p_what)
    on conflict do nothing;
    return found;
end
$$;

create or replace function jobforge.end_turn(p_tenant_id uuid, p_what text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
begin
    delete from jobforge.turns t where t.tenant_id = p_tenant_id and t.what = p_what;
end
$$;
alter function jobforge.take_turn owner to jobforge_definer;
alter function jobforge.try_turn owner to jobforge_definer;
alter function jobforge.end_turn owner to jobforge_definer;
revoke execute on function jobforge.take_turn, jobforge.try_turn, jobforge.end_turn from public;
grant execute on function jobforge.take_turn, jobforge.try_turn, jobforge.end_turn to jobforge_engine;
