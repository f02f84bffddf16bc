-- The tables of the engine. Each tenant's table has tenant_id first in its keys (a key collision
-- must not reveal another tenant's row, and the data can be distributed by tenant), and row-level
-- security forced: with no policy nobody sees anything. The policies are in sql/functions/policies.sql.

create table jobforge.tenants (
    tenant_id            uuid        not null,
    name                 text        not null,
    status               text        not null default 'ACTIVE',
    max_waiting_jobs     bigint,
    max_waiting_bytes    bigint,
    concurrency_limit    integer,
    created_at           timestamptz not null default pg_catalog.clock_timestamp(),
    constraint tenants_pkey primary key (tenant_id),
    constraint tenants_name_is_short check (pg_catalog.length(name) between 1 and 200),
    constraint tenants_status_known check (status in ('ACTIVE', 'SUSPENDED')),
    constraint tenants_quota_positive check (max_waiting_jobs >= 0 and max_waiting_bytes >= 0),
    constraint tenants_concurrency_positive check (concurrency_limit >= 0)
);

-- A database login of one tenant. login_role is unique alone: a login has one tenant, and names of
-- roles are public to the whole server, so the key reveals nothing.
create table jobforge.tenant_logins (
    tenant_id            uuid        not null,
    login_role           name        not null,
    created_at           timestamptz not null default pg_catalog.clock_timestamp(),
    constraint tenant_logins_pkey primary key (tenant_id, login_role),
    constraint tenant_logins_login_has_one_tenant unique (login_role),
    constraint tenant_logins_tenant_exists foreign key (tenant_id) references jobforge.tenants
);

-- Policy per job type. NULL limits mean none.
create table jobforge.job_types (
    type                      text        not null,
    description               text        not null default '',
    backoff                   text        not null default 'jobforge',
    backoff_base_seconds      integer     not null default 300,
    backoff_jitter            numeric     not null default 0.1,
    max_attempts              integer     not null default 5,
    lease_seconds             integer,
    timeout_seconds           integer,
    default_priority          smallint    not null default 2,
    concurrency_limit         integer,
    tenant_concurrency_limit  integer,
    rate_limit_per_minute     integer,
    tenant_rate_limit_per_minute integer,
    retention_days            integer     not null default 30,
    failure_retention_days    integer     not null default 180,
    enabled                   boolean     not null default true,
    created_at                timestamptz not null default pg_catalog.clock_timestamp(),
    updated_at                timestamptz not null default pg_catalog.clock_timestamp(),
    constraint job_types_pkey primary key (type),
    constraint job_types_type_is_a_name check (type ~ '^[A-Za-z][A-Za-z0-9_.:-]{0,99}$'),
    constraint job_types_backoff_known check (backoff in ('bpc', 'source', 'jobforge')),
    constraint job_types_backoff_base_range check (backoff_base_seconds between 1 and 86400),
    constraint job_types_jitter_range check (backoff_jitter between 0 and 0.1),
    constraint job_types_max_attempts_range check (max_attempts between 1 and 1000),
    constraint job_types_lease_range check (lease_seconds between 1 and 86400),
    constraint job_types_timeout_range check (timeout_seconds between 1 and 604800),
    constraint job_types_priority_range check (default_priority between 0 and 3),
    constraint job_types_concurrency_positive
        check (concurrency_limit >= 0 and tenant_concurrency_limit >= 0),
    constraint job_types_rate_positive
        check (rate_limit_per_minute >= 0 and tenant_rate_limit_per_minute >= 0),
    constraint job_types_retention_range
        check (retention_days between 0 and 36500 and failure_retention_days between 0 and 36500)
);

