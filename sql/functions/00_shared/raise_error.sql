-- Raises one of our errors: SQLSTATE by code, DETAIL {"code": ...}, HINT what to do.
-- The pairs are those of include/jobforge/error_codes.def (tests/sql/catalog_test.cc).
create or replace function jobforge.error_sqlstate(p_code text) returns text
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select case p_code
        when 'CONFIG_MISSING' then 'JF001'
        when 'UNAUTHORIZED' then 'JF002'
        when 'API_KEY_REVOKED' then 'JF003'
        when 'FORBIDDEN' then 'JF004'
        when 'NOT_FOUND' then 'JF005'
        when 'VALIDATION_ERROR' then 'JF006'
        when 'JOB_PAYLOAD_INVALID' then 'JF007'
        when 'IDEMPOTENCY_CONFLICT' then 'JF008'
        when 'UNKNOWN_JOB_TYPE' then 'JF009'
        when 'UNSUPPORTED_JOB_TYPE' then 'JF010'
        when 'INVALID_TRANSITION' then 'JF011'
        when 'LEASE_LOST' then 'JF012'
        when 'LEASE_EXPIRED' then 'JF013'
        when 'QUOTA_EXCEEDED' then 'JF014'
        when 'RATE_LIMITED' then 'JF015'
        when 'EVENT_VERSION_CONFLICT' then 'JF016'
        when 'DB_UNAVAILABLE' then 'JF017'
        when 'QUEUE_UNAVAILABLE' then 'JF018'
        when 'TIMEOUT' then 'JF019'
        when 'PAYLOAD_LIMIT' then 'JF020'
        when 'INTERNAL_ERROR' then 'JF021'
        when 'RULE_PARSE_ERROR' then 'JF022'
        when 'RULE_TYPE_ERROR' then 'JF023'
        when 'UNIT_MISMATCH' then 'JF024'
        when 'RULE_CYCLE_DETECTED' then 'JF025'
        when 'RULE_TESTS_FAILED' then 'JF026'
        when 'RULE_PKG_NOT_PUBLISHED' then 'JF027'
        when 'DIVISION_BY_ZERO' then 'JF028'
        when 'NUMBER_OVERFLOW' then 'JF029'
        when 'BUDGET_EXCEEDED' then 'JF030'
        when 'PAYLOAD_TOO_LARGE' then 'JF031'
        when 'PROOF_TOO_LARGE' then 'JF032'
        when 'RECEIPT_TOO_LARGE' then 'JF033'
        when 'SIGNING_KEY_MISSING' then 'JF034'
        when 'INVALID_SIGNING_KEY' then 'JF035'
        when 'SIGNATURE_INVALID' then 'JF036'
        when 'REPLAY_MISMATCH' then 'JF037'
        when 'SNAPSHOT_SEALED' then 'JF038'
        when 'SNAPSHOT_NOT_READY' then 'JF039'
        when 'SNAPSHOT_NOT_SEALED' then 'JF040'
        when 'DOCUMENT_REJECTED' then 'JF041'
        when 'UNSUPPORTED_DOCUMENT_KIND' then 'JF042'
        when 'INVALID_PASSPORT_STATUS' then 'JF043'
        when 'QR_ENCODE_FAILED' then 'JF044'
        when 'WEBHOOK_TIMEOUT' then 'JF045'
        when 'WEBHOOK_DELIVERY_FAILED' then 'JF046'
        when 'WEBHOOK_NON_2XX' then 'JF047'
        when 'SSRF_BLOCKED' then 'JF048'
        when 'SECRET_NOT_FOUND' then 'JF049'
        when 'SOURCE_PAUSED' then 'JF050'
        when 'SOURCE_DISABLED' then 'JF051'
        when 'CANONICAL_NUMBER_NOT_ALLOWED' then 'JF052'
        when 'FACT_SHAPE' then 'JF053'
        when 'CONNECTION_FAILED' then 'JF054'
        when 'ACCESS_CHANGED' then 'JF055'
        when 'SETTLED' then 'JF056'
        when 'COMPLIANCE_FAILED' then 'JF057'
        when 'SCHEMA_MISSING' then 'JF058'
        when 'ADDRESS_IN_USE' then 'JF059'
        when 'LOG_HEAD_MISMATCH' then 'JF060'
        else 'JF021' end
$$;

create or replace function jobforge.raise_error(p_code text, p_message text, p_hint text default '')
    returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    raise exception using
        errcode = jobforge.error_sqlstate(p_code),
        message = p_message,
        detail = json_build_object('code', p_code)::text,
        hint = p_hint;
end
$$;

-- "1 job", "2 jobs".
create or replace function jobforge.counted(p_count bigint, p_one text, p_many text) returns text
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select p_count || ' ' || case when p_count = 1 then p_one else p_many end
$$;
alter function jobforge.counted owner to jobforge_owner;
alter function jobforge.error_sqlstate owner to jobforge_owner;
alter function jobforge.raise_error owner to jobforge_owner;
revoke execute on function jobforge.counted, jobforge.error_sqlstate, jobforge.raise_error from public;
grant execute on function jobforge.counted, jobforge.error_sqlstate, jobforge.raise_error
    to jobforge_definer, jobforge_engine, jobforge_gateway, jobforge_tenant, jobforge_worker;
