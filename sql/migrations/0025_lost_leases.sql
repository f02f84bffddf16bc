-- What keeps the leases that one tenant lets expire from the work of the others. A tenant's worker over HTTP
-- can claim a job and never settle it; taken back, the job is "interrupted" and waits in quarantine.
--
-- Safe while workers of the version before run: they call functions, which are replaced with this.

-- How many jobs the tenant's workers over HTTP may hold at once (leases_left).
alter table jobforge.tenants add column max_leased_jobs integer not null default 1000,
    add constraint tenants_max_leased_jobs_range check (max_leased_jobs between 0 and 1000000);

-- The lanes of interrupted jobs, in the order of keys that interrupted_lanes goes along. The index before
-- had running jobs in it too, and claims read all of it.
drop index jobforge.jobs_interrupted;
create index jobs_quarantine on jobforge.jobs (type, ((interruptions > 1)::integer), priority, tenant_id, scheduled_at)
    where interrupted and status = 'QUEUED';
-- How many of them a worker runs.
create index jobs_quarantined on jobforge.jobs (lease_owner) where interrupted and status = 'RUNNING';
-- Those of one tenant, for its stream of changes; and what its workers over HTTP hold. By the id's text: with
-- the uuid the primary key looks as good, and leads through all that the tenant has waiting.
create index jobs_interrupted_of on jobforge.jobs ((tenant_id::text)) where interrupted;
create index jobs_leased_over_http on jobforge.jobs ((tenant_id::text))
    where status = 'RUNNING' and lease_owner like '________-____-____-____-____________/%';

create type jobforge.quarantine_lanes as (
    types       text[],
    often       integer[],  -- 1: interrupted more than once
    priorities  integer[],
    tenants     uuid[],
    firsts      timestamptz[]
);
alter type jobforge.quarantine_lanes owner to jobforge_owner;

-- Who did something is a name, not a text of any length: events with an actor of 40 MB each, which a tenant's
-- own login could append, made a page of the audit trail larger than a server's memory. (jobs has its own
-- check, at enqueue.)
do $$
declare
    v_column record;
begin
    for v_column in
        select c.relname, a.attname from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'jobforge'::pg_catalog.regnamespace and c.relkind = 'r'
            and a.atttypid = 'text'::pg_catalog.regtype
            and a.attname in ('actor_id', 'created_by', 'revoked_by', 'sealed_by', 'uploaded_by')
            and c.relname not in ('jobs', 'finished_jobs')
    loop
        execute pg_catalog.format('alter table jobforge.%I add constraint %I check (length(%I) <= 500) not valid',
            v_column.relname, v_column.relname || '_' || v_column.attname || '_length', v_column.attname);
    end loop;
end
$$;
