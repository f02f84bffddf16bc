-- Internal job types: the steps of passports and prices. A job of such a type acts with the rights of
-- the use case that asked for it (it signs with the company's key), so a tenant can neither enqueue,
-- claim nor settle one by itself, and can repeat one only with the rights that ask for it.

drop function if exists jobforge.check_may_repeat(uuid, text);

create or replace function jobforge.raise_internal(p_type text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('FORBIDDEN', format('jobs of type %s are made by their use case only', p_type),
        'Ask for the work itself: upload a document, compile a passport, collect prices.');
end
$$;

create or replace function jobforge.raise_min_priority(p_priority integer, p_min integer) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('FORBIDDEN',
        format('priority %s is not open to this tenant; its best one is %s', p_priority, p_min),
        'Leave the priority out, or ask the operator to change min_priority.');
end
$$;

-- Whether the caller may put a job of an internal type back into the queue, or cancel it. Not a tenant's own login,
-- and an API key only as Admin, the one role that may do what every internal type does.
create or replace function jobforge.may_repeat_internal(p_tenant_id uuid) returns boolean
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_actor text := current_setting('app.actor_id', true);
begin
    if exists (select from jobforge.tenant_logins l where l.login_role = session_user) then
        return false;
    elsif v_actor like 'key:%' then
        return exists (select from jobforge.api_keys k where k.tenant_id = p_tenant_id
            and k.key_id = substr(v_actor, 5) and 'Admin' = any(k.roles));
    end if;
    return true;
end
$$;

-- A cancelled step leaves what waits for it as it is, a version in COMPILING: the same rule.
create or replace function jobforge.check_may_repeat(p_tenant_id uuid, p_type text,
    p_done text default 'put back') returns void
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    if exists (select from jobforge.job_types t where t.type = p_type and t.internal)
        and not jobforge.may_repeat_internal(p_tenant_id) then
        perform jobforge.raise_error('FORBIDDEN', format('a job of type %s can be %s by an Admin only', p_type, p_done),
            case p_done when 'put back' then 'Ask for the work again through its use case.'
                else 'It ends by itself: with its work, or when its attempts are used up.' end);
    end if;
end
$$;

-- A step that is reported as done must have left the state that it promises. Otherwise the worker
-- that settles it is wrong or forged, and everything behind the step would wait for ever: versions
-- stayed in COMPILING because their signing had been "completed" without a signature.
create or replace function jobforge.require_step_done() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    if not jobforge.step_is_done(new.tenant_id, new.job_id, new.type, new.payload) then
        perform jobforge.raise_error('INVALID_TRANSITION',
            format('job %s of type %s cannot succeed: its step has not been done', new.job_id, new.type),
            'The handler writes the step in its completion transaction.');
    end if;
    return null;
end
$$;

create or replace function jobforge.step_is_done(p_tenant_id uuid, p_job_id uuid, p_type text, p_payload jsonb)
    returns boolean
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_member text := case p_type when 'PARSE_FACTS' then 'document_version_id'
        when 'BUILD_SNAPSHOT' then 'snapshot_id' when 'DELIVER_WEBHOOK' then 'webhook_delivery_id'
        when 'RUN_RULE_TESTS' then 'rule_package_version_id' when 'COLLECT_PRICES' then 'intake_id'
        else 'passport_version_id' end;
    v_id uuid;
begin
    if (p_payload ->> v_member ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$') is not true then
        return false;
    end if;
    v_id := (p_payload ->> v_member)::uuid;
    case p_type
    when 'PARSE_FACTS' then
        return exists (select from jobforge.document_versions v where v.tenant_id = p_tenant_id
            and v.document_version_id = v_id and v.status <> 'UPLOADED');
    when 'BUILD_SNAPSHOT' then
        return exists (select from jobforge.data_snapshots s where s.tenant_id = p_tenant_id
            and s.snapshot_id = v_id and s.status <> 'BUILDING');
    when 'COMPILE_PASSPORT' then
        return exists (select from jobforge.passport_versions v where v.tenant_id = p_tenant_id
            and v.passport_version_id = v_id);
    when 'SIGN_PASSPORT' then
        return exists (select from jobforge.passport_versions v where v.tenant_id = p_tenant_id
            and v.passport_version_id = v_id and v.signature is not null);
    when 'GENERATE_QR' then
        return exists (select from jobforge.passport_versions v where v.tenant_id = p_tenant_id
            and v.passport_version_id = v_id and v.qr_payload is not null);
    when 'RUN_RULE_TESTS' then
        return exists (select from jobforge.rule_tests_runs r where r.tenant_id = p_tenant_id
            and r.run_id = p_job_id);
    when 'DELIVER_WEBHOOK' then
        return exists (select from jobforge.webhook_deliveries d where d.tenant_id = p_tenant_id
            and d.webhook_delivery_id = v_id and d.status <> 'PENDING');
    else
        return exists (select from jobforge.valuations v where v.tenant_id = p_tenant_id
            and v.intake_id = v_id and v.job_id = p_job_id);
    end case;
end
$$;
alter function jobforge.raise_internal owner to jobforge_definer;
alter function jobforge.raise_min_priority owner to jobforge_definer;
alter function jobforge.may_repeat_internal owner to jobforge_engine;
alter function jobforge.check_may_repeat owner to jobforge_definer;
alter function jobforge.require_step_done owner to jobforge_engine;
alter function jobforge.step_is_done owner to jobforge_engine;
revoke execute on function jobforge.raise_internal, jobforge.raise_min_priority, jobforge.may_repeat_internal,
    jobforge.check_may_repeat, jobforge.require_step_done, jobforge.step_is_done from public;
grant execute on function jobforge.raise_internal to jobforge_engine;
grant execute on function jobforge.may_repeat_internal to jobforge_definer;
grant execute on function jobforge.require_step_done to jobforge_owner;
create or replace trigger finished_jobs_step_done after insert on jobforge.finished_jobs for each row
    when (new.status = 'SUCCEEDED' and new.type in ('PARSE_FACTS', 'BUILD_SNAPSHOT', 'COMPILE_PASSPORT',
        'SIGN_PASSPORT', 'GENERATE_QR', 'RUN_RULE_TESTS', 'DELIVER_WEBHOOK', 'COLLECT_PRICES'))
    execute function jobforge.require_step_done();
