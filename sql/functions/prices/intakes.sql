-- What is to be priced. The same intake_id with the same content is the existing intake.
create or replace function jobforge.add_intake(p_intake jsonb, p_actor_id text default null) returns uuid
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_row jobforge.intakes;
begin
    perform jobforge.check_members('an intake', p_intake, array['intake_id', 'denomination', 'year',
        'mintmark', 'series', 'title', 'grade', 'cleaned', 'scratches', 'rim_damage', 'details_damaged',
        'harsh_cleaning', 'keywords_include', 'keywords_exclude']);
    v_row := jsonb_populate_record(null::jobforge.intakes, p_intake);
    v_row.intake_id := coalesce(v_row.intake_id, jobforge.uuid_v7(clock_timestamp()));
    insert into jobforge.intakes (tenant_id, intake_id, denomination, year, mintmark, series, title, grade,
        cleaned, scratches, rim_damage, details_damaged, harsh_cleaning, keywords_include,
        keywords_exclude, created_by)
    values (v_tenant_id, v_row.intake_id, v_row.denomination, v_row.year, v_row.mintmark, v_row.series,
        v_row.title, v_row.grade, coalesce(v_row.cleaned, false), coalesce(v_row.scratches, false),
        coalesce(v_row.rim_damage, false), coalesce(v_row.details_damaged, false),
        coalesce(v_row.harsh_cleaning, false), coalesce(v_row.keywords_include, '{}'),
        coalesce(v_row.keywords_exclude, '{}'), left(p_actor_id, 500))
    on conflict do nothing;
    if not found and not exists (select from jobforge.intakes i
            where i.tenant_id = v_tenant_id and i.intake_id = v_row.intake_id
                and jsonb_strip_nulls(to_jsonb(i)) @> jsonb_strip_nulls(p_intake)) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('intake %s exists and is another one', v_row.intake_id), 'Use a new id, or none.');
    end if;
    return v_row.intake_id;
exception when check_violation or invalid_text_representation or numeric_value_out_of_range
        or invalid_parameter_value or datatype_mismatch or feature_not_supported then
    perform jobforge.raise_error('VALIDATION_ERROR', 'intake: ' || jobforge.refusal_text(sqlerrm, v_row, p_intake),
        'docs/sources.md has the range of every member.');
end
$$;

create or replace function jobforge.get_intake(p_intake uuid)
    returns table (intake_id uuid, denomination text, year integer, mintmark text, series text, title text,
        grade text, cleaned boolean, scratches boolean, rim_damage boolean, details_damaged boolean,
        harsh_cleaning boolean, keywords_include text[], keywords_exclude text[], created_at timestamptz,
        created_by text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select i.intake_id, i.denomination, i.year, i.mintmark, i.series, i.title, i.grade, i.cleaned,
        i.scratches, i.rim_damage, i.details_damaged, i.harsh_cleaning, i.keywords_include,
        i.keywords_exclude, i.created_at, i.created_by
    from jobforge.intakes i where i.tenant_id = v_tenant_id and i.intake_id = p_intake;
    if not found then
        perform jobforge.raise_not_found('intake', p_intake::text);
    end if;
end
$$;

create or replace function jobforge.list_intakes(p_limit integer default 50, p_before uuid default null)
    returns table (intake_id uuid, denomination text, year integer, mintmark text, series text, title text,
        grade text, cleaned boolean, scratches boolean, rim_damage boolean, details_damaged boolean,
        harsh_cleaning boolean, keywords_include text[], keywords_exclude text[], created_at timestamptz,
        created_by text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select i.intake_id, i.denomination, i.year, i.mintmark, i.series, i.title, i.grade, i.cleaned,
        i.scratches, i.rim_damage, i.details_damaged, i.harsh_cleaning, i.keywords_include,
        i.keywords_exclude, i.created_at, i.created_by
    from jobforge.intakes i
    where i.tenant_id = v_tenant_id and (p_before is null or i.intake_id < p_before)
    order by i.intake_id desc limit p_limit;
end
$$;

-- The row locked: those that store prices of an intake, or value it, go one after the other, so
-- that the last valuation has seen every price. NOT_FOUND.
create or replace function jobforge.lock_intake(p_tenant_id uuid, p_intake uuid) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
    perform from jobforge.intakes i where i.tenant_id = p_tenant_id and i.intake_id = p_intake
    for no key update;
    if not found then
        perform jobforge.raise_not_found('intake', coalesce(p_intake::text, 'NULL'));
    end if;
end
$$;
alter function jobforge.add_intake owner to jobforge_definer;
alter function jobforge.get_intake owner to jobforge_definer;
alter function jobforge.list_intakes owner to jobforge_definer;
alter function jobforge.lock_intake owner to jobforge_definer;
revoke execute on function jobforge.add_intake, jobforge.get_intake, jobforge.list_intakes,
    jobforge.lock_intake from public;
grant execute on function jobforge.add_intake, jobforge.get_intake, jobforge.list_intakes
    to jobforge_tenant, jobforge_gateway, jobforge_worker;
