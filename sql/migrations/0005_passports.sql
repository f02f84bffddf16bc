-- The passport pipeline: documents, facts, snapshots, rules, passports, webhooks, and the log over
-- the audit chain. What may change in these tables, and how, is in sql/functions/guard_*.sql.
--
-- Safe while workers of the version before run: new tables take no lock they could meet, and events
-- has had no writer so far, so its new column rewrites an empty table.
-- Texts that are sorted or compared as keys are collated "C": bytes, the same on every server.
-- Large bytes are compressed with lz4 (a quarter of pglz's time for the same JSON).
-- No foreign keys to tenants: the functions check the tenant, and every insert would lock its row.

create table jobforge.documents (
    tenant_id    uuid        not null,
    document_id  uuid        not null,
    kind         text        not null,
    name         text        not null,
    created_at   timestamptz not null default pg_catalog.clock_timestamp(),
    created_by   text,
    constraint documents_pkey primary key (tenant_id, document_id),
    constraint documents_kind_known
        check (kind in ('BOM', 'PCF', 'DUE_DILIGENCE', 'BATTERY_DATA', 'OTHER')),
    constraint documents_name_length check (pg_catalog.length(name) between 1 and 500)
);

create table jobforge.document_versions (
    tenant_id            uuid        not null,
    document_version_id  uuid        not null,
    document_id          uuid        not null,
    version              integer     not null,
    media_type           text        not null,
    content              bytea       compression lz4 not null,
    content_sha256       bytea       not null,
    size_bytes           bigint      not null,
    status               text        not null default 'UPLOADED',
    rejection            jsonb,
    uploaded_at          timestamptz not null default pg_catalog.clock_timestamp(),
    uploaded_by          text,
    settled_at           timestamptz,
    constraint document_versions_pkey primary key (tenant_id, document_version_id),
    constraint document_versions_one_number unique (tenant_id, document_id, version),
    constraint document_versions_same_bytes_once unique (tenant_id, document_id, content_sha256),
    constraint document_versions_document_exists foreign key (tenant_id, document_id)
        references jobforge.documents,
    constraint document_versions_version_positive check (version >= 1),
    constraint document_versions_media_type_known check (media_type in ('application/json', 'text/csv')),
    constraint document_versions_size check (size_bytes = pg_catalog.octet_length(content)
        and size_bytes <= 67108864),
    constraint document_versions_hash_matches check (content_sha256 = pg_catalog.sha256(content)),
    constraint document_versions_status_known check (status in ('UPLOADED', 'VALIDATED', 'REJECTED')),
    constraint document_versions_settled check ((status = 'UPLOADED') = (settled_at is null)),
    constraint document_versions_rejected_says_why check ((status = 'REJECTED') = (rejection is not null))
);

create table jobforge.facts (
    tenant_id            uuid        not null,
    fact_id              uuid        not null,
    fact_type            text        collate "C" not null,
    fact_key             text        collate "C" not null,
    schema_version       integer     not null,
    payload              jsonb       compression lz4 not null,
    payload_canonical    bytea       compression lz4 not null,
    payload_hash         bytea       not null,
    document_version_id  uuid        not null,
    created_at           timestamptz not null default pg_catalog.clock_timestamp(),
    constraint facts_pkey primary key (tenant_id, fact_id),
    constraint facts_said_once unique (tenant_id, fact_type, fact_key, schema_version, payload_hash),
    constraint facts_document_exists foreign key (tenant_id, document_version_id)
        references jobforge.document_versions,
    constraint facts_type_length check (pg_catalog.length(fact_type) between 1 and 100),
    constraint facts_key_length check (pg_catalog.length(fact_key) between 1 and 500),
    constraint facts_schema_version_positive check (schema_version >= 1),
    constraint facts_hash_matches check (payload_hash = pg_catalog.sha256(payload_canonical))
);

-- Every document version that said a fact, and where in it. facts.document_version_id is the first.
create table jobforge.fact_sources (
    tenant_id            uuid not null,
    document_version_id  uuid not null,
    fact_id              uuid not null,
    place                text not null,
    constraint fact_sources_pkey primary key (tenant_id, document_version_id, fact_id),
    constraint fact_sources_document_exists foreign key (tenant_id, document_version_id)
        references jobforge.document_versions,
    constraint fact_sources_fact_exists foreign key (tenant_id, fact_id) references jobforge.facts
);

create table jobforge.data_snapshots (
    tenant_id           uuid        not null,
    snapshot_id         uuid        not null,
    label               text        not null default '',
    status              text        not null default 'BUILDING',
    snapshot_canonical  bytea       compression lz4,
    snapshot_hash       bytea,
    created_at          timestamptz not null default pg_catalog.clock_timestamp(),
    created_by          text,
    ready_at            timestamptz,
    sealed_at           timestamptz,
    sealed_by           text,
    constraint data_snapshots_pkey primary key (tenant_id, snapshot_id),
    constraint data_snapshots_label_length check (pg_catalog.length(label) <= 500),
    constraint data_snapshots_status_known check (status in ('BUILDING', 'READY', 'SEALED')),
    constraint data_snapshots_ready_at check ((status = 'BUILDING') = (ready_at is null)),
    constraint data_snapshots_sealed_has_bytes check (
        (status = 'SEALED') = (snapshot_canonical is not null)
        and (status = 'SEALED') = (snapshot_hash is not null)
        and (status = 'SEALED') = (sealed_at is not null)),
    constraint data_snapshots_hash_matches check (snapshot_hash = pg_catalog.sha256(snapshot_canonical))
);

create table jobforge.snapshot_items (
    tenant_id     uuid        not null,
    snapshot_id   uuid        not null,
    fact_type     text        collate "C" not null,
    fact_key      text        collate "C" not null,
    fact_id       uuid        not null,
    payload_hash  bytea       not null,
    added_at      timestamptz not null default pg_catalog.clock_timestamp(),
    constraint snapshot_items_pkey primary key (tenant_id, snapshot_id, fact_type, fact_key),
    constraint snapshot_items_snapshot_exists foreign key (tenant_id, snapshot_id)
        references jobforge.data_snapshots,
    constraint snapshot_items_fact_exists foreign key (tenant_id, fact_id) references jobforge.facts,
    constraint snapshot_items_hash_is_sha256 check (pg_catalog.length(payload_hash) = 32)
);

create table jobforge.battery_products (
    tenant_id           uuid        not null,
    battery_product_id  uuid        not null,
    sku                 text        collate "C" not null,
    name                text        not null,
    created_at          timestamptz not null default pg_catalog.clock_timestamp(),
    created_by          text,
    constraint battery_products_pkey primary key (tenant_id, battery_product_id),
    constraint battery_products_sku_once unique (tenant_id, sku),
    constraint battery_products_sku_length check (pg_catalog.length(sku) between 1 and 200),
    constraint battery_products_name_length check (pg_catalog.length(name) between 1 and 500)
);

create table jobforge.passports (
    tenant_id           uuid        not null,
    passport_id         uuid        not null,
    battery_product_id  uuid        not null,
    created_at          timestamptz not null default pg_catalog.clock_timestamp(),
    created_by          text,
    constraint passports_pkey primary key (tenant_id, passport_id),
    constraint passports_product_exists foreign key (tenant_id, battery_product_id)
        references jobforge.battery_products
);
create index passports_by_product on jobforge.passports (tenant_id, battery_product_id, passport_id);

create table jobforge.rule_packages (
    tenant_id        uuid        not null,
    rule_package_id  uuid        not null,
    name             text        collate "C" not null,
    created_at       timestamptz not null default pg_catalog.clock_timestamp(),
    created_by       text,
    constraint rule_packages_pkey primary key (tenant_id, rule_package_id),
    constraint rule_packages_name_once unique (tenant_id, name),
    constraint rule_packages_name_length check (pg_catalog.length(name) between 1 and 200)
);

create table jobforge.rule_package_versions (
    tenant_id                uuid        not null,
    rule_package_version_id  uuid        not null,
    rule_package_id          uuid        not null,
    version                  integer     not null,
    status                   text        not null default 'DRAFT',
    dsl_source               text        compression lz4 not null,
    dsl_sha256               bytea       not null,
    tests_source             text        compression lz4 not null,
    tests_sha256             bytea       not null,
    created_at               timestamptz not null default pg_catalog.clock_timestamp(),
    created_by               text,
    validated_at             timestamptz,
    published_at             timestamptz,
    deprecated_at            timestamptz,
    retired_at               timestamptz,
    constraint rule_package_versions_pkey primary key (tenant_id, rule_package_version_id),
    constraint rule_package_versions_one_number unique (tenant_id, rule_package_id, version),
    constraint rule_package_versions_package_exists foreign key (tenant_id, rule_package_id)
        references jobforge.rule_packages,
    constraint rule_package_versions_version_positive check (version >= 1),
    constraint rule_package_versions_status_known
        check (status in ('DRAFT', 'VALIDATED', 'PUBLISHED', 'DEPRECATED', 'RETIRED')),
    constraint rule_package_versions_dsl_hash_matches
        check (dsl_sha256 = pg_catalog.sha256(pg_catalog.convert_to(dsl_source, 'UTF8'))),
    constraint rule_package_versions_tests_hash_matches
        check (tests_sha256 = pg_catalog.sha256(pg_catalog.convert_to(tests_source, 'UTF8'))),
    constraint rule_package_versions_times check (
        (status not in ('VALIDATED', 'PUBLISHED', 'DEPRECATED') or validated_at is not null)
        and (status not in ('PUBLISHED', 'DEPRECATED') or published_at is not null)
        and (status <> 'DEPRECATED' or deprecated_at is not null)
        and (status = 'RETIRED') = (retired_at is not null))
);
create index rule_package_versions_by_source
    on jobforge.rule_package_versions (tenant_id, rule_package_id, dsl_sha256);

create table jobforge.rule_fields (
    tenant_id                uuid    not null,
    rule_package_version_id  uuid    not null,
    path                     text    collate "C" not null,
    type                     text    not null,
    access                   text    not null,
    ordinal                  integer not null,
    constraint rule_fields_pkey primary key (tenant_id, rule_package_version_id, path),
    constraint rule_fields_one_place unique (tenant_id, rule_package_version_id, ordinal),
    constraint rule_fields_version_exists foreign key (tenant_id, rule_package_version_id)
        references jobforge.rule_package_versions
);

create table jobforge.rule_tests_runs (
    tenant_id                uuid        not null,
    run_id                   uuid        not null,
    rule_package_version_id  uuid        not null,
    seed                     bigint      not null,
    total_cases              integer     not null,
    passed_count             integer     not null,
    failed_count             integer     not null,
    status                   text        not null,
    first_failure            jsonb,
    created_at               timestamptz not null default pg_catalog.clock_timestamp(),
    constraint rule_tests_runs_pkey primary key (tenant_id, run_id),
    constraint rule_tests_runs_version_exists foreign key (tenant_id, rule_package_version_id)
        references jobforge.rule_package_versions,
    constraint rule_tests_runs_counts check (passed_count >= 0 and failed_count >= 0
        and total_cases = passed_count + failed_count),
    constraint rule_tests_runs_status_follows check (
        status = case when failed_count = 0 and passed_count >= 500 then 'PASSED' else 'FAILED' end)
);
create index rule_tests_runs_latest
    on jobforge.rule_tests_runs (tenant_id, rule_package_version_id, created_at, run_id);

-- The public halves: a receipt signed with a retired key still verifies.
create table jobforge.signing_keys (
    tenant_id   uuid        not null,
    key_id      text        collate "C" not null,
    public_key  bytea       not null,
    created_at  timestamptz not null default pg_catalog.clock_timestamp(),
    retired_at  timestamptz,
    constraint signing_keys_pkey primary key (tenant_id, key_id),
    constraint signing_keys_id_length check (pg_catalog.length(key_id) between 1 and 200),
    constraint signing_keys_is_ed25519 check (pg_catalog.length(public_key) = 32)
);

-- proof_sha256 is there for the guard: proof_root_hash is no hash of the bytes, and comparing the
-- bytes at every update costs more than one hash of them.
create table jobforge.passport_versions (
    tenant_id                uuid        not null,
    passport_version_id      uuid        not null,
    passport_id              uuid        not null,
    version_number           integer     not null,
    snapshot_id              uuid        not null,
    rule_package_version_id  uuid        not null,
    status                   text        not null default 'COMPILING',
    payload_canonical        bytea       compression lz4 not null,
    payload_hash             bytea       not null,
    proof_canonical          bytea       compression lz4 not null,
    proof_sha256             bytea       not null,
    proof_root_hash          bytea       not null,
    receipt_canonical        bytea       compression lz4 not null,
    receipt_hash             bytea       not null,
    receipt_signed           bytea       compression lz4,
    compiler_build_id        text        collate "C" not null,
    issued_at                timestamptz not null,
    signing_key_id           text        collate "C" not null,
    signature                bytea,
    signing_key_public       bytea,
    qr_payload               text,
    qr_png                   bytea       compression lz4,
    created_at               timestamptz not null default pg_catalog.clock_timestamp(),
    signed_at                timestamptz,
    activated_at             timestamptz,
    superseded_at            timestamptz,
    revoked_at               timestamptz,
    revocation_reason        text,
    constraint passport_versions_pkey primary key (tenant_id, passport_version_id),
    constraint passport_versions_one_number unique (tenant_id, passport_id, version_number),
    constraint passport_versions_compiled_once unique (tenant_id, passport_id, snapshot_id,
        rule_package_version_id, compiler_build_id, issued_at),
    constraint passport_versions_passport_exists foreign key (tenant_id, passport_id)
        references jobforge.passports,
    constraint passport_versions_snapshot_exists foreign key (tenant_id, snapshot_id)
        references jobforge.data_snapshots,
    constraint passport_versions_rules_exist foreign key (tenant_id, rule_package_version_id)
        references jobforge.rule_package_versions,
    constraint passport_versions_number_positive check (version_number >= 1),
    constraint passport_versions_status_known
        check (status in ('COMPILING', 'SIGNED', 'ACTIVE', 'SUPERSEDED', 'REVOKED')),
    constraint passport_versions_payload_hash_matches
        check (payload_hash = pg_catalog.sha256(payload_canonical)),
    constraint passport_versions_proof_hash_matches
        check (proof_sha256 = pg_catalog.sha256(proof_canonical)),
    constraint passport_versions_proof_root_is_sha256 check (pg_catalog.length(proof_root_hash) = 32),
    constraint passport_versions_receipt_hash_matches
        check (receipt_hash = pg_catalog.sha256(receipt_canonical)),
    constraint passport_versions_signed_is_complete check (
        (status = 'COMPILING') = (signature is null)
        and (status = 'COMPILING') = (signing_key_public is null)
        and (status = 'COMPILING') = (receipt_signed is null)
        and (status = 'COMPILING') = (signed_at is null)),
    constraint passport_versions_signature_is_ed25519
        check (pg_catalog.length(signature) = 64 and pg_catalog.length(signing_key_public) = 32),
    constraint passport_versions_qr_is_complete check ((qr_payload is null) = (qr_png is null)
        and (qr_payload is null or status <> 'COMPILING')),
    constraint passport_versions_active_has_qr check ((activated_at is null or qr_payload is not null)
        and (status not in ('ACTIVE', 'SUPERSEDED') or activated_at is not null)
        and (status not in ('COMPILING', 'SIGNED') or activated_at is null)),
    constraint passport_versions_superseded check ((status <> 'SUPERSEDED' or superseded_at is not null)
        and (superseded_at is null or status in ('SUPERSEDED', 'REVOKED'))),
    constraint passport_versions_revoked_says_why check ((status = 'REVOKED') = (revoked_at is not null)
        and (status = 'REVOKED') = (revocation_reason is not null))
) with (fillfactor = 90);
-- A PNG is compressed already; trying again at every change of the row took 3.5 % of the server's time.
alter table jobforge.passport_versions alter column qr_png set storage external;
create unique index passport_versions_one_active on jobforge.passport_versions (tenant_id, passport_id)
    where status = 'ACTIVE';

create table jobforge.webhook_endpoints (
    tenant_id            uuid        not null,
    webhook_endpoint_id  uuid        not null,
    url                  text        not null,
    description          text        not null default '',
    status               text        not null default 'ACTIVE',
    secret_ciphertext    bytea       not null,
    created_at           timestamptz not null default pg_catalog.clock_timestamp(),
    created_by           text,
    constraint webhook_endpoints_pkey primary key (tenant_id, webhook_endpoint_id),
    constraint webhook_endpoints_url_is_http check (url ~ '^https?://[^[:space:]]+$'
        and pg_catalog.length(url) <= 2000),
    constraint webhook_endpoints_status_known check (status in ('ACTIVE', 'DISABLED')),
    constraint webhook_endpoints_secret_length
        check (pg_catalog.octet_length(secret_ciphertext) between 1 and 4096)
);

create table jobforge.webhook_subscriptions (
    tenant_id                uuid        not null,
    webhook_subscription_id  uuid        not null,
    webhook_endpoint_id      uuid        not null,
    event_type               text        collate "C" not null,
    created_at               timestamptz not null default pg_catalog.clock_timestamp(),
    constraint webhook_subscriptions_pkey primary key (tenant_id, webhook_subscription_id),
    constraint webhook_subscriptions_once unique (tenant_id, webhook_endpoint_id, event_type),
    constraint webhook_subscriptions_endpoint_exists foreign key (tenant_id, webhook_endpoint_id)
        references jobforge.webhook_endpoints
);
-- What every event asks: who wants me?
create index webhook_subscriptions_by_event on jobforge.webhook_subscriptions (tenant_id, event_type);

-- Positions in a tenant's audit log follow from this number; the chain itself does not use it.
alter table jobforge.events add column event_seq bigint generated by default as identity;
create unique index events_by_sequence on jobforge.events (tenant_id, event_seq);

create table jobforge.webhook_deliveries (
    tenant_id                uuid        not null,
    webhook_delivery_id      uuid        not null,
    webhook_endpoint_id      uuid        not null,
    webhook_subscription_id  uuid        not null,
    event_id                 uuid        not null,
    status                   text        not null default 'PENDING',
    attempts                 integer     not null default 0,
    redeliveries             integer     not null default 0,
    http_status              integer,
    response_headers         jsonb,
    response_body            bytea       compression lz4,
    delivered_at             timestamptz,
    error_message            text,
    job_id                   uuid,
    created_at               timestamptz not null default pg_catalog.clock_timestamp(),
    updated_at               timestamptz not null default pg_catalog.clock_timestamp(),
    constraint webhook_deliveries_pkey primary key (tenant_id, webhook_delivery_id),
    constraint webhook_deliveries_one_per_event unique (tenant_id, event_id, webhook_endpoint_id),
    constraint webhook_deliveries_endpoint_exists foreign key (tenant_id, webhook_endpoint_id)
        references jobforge.webhook_endpoints,
    constraint webhook_deliveries_event_exists foreign key (tenant_id, event_id)
        references jobforge.events,
    constraint webhook_deliveries_status_known check (status in ('PENDING', 'DELIVERED', 'FAILED')),
    constraint webhook_deliveries_attempts_not_negative check (attempts >= 0 and redeliveries >= 0),
    constraint webhook_deliveries_delivered_at check ((status = 'DELIVERED') = (delivered_at is not null))
) with (fillfactor = 85);

-- A per-tenant log over all chains (RFC 6962), so that a cut tail or a missing chain shows too.
create table jobforge.event_log (
    tenant_id   uuid        not null,
    log_index   bigint      not null,
    event_id    uuid        not null,
    event_hash  bytea       not null,
    logged_at   timestamptz not null default pg_catalog.clock_timestamp(),
    constraint event_log_pkey primary key (tenant_id, log_index),
    constraint event_log_event_once unique (tenant_id, event_id),
    constraint event_log_index_not_negative check (log_index >= 0),
    constraint event_log_hash_is_sha256 check (pg_catalog.length(event_hash) = 32)
);

create table jobforge.log_heads (
    tenant_id   uuid        not null,
    tree_size   bigint      not null,
    root_hash   bytea       not null,
    frontier    bytea[]     not null,
    checkpoint  text        not null,
    key_id      text        not null,
    signed_at   timestamptz not null default pg_catalog.clock_timestamp(),
    constraint log_heads_pkey primary key (tenant_id, tree_size),
    constraint log_heads_size_not_negative check (tree_size >= 0),
    constraint log_heads_root_is_sha256 check (pg_catalog.length(root_hash) = 32)
);

-- Events that wait for their place in the log. A list of its own: "events that are not in event_log"
-- is an anti-join over the whole history, and event_seq alone cannot say it (a number is drawn
-- before its transaction commits, so a lower one may appear after a higher one).
create table jobforge.events_to_log (
    tenant_id  uuid   not null,
    event_seq  bigint not null,
    event_id   uuid   not null,
    constraint events_to_log_pkey primary key (tenant_id, event_seq)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

do $$
declare
    v_table text;
begin
    foreach v_table in array array['documents', 'document_versions', 'facts', 'fact_sources',
        'data_snapshots', 'snapshot_items', 'battery_products', 'passports', 'rule_packages',
        'rule_package_versions', 'rule_fields', 'rule_tests_runs', 'signing_keys', 'passport_versions',
        'webhook_endpoints', 'webhook_subscriptions', 'webhook_deliveries', 'event_log', 'log_heads',
        'events_to_log']
    loop
        execute pg_catalog.format('alter table jobforge.%I owner to jobforge_owner', v_table);
        execute pg_catalog.format('alter table jobforge.%I enable row level security', v_table);
        execute pg_catalog.format('alter table jobforge.%I force row level security', v_table);
    end loop;
end
$$;
