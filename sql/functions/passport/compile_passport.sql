-- Asks for COMPILE_PASSPORT: key compile-<version>, priority 1. Issue time, version id and key id are
-- fixed here, in the payload, so that every run of the job gives the same bytes. A repeated request
-- with its p_passport_version_id (and no other issue time) answers the first one.
-- Errors: NOT_FOUND, SNAPSHOT_NOT_SEALED, RULE_PKG_NOT_PUBLISHED, VALIDATION_ERROR, IDEMPOTENCY_CONFLICT.
create or replace function jobforge.request_compile(
    p_passport_id uuid,
    p_snapshot_id uuid,
    p_rule_package_version_id uuid,
    p_signing_key_id text,
    p_issued_at timestamptz default null,
    p_passport_version_id uuid default null,
    p_actor_id text default null,
    p_trace_id text default null,
    out passport_version_id uuid,
    out issued_at timestamptz,
    out job_id uuid)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
begin
    perform jobforge.check_length('the id of a signing key', p_signing_key_id, 1, 200);
    if p_issued_at not between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'issued_at must be within the years 1 to 9999', '');
    end if;
    perform jobforge.check_compilable(v_tenant_id, p_passport_id, p_snapshot_id, p_rule_package_version_id);
    passport_version_id := coalesce(p_passport_version_id, jobforge.uuid_v7(clock_timestamp()));
    issued_at := coalesce(p_issued_at, (
        select (j.payload ->> 'issued_at')::timestamptz from jobforge.idempotency_keys k
        join jobforge.all_jobs j on j.tenant_id = k.tenant_id and j.job_id = k.job_id
        where k.tenant_id = v_tenant_id and k.type = 'COMPILE_PASSPORT'
            and k.idempotency_key = 'compile-' || p_passport_version_id), clock_timestamp());
    job_id := jobforge.enqueue_step(v_tenant_id, 'COMPILE_PASSPORT',
        jsonb_build_object('issued_at', jobforge.utc_text(issued_at), 'passport_id', p_passport_id,
            'passport_version_id', passport_version_id, 'rule_package_version_id', p_rule_package_version_id,
            'signing_key_id', p_signing_key_id, 'snapshot_id', p_snapshot_id), 1,
        'compile-' || passport_version_id, null, p_trace_id, p_actor_id);
end
$$;

-- A passport, a SEALED snapshot and a PUBLISHED rule version, or the error that says which is not.
create or replace function jobforge.check_compilable(p_tenant_id uuid, p_passport_id uuid,
    p_snapshot_id uuid, p_rpv uuid) returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_passport boolean;
    v_snapshot text;
    v_rules text;
begin
    select exists (select from jobforge.passports p
            where p.tenant_id = p_tenant_id and p.passport_id = p_passport_id),
        (select s.status from jobforge.data_snapshots s
            where s.tenant_id = p_tenant_id and s.snapshot_id = p_snapshot_id),
        (select v.status from jobforge.rule_package_versions v
            where v.tenant_id = p_tenant_id and v.rule_package_version_id = p_rpv)
    into v_passport, v_snapshot, v_rules;
    if not v_passport then
        perform jobforge.raise_not_found('passport', p_passport_id::text);
    elsif v_snapshot is null then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    elsif v_rules is null then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
    if v_snapshot <> 'SEALED' then
        perform jobforge.raise_error('SNAPSHOT_NOT_SEALED',
            format('snapshot %s is %s', p_snapshot_id, v_snapshot), 'Seal it first.');
    elsif v_rules <> 'PUBLISHED' then
        perform jobforge.raise_error('RULE_PKG_NOT_PUBLISHED',
            format('rule version %s is %s', p_rpv, v_rules), 'Publish it, or name a published version.');
    end if;
end
$$;

