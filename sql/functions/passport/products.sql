-- A product by its sku: the same sku and name are the existing product, another name is refused (a
-- passport names its product, and passports are for ever).
create or replace function jobforge.create_product(p_sku text, p_name text,
    p_battery_product_id uuid default null, p_actor_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_product_id uuid := coalesce(p_battery_product_id, jobforge.uuid_v7(clock_timestamp()));
    v_held record;
begin
    perform jobforge.check_length('the sku of a product', p_sku, 1, 200);
    perform jobforge.check_length('the name of a product', p_name, 1, 500);
    insert into jobforge.battery_products (tenant_id, battery_product_id, sku, name, created_by)
    values (v_tenant_id, v_product_id, p_sku, p_name, left(p_actor_id, 500))
    on conflict do nothing;
    if found then
        return v_product_id;
    end if;
    select p.battery_product_id, p.name into v_held from jobforge.battery_products p
    where p.tenant_id = v_tenant_id and p.sku = p_sku;
    if not found then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('product %s exists with another sku', v_product_id), 'Use a new id, or none.');
    elsif v_held.name <> p_name then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('product %s has sku %L and the name %L', v_held.battery_product_id, p_sku, v_held.name),
            'A product keeps its name; use another sku.');
    end if;
    return v_held.battery_product_id;
end
$$;

create or replace function jobforge.list_products(p_limit integer default 50, p_before uuid default null)
    returns table (battery_product_id uuid, sku text, name text, created_at timestamptz, created_by text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select p.battery_product_id, p.sku, p.name, p.created_at, p.created_by
    from jobforge.battery_products p
    where p.tenant_id = v_tenant_id and (p_before is null or p.battery_product_id < p_before)
    order by p.battery_product_id desc limit p_limit;
end
$$;

-- p_passport_id that exists for the same product: that one.
create or replace function jobforge.create_passport(p_battery_product_id uuid,
    p_passport_id uuid default null, p_actor_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_passport_id uuid := coalesce(p_passport_id, jobforge.uuid_v7(clock_timestamp()));
begin
    if not exists (select from jobforge.battery_products p
            where p.tenant_id = v_tenant_id and p.battery_product_id = p_battery_product_id) then
        perform jobforge.raise_not_found('product', p_battery_product_id::text);
    end if;
    insert into jobforge.passports (tenant_id, passport_id, battery_product_id, created_by)
    values (v_tenant_id, v_passport_id, p_battery_product_id, left(p_actor_id, 500))
    on conflict do nothing;
    if not found and not exists (select from jobforge.passports p where p.tenant_id = v_tenant_id
            and p.passport_id = v_passport_id and p.battery_product_id = p_battery_product_id) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('passport %s exists for another product', v_passport_id), 'Use a new id, or none.');
    end if;
    return v_passport_id;
end
$$;

create or replace function jobforge.list_passports(p_battery_product_id uuid default null,
    p_limit integer default 50, p_before uuid default null)
    returns table (passport_id uuid, battery_product_id uuid, sku text, name text, created_at timestamptz,
        created_by text, active_passport_version_id uuid, version_count bigint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select p.passport_id, p.battery_product_id, b.sku, b.name, p.created_at, p.created_by,
        (select v.passport_version_id from jobforge.passport_versions v
            where v.tenant_id = p.tenant_id and v.passport_id = p.passport_id and v.status = 'ACTIVE'),
        (select count(*) from jobforge.passport_versions v
            where v.tenant_id = p.tenant_id and v.passport_id = p.passport_id)
    from jobforge.passports p
    join jobforge.battery_products b
        on b.tenant_id = p.tenant_id and b.battery_product_id = p.battery_product_id
    where p.tenant_id = v_tenant_id
        and (p_battery_product_id is null or p.battery_product_id = p_battery_product_id)
        and (p_before is null or p.passport_id < p_before)
    order by p.passport_id desc limit p_limit;
end
$$;
alter function jobforge.create_product owner to jobforge_definer;
alter function jobforge.list_products owner to jobforge_definer;
alter function jobforge.create_passport owner to jobforge_definer;
alter function jobforge.list_passports owner to jobforge_definer;
revoke execute on function jobforge.create_product, jobforge.list_products, jobforge.create_passport,
    jobforge.list_passports from public;
grant execute on function jobforge.create_product, jobforge.list_products, jobforge.create_passport,
    jobforge.list_passports to jobforge_tenant, jobforge_gateway, jobforge_worker;
