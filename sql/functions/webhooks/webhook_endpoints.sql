-- Where events are delivered. The secret comes encrypted (AES-256-GCM, the master key is not in the
-- database) and leaves only through delivery_to_send.
create or replace function jobforge.add_webhook_endpoint(p_url text, p_secret_ciphertext bytea,
    p_description text default '', p_webhook_endpoint_id uuid default null, p_actor_id text default null)
    returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_endpoint_id uuid := coalesce(p_webhook_endpoint_id, jobforge.uuid_v7(clock_timestamp()));
begin
    perform jobforge.check_length('the url of an endpoint', p_url, 8, 2000);
    perform jobforge.check_length('the description of an endpoint', coalesce(p_description, ''), 0, 1000);
    if p_url !~ '^https?://[^[:space:]]+$' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the url of an endpoint begins with http:// or https://', '');
    elsif p_secret_ciphertext is null or octet_length(p_secret_ciphertext) not between 1 and 4096 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an endpoint needs an encrypted secret',
            'Use jobforge webhooks add: it makes and encrypts one.');
    end if;
    insert into jobforge.webhook_endpoints (tenant_id, webhook_endpoint_id, url, description,
        secret_ciphertext, created_by)
    values (v_tenant_id, v_endpoint_id, p_url, coalesce(p_description, ''), p_secret_ciphertext,
        left(p_actor_id, 500))
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('endpoint %s exists already', v_endpoint_id),
            'Use a new id, or none.');
    end if;
    return v_endpoint_id;
end
$$;

-- A DISABLED endpoint gets no new events; its waiting deliveries ask for its status when they run.
-- ACTIVE again, it starts with a clean slate: failures are counted from none.
create or replace function jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.check_one_of('status of an endpoint', p_status, array['ACTIVE', 'DISABLED']);
    if p_status = 'ACTIVE' then
        update jobforge.webhook_endpoints e
        set status = 'ACTIVE', permanent_failures = 0, disabled_at = null, disabled_reason = null
        where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
    else
        -- Disabled already: since when and why stays.
        update jobforge.webhook_endpoints e
        set status = 'DISABLED', disabled_at = coalesce(e.disabled_at, clock_timestamp()),
            disabled_reason = coalesce(e.disabled_reason, 'by hand')
        where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
    end if;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', p_id::text);
    end if;
end
$$;

-- Sets what p_settings names. disable_after: that many permanent failures in a row; null: never.
create or replace function jobforge.set_webhook_endpoint(p_id uuid, p_settings jsonb) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.webhook_endpoints := jobforge.lock_endpoint(v_tenant_id, p_id);
begin
    perform jobforge.check_members('an endpoint', p_settings, array['description', 'disable_after']);
    v_row := jsonb_populate_record(v_row, p_settings);
    perform jobforge.check_length('the description of an endpoint', v_row.description, 0, 1000);
    update jobforge.webhook_endpoints e
    set description = v_row.description, disable_after = v_row.disable_after
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
exception when check_violation or invalid_text_representation or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', 'endpoint: ' || jobforge.refusal_text(sqlerrm, v_row, p_settings), '');
end
$$;

-- A new secret. The one before signs beside it for p_overlap (0: not at all, for one that is known
-- to others), so that the receiver can change over without a gap; answers until when. Sealed like
-- the first: for the endpoint's id.
create or replace function jobforge.rotate_webhook_secret(p_webhook_endpoint_id uuid,
    p_secret_ciphertext bytea, p_overlap interval default '24 hours') returns timestamptz
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.webhook_endpoints := jobforge.lock_endpoint(v_tenant_id, p_webhook_endpoint_id);
    v_now timestamptz := clock_timestamp();
    v_until timestamptz;
begin
    if p_secret_ciphertext is null or octet_length(p_secret_ciphertext) not between 1 and 4096 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an endpoint needs an encrypted secret',
            'Use jobforge webhooks rotate: it makes and encrypts one.');
    elsif p_overlap is null or p_overlap not between interval '0' and interval '30 days' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the overlap of two secrets is 0 to 30 days', '');
    end if;
    delete from jobforge.webhook_replaced_secrets r
    where r.tenant_id = v_tenant_id and r.webhook_endpoint_id = p_webhook_endpoint_id
        and (r.expires_at <= v_now or p_overlap = interval '0');
    if (select count(*) from jobforge.webhook_replaced_secrets r where r.tenant_id = v_tenant_id
            and r.webhook_endpoint_id = p_webhook_endpoint_id) >= 4 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'four replaced secrets still sign for this endpoint',
            'Wait until one has ended, or end them all with an overlap of 0.');
    end if;
    if p_overlap > interval '0' then
        v_until := v_now + p_overlap;
        insert into jobforge.webhook_replaced_secrets (tenant_id, webhook_endpoint_id, replaced_at,
            secret_ciphertext, expires_at)
        values (v_tenant_id, p_webhook_endpoint_id, v_now, v_row.secret_ciphertext, v_until);
    end if;
    update jobforge.webhook_endpoints e set secret_ciphertext = p_secret_ciphertext
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_webhook_endpoint_id;
    return v_until;
