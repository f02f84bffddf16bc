-- Rows that are written once: for every role, and whether a row matches or not, the statement is
-- refused (so that also a role that sees no rows gets an answer instead of "0 rows"). The INSERT ...
-- ON CONFLICT DO UPDATE form counts as an update. TRUNCATE ignores row security, not triggers.
create or replace function jobforge.refuse_change() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('%s of %s is not allowed: its rows are kept as they were written', lower(tg_op), tg_table_name),
        'Use the functions of schema jobforge; docs/jobs.md and docs/audit.md say what may change.');
    return null;
end
$$;
alter function jobforge.refuse_change owner to jobforge_owner;
revoke execute on function jobforge.refuse_change from public;

do $$
declare
    v_table text;
begin
    foreach v_table in array array['documents', 'facts', 'fact_sources', 'battery_products', 'passports',
        'rule_packages', 'rule_fields', 'rule_tests_runs', 'events', 'event_log', 'log_heads', 'intakes',
        'passport_acceptances']
    loop
        execute pg_catalog.format('create or replace trigger %I before update or delete or truncate '
            'on jobforge.%I for each statement execute function jobforge.refuse_change()',
            v_table || '_written_once', v_table);
    end loop;
    -- These have a status graph or a column that may change, each with a guard of its own.
    foreach v_table in array array['document_versions', 'data_snapshots', 'rule_package_versions',
        'passport_versions', 'signing_keys', 'api_keys']
    loop
        execute pg_catalog.format('create or replace trigger %I before delete or truncate '
            'on jobforge.%I for each statement execute function jobforge.refuse_change()',
            v_table || '_never_deleted', v_table);
    end loop;
    foreach v_table in array array['webhook_endpoints', 'webhook_subscriptions', 'webhook_deliveries',
        'sources', 'price_points', 'valuations', 'access_versions', 'access_denials']
    loop
        execute pg_catalog.format('create or replace trigger %I before truncate '
            'on jobforge.%I for each statement execute function jobforge.refuse_change()',
            v_table || '_never_truncated', v_table);
    end loop;
end
$$;
-- Policies are added and removed, answers kept and forgotten: neither is edited.
create or replace trigger access_policies_never_edited before update or truncate
    on jobforge.access_policies for each statement execute function jobforge.refuse_change();
create or replace trigger api_requests_never_edited before update or truncate
    on jobforge.api_requests for each statement execute function jobforge.refuse_change();
create or replace trigger snapshot_items_never_moved before update or truncate on jobforge.snapshot_items
    for each statement execute function jobforge.refuse_change();

-- A step that a status graph does not have.
create or replace function jobforge.raise_transition(p_what text, p_id text, p_from text, p_to text)
    returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        case when p_from is null then format('%s %s cannot begin as %s', p_what, p_id, p_to)
            when p_from = p_to then format('%s %s (%s) cannot change like this', p_what, p_id, p_from)
            else format('%s %s cannot go from %s to %s', p_what, p_id, p_from, p_to) end,
        'docs/jobs.md has the status graphs.');
end
$$;
alter function jobforge.raise_transition owner to jobforge_owner;
revoke execute on function jobforge.raise_transition from public;
grant execute on function jobforge.raise_transition to jobforge_definer, jobforge_engine;
