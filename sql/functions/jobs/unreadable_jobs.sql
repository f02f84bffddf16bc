-- Jobs whose payload cannot be sent: more than a server can put into one value, or an artifact that is
-- gone. Enqueue refuses such payloads; this is the net below it. A worker whose claim fails for
-- another reason than the connection calls it, so that one row cannot stop every claim of its batch.

-- Ends waiting jobs of these types that cannot be read as FAILED, each with the reason, and answers how
-- many. Looks at the p_limit first due jobs of each lane, in the order of claims, and at the p_limit first
-- of those that lost their worker, which are outside of the lanes: no job is looked at twice.
drop function if exists jobforge.end_unreadable_jobs(text[], integer);
create or replace function jobforge.end_unreadable_jobs(p_types text[], p_limit integer default 1000,
    p_tenants uuid[] default null) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off as $$
declare
    v_job jobforge.jobs;
    v_count integer := 0;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_elements(p_types, 'p_types');
    perform jobforge.check_page(p_limit, 10000);
    for v_job in
        select j.* from (select distinct f.type, f.priority, f.tenant_id
            from jobforge.find_lanes(p_types, p_tenants) f where not f.interrupted) l cross join lateral (
            select c.* from jobforge.jobs c
            where c.status = 'QUEUED' and not c.interrupted and c.type = l.type and c.priority = l.priority
                and c.tenant_id = l.tenant_id and c.scheduled_at <= clock_timestamp()
            order by c.scheduled_at limit p_limit for update skip locked) j
    loop
        v_count := v_count + jobforge.end_if_unreadable(v_job);
    end loop;
    for v_job in
        select j.* from jobforge.jobs j
        where j.interrupted and j.status = 'QUEUED' and j.type = any(p_types)
            and j.scheduled_at <= clock_timestamp() and (p_tenants is null or j.tenant_id = any(p_tenants))
        order by j.priority, j.scheduled_at limit p_limit for update skip locked
    loop
        v_count := v_count + jobforge.end_if_unreadable(v_job);
    end loop;
    return v_count;
end
$$;

-- 1 if the job was ended.
create or replace function jobforge.end_if_unreadable(p_job jobforge.jobs) returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_reason text := jobforge.payload_fault(p_job.tenant_id, p_job.payload, p_job.payload_ref);
begin
    if v_reason is null then
        return 0;
    end if;
    perform jobforge.finish_job(p_job, 'FAILED', 'FAILED', jsonb_build_object(
        'code', 'JOB_PAYLOAD_INVALID', 'retryable', false, 'message', v_reason), p_job.lease_token);
    return 1;
end
$$;

-- What is wrong with a stored payload; NULL if it can be sent. Its cost makes plans ask as few rows as
-- possible: it reads the whole payload.
create or replace function jobforge.payload_fault(p_tenant_id uuid, p_payload jsonb, p_ref bytea) returns text
    language plpgsql stable cost 10000 set search_path = pg_catalog, pg_temp as $$
declare
    v_payload jsonb := p_payload;
begin
    if p_ref is not null then
        v_payload := jobforge.load_artifact(p_tenant_id, p_ref);
        if v_payload is null then
            return 'the stored payload is gone';
        end if;
    end if;
    perform jobforge.json_bytes(v_payload, 'payload', 67108864);
    return null;
exception when others then
    return 'the payload cannot be read: ' || sqlerrm;
end
$$;

-- A payload or result as it can be sent; one that cannot is replaced by what is wrong with it.
create or replace function jobforge.readable(p_value jsonb) returns jsonb
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if pg_column_size(p_value) > 20 and jobforge.has_long_number(p_value) then
        return jsonb_build_object('unreadable', 'a number of more than 400 digits');
    end if;
    return p_value;
end
$$;
alter function jobforge.end_unreadable_jobs owner to jobforge_engine;
alter function jobforge.end_if_unreadable owner to jobforge_engine;
alter function jobforge.payload_fault owner to jobforge_engine;
alter function jobforge.readable owner to jobforge_definer;
revoke execute on function jobforge.end_unreadable_jobs, jobforge.end_if_unreadable, jobforge.payload_fault,
    jobforge.readable from public;
grant execute on function jobforge.payload_fault to jobforge_definer;
grant execute on function jobforge.readable to jobforge_engine;
grant execute on function jobforge.end_unreadable_jobs to jobforge_worker;