end
$$;

-- Every secret that signs for an endpoint now, the newest first.
create or replace function jobforge.signing_secrets(p_endpoint jobforge.webhook_endpoints) returns bytea[]
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    return array[p_endpoint.secret_ciphertext] || array(
        select r.secret_ciphertext from jobforge.webhook_replaced_secrets r
        where r.tenant_id = p_endpoint.tenant_id and r.webhook_endpoint_id = p_endpoint.webhook_endpoint_id
            and r.expires_at > clock_timestamp()
        order by r.replaced_at desc);
end
$$;

create or replace function jobforge.lock_endpoint(p_tenant_id uuid, p_id uuid)
    returns jobforge.webhook_endpoints
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_row jobforge.webhook_endpoints;
begin
    select e.* into v_row from jobforge.webhook_endpoints e
    where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = p_id for no key update;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', coalesce(p_id::text, 'NULL'));
    end if;
    return v_row;
end
$$;

-- Subscribes an endpoint to events: stored names, '*', or dotted aliases (kept by their stored name).
-- Answers all of them, those it had too. Unknown names: VALIDATION_ERROR listing what there is.
create or replace function jobforge.subscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[])
    returns table (webhook_subscription_id uuid, event_type text)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_unknown text;
    v_names text[];
begin
    perform from jobforge.webhook_endpoints e
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_webhook_endpoint_id for no key update;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', p_webhook_endpoint_id::text);
    end if;
    select string_agg(quote_literal(coalesce(w.name, '')), ', ' order by w.n)
        filter (where n.event_type is null and w.name is distinct from '*'),
        array_agg(distinct coalesce(n.event_type, w.name))
    into v_unknown, v_names
    from unnest(p_event_types) with ordinality w(name, n)
    left join jobforge.event_names() n on w.name in (n.event_type, n.alias);
    if v_unknown is not null or v_names is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            case when v_names is null then 'no event named' else format('no such event: %s', v_unknown) end,
            (select 'Known: *, ' || string_agg(n.event_type || coalesce(' = ' || n.alias, ''), ', ')
                from jobforge.event_names() n) || '.');
    end if;
    insert into jobforge.webhook_subscriptions (tenant_id, webhook_subscription_id, webhook_endpoint_id,
        event_type)
    select v_tenant_id, jobforge.uuid_v7(clock_timestamp()), p_webhook_endpoint_id, w.name
    from unnest(v_names) w(name)
    on conflict do nothing;
    return query
    select s.webhook_subscription_id, s.event_type from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
        and s.event_type = any(v_names)
    order by s.event_type;
end
$$;

-- Another row type than before: replacing is not enough.
drop function if exists jobforge.list_webhook_endpoints();
create function jobforge.list_webhook_endpoints()
    returns table (webhook_endpoint_id uuid, url text, description text, status text,
        created_at timestamptz, created_by text, event_types text[], permanent_failures integer,
        disable_after integer, disabled_at timestamptz, disabled_reason text, valid_secrets integer)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select e.webhook_endpoint_id, e.url, e.description, e.status, e.created_at, e.created_by,
        array(select s.event_type from jobforge.webhook_subscriptions s
            where s.tenant_id = e.tenant_id and s.webhook_endpoint_id = e.webhook_endpoint_id
            order by s.event_type),
        e.permanent_failures, e.disable_after, e.disabled_at, e.disabled_reason,
        cardinality(jobforge.signing_secrets(e))
    from jobforge.webhook_endpoints e where e.tenant_id = v_tenant_id
    order by e.webhook_endpoint_id;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['add_webhook_endpoint', 'set_webhook_endpoint_status',
        'set_webhook_endpoint', 'rotate_webhook_secret', 'signing_secrets', 'lock_endpoint',
        'subscribe_webhook', 'list_webhook_endpoints']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_definer', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.add_webhook_endpoint, jobforge.set_webhook_endpoint_status,
    jobforge.set_webhook_endpoint, jobforge.rotate_webhook_secret, jobforge.subscribe_webhook,
    jobforge.list_webhook_endpoints to jobforge_tenant, jobforge_gateway, jobforge_worker;
