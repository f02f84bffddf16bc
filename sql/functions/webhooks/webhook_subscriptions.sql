-- Subscriptions of endpoints after their first day: looked at, changed, ended; and the end of an endpoint.
-- What is on its way already (deliveries and their jobs) is not touched.

create or replace function jobforge.list_webhook_subscriptions(p_endpoint uuid default null)
    returns table (webhook_subscription_id uuid, webhook_endpoint_id uuid, event_type text,
        created_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select s.webhook_subscription_id, s.webhook_endpoint_id, s.event_type, s.created_at
    from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and (p_endpoint is null or s.webhook_endpoint_id = p_endpoint)
    order by s.webhook_endpoint_id, s.event_type;
end
$$;

-- The endpoint gets these events and no others from now on. Names as for subscribe_webhook.
create or replace function jobforge.set_webhook_subscriptions(p_webhook_endpoint_id uuid, p_event_types text[])
    returns table (webhook_subscription_id uuid, event_type text)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_kept uuid[] := array(select s.webhook_subscription_id
        from jobforge.subscribe_webhook(p_webhook_endpoint_id, p_event_types) s);
begin
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
        and s.webhook_subscription_id <> all(v_kept);
    return query
    select s.webhook_subscription_id, s.event_type from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
    order by s.event_type;
end
$$;

-- Ends subscriptions by the events' stored names, '*' or aliases; how many there were. A name that is not
-- subscribed is nothing; one that no event has is VALIDATION_ERROR.
create or replace function jobforge.unsubscribe_webhook(p_webhook_endpoint_id uuid, p_event_types text[])
    returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_unknown text;
    v_names text[];
    v_count integer;
begin
    perform jobforge.lock_endpoint(v_tenant_id, p_webhook_endpoint_id);
    select string_agg(quote_literal(coalesce(w.name, '')), ', ' order by w.n)
        filter (where n.event_type is null and w.name is distinct from '*'),
        array_agg(distinct coalesce(n.event_type, w.name))
    into v_unknown, v_names
    from unnest(p_event_types) with ordinality w(name, n)
    left join jobforge.event_names() n on w.name in (n.event_type, n.alias);
    if v_unknown is not null or v_names is null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            case when v_names is null then 'no event named' else format('no such event: %s', v_unknown) end,
            'jobforge webhooks list shows the events of each endpoint.');
    end if;
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_webhook_endpoint_id
        and s.event_type = any(v_names);
    get diagnostics v_count = row_count;
    return v_count;
end
$$;

create or replace function jobforge.remove_webhook_subscription(p_id uuid) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_subscription_id = p_id;
    if not found then
        perform jobforge.raise_not_found('webhook subscription', p_id::text);
    end if;
end
$$;

-- Deletes an endpoint with its subscriptions and secrets. One that deliveries were made for is kept, because
-- they tell what was sent where: disable it.
create or replace function jobforge.remove_webhook_endpoint(p_id uuid) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    -- Alone: a delivery that is being made shares the row.
    perform from jobforge.webhook_endpoints e
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id for update;
    if not found then
        perform jobforge.raise_not_found('webhook endpoint', p_id::text);
    elsif exists (select from jobforge.webhook_deliveries d
            where d.tenant_id = v_tenant_id and d.webhook_endpoint_id = p_id) then
        perform jobforge.raise_error('INVALID_TRANSITION', format('endpoint %s has deliveries, which are kept', p_id),
            'Disable it, or end its subscriptions.');
    end if;
    delete from jobforge.webhook_replaced_secrets r
    where r.tenant_id = v_tenant_id and r.webhook_endpoint_id = p_id;
    delete from jobforge.webhook_subscriptions s
    where s.tenant_id = v_tenant_id and s.webhook_endpoint_id = p_id;
    delete from jobforge.governors g
    where g.tenant_id = v_tenant_id and g.kind = 'endpoint' and g.key = p_id::text;
    delete from jobforge.webhook_endpoints e
    where e.tenant_id = v_tenant_id and e.webhook_endpoint_id = p_id;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['list_webhook_subscriptions', 'set_webhook_subscriptions',
        'unsubscribe_webhook', 'remove_webhook_subscription', 'remove_webhook_endpoint']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_definer', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.list_webhook_subscriptions, jobforge.set_webhook_subscriptions,
    jobforge.unsubscribe_webhook, jobforge.remove_webhook_subscription, jobforge.remove_webhook_endpoint
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
