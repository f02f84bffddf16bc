-- Refuses arguments that no job may have, each with its reason.
drop function if exists jobforge.check_enqueue(jsonb, integer, integer, timestamptz, text);
create or replace function jobforge.check_enqueue(p_payload jsonb, p_priority integer,
    p_max_attempts integer, p_scheduled_at timestamptz, p_idempotency_key text,
    p_trace_id text default null, p_created_by text default null) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_payload is null or jsonb_typeof(p_payload) <> 'object' then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
            format('the payload must be a JSON object, not %s', coalesce(jsonb_typeof(p_payload), 'NULL')),
            'Wrap the value: {"value": ...}.');
    elsif p_priority not between 0 and 3 then
        perform jobforge.raise_error('VALIDATION_ERROR', format('priority %s is not 0, 1, 2 or 3', p_priority), '');
    elsif p_max_attempts not between 1 and 1000 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('max_attempts %s is not between 1 and 1000', p_max_attempts), '');
    elsif p_scheduled_at not between '2000-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('scheduled_at must lie between the years 2000 and 9999, not at %s', p_scheduled_at), '');
    elsif length(p_idempotency_key) not between 1 and 500 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('an idempotency key has 1 to 500 characters, not %s', length(p_idempotency_key)), '');
    elsif length(p_trace_id) > 200 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('a trace id has at most 200 characters, not %s', length(p_trace_id)), '');
    elsif length(p_created_by) > 500 then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('created_by has at most 500 characters, not %s', length(p_created_by)), '');
    end if;
end
$$;

-- The bytes of a payload, result or error as text, which is how it is sent. JOB_PAYLOAD_INVALID for
-- more than p_max, and for a number that is written with more than 400 digits: every double fits,
-- and 1e131071, ten bytes in jsonb and 131,072 digits as text, does not. (8,300 of these were a
-- payload of 75 KB that no worker could read.) No text is made before its numbers are known to be
-- short, unless it is small.
create or replace function jobforge.json_bytes(p_value jsonb, p_what text, p_max integer) returns integer
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_size integer := pg_column_size(p_value);
    v_bytes integer;
begin
    if v_size > p_max or (v_size > 2000 and jobforge.has_long_number(p_value)) then
        perform jobforge.raise_unreadable(p_what, v_size > p_max, p_max);
    end if;
    v_bytes := octet_length(p_value::text);
    if v_bytes > p_max or (v_bytes > 400 and v_size <= 2000 and jobforge.has_long_number(p_value)) then
        perform jobforge.raise_unreadable(p_what, v_bytes > p_max and not jobforge.has_long_number(p_value),
            p_max);
    end if;
    return v_bytes;
end
$$;

-- The text of each number, up to the first long one (a sign and a point are not digits): a number of any size
-- may have 16,383 digits behind its
-- point (0e-16383, round(1, 16383)), so that no comparison finds them all. By way of an array:
-- jsonb_path_query moves all that it has left for each row (a minute for 300,000 numbers of a digit).
create or replace function jobforge.has_long_number(p_value jsonb) returns boolean
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    return exists (select from jsonb_array_elements(jsonb_path_query_array(p_value,
            '$.** ? (@.type() == "number")', '{}', true)) n(number)
        where octet_length(n.number::text) > 400 and (octet_length(n.number::text) > 402
            or octet_length(split_part(ltrim(n.number::text, '-'), '.', 1)) > 400));
end
$$;

create or replace function jobforge.raise_unreadable(p_what text, p_too_large boolean, p_max integer) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_too_large then
        perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
            format('the %s is larger than %s bytes as text', p_what, p_max),
            'Store the data elsewhere and put a reference into it.');
    end if;
    perform jobforge.raise_error('JOB_PAYLOAD_INVALID',
        format('the %s has a number of more than 400 digits', p_what),
        'Send such a number as a string.');
end
$$;

-- Refuses an array that is NULL, has a NULL in it, or is counted from another number than 1: elements of
-- several arrays belong together by their places.
create or replace function jobforge.check_elements(p_array anyarray, p_name text) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_array is null or array_ndims(p_array) > 1 or array_lower(p_array, 1) <> 1
        or array_position(p_array, null) is not null then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('%s must be an array of one dimension without NULL, counted from 1', p_name), '');
    end if;
end
$$;

