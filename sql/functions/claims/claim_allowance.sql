-- How many of p_want jobs of this type and tenant may start now under the limits: running jobs per
-- type, per type and tenant, per tenant, and claims per minute. Exact across all workers.
--
-- Running jobs are counted, not kept in a counter: nothing can leak when a worker dies. A claim that
-- counts has the turn of the type (and of the tenant) until it commits, so two claims cannot both
-- see the same free place. Turns are rows of the engine's own: no tenant can lock them, and an operator's
-- open transaction that changes the type or the tenant locks others. The turn is only tried: a claim that
-- finds it taken gets 0 and comes again, instead of waiting or deadlocking.
--
-- "is true" keeps the tenant out of the choice of an index: what runs is read from jobs_leases. The
-- primary key begins with the tenant and looked cheaper where many tenants had few jobs when the table
-- was analysed; it read a tenant's whole backlog (48,000 rows for a claim of 20; tests/sql/plan_test.cc).
create or replace function jobforge.claim_allowance(p_type text, p_tenant_id uuid, p_want integer)
    returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off
    set enable_bitmapscan = off as $$
declare
    v_policy record;
    v_tenant_limit integer;
    v_allowed bigint := p_want;
begin
    select t.concurrency_limit, t.tenant_concurrency_limit, t.rate_limit_per_minute,
        t.tenant_rate_limit_per_minute into v_policy
    from jobforge.job_types t where t.type = p_type;
    select t.concurrency_limit into v_tenant_limit
    from jobforge.tenants t where t.tenant_id = p_tenant_id and t.concurrency_limit is not null;

    if v_policy.concurrency_limit is not null or v_policy.tenant_concurrency_limit is not null
        or v_policy.rate_limit_per_minute is not null
        or v_policy.tenant_rate_limit_per_minute is not null then
        if not jobforge.try_turn('00000000-0000-0000-0000-000000000000', 'claims of ' || p_type) then
            return 0;
        end if;
    end if;
    if v_tenant_limit is not null then
        if not jobforge.try_turn(p_tenant_id, 'claims') then
            return 0;
        end if;
        select least(v_allowed, v_tenant_limit - count(*)) into v_allowed from jobforge.jobs j
        where j.status = 'RUNNING' and (j.tenant_id = p_tenant_id) is true;
    end if;
    if v_policy.concurrency_limit is not null then
        select least(v_allowed, v_policy.concurrency_limit - count(*)) into v_allowed from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = p_type;
    end if;
    if v_policy.tenant_concurrency_limit is not null then
        select least(v_allowed, v_policy.tenant_concurrency_limit - count(*)) into v_allowed
        from jobforge.jobs j
        where j.status = 'RUNNING' and j.type = p_type and (j.tenant_id = p_tenant_id) is true;
    end if;
    v_allowed := greatest(0, v_allowed);
    v_allowed := jobforge.peek_tokens('00000000-0000-0000-0000-000000000000', p_type,
        v_policy.rate_limit_per_minute, v_allowed::integer);
    return jobforge.peek_tokens(p_tenant_id, p_type, v_policy.tenant_rate_limit_per_minute,
        v_allowed::integer);
end
$$;

-- How many tokens the bucket has now, at most p_want. The bucket holds a second's worth (at least
-- one token), so any minute sees at most the rate plus that. A rate of 0 lets nothing through.
create or replace function jobforge.peek_tokens(p_tenant_id uuid, p_type text, p_per_minute integer,
    p_want integer) returns integer
    language sql volatile set search_path = pg_catalog, pg_temp as $$
    select case when p_per_minute is null then p_want
        when p_per_minute = 0 then 0
        else least(p_want, floor(coalesce((
            select least(greatest(1, p_per_minute / 60.0), b.tokens
                + date_part('epoch', clock_timestamp() - b.refilled_at) * p_per_minute / 60.0)
            from jobforge.rate_buckets b where b.tenant_id = p_tenant_id and b.type = p_type),
            greatest(1, p_per_minute / 60.0)))::integer) end
$$;

-- Takes what a claim really used, from the type's bucket and the tenant's. Runs in the turn of the type
-- (claim_allowance), so nothing came in between.
create or replace function jobforge.take_all_tokens(p_type text, p_tenant_id uuid, p_used integer)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_policy record;
begin
    select t.rate_limit_per_minute, t.tenant_rate_limit_per_minute into v_policy
    from jobforge.job_types t where t.type = p_type;
    perform jobforge.take_tokens('00000000-0000-0000-0000-000000000000', p_type,
        v_policy.rate_limit_per_minute, p_used);
    perform jobforge.take_tokens(p_tenant_id, p_type, v_policy.tenant_rate_limit_per_minute, p_used);
end
$$;

create or replace function jobforge.take_tokens(p_tenant_id uuid, p_type text, p_per_minute integer,
    p_used integer) returns void
    language sql volatile set search_path = pg_catalog, pg_temp as $$
    insert into jobforge.rate_buckets as b (tenant_id, type, tokens, refilled_at)
    select p_tenant_id, p_type, greatest(1, p_per_minute / 60.0) - p_used, clock_timestamp()
    where p_per_minute is not null and p_used > 0
    on conflict (tenant_id, type) do update
        set tokens = least(greatest(1, p_per_minute / 60.0), b.tokens
                + date_part('epoch', excluded.refilled_at - b.refilled_at) * p_per_minute / 60.0) - p_used,
            refilled_at = excluded.refilled_at
$$;
alter function jobforge.claim_allowance owner to jobforge_engine;
alter function jobforge.peek_tokens owner to jobforge_engine;
alter function jobforge.take_all_tokens owner to jobforge_engine;
alter function jobforge.take_tokens owner to jobforge_engine;
revoke execute on function jobforge.claim_allowance, jobforge.peek_tokens, jobforge.take_all_tokens,
    jobforge.take_tokens from public;
