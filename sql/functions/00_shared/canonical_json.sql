-- BPC-CJSON-1 of a JSON value: the bytes an audit event hashes.
--
-- Leaves are what jsonb prints: its escapes are those of RFC 8785 (short forms, \u00xx in lower case,
-- all else raw; tests/sql/event_chain_test.cc compares them with C++). Members must be ASCII, where
-- bytes and UTF-16 sort alike. Numbers are integers up to 2^53-1: CANONICAL_NUMBER_NOT_ALLOWED.
create or replace function jobforge.canonical_json(p_value jsonb) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_text text;
    v_bad text;
begin
    case jsonb_typeof(p_value)
    when 'object' then
        select '{' || coalesce(string_agg(to_json(m.key)::text || ':'
                || case when jsonb_typeof(m.value) in ('object', 'array', 'number')
                    then jobforge.canonical_json(m.value) else m.value::text end,
                ',' order by m.key collate "C"), '') || '}',
            min(m.key) filter (where octet_length(m.key) <> length(m.key))
        into v_text, v_bad
        from jsonb_each(p_value) m;
        if v_bad is not null then
            perform jobforge.raise_error('VALIDATION_ERROR',
                format('member %L of an event is not plain ASCII', v_bad), '');
        end if;
        return v_text;
    when 'array' then
        select '[' || coalesce(string_agg(jobforge.canonical_json(e.value), ',' order by e.n), '') || ']'
        into v_text from jsonb_array_elements(p_value) with ordinality e(value, n);
        return v_text;
    when 'number' then
        v_text := p_value::text;
        if v_text !~ '^-?[0-9]{1,16}$' or abs(v_text::bigint) > 9007199254740991 then
            perform jobforge.raise_error('CANONICAL_NUMBER_NOT_ALLOWED',
                format('%s is not an integer within 2^53-1', v_text), 'Write it as a string.');
        end if;
        return v_text;
    else
        return p_value::text;
    end case;
end
$$;
alter function jobforge.canonical_json owner to jobforge_definer;
revoke execute on function jobforge.canonical_json from public;
grant execute on function jobforge.canonical_json to jobforge_engine;
