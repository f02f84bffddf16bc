-- Policies of the current tenant: on top of roles, allow and deny by path, the highest priority
-- first, deny before allow among equals. The program matches them (docs/access.md).

-- Locks the version's row: changes of a tenant's policies stand in line, and so do their events.
create or replace function jobforge.next_access_version(p_tenant_id uuid) returns bigint
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_version bigint;
begin
    insert into jobforge.access_versions as v (tenant_id, version) values (p_tenant_id, 1)
    on conflict (tenant_id) do update set version = v.version + 1
    returning v.version into v_version;
    return v_version;
end
$$;

create or replace function jobforge.append_policy_event(p_change text, p_policy jobforge.access_policies,
    p_access_version bigint, p_actor_id text) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.append_event('System', p_policy.tenant_id, 'POLICY_CHANGED',
        jsonb_build_object('change', p_change, 'access_version', p_access_version,
            'policy', jsonb_strip_nulls(to_jsonb(p_policy)
                - array['tenant_id', 'created_at', 'created_by'])), p_actor_id);
end
$$;

create or replace function jobforge.add_access_policy(p_effect text, p_path_pattern text,
    p_priority integer default 0, p_method text default '*', p_role text default null,
    p_key_id text default null, p_note text default '', p_actor_id text default null)
    returns setof jobforge.access_policies
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version bigint := jobforge.next_access_version(v_tenant_id);
    v_row jobforge.access_policies;
begin
    if (select count(*) from jobforge.access_policies p where p.tenant_id = v_tenant_id) >= 500 then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a tenant has at most 500 policies',
            'Remove what is not needed: jobforge policies list.');
    end if;
    v_row.tenant_id := v_tenant_id;
    v_row.created_at := clock_timestamp();
    v_row.policy_id := jobforge.uuid_v7(v_row.created_at);
    v_row.effect := p_effect;
    v_row.priority := p_priority;
    v_row.method := p_method;
    v_row.path_pattern := p_path_pattern;
    v_row.role := p_role;
    if p_key_id is not null then
        -- For the key's whole line: rotating a key neither sheds a denial nor loses an allowance.
        select k.first_key_id into v_row.key_id from jobforge.get_api_key(p_key_id) k;
    end if;
    v_row.note := coalesce(p_note, '');
    v_row.created_by := jobforge.acting_actor(p_actor_id);
    insert into jobforge.access_policies select v_row.*;
    perform jobforge.append_policy_event('added', v_row, v_version, v_row.created_by);
    return next v_row;
exception when check_violation or not_null_violation then
    perform jobforge.raise_error('VALIDATION_ERROR', 'policy: ' || jobforge.refusal_text(sqlerrm),
        'Such as: deny, /v1/passports/**, priority 10, method POST, role Operator (docs/access.md).');
end
$$;

create or replace function jobforge.remove_access_policy(p_policy_id uuid, p_actor_id text default null)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_version bigint := jobforge.next_access_version(v_tenant_id);
    v_row jobforge.access_policies;
begin
    delete from jobforge.access_policies p
    where p.tenant_id = v_tenant_id and p.policy_id = p_policy_id returning p.* into v_row;
    if not found then
        perform jobforge.raise_not_found('access policy', coalesce(p_policy_id::text, 'NULL'));
    end if;
    perform jobforge.append_policy_event('removed', v_row, v_version, jobforge.acting_actor(p_actor_id));
end
$$;

-- In the order in which they decide.
create or replace function jobforge.list_access_policies() returns setof jobforge.access_policies
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query select p.* from jobforge.access_policies p where p.tenant_id = v_tenant_id
    order by p.priority desc, p.effect = 'allow', p.policy_id;
end
$$;
do $$
declare
    v_function text;
begin
    foreach v_function in array array['next_access_version', 'append_policy_event', 'add_access_policy',
        'remove_access_policy', 'list_access_policies']
    loop
        execute pg_catalog.format('alter function jobforge.%I owner to jobforge_definer', v_function);
        execute pg_catalog.format('revoke execute on function jobforge.%I from public', v_function);
    end loop;
end
$$;
grant execute on function jobforge.add_access_policy, jobforge.remove_access_policy,
    jobforge.list_access_policies to jobforge_tenant, jobforge_gateway, jobforge_worker;
