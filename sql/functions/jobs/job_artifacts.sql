-- Files that a job makes: kept in its completion transaction, read by their content's hash.

-- Answers the hash in hexadecimal, what a result names the file by. NOT_FOUND: no such running job.
create or replace function jobforge.keep_job_artifact(p_job_id uuid, p_name text, p_content bytea,
    p_media_type text) returns text
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_sha256 bytea := sha256(p_content);
begin
    perform jobforge.check_length('the name of a file', p_name, 1, 200);
    perform jobforge.check_length('the media type of a file', p_media_type, 1, 200);
    if p_content is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a file needs content', '');
    end if;
    if not exists (select from jobforge.jobs j
            where j.tenant_id = v_tenant_id and j.job_id = p_job_id and j.status = 'RUNNING') then
        perform jobforge.raise_not_found('running job', p_job_id::text);
    end if;
    insert into jobforge.artifacts (tenant_id, sha256, content, media_type)
    values (v_tenant_id, v_sha256, p_content, p_media_type)
    on conflict do nothing;
    insert into jobforge.job_artifacts (tenant_id, job_id, name, sha256)
    values (v_tenant_id, p_job_id, p_name, v_sha256);
    return encode(v_sha256, 'hex');
end
$$;

-- The bytes behind an artifact_ref, also of a large payload or result. NOT_FOUND.
create or replace function jobforge.get_artifact(p_artifact_ref text)
    returns table (content bytea, media_type text, created_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    if p_artifact_ref is null or p_artifact_ref !~ '^[0-9a-f]{64}$' then
        perform jobforge.raise_error('VALIDATION_ERROR', 'an artifact_ref is 64 hexadecimal digits',
            'The result of the job that made it has it.');
    end if;
    return query
    select a.content, a.media_type, a.created_at from jobforge.artifacts a
    where a.tenant_id = v_tenant_id and a.sha256 = decode(p_artifact_ref, 'hex');
    if not found then
        perform jobforge.raise_not_found('artifact', p_artifact_ref);
    end if;
end
$$;
alter function jobforge.keep_job_artifact owner to jobforge_definer;
alter function jobforge.get_artifact owner to jobforge_definer;
revoke execute on function jobforge.keep_job_artifact, jobforge.get_artifact from public;
grant execute on function jobforge.keep_job_artifact to jobforge_worker;
grant execute on function jobforge.get_artifact to jobforge_tenant, jobforge_gateway, jobforge_worker;
