-- Connectors, governed sources and prices: who may be called how often, what is collected from
-- whom, what it is worth; secrets of webhooks that overlap; schemas of payloads.
--
-- Safe while workers of the version before run: new tables, and new columns with constant defaults
-- (no rewrite, the lock lasts a moment). Row security binds the owner too, so nothing here fills in
-- tenants' rows: every new column has a default that is right for the rows there are.

-- The hot state of everything that is called from here: a limiter (GCRA: next_free_at is the
-- theoretical arrival time) and a breaker. Apart from its configuration, so that a call changes a
-- small row without any index entry (HOT); half of each page is kept free for that.
create table jobforge.governors (
    tenant_id          uuid        not null,
    kind               text        collate "C" not null,
    key                text        collate "C" not null,
    rate_per_minute    integer,
    burst              integer,
    failure_threshold  integer     not null default 5,
    open_seconds       integer     not null default 300,
    probe_seconds      integer     not null default 60,
    next_free_at       timestamptz not null default '-infinity',
    hint_at            timestamptz not null default '-infinity',
    state              text        not null default 'CLOSED',
    generation         bigint      not null default 1,
    failure_streak     integer     not null default 0,
    open_until         timestamptz,
    probe_expires_at   timestamptz,
    paused_until       timestamptz,
    pause_reason       text,
    last_success_at    timestamptz,
    last_failure_at    timestamptz,
    constraint governors_pkey primary key (tenant_id, kind, key),
    constraint governors_kind_known check (kind in ('source', 'endpoint', 'host')),
    constraint governors_key_length check (pg_catalog.length(key) between 1 and 500),
    constraint governors_rate_range check (rate_per_minute between 1 and 60000),
    constraint governors_burst_range check (burst between 1 and 60000),
    constraint governors_threshold_range check (failure_threshold between 1 and 1000),
    constraint governors_open_range check (open_seconds between 1 and 86400),
    constraint governors_probe_range check (probe_seconds between 1 and 3600),
    constraint governors_streak_not_negative check (failure_streak >= 0),
    constraint governors_state_known check (state in ('CLOSED', 'OPEN', 'HALF_OPEN')),
    constraint governors_open_ends check ((state = 'OPEN') = (open_until is not null)),
    constraint governors_probe_expires check ((state = 'HALF_OPEN') = (probe_expires_at is not null)),
    constraint governors_pause_has_reason check ((paused_until is null) = (pause_reason is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create table jobforge.sources (
    tenant_id              uuid        not null,
    source_id              uuid        not null,
    name                   text        collate "C" not null,
    adapter                text        not null default 'http_json',
    enabled                boolean     not null default true,
    base_url               text,
    rate_limit_per_minute  integer     not null default 60,
    reputation_weight      numeric     not null default 0.5,
    tier                   integer     not null default 2,
    config                 jsonb       not null default '{}',
    created_at             timestamptz not null default pg_catalog.clock_timestamp(),
    created_by             text,
    updated_at             timestamptz not null default pg_catalog.clock_timestamp(),
    constraint sources_pkey primary key (tenant_id, source_id),
    constraint sources_name_once unique (tenant_id, name),
    -- Not the form of an id: a source is named by either.
    constraint sources_name_is_a_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9 _.-]{0,99}$'
        and name !~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$'),
    constraint sources_adapter_known check (adapter in ('http_json', 'manual')),
    constraint sources_url_is_http check (base_url ~ '^https?://[^[:space:]]+$'
        and pg_catalog.length(base_url) <= 2000),
    constraint sources_http_has_url check (adapter <> 'http_json' or base_url is not null),
    constraint sources_rate_range check (rate_limit_per_minute between 1 and 60000),
    constraint sources_reputation_range check (reputation_weight between 0 and 1),
    constraint sources_tier_range check (tier between 1 and 10),
    constraint sources_config_is_object check (pg_catalog.jsonb_typeof(config) = 'object')
);

create table jobforge.source_rules (
    tenant_id            uuid    not null,
    source_id            uuid    not null,
    exclude_keywords     text[]  not null default '{}',
    require_keywords     text[]  not null default '{}',
    allowed_path         text,
    rate_limit_override  integer,
    constraint source_rules_pkey primary key (tenant_id, source_id),
    constraint source_rules_source_exists foreign key (tenant_id, source_id) references jobforge.sources,
    constraint source_rules_keyword_count check (pg_catalog.cardinality(exclude_keywords) <= 200
        and pg_catalog.cardinality(require_keywords) <= 200),
    constraint source_rules_no_null_keyword check (pg_catalog.array_position(exclude_keywords, null) is null
        and pg_catalog.array_position(require_keywords, null) is null),
    constraint source_rules_path_begins check (allowed_path like '/%'
        and pg_catalog.length(allowed_path) <= 1000),
    constraint source_rules_override_range check (rate_limit_override between 1 and 60000)
);

-- What is to be priced. Never changes: price points and valuations are about exactly this.
create table jobforge.intakes (
    tenant_id         uuid        not null,
    intake_id         uuid        not null,
    denomination      text,
    year              integer,
    mintmark          text,
    series            text,
    title             text,
    grade             text,
    cleaned           boolean     not null default false,
    scratches         boolean     not null default false,
    rim_damage        boolean     not null default false,
    details_damaged   boolean     not null default false,
    harsh_cleaning    boolean     not null default false,
    keywords_include  text[]      not null default '{}',
    keywords_exclude  text[]      not null default '{}',
    created_at        timestamptz not null default pg_catalog.clock_timestamp(),
    created_by        text,
    constraint intakes_pkey primary key (tenant_id, intake_id),
    constraint intakes_year_range check (year between -3000 and 3000),
    constraint intakes_text_lengths check (pg_catalog.length(denomination) <= 200
        and pg_catalog.length(mintmark) <= 50 and pg_catalog.length(series) <= 500
        and pg_catalog.length(title) <= 1000 and pg_catalog.length(grade) <= 100),
    constraint intakes_keyword_count check (pg_catalog.cardinality(keywords_include) <= 200
        and pg_catalog.cardinality(keywords_exclude) <= 200),
    constraint intakes_no_null_keyword check (pg_catalog.array_position(keywords_include, null) is null
        and pg_catalog.array_position(keywords_exclude, null) is null),
    -- An intake that says nothing would take every listing of a source for a price of it.
    constraint intakes_says_what check (pg_catalog.cardinality(keywords_include) > 0
        or pg_catalog.num_nonnulls(denomination, year, mintmark, series, title) > 0)
);

-- Money is cents, exactly; a match is a fraction of counted tokens, and five digits tell them apart.
create table jobforge.price_points (
    tenant_id       uuid          not null,
    price_point_id  uuid          not null,
    intake_id       uuid          not null,
    source_id       uuid          not null,
    dedupe_key      text          collate "C" not null,
    external_id     text,
    url             text,
    title           text,
    price_cents     bigint        not null,
    currency        text          not null,
    price_type      text          not null,
    observed_at     timestamptz,
    match_strength  numeric(6, 5) not null,
    raw             jsonb         compression lz4,
    first_job_id    uuid,
    created_at      timestamptz   not null default pg_catalog.clock_timestamp(),
    updated_at      timestamptz   not null default pg_catalog.clock_timestamp(),
    constraint price_points_pkey primary key (tenant_id, price_point_id),
    constraint price_points_seen_once unique (tenant_id, intake_id, source_id, dedupe_key),
    constraint price_points_intake_exists foreign key (tenant_id, intake_id) references jobforge.intakes,
    constraint price_points_source_exists foreign key (tenant_id, source_id) references jobforge.sources,
    constraint price_points_key_length check (pg_catalog.length(dedupe_key) between 1 and 500),
    constraint price_points_price_not_negative check (price_cents >= 0),
    constraint price_points_currency_is_code check (currency ~ '^[A-Z]{3}$'),
    constraint price_points_type_known check (price_type in ('sold', 'ask', 'bid')),
    constraint price_points_match_range check (match_strength between 0 and 1)
) with (fillfactor = 90);

create table jobforge.valuations (
    tenant_id    uuid        not null,
    intake_id    uuid        not null,
    currency     text,
    comparables  integer     not null,
    outliers     integer     not null,
    p10          bigint,
    p20          bigint,
    p40          bigint,
    p50          bigint,
    p60          bigint,
    p80          bigint,
    p90          bigint,
    mean_cents   bigint,
    confidence   integer     not null,
    explanation  jsonb       not null,
    computed_at  timestamptz not null default pg_catalog.clock_timestamp(),
    job_id       uuid,
    constraint valuations_pkey primary key (tenant_id, intake_id),
    constraint valuations_intake_exists foreign key (tenant_id, intake_id) references jobforge.intakes,
    constraint valuations_currency_is_code check (currency ~ '^[A-Z]{3}$'),
    constraint valuations_counts_not_negative check (comparables >= 0 and outliers >= 0),
    constraint valuations_value_needs_prices check (
        (comparables = 0) = (pg_catalog.num_nulls(currency, p10, p20, p40, p50, p60, p80, p90, mean_cents) = 9)
        and pg_catalog.num_nulls(currency, p10, p20, p40, p50, p60, p80, p90, mean_cents) in (0, 9)),
    constraint valuations_percentiles_rise check (0 <= p10 and p10 <= p20 and p20 <= p40 and p40 <= p50
        and p50 <= p60 and p60 <= p80 and p80 <= p90),
    constraint valuations_confidence_range check (confidence between 1 and 10),
    constraint valuations_explanation_is_object check (pg_catalog.jsonb_typeof(explanation) = 'object')
) with (fillfactor = 80);

-- Which job collects the prices of an intake from a source: the row is what two enqueues wait for
-- each other at. progress: where a job that had to wait goes on.
create table jobforge.collections (
    tenant_id  uuid    not null,
    intake_id  uuid    not null,
    source_id  uuid    not null,
    job_id     uuid,
    round      integer not null default 0,
    progress   jsonb,
    constraint collections_pkey primary key (tenant_id, intake_id, source_id),
    constraint collections_intake_exists foreign key (tenant_id, intake_id) references jobforge.intakes,
    constraint collections_source_exists foreign key (tenant_id, source_id) references jobforge.sources,
    constraint collections_round_has_job check ((round > 0) = (job_id is not null) and round >= 0)
) with (fillfactor = 80);
-- A source that resumes asks who waits for it.
create index collections_by_source on jobforge.collections (tenant_id, source_id);

-- Secrets that were replaced and still sign until their end, so that a receiver can change over
-- without a gap. The current one stays in webhook_endpoints.
create table jobforge.webhook_replaced_secrets (
    tenant_id            uuid        not null,
    webhook_endpoint_id  uuid        not null,
    replaced_at          timestamptz not null,
    secret_ciphertext    bytea       not null,
    expires_at           timestamptz not null,
    constraint webhook_replaced_secrets_pkey primary key (tenant_id, webhook_endpoint_id, replaced_at),
    constraint webhook_replaced_secrets_endpoint_exists foreign key (tenant_id, webhook_endpoint_id)
        references jobforge.webhook_endpoints,
    constraint webhook_replaced_secrets_length
        check (pg_catalog.octet_length(secret_ciphertext) between 1 and 4096),
    constraint webhook_replaced_secrets_expires_later check (expires_at > replaced_at)
);

alter table jobforge.webhook_endpoints
    add column permanent_failures integer not null default 0,
    add column disable_after      integer default 10,
    add column disabled_at        timestamptz,
    add column disabled_reason    text,
    add constraint webhook_endpoints_failures_not_negative check (permanent_failures >= 0),
    add constraint webhook_endpoints_disable_range check (disable_after between 1 and 1000),
    -- One way only: what was disabled before this version has no time.
    add constraint webhook_endpoints_active_is_not_disabled check (status = 'DISABLED'
        or pg_catalog.num_nonnulls(disabled_at, disabled_reason) = 0);

-- "All that failed since": without it, every delivery ever made would be read.
create index webhook_deliveries_failed on jobforge.webhook_deliveries
    (tenant_id, webhook_endpoint_id, updated_at) where status = 'FAILED';

-- NULL: any object. What a schema may say: sql/functions/check_payload.sql.
alter table jobforge.job_types
    add column payload_schema jsonb,
    add constraint job_types_schema_is_object check (pg_catalog.jsonb_typeof(payload_schema) = 'object');

do $$
declare
    v_table text;
begin
    foreach v_table in array array['governors', 'sources', 'source_rules', 'intakes', 'price_points',
        'valuations', 'collections', 'webhook_replaced_secrets']
    loop
        execute pg_catalog.format('alter table jobforge.%I owner to jobforge_owner', v_table);
        execute pg_catalog.format('alter table jobforge.%I enable row level security', v_table);
        execute pg_catalog.format('alter table jobforge.%I force row level security', v_table);
    end loop;
end
$$;
