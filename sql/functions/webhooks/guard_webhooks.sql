-- PENDING (between retries too) -> DELIVERED or FAILED; FAILED -> PENDING by redelivery. What is
-- delivered to whom never changes.
create or replace function jobforge.guard_delivery() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'PENDING' then
            perform jobforge.raise_transition('delivery', new.webhook_delivery_id::text, null, new.status);
        end if;
    elsif (old.status, new.status) not in (('PENDING', 'PENDING'), ('PENDING', 'DELIVERED'),
            ('PENDING', 'FAILED'), ('FAILED', 'PENDING'))
        or (new.tenant_id, new.webhook_delivery_id, new.webhook_endpoint_id, new.webhook_subscription_id,
            new.event_id, new.created_at)
        is distinct from (old.tenant_id, old.webhook_delivery_id, old.webhook_endpoint_id,
            old.webhook_subscription_id, old.event_id, old.created_at) then
        perform jobforge.raise_transition('delivery', old.webhook_delivery_id::text, old.status, new.status);
    end if;
    return new;
end
$$;
create or replace trigger webhook_deliveries_guard before insert or update on jobforge.webhook_deliveries
    for each row execute function jobforge.guard_delivery();

create or replace function jobforge.guard_endpoint() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('%s keeps its tenant, ids and birth', tg_table_name), 'Add a new one.');
    return null;
end
$$;
create or replace trigger webhook_endpoints_guard before update on jobforge.webhook_endpoints for each row
    when (new.tenant_id <> old.tenant_id or new.webhook_endpoint_id <> old.webhook_endpoint_id
        or new.created_at <> old.created_at)
    execute function jobforge.guard_endpoint();
create or replace trigger webhook_subscriptions_guard before update on jobforge.webhook_subscriptions
    for each row execute function jobforge.guard_endpoint();

-- However a delivery's job ends without success (failed, dead, cancelled, crashed at its last
-- attempt), a delivery that still waits for it has failed. job_id is asked too: a job that a tenant
-- enqueued by hand decides nothing. A payload that is not a uuid must not keep the job from ending.
create or replace function jobforge.fail_delivery_of_job() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_delivery text := new.payload ->> 'webhook_delivery_id';
begin
    if v_delivery ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
        update jobforge.webhook_deliveries d
        set status = 'FAILED', updated_at = clock_timestamp(),
            error_message = coalesce(new.last_error ->> 'message', 'the delivery job was cancelled')
        where d.tenant_id = new.tenant_id and d.webhook_delivery_id = v_delivery::uuid
            and d.job_id = new.job_id and d.status = 'PENDING';
    end if;
    return null;
end
$$;
-- A routine success (delivery_is_routine): what the receiver said comes with the job's result, so
-- that a worker's batch of deliveries is noted in the one transaction that completes their jobs. It
-- moves on to the delivery; the result keeps the rest.
create or replace function jobforge.note_delivery_of_job() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_delivery text := new.payload ->> 'webhook_delivery_id';
    v_said jsonb := new.result -> 'response';
begin
    if v_delivery ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
        update jobforge.webhook_deliveries d
        set status = 'DELIVERED', attempts = d.attempts + 1,
            http_status = (new.result ->> 'http_status')::integer, response_headers = v_said -> 'headers',
            response_body = decode(v_said ->> 'body', 'base64'), error_message = null,
            updated_at = clock_timestamp(), delivered_at = clock_timestamp()
        where d.tenant_id = new.tenant_id and d.webhook_delivery_id = v_delivery::uuid
            and d.job_id = new.job_id and d.status = 'PENDING';
    end if;
    new.result := new.result - 'response';
    return new;
end
$$;
alter function jobforge.guard_delivery owner to jobforge_owner;
alter function jobforge.guard_endpoint owner to jobforge_owner;
alter function jobforge.fail_delivery_of_job owner to jobforge_engine;
alter function jobforge.note_delivery_of_job owner to jobforge_engine;
revoke execute on function jobforge.guard_delivery, jobforge.guard_endpoint, jobforge.fail_delivery_of_job,
    jobforge.note_delivery_of_job from public;
grant execute on function jobforge.fail_delivery_of_job, jobforge.note_delivery_of_job to jobforge_owner;
create or replace trigger finished_jobs_note_delivery before insert on jobforge.finished_jobs for each row
    when (new.type = 'DELIVER_WEBHOOK' and new.status = 'SUCCEEDED' and new.result ? 'response')
    execute function jobforge.note_delivery_of_job();
create or replace trigger finished_jobs_fail_delivery after insert on jobforge.finished_jobs for each row
    when (new.type = 'DELIVER_WEBHOOK' and new.status <> 'SUCCEEDED')
    execute function jobforge.fail_delivery_of_job();

-- Every event waits for its place in the log, however it was written.
create or replace function jobforge.note_waiting_events() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    insert into jobforge.events_to_log (tenant_id, event_seq, event_id)
    select a.tenant_id, a.event_seq, a.event_id from added a;
    return null;
end
$$;
alter function jobforge.note_waiting_events owner to jobforge_owner;
revoke execute on function jobforge.note_waiting_events from public;
create or replace trigger events_wait_for_the_log after insert on jobforge.events
    referencing new table as added for each statement execute function jobforge.note_waiting_events();