-- Waiting and running jobs only: what is finished leaves for finished_jobs, so that this table and
-- its three indexes stay small. type sorts by bytes ("C"): half the cost of a locale's comparison.
-- No foreign keys to tenants and job_types: enqueue checks both, and a key check per row costs a
-- fifth of the enqueue rate.
create table jobforge.jobs (
    tenant_id         uuid        not null,
    job_id            uuid        not null,
    type              text        collate "C" not null,
    status            text        not null default 'QUEUED',
    priority          smallint    not null default 2,
    attempts          integer     not null default 0,
    max_attempts      integer     not null default 5,
    interrupted       boolean     not null default false,
    lease_token       bigint      not null default 0,
    scheduled_at      timestamptz not null,
    created_at        timestamptz not null,
    started_at        timestamptz,
    heartbeat_at      timestamptz,
    lease_expires_at  timestamptz,
    lease_owner       text,
    idempotency_key   text,
    trace_id          text,
    created_by        text,
    payload           jsonb       not null,
    payload_bytes     integer     not null default 0,
    payload_ref       bytea,
    last_error        jsonb,
    constraint jobs_pkey primary key (tenant_id, job_id),
    constraint jobs_status_known check (status in ('QUEUED', 'RUNNING')),
    constraint jobs_priority_range check (priority between 0 and 3),
    constraint jobs_attempts_not_negative check (attempts >= 0),
    constraint jobs_max_attempts_positive check (max_attempts >= 1),
    constraint jobs_running_has_lease check (
        (status = 'RUNNING') = (lease_owner is not null)
        and (status = 'RUNNING') = (lease_expires_at is not null)),
    constraint jobs_running_was_claimed check (status <> 'RUNNING' or (lease_token > 0 and attempts > 0)),
    constraint jobs_payload_is_object check (pg_catalog.jsonb_typeof(payload) = 'object')
) with (
    -- Half the rows change at any time; small thresholds keep the indexes short.
    fillfactor = 85,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.1,
    autovacuum_vacuum_cost_delay = 0
);

-- What a claim reads: lanes of (type, priority, tenant) in due order.
create index jobs_ready on jobforge.jobs (type, priority, tenant_id, scheduled_at)
    where status = 'QUEUED' and not interrupted;
-- What a look for expired leases and a count of running jobs read.
create index jobs_leases on jobforge.jobs (type, lease_expires_at) where status = 'RUNNING';
-- Jobs that lost a worker, waiting or running: run alone. Nearly always empty.
create index jobs_interrupted on jobforge.jobs (type, priority, tenant_id, scheduled_at) where interrupted;

-- The end of a job, with its result. Written once, never changed (a trigger refuses); a retry
-- moves the row back into jobs.
create table jobforge.finished_jobs (
    tenant_id         uuid        not null,
    job_id            uuid        not null,
    type              text        collate "C" not null,
    status            text        not null,
    priority          smallint    not null,
    attempts          integer     not null,
    max_attempts      integer     not null,
    interrupted       boolean     not null default false,
    lease_token       bigint      not null,
    scheduled_at      timestamptz not null,
    created_at        timestamptz not null,
    started_at        timestamptz,
    completed_at      timestamptz not null,
    lease_owner       text,
    idempotency_key   text,
    trace_id          text,
    created_by        text,
    payload           jsonb       not null,
    payload_bytes     integer     not null default 0,
    payload_ref       bytea,
    result            jsonb,
    result_ref        bytea,
    last_error        jsonb,
    constraint finished_jobs_pkey primary key (tenant_id, job_id),
    constraint finished_jobs_status_known
        check (status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'DEAD_LETTER')),
    constraint finished_jobs_failure_has_error
        check (status not in ('FAILED', 'DEAD_LETTER') or last_error is not null)
) with (fillfactor = 100, autovacuum_vacuum_insert_scale_factor = 0.2);

-- Pruning goes by age; rows arrive in that order, so a block range index costs next to nothing.
create index finished_jobs_by_age on jobforge.finished_jobs using brin (completed_at);
-- Failures are few and looked for often.
create index finished_jobs_not_succeeded on jobforge.finished_jobs (tenant_id, status, job_id)
    where status <> 'SUCCEEDED';

-- Who still uses an artifact (pruning asks). Large payloads are rare, so these stay tiny.
create index jobs_artifacts on jobforge.jobs (tenant_id, payload_ref) where payload_ref is not null;
create index finished_jobs_payload_artifacts on jobforge.finished_jobs (tenant_id, payload_ref)
    where payload_ref is not null;
create index finished_jobs_result_artifacts on jobforge.finished_jobs (tenant_id, result_ref)
    where result_ref is not null;

