-- Deliveries, newest first.
create or replace function jobforge.list_webhook_deliveries(p_endpoint uuid default null,
    p_status text default null, p_event_id uuid default null, p_limit integer default 50,
    p_before uuid default null)
    returns table (webhook_delivery_id uuid, webhook_endpoint_id uuid, webhook_subscription_id uuid,
        event_id uuid, event_type text, status text, attempts integer, http_status integer,
        response_headers jsonb, response_body bytea, delivered_at timestamptz, error_message text,
        job_id uuid, created_at timestamptz, updated_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('status of a delivery', p_status, array['PENDING', 'DELIVERED', 'FAILED']);
    return query
    select d.webhook_delivery_id, d.webhook_endpoint_id, d.webhook_subscription_id, d.event_id,
        e.event_type, d.status, d.attempts, d.http_status, d.response_headers, d.response_body,
        d.delivered_at, d.error_message, d.job_id, d.created_at, d.updated_at
    from jobforge.webhook_deliveries d
    join jobforge.events e on e.tenant_id = d.tenant_id and e.event_id = d.event_id
    where d.tenant_id = v_tenant_id and (p_endpoint is null or d.webhook_endpoint_id = p_endpoint)
        and (p_status is null or d.status = p_status) and (p_event_id is null or d.event_id = p_event_id)
        and (p_before is null or d.webhook_delivery_id < p_before)
    order by d.webhook_delivery_id desc limit p_limit;
end
$$;

-- FAILED -> PENDING with a new job, key webhook-<event>-<endpoint>-<n>. Answers the job.
create or replace function jobforge.redeliver_webhook(p_delivery_id uuid) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_delivery record := jobforge.lock_delivery(v_tenant_id, p_delivery_id);
    v_job_id uuid;
begin
    if v_delivery.status <> 'FAILED' then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('delivery %s is %s', p_delivery_id, v_delivery.status), 'Only a FAILED one is sent again.');
    end if;
    v_job_id := jobforge.enqueue_follow_up(v_tenant_id, 'DELIVER_WEBHOOK',
        jsonb_build_object('webhook_delivery_id', p_delivery_id), 3,
        format('webhook-%s-%s-%s', v_delivery.event_id, v_delivery.webhook_endpoint_id,
            v_delivery.redeliveries + 1));
    update jobforge.webhook_deliveries d
    set status = 'PENDING', redeliveries = d.redeliveries + 1, job_id = v_job_id,
        updated_at = clock_timestamp()
    where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    return v_job_id;
end
$$;

-- All that failed between two times, the oldest first, to one endpoint or to every active one. Answers
-- how many; p_limit of them means that there may be more: call again with the same p_until, so that what
-- fails anew meanwhile is not sent for ever.
drop function if exists jobforge.redeliver_failed(uuid, timestamptz, integer);
create or replace function jobforge.redeliver_failed(p_endpoint uuid default null,
    p_since timestamptz default '-infinity', p_limit integer default 1000,
    p_until timestamptz default 'infinity') returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_delivery_id uuid;
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 10000);
    if p_since is null or p_until is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'p_since and p_until are times, not NULL',
            'Leave them out for all deliveries.');
    elsif p_endpoint is not null and (jobforge.lock_endpoint(v_tenant_id, p_endpoint)).status = 'DISABLED' then
        perform jobforge.raise_error('INVALID_TRANSITION', format('endpoint %s is disabled', p_endpoint),
            'Enable it first: jobforge webhooks enable ID.');
    end if;
    for v_delivery_id in
        select d.webhook_delivery_id from jobforge.webhook_deliveries d
        join jobforge.webhook_endpoints e
            on e.tenant_id = d.tenant_id and e.webhook_endpoint_id = d.webhook_endpoint_id
        where d.tenant_id = v_tenant_id and d.status = 'FAILED' and d.updated_at >= p_since
            and d.updated_at < p_until and e.status = 'ACTIVE' and (p_endpoint is null or d.webhook_endpoint_id = p_endpoint)
        order by d.webhook_delivery_id limit p_limit
        for no key update of d skip locked
    loop
        perform jobforge.redeliver_webhook(v_delivery_id);
        v_count := v_count + 1;
    end loop;
    return v_count;
end
$$;

-- What DELIVER_WEBHOOK sends: endpoint, secrets (still encrypted, the newest first) and event.
-- Another row type than before: replacing is not enough. secret_ciphertext is for workers of the
-- version before.
drop function if exists jobforge.delivery_to_send(uuid);
create function jobforge.delivery_to_send(p_delivery_id uuid, out status text, out url text,
    out endpoint_status text, out secret_ciphertext bytea, out webhook_endpoint_id uuid, out event_id uuid,
    out event_type text, out aggregate_type text, out aggregate_id uuid, out occurred_at timestamptz,
    out payload_canonical bytea, out secret_ciphertexts bytea[])
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select d.status, w.url, w.status, w.secret_ciphertext, d.webhook_endpoint_id, d.event_id, e.event_type,
        e.aggregate_type, e.aggregate_id, e.occurred_at, e.payload_canonical, jobforge.signing_secrets(w)
    into status, url, endpoint_status, secret_ciphertext, webhook_endpoint_id, event_id, event_type,
        aggregate_type, aggregate_id, occurred_at, payload_canonical, secret_ciphertexts
    from jobforge.webhook_deliveries d
    join jobforge.webhook_endpoints w
        on w.tenant_id = d.tenant_id and w.webhook_endpoint_id = d.webhook_endpoint_id
    join jobforge.events e on e.tenant_id = d.tenant_id and e.event_id = d.event_id
    where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    if not found then
        perform jobforge.raise_not_found('webhook delivery', p_delivery_id::text);
    end if;
end
$$;

