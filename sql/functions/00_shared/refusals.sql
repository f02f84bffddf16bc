-- What is wrong with an input that a table or a type has refused, in words of the documents: people know
-- settings and members, not the names of constraints. Each check constraint of a table that takes what
-- people write has its sentence here (tests/sql/refusals_test.cc compares the two).
create or replace function jobforge.constraint_sentence(p_constraint text) returns text
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select s.sentence from (values
        ('access_policies_created_by_length', 'created_by has at most 500 characters'),
        ('intakes_created_by_length', 'created_by has at most 500 characters'),
        ('sources_created_by_length', 'created_by has at most 500 characters'),
        ('webhook_endpoints_created_by_length', 'created_by has at most 500 characters'),
        ('tenants_max_leased_jobs_range', 'max_leased_jobs is 0 to 1000000'),
        ('access_policies_effect_known', 'the effect is allow or deny'),
        ('access_policies_method_known', 'the method is GET, POST, PUT, PATCH, DELETE or *'),
        ('access_policies_note_length', 'a note has at most 500 characters'),
        ('access_policies_pattern_form', 'a path pattern is /a/b, with * for one segment and /** at its end, at most 500 characters'),
        ('access_policies_priority_range', 'the priority is -1000000 to 1000000'),
        ('access_policies_role_known', 'the role is Admin, ComplianceOfficer, Auditor or Operator'),
        ('access_policies_role_or_key', 'a policy is for a role or for a key, not for both'),
        ('governors_burst_range', 'burst is 1 to 60000'),
        ('governors_key_length', 'the key of a governor has 1 to 500 characters'),
        ('governors_kind_known', 'a governor is of a source, an endpoint or a host'),
        ('governors_open_range', 'open_seconds is 1 to 86400'),
        ('governors_probe_range', 'probe_seconds is 1 to 3600'),
        ('governors_rate_range', 'rate_per_minute is 1 to 60000'),
        ('governors_threshold_range', 'failure_threshold is 1 to 1000'),
        ('intakes_keyword_count', 'there are at most 200 keywords of each kind'),
        ('intakes_no_null_keyword', 'a keyword is a text, not null'),
        ('intakes_says_what', 'one of denomination, year, mintmark, series, title and keywords_include is needed'),
        ('intakes_text_lengths', 'at most 200 characters for denomination, 50 for mintmark, 500 for series, 1000 for title, 100 for grade'),
        ('intakes_year_range', 'year is -3000 to 3000'),
        ('job_types_backoff_base_range', 'backoff_base_seconds is 1 to 86400'),
        ('job_types_backoff_known', 'backoff is bpc, source or jobforge'),
        ('job_types_concurrency_positive', 'concurrency_limit and tenant_concurrency_limit are 0 or more'),
        ('job_types_jitter_range', 'backoff_jitter is 0 to 0.1'),
        ('job_types_lease_range', 'lease_seconds is 1 to 86400'),
        ('job_types_max_attempts_range', 'max_attempts is 1 to 1000'),
        ('job_types_priority_range', 'default_priority is 0 to 3'),
        ('job_types_rate_positive', 'rate_limit_per_minute and tenant_rate_limit_per_minute are 0 or more'),
        ('job_types_retention_range', 'retention_days and failure_retention_days are 0 to 36500'),
        ('job_types_schema_is_object', 'payload_schema is a JSON object'),
        ('job_types_timeout_range', 'timeout_seconds is 1 to 604800'),
        ('job_types_type_is_a_name', 'a job type is a letter, then letters, digits, "_", ".", ":" or "-", at most 100 in all'),
        ('price_points_currency_is_code', 'a currency is three capital letters, such as USD'),
        ('price_points_key_length', 'a dedupe key has 1 to 500 characters'),
        ('price_points_match_range', 'match_strength is 0 to 1'),
        ('price_points_price_not_negative', 'a price is 0 or more'),
        ('price_points_type_known', 'a price type is sold, ask or bid'),
        ('source_rules_keyword_count', 'there are at most 200 keywords of each kind'),
        ('source_rules_no_null_keyword', 'a keyword is a text, not null'),
        ('source_rules_override_range', 'rate_limit_override is 1 to 60000'),
        ('source_rules_path_begins', 'allowed_path begins with / and has at most 1000 characters'),
        ('sources_adapter_known', 'the adapter is http_json or manual'),
        ('sources_config_is_object', 'config is a JSON object'),
        ('sources_http_has_url', 'a source with the adapter http_json needs a base_url'),
        ('sources_name_is_a_name', 'a source''s name has letters, digits, " ", "_", "." and "-", begins with a letter or digit, '
            'has at most 100 characters and is not a UUID'),
        ('sources_rate_range', 'rate_limit_per_minute is 1 to 60000'),
        ('sources_reputation_range', 'reputation_weight is 0 to 1'),
        ('sources_tier_range', 'tier is 1 to 10'),
        ('sources_url_is_http', 'base_url begins with http:// or https:// and has at most 2000 characters'),
        ('tenant_defaults_quota_positive', 'max_waiting_jobs and max_waiting_bytes are 0 or more'),
        ('tenant_defaults_reserve_range', 'reserved_percent is 1 to 50'),
        ('tenants_concurrency_positive', 'concurrency_limit is 0 or more'),
        ('tenants_min_priority_range', 'min_priority is 0 to 3'),
        ('tenants_name_is_short', 'a tenant''s name has 1 to 200 characters'),
        ('tenants_quota_positive', 'max_waiting_jobs and max_waiting_bytes are 0 or more'),
        ('tenants_status_known', 'the status is ACTIVE or SUSPENDED'),
        ('valuations_confidence_range', 'the confidence is 1 to 10'),
        ('valuations_counts_not_negative', 'comparables and outliers are 0 or more'),
        ('valuations_currency_is_code', 'a currency is three capital letters, such as USD'),
        ('valuations_explanation_is_object', 'the explanation is a JSON object'),
        ('valuations_percentiles_rise', 'the percentiles are 0 or more and rise'),
        ('valuations_value_needs_prices', 'a valuation has values if, and only if, it has comparables'),
        ('webhook_endpoints_disable_range', 'disable_after is 1 to 1000'),
        ('webhook_endpoints_secret_length', 'the sealed secret has 1 to 4096 bytes'),
        ('webhook_endpoints_status_known', 'the status is ACTIVE or DISABLED'),
        ('webhook_endpoints_url_is_http', 'the URL begins with http:// or https:// and has at most 2000 characters'),
        ('workers_id_length', 'the id of a worker has 1 to 200 characters'),
        ('workers_state_known', 'a worker is ACTIVE, DRAINING or STOPPED')
        ) s (name, sentence)
    where s.name = p_constraint
