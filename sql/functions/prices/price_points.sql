-- Stores what a job has found for an intake at a source, and answers every price of the intake,
-- this call's included, for the valuation in the same transaction. The intake is locked first:
-- two jobs that find the same listing go one after the other and make one row.
--
-- Which of two is kept: a sold price before an asked or offered one, then the higher match; the
-- first at a tie. An order of worth like that gives the same row in any order of arrival.
create or replace function jobforge.store_price_points(p_intake uuid, p_source uuid, p_points jsonb,
    p_job uuid default null, out inserted integer, out updated integer, out kept integer, out points json)
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.lock_intake(v_tenant_id, p_intake);
    if not exists (select from jobforge.sources s
            where s.tenant_id = v_tenant_id and s.source_id = p_source) then
        perform jobforge.raise_not_found('source', coalesce(p_source::text, 'NULL'));
    elsif p_points is null or jsonb_typeof(p_points) <> 'array' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'price points are a JSON array', '');
    end if;
    with given as (
        select distinct on (g.dedupe_key) g.*
        from jsonb_array_elements(p_points) with ordinality e(point, n)
        cross join lateral jsonb_populate_record(null::jobforge.price_points, e.point) g
        order by g.dedupe_key, (g.price_type = 'sold') desc, g.match_strength desc, e.n
    ), stored as (
        insert into jobforge.price_points as p (tenant_id, price_point_id, intake_id, source_id, dedupe_key,
            external_id, url, title, price_cents, currency, price_type, observed_at, match_strength, raw,
            first_job_id)
        select v_tenant_id, jobforge.uuid_v7(clock_timestamp()), p_intake, p_source, g.dedupe_key,
            g.external_id, g.url, g.title, g.price_cents, g.currency, g.price_type, g.observed_at,
            g.match_strength, g.raw, p_job
        from given g
        on conflict (tenant_id, intake_id, source_id, dedupe_key) do update
            set external_id = excluded.external_id, url = excluded.url, title = excluded.title,
                price_cents = excluded.price_cents, currency = excluded.currency,
                price_type = excluded.price_type, observed_at = excluded.observed_at,
                match_strength = excluded.match_strength, raw = excluded.raw,
                updated_at = clock_timestamp()
            where ((excluded.price_type = 'sold'), excluded.match_strength)
                > ((p.price_type = 'sold'), p.match_strength)
        returning p.xmax = 0 as is_new
    )
    select count(*) filter (where s.is_new), count(*) filter (where not s.is_new)
    into inserted, updated from stored s;
    kept := jsonb_array_length(p_points) - inserted - updated;
    update jobforge.collections c set progress = null
    where c.tenant_id = v_tenant_id and c.intake_id = p_intake and c.source_id = p_source
        and c.progress is not null;
    points := jobforge.points_of_intake(v_tenant_id, p_intake);
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range or datetime_field_overflow or invalid_datetime_format
        or invalid_parameter_value or datatype_mismatch then
    perform jobforge.raise_error('VALIDATION_ERROR', 'price point: ' || jobforge.refusal_text(sqlerrm), '');
end
$$;

-- What a valuation looks at, always in the same order.
create or replace function jobforge.points_of_intake(p_tenant_id uuid, p_intake uuid) returns json
    language plpgsql stable set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
begin
    return (select coalesce(json_agg(json_build_object('price_point_id', p.price_point_id,
            'source_id', p.source_id, 'dedupe_key', p.dedupe_key, 'price_cents', p.price_cents,
            'currency', p.currency, 'price_type', p.price_type, 'match_strength', p.match_strength,
            'reputation_weight', s.reputation_weight, 'observed_at', p.observed_at)
            order by p.source_id, p.dedupe_key), '[]')
        from jobforge.price_points p
        join jobforge.sources s on s.tenant_id = p.tenant_id and s.source_id = p.source_id
        where p.tenant_id = p_tenant_id and p.intake_id = p_intake);
end
$$;

create or replace function jobforge.list_price_points(p_intake uuid, p_source text default null,
    p_limit integer default 50, p_before uuid default null)
    returns table (price_point_id uuid, intake_id uuid, source_id uuid, source_name text, dedupe_key text,
        external_id text, url text, title text, price_cents bigint, currency text, price_type text,
        observed_at timestamptz, match_strength numeric, raw jsonb, first_job_id uuid,
        created_at timestamptz, updated_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_source_id uuid := case when p_source is not null then jobforge.find_source(v_tenant_id, p_source) end;
begin
    perform jobforge.check_page(p_limit);
    return query
    select p.price_point_id, p.intake_id, p.source_id, s.name, p.dedupe_key, p.external_id, p.url, p.title,
        p.price_cents, p.currency, p.price_type, p.observed_at, p.match_strength::numeric, p.raw,
        p.first_job_id, p.created_at, p.updated_at
    from jobforge.price_points p
    join jobforge.sources s on s.tenant_id = p.tenant_id and s.source_id = p.source_id
    where p.tenant_id = v_tenant_id and p.intake_id = p_intake
        and (v_source_id is null or p.source_id = v_source_id)
        and (p_before is null or p.price_point_id < p_before)
    order by p.price_point_id desc limit p_limit;
end
$$;

-- What a price point is (its place, its key, its birth) stays, and it changes only for the better:
-- for every writer, a sold price never becomes an asked one, nor a match weaker.
create or replace function jobforge.guard_price_point() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('price point %s changes only for a sold price or a better match', old.price_point_id),
        'Use store_price_points.');
    return null;
end
$$;
alter function jobforge.store_price_points owner to jobforge_definer;
alter function jobforge.points_of_intake owner to jobforge_definer;
alter function jobforge.list_price_points owner to jobforge_definer;
alter function jobforge.guard_price_point owner to jobforge_owner;
revoke execute on function jobforge.store_price_points, jobforge.points_of_intake,
    jobforge.list_price_points, jobforge.guard_price_point from public;
grant execute on function jobforge.list_price_points to jobforge_tenant, jobforge_gateway, jobforge_worker;
grant execute on function jobforge.store_price_points to jobforge_worker;
create or replace trigger price_points_guard before update on jobforge.price_points for each row
    when ((new.tenant_id, new.price_point_id, new.intake_id, new.source_id, new.dedupe_key, new.created_at)
            <> (old.tenant_id, old.price_point_id, old.intake_id, old.source_id, old.dedupe_key, old.created_at)
        or new.first_job_id is distinct from old.first_job_id
        or (new.price_type = 'sold', new.match_strength) <= (old.price_type = 'sold', old.match_strength))
    execute function jobforge.guard_price_point();
