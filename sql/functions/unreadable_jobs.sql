-- Jobs whose payload cannot be sent: more than a server can put into one value, or an artifact that is
-- gone. Enqueue refuses such payloads; this is the net below it. A worker whose claim fails for
-- another reason than the connection calls it, so that one row cannot stop every claim of its batch.

-- Ends waiting jobs of these types that cannot be read as FAILED, each with the reason, and answers how
-- many. Looks at the p_limit first due jobs of each lane, in the order of claims.
create or replace function jobforge.end_unreadable_jobs(p_types text[], p_limit integer default 1000)
    returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set jit = off
    set enable_seqscan = off as $$
declare
    v_job jobforge.jobs;
    v_reason text;
    v_count integer := 0;
begin
    perform jobforge.require_read_committed();
    perform jobforge.check_elements(p_types, 'p_types');
    perform jobforge.check_page(p_limit, 10000);
    for v_job in
        select j.* from jobforge.find_lanes(p_types, null) l cross join lateral (
            select c.* from jobforge.jobs c
            where c.status = 'QUEUED' and c.type = l.type and c.priority = l.priority
                and c.tenant_id = l.tenant_id and c.scheduled_at <= clock_timestamp()
            order by c.scheduled_at limit p_limit for update skip locked) j
    loop
        v_reason := jobforge.payload_fault(v_job.tenant_id, v_job.payload, v_job.payload_ref);
        if v_reason is not null then
            perform jobforge.finish_job(v_job, 'FAILED', 'FAILED', jsonb_build_object(
                'code', 'JOB_PAYLOAD_INVALID', 'retryable', false, 'message', v_reason), v_job.lease_token);
            v_count := v_count + 1;
        end if;
    end loop;
    return v_count;
end
$$;

-- What is wrong with a stored payload; NULL if it can be sent.
create or replace function jobforge.payload_fault(p_tenant_id uuid, p_payload jsonb, p_ref bytea) returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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
alter function jobforge.payload_fault owner to jobforge_engine;
alter function jobforge.readable owner to jobforge_definer;
revoke execute on function jobforge.end_unreadable_jobs, jobforge.payload_fault, jobforge.readable from public;
grant execute on function jobforge.end_unreadable_jobs to jobforge_worker;
