-- What keeps one tenant's work from another's: types that only use cases enqueue, a floor under
-- priorities, default quotas, turns that only our own roles can take, and event numbers that tell
-- nothing of other tenants.
--
-- Safe while workers of the version before run: columns with constant defaults are added without a
-- rewrite, and the functions of that version do not name them.

-- Steps of passports and prices. Enqueued by their use cases only, which check rights and carry the
-- actor; claimed and settled by logins with jobforge_worker, never through a tenant's API key.
alter table jobforge.job_types add column internal boolean not null default false;
update jobforge.job_types t set internal = true
where t.type in ('INGEST_DOCUMENT', 'PARSE_FACTS', 'BUILD_SNAPSHOT', 'COMPILE_PASSPORT', 'SIGN_PASSPORT',
    'GENERATE_QR', 'RUN_RULE_TESTS', 'EXPORT_PASSPORT', 'DELIVER_WEBHOOK', 'COLLECT_PRICES');

-- test.crash kills its worker and test.sleep holds a slot for a day: where BPC_ENV is dev or test,
-- `jobforge migrate` and `jobforge up` switch these types on (enable_test_types).
update jobforge.job_types t set enabled = false
where t.type in ('test.echo', 'test.sleep', 'test.fail', 'test.crash');

-- The best priority that the tenant's jobs may have.
alter table jobforge.tenants add column min_priority smallint not null default 0,
    add constraint tenants_min_priority_range check (min_priority between 0 and 3);

-- The quotas of tenants that are created without any. One row.
create table jobforge.tenant_defaults (
    only_row           boolean not null default true,
    max_waiting_jobs   bigint  default 1000000,
    max_waiting_bytes  bigint  default 1073741824,
    constraint tenant_defaults_pkey primary key (only_row),
    constraint tenant_defaults_is_one_row check (only_row),
    constraint tenant_defaults_quota_positive check (max_waiting_jobs >= 0 and max_waiting_bytes >= 0)
);
insert into jobforge.tenant_defaults default values;
alter table jobforge.tenant_defaults owner to jobforge_owner;

-- What a tenant had waiting when it was counted, for quotas far above it (usage_take). Appended, not
-- updated: a row that is kept up to date would be locked by the longest transaction that enqueues.
create table jobforge.tenant_measures (
    tenant_id    uuid        not null,
    measured_at  timestamptz not null,
    jobs         bigint      not null,
    bytes        bigint      not null
);
create index tenant_measures_newest on jobforge.tenant_measures (tenant_id, measured_at);

-- Locks by name, as rows: a lock on a row needs rights on its table. Advisory locks are open to every
-- login of the server, and pg_locks shows which ones are in use. The nil uuid: the engine's own.
create table jobforge.turns (
    tenant_id  uuid  not null,
    what       text  collate "C" not null,
    constraint turns_pkey primary key (tenant_id, what)
) with (fillfactor = 50);
insert into jobforge.turns (tenant_id, what)
values ('00000000-0000-0000-0000-000000000000', 'fold_counters'),
    ('00000000-0000-0000-0000-000000000000', 'prune_finished');
insert into jobforge.turns (tenant_id, what) select t.tenant_id, 'event_log' from jobforge.tenants t;
do $$
declare
    v_table text;
begin
    foreach v_table in array array['turns', 'tenant_measures'] loop
        execute pg_catalog.format('alter table jobforge.%I owner to jobforge_owner', v_table);
        execute pg_catalog.format('alter table jobforge.%I enable row level security', v_table);
        execute pg_catalog.format('alter table jobforge.%I force row level security', v_table);
    end loop;
end
$$;

-- Which channel a prepared transaction will not notify (sql/functions/wake.sql).
alter table jobforge.wake_requests add column channel text not null default 'jobforge_wake';

-- How many jobs of one tenant a worker may hold after a claim, and how many it holds of which.
alter type jobforge.claim_order add attribute tenant_cap integer, add attribute held_tenants uuid[],
    add attribute held_counts integer[];

-- Whose turn it is when tenants with better priorities would take every place of a claim.
create sequence jobforge.claim_turn cache 1;
alter sequence jobforge.claim_turn owner to jobforge_owner;

-- An identity column counts all tenants' events, so each tenant could read off how busy the others
-- are. Microseconds since 1970 are larger than every number that was given out, order the events of
-- a tenant as well, and stay below 2^53 until the year 2255.
alter table jobforge.events alter column event_seq drop identity;
alter table jobforge.events alter column event_seq
    set default (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000000)::bigint;

-- Jobs that were enqueued before numbers were bounded: 1e131071 is ten bytes in jsonb and 131,072 digits
-- as text, and 8,300 of them in one payload failed every claim. Row security hides the queue from the
-- owner, so this runs as the engine. (A new database has no jobs, and no rights yet.)
do $$
declare
    v_job jobforge.jobs;
begin
    if not pg_catalog.has_table_privilege('jobforge_engine', 'jobforge.jobs', 'select') then
        return;
    end if;
    set local role jobforge_engine;
    for v_job in
        select j.* from jobforge.jobs j where j.status = 'QUEUED' and pg_catalog.jsonb_path_exists(j.payload,
            '$.** ? (@.abs() >= 1e400 || (@.abs() < 1e-400 && @ != 0))', '{}', true)
        for update skip locked
    loop
        perform jobforge.finish_job(v_job, 'FAILED', 'FAILED', pg_catalog.jsonb_build_object(
            'code', 'JOB_PAYLOAD_INVALID', 'retryable', false,
            'message', 'the payload has a number of more than 400 digits'), v_job.lease_token);
    end loop;
    set local role none;
end
$$;