-- Attempts that did not simply succeed. The view job_attempts adds the running attempt and the last
-- attempt of a finished job, which need no row of their own.
create table jobforge.attempt_records (
    tenant_id     uuid        not null,
    job_id        uuid        not null,
    lease_token   bigint      not null,
    attempt_no    integer     not null,
    type          text        collate "C" not null,
    worker_id     text        not null,
    started_at    timestamptz not null,
    ended_at      timestamptz not null,
    outcome       text        not null,
    error         jsonb,
    constraint attempt_records_pkey primary key (tenant_id, job_id, lease_token),
    constraint attempt_records_outcome_known check (
        outcome in ('SUCCEEDED', 'RETRY', 'SNOOZED', 'RELEASED', 'FAILED', 'CANCELLED', 'CRASHED'))
);

-- Uniqueness must span waiting and finished jobs, so keys live in a table of their own.
create table jobforge.idempotency_keys (
    tenant_id        uuid        not null,
    type             text        collate "C" not null,
    idempotency_key  text        collate "C" not null,
    job_id           uuid        not null,
    payload_hash     bytea       not null,
    created_at       timestamptz not null,
    constraint idempotency_keys_pkey primary key (tenant_id, type, idempotency_key),
    constraint idempotency_keys_hash_is_sha256 check (pg_catalog.length(payload_hash) = 32),
    constraint idempotency_keys_key_length check (pg_catalog.length(idempotency_key) between 1 and 500)
);

-- Payloads and results over 256 KiB, by content.
create table jobforge.artifacts (
    tenant_id    uuid        not null,
    sha256       bytea       not null,
    content      bytea       not null,
    media_type   text        not null default 'application/json',
    created_at   timestamptz not null default pg_catalog.clock_timestamp(),
    constraint artifacts_pkey primary key (tenant_id, sha256),
    constraint artifacts_named_by_content check (sha256 = pg_catalog.sha256(content))
);

-- A tenant's waiting jobs and bytes, kept only for tenants with a quota (they pay one row update).
create table jobforge.tenant_usage (
    tenant_id      uuid   not null,
    waiting_jobs   bigint not null default 0,
    waiting_bytes  bigint not null default 0,
    constraint tenant_usage_pkey primary key (tenant_id)
) with (fillfactor = 50);

-- Token buckets for rate limits of claims; tenant_id is the nil uuid for the type's own bucket.
create table jobforge.rate_buckets (
    tenant_id    uuid             not null,
    type         text             collate "C" not null,
    tokens       double precision not null,
    refilled_at  timestamptz      not null,
    constraint rate_buckets_pkey primary key (tenant_id, type)
) with (fillfactor = 50);

-- Counters without a hot row: every enqueue appends what it added, maintenance folds the rows into
-- the totals. Appending never waits and never walks over dead rows, also under an old snapshot.
create table jobforge.counter_deltas (
    tenant_id  uuid   not null,
    type       text   collate "C" not null,
    counter    text   not null,
    delta      bigint not null,
    constraint counter_deltas_counter_known check (
        counter in ('enqueued', 'succeeded', 'failed', 'cancelled', 'dead_letter', 'dead_letters_left'))
);
create table jobforge.counter_totals (
    tenant_id  uuid   not null,
    type       text   collate "C" not null,
    counter    text   not null,
    value      bigint not null,
    constraint counter_totals_pkey primary key (tenant_id, type, counter),
    constraint counter_totals_counter_known check (
        counter in ('enqueued', 'succeeded', 'failed', 'cancelled', 'dead_letter', 'dead_letters_left'))
) with (fillfactor = 50);

create table jobforge.connector_configs (
    tenant_id   uuid        not null,
    connector   text        not null,
    config      jsonb       not null default '{}',
    enabled     boolean     not null default true,
    created_at  timestamptz not null default pg_catalog.clock_timestamp(),
    updated_at  timestamptz not null default pg_catalog.clock_timestamp(),
    constraint connector_configs_pkey primary key (tenant_id, connector),
    constraint connector_configs_config_is_object check (pg_catalog.jsonb_typeof(config) = 'object')
);

