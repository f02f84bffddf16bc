-- What an intake is worth, one valuation each: the new one takes the old one's place. Called after
-- store_price_points in the same transaction, under the same lock of the intake.
create or replace function jobforge.store_valuation(p_intake uuid, p_valuation jsonb, p_job uuid default null)
    returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_row jobforge.valuations;
begin
    perform jobforge.check_members('a valuation', p_valuation, array['currency', 'comparables', 'outliers',
        'p10', 'p20', 'p40', 'p50', 'p60', 'p80', 'p90', 'mean_cents', 'confidence', 'explanation']);
    perform jobforge.lock_intake(v_tenant_id, p_intake);
    v_row := jsonb_populate_record(null::jobforge.valuations, p_valuation);
    insert into jobforge.valuations as v (tenant_id, intake_id, currency, comparables, outliers, p10, p20,
        p40, p50, p60, p80, p90, mean_cents, confidence, explanation, job_id)
    values (v_tenant_id, p_intake, v_row.currency, v_row.comparables, v_row.outliers, v_row.p10, v_row.p20,
        v_row.p40, v_row.p50, v_row.p60, v_row.p80, v_row.p90, v_row.mean_cents, v_row.confidence,
        v_row.explanation, p_job)
    on conflict (tenant_id, intake_id) do update
        set currency = excluded.currency, comparables = excluded.comparables, outliers = excluded.outliers,
            p10 = excluded.p10, p20 = excluded.p20, p40 = excluded.p40, p50 = excluded.p50,
            p60 = excluded.p60, p80 = excluded.p80, p90 = excluded.p90, mean_cents = excluded.mean_cents,
            confidence = excluded.confidence, explanation = excluded.explanation,
            computed_at = excluded.computed_at, job_id = excluded.job_id;
exception when check_violation or not_null_violation or invalid_text_representation
        or numeric_value_out_of_range then
    perform jobforge.raise_error('VALIDATION_ERROR', 'valuation: ' || jobforge.refusal_text(sqlerrm), '');
end
$$;

create or replace function jobforge.get_valuation(p_intake uuid)
    returns table (intake_id uuid, currency text, comparables integer, outliers integer, p10 bigint,
        p20 bigint, p40 bigint, p50 bigint, p60 bigint, p80 bigint, p90 bigint, mean_cents bigint,
        confidence integer, explanation jsonb, computed_at timestamptz, job_id uuid)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.intake_id, v.currency, v.comparables, v.outliers, v.p10, v.p20, v.p40, v.p50, v.p60, v.p80,
        v.p90, v.mean_cents, v.confidence, v.explanation, v.computed_at, v.job_id
    from jobforge.valuations v where v.tenant_id = v_tenant_id and v.intake_id = p_intake;
    if not found then
        perform jobforge.raise_not_found('valuation of intake', coalesce(p_intake::text, 'NULL'));
    end if;
end
$$;
alter function jobforge.store_valuation owner to jobforge_definer;
alter function jobforge.get_valuation owner to jobforge_definer;
revoke execute on function jobforge.store_valuation, jobforge.get_valuation from public;
grant execute on function jobforge.get_valuation to jobforge_tenant, jobforge_gateway, jobforge_worker;
grant execute on function jobforge.store_valuation to jobforge_worker;
