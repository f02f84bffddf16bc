-- Idempotency-Key: a request that is repeated gets the answer of the first, for 24 hours.

-- The line of a key: a client that rotates between two tries is still the same client. A platform key,
-- which acts under the nil uuid, has no line, and has just entered.
create or replace function jobforge.first_key_id(p_tenant_id uuid, p_key_id text) returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_first text;
begin
    if p_tenant_id = '00000000-0000-0000-0000-000000000000' then
        return p_key_id;
    end if;
    select k.first_key_id into v_first from jobforge.api_keys k
    where k.tenant_id = p_tenant_id and k.key_id = p_key_id;
    if not found then
        perform jobforge.raise_not_found('API key', coalesce(p_key_id, 'NULL'));
    end if;
    return v_first;
end
$$;

create or replace function jobforge.check_api_request(p_idempotency_key text, p_request_hash bytea)
    returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_idempotency_key is null or p_idempotency_key !~ '^[!-~]{1,255}$' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'an Idempotency-Key has 1 to 255 visible ASCII characters', 'A random UUID is a good one.');
    elsif octet_length(p_request_hash) is distinct from 32 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'the hash of a request has 32 bytes', '');
    end if;
end
$$;

-- No row: this request is the first, and those that come with the same key now wait for the end of
-- its transaction, five seconds at most. One row: the answer to give instead of doing anything. The
-- turn comes before the look; store_api_response ends it.
create or replace function jobforge.begin_api_request(p_key_id text, p_idempotency_key text,
    p_request_hash bytea) returns table (status integer, headers jsonb, body bytea)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set lock_timeout = '5s'
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_first text := jobforge.first_key_id(v_tenant_id, p_key_id);
    v_row jobforge.api_requests;
begin
    perform jobforge.check_api_request(p_idempotency_key, p_request_hash);
    perform jobforge.take_turn(v_tenant_id, format('api_request %s %s', v_first, p_idempotency_key));
    select r.* into v_row from jobforge.api_requests r
    where r.tenant_id = v_tenant_id and r.key_id = v_first and r.idempotency_key = p_idempotency_key;
    if not found then
        return;
    elsif v_row.created_at <= clock_timestamp() - interval '24 hours' then
        -- Forgotten, whether housekeeping has come by or not.
        delete from jobforge.api_requests r
        where r.tenant_id = v_tenant_id and r.key_id = v_first and r.idempotency_key = p_idempotency_key;
        return;
    elsif v_row.request_hash is distinct from p_request_hash then
        perform jobforge.raise_error('IDEMPOTENCY_CONFLICT',
            'this Idempotency-Key was used for another request',
            'A key belongs to one method, path and body. Use a new one for a new request.');
    end if;
    perform jobforge.end_turn(v_tenant_id, format('api_request %s %s', v_first, p_idempotency_key));
    return query select v_row.status, v_row.headers, v_row.body;
end
$$;

create or replace function jobforge.store_api_response(p_key_id text, p_idempotency_key text,
    p_request_hash bytea, p_status integer, p_headers jsonb, p_body bytea) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_first text := jobforge.first_key_id(v_tenant_id, p_key_id);
begin
    perform jobforge.check_api_request(p_idempotency_key, p_request_hash);
    if (p_status between 200 and 299 and jsonb_typeof(p_headers) = 'object'
            and octet_length(p_body) <= 16777216) is not true then
        perform jobforge.raise_error('VALIDATION_ERROR',
            'an answer that is kept has a status from 200 to 299, headers and a body of at most 16 MiB', '');
    end if;
    perform jobforge.end_turn(v_tenant_id, format('api_request %s %s', v_first, p_idempotency_key));
    insert into jobforge.api_requests (tenant_id, key_id, idempotency_key, request_hash, status, headers,
        body)
    values (v_tenant_id, v_first, p_idempotency_key, p_request_hash, p_status, p_headers, p_body)
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('IDEMPOTENCY_CONFLICT', 'this Idempotency-Key has an answer already',
            'Call begin_api_request in the same transaction first.');
    end if;
end
$$;

-- Forgets answers of more than a day; how many.
create or replace function jobforge.prune_api_requests(p_limit integer default 1000) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_count integer;
begin
    perform jobforge.check_page(p_limit, 100000);
    with gone as (
        delete from jobforge.api_requests r where (r.tenant_id, r.key_id, r.idempotency_key) in (
            select d.tenant_id, d.key_id, d.idempotency_key from jobforge.api_requests d
            where d.created_at <= clock_timestamp() - interval '24 hours'
            order by d.created_at limit p_limit for update skip locked)
        returning 1)
    select count(*) into v_count from gone;
    -- The turns of requests that were committed without an answer to keep.
    delete from jobforge.turns t where (t.tenant_id, t.what) in (select d.tenant_id, d.what
        from jobforge.turns d where d.what like 'api\_request %' limit p_limit for update skip locked);
    return v_count;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['first_key_id', 'check_api_request', 'begin_api_request', 'store_api_response',
        'prune_api_requests']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_definer', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
alter function jobforge.prune_api_requests owner to jobforge_engine;
grant execute on function jobforge.begin_api_request, jobforge.store_api_response to jobforge_gateway;
grant execute on function jobforge.prune_api_requests to jobforge_worker;