create table jobforge.schedules (
    tenant_id     uuid        not null,
    schedule_id   uuid        not null,
    name          text        not null,
    type          text        collate "C" not null,
    payload       jsonb       not null default '{}',
    every_seconds bigint      not null,
    priority      smallint,
    enabled       boolean     not null default true,
    next_run_at   timestamptz not null,
    last_run_at   timestamptz,
    last_job_id   uuid,
    created_at    timestamptz not null default pg_catalog.clock_timestamp(),
    constraint schedules_pkey primary key (tenant_id, schedule_id),
    constraint schedules_name_once unique (tenant_id, name),
    constraint schedules_every_positive check (every_seconds between 1 and 31622400),
    constraint schedules_priority_range check (priority between 0 and 3),
    constraint schedules_payload_is_object check (pg_catalog.jsonb_typeof(payload) = 'object')
);
create index schedules_due on jobforge.schedules (next_run_at) where enabled;

-- The audit chain (BPC-EVENT-1). Job changes are not in it.
create table jobforge.events (
    tenant_id          uuid        not null,
    event_id           uuid        not null,
    aggregate_type     text        not null,
    aggregate_id       uuid        not null,
    aggregate_version  bigint      not null,
    event_type         text        not null,
    actor_id           text,
    payload_canonical  bytea       not null,
    payload_hash       bytea       not null,
    prev_event_hash    bytea,
    event_hash         bytea       not null,
    occurred_at        timestamptz not null,
    constraint events_pkey primary key (tenant_id, event_id),
    constraint events_one_version unique (tenant_id, aggregate_type, aggregate_id, aggregate_version),
    constraint events_version_positive check (aggregate_version >= 1),
    constraint events_first_has_no_predecessor check ((aggregate_version = 1) = (prev_event_hash is null)),
    constraint events_payload_hash_matches check (payload_hash = pg_catalog.sha256(payload_canonical)),
    constraint events_hash_is_sha256 check (pg_catalog.length(event_hash) = 32)
);

-- Who is working. Global: a worker serves many tenants.
create table jobforge.workers (
    worker_id     text        not null,
    host          text        not null default '',
    pid           integer     not null default 0,
    version       text        not null default '',
    state         text        not null default 'ACTIVE',
    types         text[]      not null default '{}',
    slots         integer     not null default 0,
    running       integer     not null default 0,
    started_at    timestamptz not null default pg_catalog.clock_timestamp(),
    heartbeat_at  timestamptz not null default pg_catalog.clock_timestamp(),
    constraint workers_pkey primary key (worker_id),
    constraint workers_id_length check (pg_catalog.length(worker_id) between 1 and 200),
    constraint workers_state_known check (state in ('ACTIVE', 'DRAINING', 'STOPPED'))
) with (fillfactor = 50);

-- "Some worker sleeps until this millisecond and wants to be woken", one flag per hash of the type.
-- Sequences are written in place and outside of transactions: no dead rows, no row locks. That is
-- why they are the right thing for a flag that changes with every idle moment (PROTOCOL.md).
do $$
begin
    for v_slot in 0..15 loop
        execute pg_catalog.format('create sequence jobforge.wake_%s minvalue 0 start 0 cache 1', v_slot);
    end loop;
end
$$;

do $$
declare
    v_table text;
begin
    foreach v_table in array array['tenants', 'tenant_logins', 'jobs', 'finished_jobs', 'attempt_records',
        'idempotency_keys', 'artifacts', 'tenant_usage', 'rate_buckets', 'counter_deltas',
        'counter_totals', 'connector_configs', 'schedules', 'events']
    loop
        execute pg_catalog.format('alter table jobforge.%I enable row level security', v_table);
        execute pg_catalog.format('alter table jobforge.%I force row level security', v_table);
    end loop;
end
$$;

-- Everything belongs to the owner role, whoever runs the migration.
do $$
declare
    v_relation record;
begin
    for v_relation in
        select c.relname, c.relkind from pg_catalog.pg_class c
        where c.relnamespace = 'jobforge'::regnamespace and c.relkind in ('r', 'S')
    loop
        execute pg_catalog.format('alter %s jobforge.%I owner to jobforge_owner',
            case v_relation.relkind when 'S' then 'sequence' else 'table' end, v_relation.relname);
    end loop;
end
$$;