$$;

-- The sentence for an error of Postgres: p_message is its text. The name of a constraint stands between
-- quotes whatever the server's language is.
create or replace function jobforge.refusal_text(p_message text) returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_quoted text[] := array(select m[1] from regexp_matches(p_message, '"([a-z_0-9]+)"', 'g') m);
    v_name text;
begin
    foreach v_name in array v_quoted loop
        if jobforge.constraint_sentence(v_name) is not null then
            return jobforge.constraint_sentence(v_name);
        end if;
    end loop;
    if p_message like '%not-null constraint%' then
        return format('%s is needed, and must not be null', v_quoted[1]);
    end if;
    return p_message;
end
$$;

-- The same for an input that was read into a row by jsonb_populate_record: an error of a type, which names
-- the value only, gets the member's name.
create or replace function jobforge.refusal_text(p_message text, p_row anyelement, p_input jsonb) returns text
    language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    v_key text;
begin
    for v_key in select k from jsonb_object_keys(case jsonb_typeof(p_input) when 'object' then p_input else '{}' end) k
            order by k loop
        begin
            perform jsonb_populate_record(p_row, jsonb_build_object(v_key, p_input -> v_key));
        exception when others then
            return format('%s: %s', v_key, sqlerrm);
        end;
    end loop;
    return jobforge.refusal_text(p_message);
end
$$;
alter function jobforge.constraint_sentence owner to jobforge_owner;
alter function jobforge.refusal_text(text) owner to jobforge_owner;
alter function jobforge.refusal_text(text, anyelement, jsonb) owner to jobforge_owner;
revoke execute on function jobforge.constraint_sentence, jobforge.refusal_text(text),
    jobforge.refusal_text(text, anyelement, jsonb) from public;
grant execute on function jobforge.constraint_sentence, jobforge.refusal_text(text),
    jobforge.refusal_text(text, anyelement, jsonb) to jobforge_engine, jobforge_definer, jobforge_owner;
