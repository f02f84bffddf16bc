-- SIGNED with its QR code -> ACTIVE; the version that was ACTIVE becomes SUPERSEDED in the same
-- transaction, and its id is the answer. ACTIVE already: null, nothing new. The passport's row is
-- locked first, so two activations of one passport come one after the other.
--
-- A version whose own compliance entries fail is refused with COMPLIANCE_FAILED, unless p_accepted,
-- [{"id", "reason"}], has a reason for each of them (accept_findings). Asked of the stored payload
-- here, so that no surface can forget it.
drop function if exists jobforge.activate_passport_version(uuid, text);
create or replace function jobforge.activate_passport_version(p_pv uuid, p_actor_id text default null,
    p_accepted jsonb default '[]')
    returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version record;
    v_superseded uuid;
begin
    perform from jobforge.passports p
    where p.tenant_id = v_tenant_id and p.passport_id = (select v.passport_id
        from jobforge.passport_versions v where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv)
    for no key update;
    v_version := jobforge.lock_passport_version(v_tenant_id, p_pv);
    if v_version.status = 'ACTIVE' then
        return null;
    elsif v_version.status <> 'SIGNED' or v_version.qr_payload is null then
        perform jobforge.raise_passport_status(p_pv, v_version.status, 'activated', 'SIGNED, with a QR code');
    end if;
    perform jobforge.accept_findings(v_tenant_id, p_pv, coalesce(p_accepted, '[]'), p_actor_id);
    update jobforge.passport_versions v set status = 'SUPERSEDED', superseded_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.passport_id = v_version.passport_id and v.status = 'ACTIVE'
    returning v.passport_version_id into v_superseded;
    update jobforge.passport_versions v set status = 'ACTIVE', activated_at = clock_timestamp()
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    if v_superseded is not null then
        perform jobforge.append_event('PassportVersion', v_superseded, 'PASSPORT_SUPERSEDED',
            jsonb_build_object('by', p_pv), p_actor_id);
    end if;
    perform jobforge.append_event('PassportVersion', p_pv, 'PASSPORT_ACTIVATED',
        jsonb_build_object('superseded', v_superseded), p_actor_id);
    return v_superseded;
end
$$;

-- SIGNED, ACTIVE or SUPERSEDED -> REVOKED. Repeated with the same reason: nothing.
create or replace function jobforge.revoke_passport_version(p_pv uuid, p_reason text,
    p_actor_id text default null) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version record := jobforge.lock_passport_version(v_tenant_id, p_pv);
begin
    perform jobforge.check_length('the reason of a revocation', p_reason, 1, 1000);
    if v_version.status = 'REVOKED' and v_version.revocation_reason = p_reason then
        return;
    elsif v_version.status not in ('SIGNED', 'ACTIVE', 'SUPERSEDED') then
        perform jobforge.raise_passport_status(p_pv, v_version.status, 'revoked',
            'SIGNED, ACTIVE or SUPERSEDED');
    end if;
    update jobforge.passport_versions v
    set status = 'REVOKED', revoked_at = clock_timestamp(), revocation_reason = p_reason
    where v.tenant_id = v_tenant_id and v.passport_version_id = p_pv;
    perform jobforge.append_event('PassportVersion', p_pv, 'PASSPORT_REVOKED',
        jsonb_build_object('reason', p_reason), p_actor_id);
end
$$;
alter function jobforge.activate_passport_version owner to jobforge_definer;
alter function jobforge.revoke_passport_version owner to jobforge_definer;
revoke execute on function jobforge.activate_passport_version, jobforge.revoke_passport_version from public;
grant execute on function jobforge.activate_passport_version, jobforge.revoke_passport_version
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
