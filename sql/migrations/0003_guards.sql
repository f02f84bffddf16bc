-- Impossible changes are refused by the database itself, whoever asks. The conditions stand in WHEN,
-- so a legal change costs one comparison and no function call.

create function jobforge.refuse_transition() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.raise_error('INVALID_TRANSITION',
        format('%s of job %s (%s) is not allowed', lower(tg_op), old.job_id, old.status),
        'Use the functions of schema jobforge; docs/jobs.md has the table of transitions.');
    return null;
end
$$;
alter function jobforge.refuse_transition owner to jobforge_owner;
revoke execute on function jobforge.refuse_transition from public;

-- Waiting <-> running only; a token never shrinks; a claim takes the next token; what a job is
-- (tenant, id, type, payload, birth) never changes.
create trigger jobs_guard_update before update on jobforge.jobs for each row
    when (new.tenant_id <> old.tenant_id or new.job_id <> old.job_id or new.type <> old.type
        or new.created_at <> old.created_at or new.lease_token < old.lease_token
        or (old.status = 'QUEUED' and new.status = 'RUNNING' and new.lease_token <> old.lease_token + 1)
        or (old.status = 'RUNNING' and new.status = 'RUNNING'
            and (new.lease_token <> old.lease_token or new.lease_owner <> old.lease_owner)))
    execute function jobforge.refuse_transition();

-- A finished job is history: it is deleted by pruning or moved back by a retry, never edited.
create trigger finished_jobs_guard_update before update on jobforge.finished_jobs for each row
    execute function jobforge.refuse_transition();