-- Whether a success of this job would change nothing but its delivery: the delivery waits for this
-- very job, and endpoint and governor have no failures to forget. Such a success needs no report and
-- no transaction of its own (note_delivery_of_job); once a second one is not routine, so that the
-- governor knows when it last went well.
create or replace function jobforge.delivery_is_routine(p_delivery_id uuid, p_job_id uuid) returns boolean
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return exists (select from jobforge.webhook_deliveries d
        join jobforge.webhook_endpoints e
            on e.tenant_id = d.tenant_id and e.webhook_endpoint_id = d.webhook_endpoint_id
        join jobforge.governors g on g.tenant_id = d.tenant_id and g.kind = 'endpoint'
            and g.key = d.webhook_endpoint_id::text
        where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id
            and d.job_id = p_job_id and d.status = 'PENDING' and e.permanent_failures = 0
            and g.state = 'CLOSED' and g.failure_streak = 0
            and g.last_success_at > clock_timestamp() - interval '1 second');
end
$$;

-- What an attempt brought. A DELIVERED one stays as it is. On a FAILED one an operator has retried
-- the dead job: that is a redelivery.
-- p_endpoint_fault: does a FAILED one speak against the endpoint? NULL: when it has answered at all.
-- (A worker without a master key fails too, and no receiver should pay for that.)
drop function if exists jobforge.note_delivery(uuid, text, integer, jsonb, bytea, text);
create or replace function jobforge.note_delivery(p_delivery_id uuid, p_status text, p_http_status integer,
    p_response_headers jsonb, p_response_body bytea, p_error_message text,
    p_endpoint_fault boolean default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_delivery record := jobforge.lock_delivery(v_tenant_id, p_delivery_id);
begin
    perform jobforge.check_one_of('status of a delivery', p_status, array['PENDING', 'DELIVERED', 'FAILED']);
    if p_http_status not between 100 and 999 or jsonb_typeof(p_response_headers) not in ('array', 'object') then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'an answer has a status of three digits and its headers in a list of pairs or an object', '');
    elsif v_delivery.status = 'DELIVERED' then
        return;
    elsif v_delivery.status = 'FAILED' then
        update jobforge.webhook_deliveries d set status = 'PENDING', redeliveries = d.redeliveries + 1
        where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    end if;
    update jobforge.webhook_deliveries d
    set status = p_status, attempts = d.attempts + 1, http_status = p_http_status,
        response_headers = p_response_headers, response_body = p_response_body,
        error_message = p_error_message, updated_at = clock_timestamp(),
        delivered_at = case when p_status = 'DELIVERED' then clock_timestamp() end
    where d.tenant_id = v_tenant_id and d.webhook_delivery_id = p_delivery_id;
    if p_status = 'DELIVERED' or (p_status = 'FAILED'
            and coalesce(p_endpoint_fault, p_http_status is not null)) then
        perform jobforge.count_delivery(v_tenant_id, v_delivery.webhook_endpoint_id, p_status, p_http_status);
    end if;
end
$$;

-- Permanent failures in a row disable an endpoint at its limit, 410 Gone at once; a success counts
-- them back to none. Nothing is written while all goes well.
create or replace function jobforge.count_delivery(p_tenant_id uuid, p_endpoint uuid, p_status text,
    p_http_status integer) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    if p_status = 'DELIVERED' then
        update jobforge.webhook_endpoints e set permanent_failures = 0
        where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_endpoint and e.permanent_failures > 0;
        return;
    end if;
    update jobforge.webhook_endpoints e set permanent_failures = e.permanent_failures + 1
    where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_endpoint;
    update jobforge.webhook_endpoints e
    set status = 'DISABLED', disabled_at = clock_timestamp(),
        disabled_reason = case when p_http_status = 410 then 'the receiver answered 410 Gone'
            else format('%s permanent failures in a row', e.permanent_failures) end
    where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_endpoint and e.status = 'ACTIVE'
        and (p_http_status = 410 or e.permanent_failures >= e.disable_after);
end
$$;

create or replace function jobforge.lock_delivery(p_tenant_id uuid, p_delivery_id uuid, out status text,
    out event_id uuid, out webhook_endpoint_id uuid, out redeliveries integer)
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    select d.status, d.event_id, d.webhook_endpoint_id, d.redeliveries
    into status, event_id, webhook_endpoint_id, redeliveries
    from jobforge.webhook_deliveries d
    where d.tenant_id = p_tenant_id and d.webhook_delivery_id = p_delivery_id for no key update;
    if not found then
        perform jobforge.raise_not_found('webhook delivery', p_delivery_id::text);
    end if;
end
$$;
alter function jobforge.list_webhook_deliveries owner to jobforge_definer;
alter function jobforge.redeliver_webhook owner to jobforge_definer;
alter function jobforge.delivery_to_send owner to jobforge_definer;
alter function jobforge.delivery_is_routine owner to jobforge_definer;
alter function jobforge.note_delivery owner to jobforge_definer;
alter function jobforge.lock_delivery owner to jobforge_definer;
alter function jobforge.redeliver_failed owner to jobforge_definer;
alter function jobforge.count_delivery owner to jobforge_definer;
revoke execute on function jobforge.list_webhook_deliveries, jobforge.redeliver_webhook,
    jobforge.delivery_to_send, jobforge.delivery_is_routine, jobforge.note_delivery,
    jobforge.lock_delivery, jobforge.redeliver_failed, jobforge.count_delivery from public;
grant execute on function jobforge.list_webhook_deliveries, jobforge.redeliver_webhook,
    jobforge.redeliver_failed to jobforge_tenant, jobforge_gateway, jobforge_worker;
grant execute on function jobforge.delivery_to_send, jobforge.delivery_is_routine, jobforge.note_delivery
    to jobforge_worker;