-- Takes the key for p_job_id and returns it, or NULL when another job with the same payload has it.
-- Loops because the holder's row can vanish (pruned, rolled back) between the two statements; the
-- insert waits for a concurrent holder to commit, so each turn makes progress.
-- enable_seqscan: a session that made its plan while the table was tiny kept reading all of it.
create or replace function jobforge.take_idempotency_key(p_tenant_id uuid, p_type text, p_key text,
    p_job_id uuid, p_payload jsonb, p_now timestamptz) returns uuid
    language plpgsql set search_path = pg_catalog, pg_temp
    set jit = off
    set enable_seqscan = off as $$
declare
    v_hash bytea := sha256(convert_to(p_payload::text, 'UTF8'));
    v_held record;
begin
    loop
        insert into jobforge.idempotency_keys (tenant_id, type, idempotency_key, job_id, payload_hash, created_at)
        values (p_tenant_id, p_type, p_key, p_job_id, v_hash, p_now)
        on conflict do nothing;
        if found then
            return p_job_id;
        end if;
        select k.payload_hash, k.job_id into v_held from jobforge.idempotency_keys k
        where k.tenant_id = p_tenant_id and k.type = p_type and k.idempotency_key = p_key;
        if found then
            if v_held.payload_hash <> v_hash then
                perform jobforge.raise_error('IDEMPOTENCY_CONFLICT',
                    format('idempotency key %L of type %s belongs to job %s, which has another payload',
                        p_key, p_type, v_held.job_id),
                    'Use a new key for new work, or send the same payload.');
            end if;
            return null;
        end if;
    end loop;
end
$$;

-- The job that has the key.
create or replace function jobforge.key_holder(p_tenant_id uuid, p_type text, p_key text) returns uuid
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set jit = off
    set enable_seqscan = off as $$
begin
    return (select k.job_id from jobforge.idempotency_keys k
        where k.tenant_id = p_tenant_id and k.type = p_type and k.idempotency_key = p_key);
end
$$;

-- Keeps a large JSON value by its content hash and returns the hash. A row that is there already is
-- shared until the caller's transaction ends, so that prune_finished, which cannot see the uncommitted
-- job, does not delete it; if it is just being deleted, the value is stored anew.
create or replace function jobforge.store_artifact(p_tenant_id uuid, p_value jsonb) returns bytea
    language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_content bytea := convert_to(p_value::text, 'UTF8');
    v_sha256 bytea := sha256(v_content);
begin
    loop
        insert into jobforge.artifacts (tenant_id, sha256, content) values (p_tenant_id, v_sha256, v_content)
        on conflict do nothing;
        exit when found;
        perform from jobforge.artifacts a where a.tenant_id = p_tenant_id and a.sha256 = v_sha256 for key share;
        exit when found;
    end loop;
    return v_sha256;
end
$$;

-- The JSON value of an artifact; NULL for none.
create or replace function jobforge.load_artifact(p_tenant_id uuid, p_sha256 bytea) returns jsonb
    language sql stable set search_path = pg_catalog, pg_temp as $$
    select convert_from(a.content, 'UTF8')::jsonb from jobforge.artifacts a
    where a.tenant_id = p_tenant_id and a.sha256 = p_sha256
$$;
alter function jobforge.check_enqueue owner to jobforge_definer;
alter function jobforge.json_bytes owner to jobforge_definer;
alter function jobforge.has_long_number owner to jobforge_definer;
alter function jobforge.raise_unreadable owner to jobforge_definer;
alter function jobforge.check_elements owner to jobforge_definer;
alter function jobforge.take_idempotency_key owner to jobforge_definer;
alter function jobforge.key_holder owner to jobforge_definer;
alter function jobforge.store_artifact owner to jobforge_definer;
alter function jobforge.load_artifact owner to jobforge_definer;
revoke execute on function jobforge.check_enqueue, jobforge.json_bytes, jobforge.has_long_number,
    jobforge.raise_unreadable, jobforge.check_elements, jobforge.take_idempotency_key, jobforge.key_holder,
    jobforge.store_artifact,
    jobforge.load_artifact from public;
grant execute on function jobforge.json_bytes, jobforge.has_long_number, jobforge.raise_unreadable,
    jobforge.check_elements, jobforge.take_idempotency_key, jobforge.key_holder,
    jobforge.store_artifact,
    jobforge.load_artifact to jobforge_engine;
