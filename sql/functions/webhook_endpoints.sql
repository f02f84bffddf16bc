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
    values (v_tenant_id, v_endpoint_id, p_url, coalesce(p_description, ''), p_secret_ciphertext, p_actor_id)
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR', format('endpoint %s exists already', v_endpoint_id),
            'Use a new id, or none.');
    end if;
    return v_endpoint_id;
end
$$;

-- A DISABLED endpoint gets no new events; its waiting deliveries ask for its status when they run.
create or replace function jobforge.set_webhook_endpoint_status(p_id uuid, p_status text) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.check_one_of('status of an endpoint', p_status, array['ACTIVE', 'DISABLED']);
    update jobforge.webhook_endpoints e set status = p_status
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', p_id::text);
    end if;
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

create or replace function jobforge.list_webhook_endpoints()
    returns table (webhook_endpoint_id uuid, url text, description text, status text,
        created_at timestamptz, created_by text, event_types text[])
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select e.webhook_endpoint_id, e.url, e.description, e.status, e.created_at, e.created_by,
        array(select s.event_type from jobforge.webhook_subscriptions s
            where s.tenant_id = e.tenant_id and s.webhook_endpoint_id = e.webhook_endpoint_id
            order by s.event_type)
    from jobforge.webhook_endpoints e where e.tenant_id = v_tenant_id
    order by e.webhook_endpoint_id;
end
$$;
alter function jobforge.add_webhook_endpoint owner to jobforge_definer;
alter function jobforge.set_webhook_endpoint_status owner to jobforge_definer;
alter function jobforge.subscribe_webhook owner to jobforge_definer;
alter function jobforge.list_webhook_endpoints owner to jobforge_definer;
revoke execute on function jobforge.add_webhook_endpoint, jobforge.set_webhook_endpoint_status,
    jobforge.subscribe_webhook, jobforge.list_webhook_endpoints from public;
grant execute on function jobforge.add_webhook_endpoint, jobforge.set_webhook_endpoint_status,
    jobforge.subscribe_webhook, jobforge.list_webhook_endpoints
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
