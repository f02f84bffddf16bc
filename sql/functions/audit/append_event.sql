-- The audit chain (BPC-EVENT-1, docs/audit.md).

-- YYYY-MM-DDTHH:MM:SS.ffffffZ, the only form of a time in hashed JSON. Inlined (no SET).
create or replace function jobforge.utc_text(p_at timestamptz) returns text
    language sql stable as $$
    select pg_catalog.to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- What an event's row must hash to. Members in canonical order; every part that could need an
-- escape goes through to_json.
create or replace function jobforge.event_hash(p_tenant_id uuid, p_aggregate_type text, p_aggregate_id uuid,
    p_aggregate_version bigint, p_event_type text, p_actor_id text, p_occurred_at timestamptz,
    p_payload_hash bytea, p_prev_event_hash bytea) returns bytea
    language sql stable as $$
    select pg_catalog.sha256(pg_catalog.convert_to(
        '{"actor_id":' || coalesce(pg_catalog.to_json(p_actor_id)::text, 'null')
        || ',"aggregate_id":"' || p_aggregate_id::text
        || '","aggregate_type":' || pg_catalog.to_json(p_aggregate_type)::text
        || ',"aggregate_version":' || p_aggregate_version::text
        || ',"event_type":' || pg_catalog.to_json(p_event_type)::text
        || ',"occurred_at":"' || jobforge.utc_text(p_occurred_at)
        || '","payload_hash":"' || pg_catalog.encode(p_payload_hash, 'hex')
        || '","prev_event_hash":'
        || coalesce('"' || pg_catalog.encode(p_prev_event_hash, 'hex') || '"', 'null')
        || ',"tenant_id":"' || p_tenant_id::text || '"}', 'UTF8'))
$$;

-- Every event's stored name and, where it has one, the dotted alias that subscriptions may use.
create or replace function jobforge.event_names() returns table (event_type text, alias text)
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    values ('DOCUMENT_UPLOADED', null), ('FACTS_PARSED', 'document.version.validated'),
        ('DOCUMENT_REJECTED', null), ('SNAPSHOT_READY', null), ('SNAPSHOT_REOPENED', null),
        ('SNAPSHOT_SEALED', null), ('RULES_UPLOADED', null), ('TESTS_RUN', null),
        ('RULES_PUBLISHED', 'rules.version.published'), ('RULES_DEPRECATED', null),
        ('RULES_RETIRED', null), ('PASSPORT_COMPILED', null),
        ('PASSPORT_SIGNED', 'passport.version.signed'), ('QR_GENERATED', null),
        ('PASSPORT_ACTIVATED', 'passport.version.active'), ('PASSPORT_SUPERSEDED', null),
        ('PASSPORT_REVOKED', 'passport.version.revoked'), ('PASSPORT_FINDING_ACCEPTED', null),
        ('ACCESS_DENIED', null),
        ('POLICY_CHANGED', null), ('KEY_CREATED', null), ('KEY_REVOKED', null),
        ('RETENTION_APPLIED', null), ('LOG_HEAD_ACCEPTED', null)
$$;

-- The actor for created_by and events: the argument, else app.actor_id. enter_request sets that to the
-- request's key, the worker to the created_by of the job. At most 500 characters.
create or replace function jobforge.acting_actor(p_actor_id text) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $$
    select left(coalesce(p_actor_id, nullif(current_setting('app.actor_id', true), '')), 500)
$$;

-- Appends an event of the current tenant to its aggregate's chain and starts the deliveries to the
-- endpoints that asked for it, all in the caller's transaction. Answers the event's id.
create or replace function jobforge.append_event(p_aggregate_type text, p_aggregate_id uuid,
    p_event_type text, p_payload jsonb default '{}', p_actor_id text default null) returns uuid
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    return jobforge.append_event_of(jobforge.require_tenant(null), p_aggregate_type, p_aggregate_id,
        p_event_type, p_payload, p_actor_id);
end
$$;

-- The same for a tenant that the caller has chosen; the nil uuid is the platform, which is not a tenant
-- (platform_keys.sql).
--
-- Callers hold the aggregate's row locked, so they wait for each other. Without a row to lock
-- (Actor, System) two writers meet at the unique key: the second one waits, then gets
-- EVENT_VERSION_CONFLICT (retryable), never a fork or a gap. ON CONFLICT instead of a handler for
-- the violation: no subtransaction per event.
--
-- event_seq, the order of a tenant's events, is the time in microseconds: a sequence for all tenants
-- would tell each how much the others do, and a counter per tenant would make its writers wait for
-- each other. Within an aggregate it grows whatever the clock does.
create or replace function jobforge.append_event_of(p_tenant_id uuid, p_aggregate_type text,
    p_aggregate_id uuid, p_event_type text, p_payload jsonb, p_actor_id text) returns uuid
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := p_tenant_id;
    v_occurred_at timestamptz := clock_timestamp();
    v_event_id uuid := jobforge.uuid_v7(v_occurred_at);
    v_payload bytea := convert_to(jobforge.canonical_json(p_payload), 'UTF8');
    v_actor_id text := jobforge.acting_actor(p_actor_id);
    v_last record;
    v_version bigint;
    v_seq bigint;