-- What a compilation reads, without facts (snapshot_facts) and without the sources of the rules
-- (get_rules): a worker that knows their hashes knows the sources, and to carry 240 KB of them out of
-- a function took longer than all else in here. NOT_FOUND names what is missing.
drop function if exists jobforge.compile_inputs(uuid, uuid, uuid);
create or replace function jobforge.compile_inputs(p_passport_id uuid, p_snapshot_id uuid, p_rpv uuid,
    out snapshot_status text, out rules_status text, out dsl_sha256 bytea, out tests_sha256 bytea,
    out battery_product_id uuid, out sku text, out name text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    select p.battery_product_id, b.sku, b.name into battery_product_id, sku, name
    from jobforge.passports p
    join jobforge.battery_products b
        on b.tenant_id = p.tenant_id and b.battery_product_id = p.battery_product_id
    where p.tenant_id = v_tenant_id and p.passport_id = p_passport_id;
    if not found then
        perform jobforge.raise_not_found('passport', p_passport_id::text);
    end if;
    select s.status into snapshot_status from jobforge.data_snapshots s
    where s.tenant_id = v_tenant_id and s.snapshot_id = p_snapshot_id;
    if not found then
        perform jobforge.raise_not_found('snapshot', p_snapshot_id::text);
    end if;
    select v.status, v.dsl_sha256, v.tests_sha256 into rules_status, dsl_sha256, tests_sha256
    from jobforge.rule_package_versions v
    where v.tenant_id = v_tenant_id and v.rule_package_version_id = p_rpv;
    if not found then
        perform jobforge.raise_not_found('rule version', p_rpv::text);
    end if;
end
$$;

-- COMPILE_PASSPORT's step: the version as COMPILING with its next number, PASSPORT_COMPILED, and
-- SIGN_PASSPORT (key sign-<version>, priority 1). False when this version is stored already with the
-- same receipt; another receipt, or another version from the same inputs, is INVALID_TRANSITION.
--
-- Runs as jobforge_engine, as store_signature and store_qr do: a worker says itself for which
-- tenant it works, so the policies of jobforge_definer would only ask current_tenant() again, 70
-- times a passport (a tenth of the server's time). Every statement names the tenant.
create or replace function jobforge.store_compiled(p_passport_version_id uuid, p_passport_id uuid,
    p_snapshot_id uuid, p_rpv uuid, p_payload bytea, p_proof bytea, p_proof_root_hash bytea,
    p_receipt bytea, p_compiler_build_id text, p_issued_at timestamptz, p_signing_key_id text)
    returns boolean
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_stored bytea;
begin
    -- In one condition: this is a step of every passport.
    if (p_passport_version_id is not null and octet_length(p_payload) > 0 and octet_length(p_proof) > 0
            and octet_length(p_proof_root_hash) = 32 and octet_length(p_receipt) > 0
            and length(p_compiler_build_id) between 1 and 200 and length(p_signing_key_id) between 1 and 200
            and p_issued_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00') is not true then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a compiled version has an id, a payload, a proof with a '
            'root hash of 32 bytes, a receipt, a build id and a key id of 1 to 200 characters, and an issue '
            'time within the years 1 to 9999', '');
    end if;
    -- Versions of one passport are numbered one after the other.
    perform from jobforge.passports p
    where p.tenant_id = v_tenant_id and p.passport_id = p_passport_id for no key update;
    select v.receipt_hash into v_stored from jobforge.passport_versions v
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_passport_version_id;
    if found and v_stored = sha256(p_receipt) then
        return false;
    elsif found then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('passport version %s was compiled with another receipt', p_passport_version_id),
            'Compile a new version.');
    end if;
    perform jobforge.check_compilable(v_tenant_id, p_passport_id, p_snapshot_id, p_rpv);
    insert into jobforge.passport_versions (tenant_id, passport_version_id, passport_id, version_number,
        snapshot_id, rule_package_version_id, payload_canonical, payload_hash, proof_canonical,
        proof_sha256, proof_root_hash, receipt_canonical, receipt_hash, compiler_build_id, issued_at,
        signing_key_id)
    values (v_tenant_id, p_passport_version_id, p_passport_id,
        (select coalesce(max(v.version_number), 0) + 1 from jobforge.passport_versions v
            where v.tenant_id = v_tenant_id and v.passport_id = p_passport_id),
        p_snapshot_id, p_rpv, p_payload, sha256(p_payload), p_proof, sha256(p_proof), p_proof_root_hash,
        p_receipt, sha256(p_receipt), p_compiler_build_id, p_issued_at, p_signing_key_id)
    on conflict do nothing;
    if not found then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('passport %s has a version with the same inputs, build and issue time', p_passport_id),
            'Use that version, or another issue time.');
    end if;
    perform jobforge.append_event('PassportVersion', p_passport_version_id, 'PASSPORT_COMPILED',
        jsonb_build_object('build_id', p_compiler_build_id, 'rules_id', p_rpv, 'snapshot_id', p_snapshot_id));
    perform jobforge.enqueue_follow_up(v_tenant_id, 'SIGN_PASSPORT',
        jsonb_build_object('passport_version_id', p_passport_version_id), 1, 'sign-' || p_passport_version_id);
    return true;
end
$$;
alter function jobforge.request_compile owner to jobforge_definer;
alter function jobforge.check_compilable owner to jobforge_definer;
alter function jobforge.compile_inputs owner to jobforge_definer;
alter function jobforge.store_compiled owner to jobforge_engine;
revoke execute on function jobforge.request_compile, jobforge.check_compilable, jobforge.compile_inputs,
    jobforge.store_compiled from public;
grant execute on function jobforge.request_compile to jobforge_tenant, jobforge_gateway, jobforge_worker;
grant execute on function jobforge.check_compilable to jobforge_engine;
grant execute on function jobforge.compile_inputs, jobforge.store_compiled to jobforge_worker;
