-- What reports read and leave behind (sql/functions/report_*.sql, job_artifacts.sql).

-- Files that a job made and that its result names (reports over 64 KiB): they live as long as the
-- job. The name of an artifact is its content, so two jobs can share one; pruning asks here.
create table jobforge.job_artifacts (
    tenant_id  uuid not null,
    job_id     uuid not null,
    name       text not null,
    sha256     bytea not null,
    constraint job_artifacts_pkey primary key (tenant_id, job_id, name),
    constraint job_artifacts_artifact_exists foreign key (tenant_id, sha256) references jobforge.artifacts,
    constraint job_artifacts_name_length check (pg_catalog.length(name) between 1 and 200)
);
create index job_artifacts_by_content on jobforge.job_artifacts (tenant_id, sha256);
alter table jobforge.job_artifacts owner to jobforge_owner;
alter table jobforge.job_artifacts enable row level security;
alter table jobforge.job_artifacts force row level security;

-- Events of a period. They arrive in the order of their time: a block range index costs appending
-- next to nothing.
create index events_by_age on jobforge.events using brin (occurred_at);