begin
    select e.aggregate_version, e.event_hash, e.event_seq into v_last from jobforge.events e
    where e.tenant_id = v_tenant_id and e.aggregate_type = p_aggregate_type
        and e.aggregate_id = p_aggregate_id
    order by e.aggregate_version desc limit 1;
    v_version := coalesce(v_last.aggregate_version, 0) + 1;
    v_seq := greatest((date_part('epoch', v_occurred_at) * 1000000)::bigint, v_last.event_seq + 1);
    loop
        insert into jobforge.events (tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version,
            event_type, actor_id, payload_canonical, payload_hash, prev_event_hash, event_hash, occurred_at,
            event_seq)
        values (v_tenant_id, v_event_id, p_aggregate_type, p_aggregate_id, v_version, p_event_type, v_actor_id,
            v_payload, sha256(v_payload), v_last.event_hash,
            jobforge.event_hash(v_tenant_id, p_aggregate_type, p_aggregate_id, v_version, p_event_type,
                v_actor_id, v_occurred_at, sha256(v_payload), v_last.event_hash), v_occurred_at, v_seq)
        on conflict do nothing;
        exit when found;
        -- Another event of the tenant in the same microsecond: the next one is as good. Counted up, not
        -- read from the clock again, which may have been set back.
        v_seq := v_seq + 1;
        if exists (select from jobforge.events e where e.tenant_id = v_tenant_id
                and e.aggregate_type = p_aggregate_type and e.aggregate_id = p_aggregate_id
                and e.aggregate_version = v_version) then
            perform jobforge.raise_error('EVENT_VERSION_CONFLICT',
                format('another writer has appended version %s of %s %s', v_version, p_aggregate_type,
                    p_aggregate_id), 'Try again.');
        end if;
    end loop;
    -- Most events have no listener: to ask here is cheaper than the call that finds none.
    if exists (select from jobforge.webhook_subscriptions s
            where s.tenant_id = v_tenant_id and s.event_type in (p_event_type, '*')) then
        perform jobforge.fan_out_event(v_tenant_id, v_event_id, p_event_type);
    end if;
    return v_event_id;
end
$$;

-- One delivery and its job for each active endpoint with a matching subscription. An endpoint gets
-- an event once, however many of its subscriptions match; the most exact one is named.
create or replace function jobforge.fan_out_event(p_tenant_id uuid, p_event_id uuid, p_event_type text)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_target record;
    v_delivery_id uuid;
begin
    for v_target in
        select distinct on (s.webhook_endpoint_id) s.webhook_endpoint_id, s.webhook_subscription_id
        from jobforge.webhook_subscriptions s
        join jobforge.webhook_endpoints e
            on e.tenant_id = s.tenant_id and e.webhook_endpoint_id = s.webhook_endpoint_id
        where s.tenant_id = p_tenant_id and s.event_type in (p_event_type, '*') and e.status = 'ACTIVE'
        order by s.webhook_endpoint_id, s.event_type = '*', s.webhook_subscription_id
    loop
        -- One that is just being removed has no use for it. The foreign key would ask too, and fail the event.
        perform from jobforge.webhook_endpoints e
        where e.tenant_id = p_tenant_id and e.webhook_endpoint_id = v_target.webhook_endpoint_id for key share;
        continue when not found;
        v_delivery_id := jobforge.uuid_v7(clock_timestamp());
        insert into jobforge.webhook_deliveries (tenant_id, webhook_delivery_id, webhook_endpoint_id,
            webhook_subscription_id, event_id, job_id)
        values (p_tenant_id, v_delivery_id, v_target.webhook_endpoint_id, v_target.webhook_subscription_id,
            p_event_id, jobforge.enqueue_follow_up(p_tenant_id, 'DELIVER_WEBHOOK',
                jsonb_build_object('webhook_delivery_id', v_delivery_id), 3,
                format('webhook-%s-%s', p_event_id, v_target.webhook_endpoint_id)));
    end loop;
end
$$;
alter function jobforge.acting_actor owner to jobforge_definer;
alter function jobforge.utc_text owner to jobforge_definer;
alter function jobforge.event_hash owner to jobforge_definer;
alter function jobforge.event_names owner to jobforge_definer;
alter function jobforge.append_event owner to jobforge_definer;
alter function jobforge.append_event_of owner to jobforge_definer;
alter function jobforge.fan_out_event owner to jobforge_definer;
revoke execute on function jobforge.acting_actor, jobforge.utc_text, jobforge.event_hash, jobforge.event_names,
    jobforge.append_event, jobforge.append_event_of, jobforge.fan_out_event from public;
grant execute on function jobforge.acting_actor, jobforge.utc_text, jobforge.event_hash, jobforge.append_event,
    jobforge.append_event_of, jobforge.fan_out_event to jobforge_engine;
