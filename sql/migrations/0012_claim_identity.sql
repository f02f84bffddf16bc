-- What a claim is, how often a job lost its worker, and counters of what waits.
--
-- Safe while workers of the version before run: columns with constant defaults are added without a
-- rewrite, and the functions of that version do not name them.

-- The identity of a claim, random, so that it never repeats. The token alone is a fence on one
-- timeline only: an asynchronous failover can lose a claim, and the next one takes the same token.
alter table jobforge.jobs add column claim_id uuid;

-- How many workers the job has lost. Decides how many of its kind run at once in one process.
alter table jobforge.jobs add column interruptions smallint not null default 0;
alter table jobforge.finished_jobs add column interruptions smallint not null default 0;
update jobforge.jobs j set interruptions = 1 where j.interrupted;

-- A claim takes a larger token (the first one on a new timeline is far larger), and neither the
-- token, the owner nor the identity of a claim changes while it runs.
drop trigger jobs_guard_update on jobforge.jobs;
create trigger jobs_guard_update before update on jobforge.jobs for each row
    when (new.tenant_id <> old.tenant_id or new.job_id <> old.job_id or new.type <> old.type
        or new.created_at <> old.created_at or new.lease_token < old.lease_token
        or (old.status = 'QUEUED' and new.status = 'RUNNING' and new.lease_token <= old.lease_token)
        or (old.status = 'RUNNING' and new.status = 'RUNNING'
            and (new.lease_token <> old.lease_token or new.lease_owner <> old.lease_owner
                or new.claim_id is distinct from old.claim_id)))
    execute function jobforge.refuse_transition();

-- Waiting jobs of a tenant = enqueued + requeued - claimed - withdrawn, in jobs and in bytes. Every
-- transaction that moves a job appends its difference, whether the tenant has a quota or not, so
-- the sum is exact at any moment and a quota can be switched on under load without a lock.
alter table jobforge.counter_deltas add column bytes bigint not null default 0;
alter table jobforge.counter_totals add column bytes bigint not null default 0;
alter table jobforge.counter_deltas drop constraint counter_deltas_counter_known;
alter table jobforge.counter_deltas add constraint counter_deltas_counter_known check (
    counter in ('enqueued', 'succeeded', 'failed', 'cancelled', 'dead_letter', 'dead_letters_left',
        'claimed', 'requeued', 'withdrawn'));
alter table jobforge.counter_totals drop constraint counter_totals_counter_known;
alter table jobforge.counter_totals add constraint counter_totals_counter_known check (
    counter in ('enqueued', 'succeeded', 'failed', 'cancelled', 'dead_letter', 'dead_letters_left',
        'claimed', 'requeued', 'withdrawn'));
-- An enqueue under a quota adds up what its tenant has appended since the last folding.
create index counter_deltas_by_tenant on jobforge.counter_deltas (tenant_id);

-- Requests to wake a worker, on servers that allow prepared transactions (sql/functions/wake.sql).
create table jobforge.wake_requests (
    type  text  collate "C" not null
);
alter table jobforge.wake_requests owner to jobforge_owner;

-- Waiting jobs that were due before they were made. A worker that knows its lanes starts a claim above
-- them; this index, in the order of their arrival, shows them to the very next claim. (The job's own
-- times tell: without a due time of the caller's, both are the same moment.)
create index jobs_back_dated on jobforge.jobs (created_at)
    where status = 'QUEUED' and not interrupted and scheduled_at < created_at;

-- What the parts of one claim share: whose it is, its identity, the floor of its tokens on this
-- timeline, the lease of types without one of their own, and back-dated jobs that its lanes may hide.
create type jobforge.claim_order as (
    worker           text,
    claim_id         uuid,
    token_floor      bigint,
    lease_seconds    integer,
    late_rows        tid[],
    late_types       text[],
    late_priorities  smallint[],
    late_tenants     uuid[]
);
alter type jobforge.claim_order owner to jobforge_owner;
