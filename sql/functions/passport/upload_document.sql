-- Takes in a document and asks for its facts: PARSE_FACTS, key parse-<version>, priority 2.
--
-- p_document_id: a new version of that document (its kind must be the same; NOT_FOUND). The same bytes
-- again are the version that has them (deduplicated). p_document_version_id: the caller's own id for
-- the version, so that a repeated call finds what the first one made.
-- Errors: FORBIDDEN, VALIDATION_ERROR, PAYLOAD_LIMIT (over 64 MiB), NOT_FOUND, QUOTA_EXCEEDED.
create or replace function jobforge.upload_document(
    p_kind text,
    p_name text,
    p_content bytea,
    p_media_type text default 'application/json',
    p_document_id uuid default null,
    p_document_version_id uuid default null,
    p_actor_id text default null,
    p_trace_id text default null,
    out document_id uuid,
    out document_version_id uuid,
    out version integer,
    out deduplicated boolean,
    out job_id uuid)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.acting_tenant();
    v_sha256 bytea := sha256(p_content);
    v_existing record;
begin
    perform jobforge.check_upload(p_kind, p_name, p_content, p_media_type);
    if p_document_id is not null then
        perform jobforge.lock_document(v_tenant_id, p_document_id, p_kind);
    end if;
    select v.document_id, v.document_version_id, v.version, v.content_sha256 into v_existing
    from jobforge.document_versions v
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    if found and (v_existing.content_sha256 <> v_sha256
            or p_document_id <> v_existing.document_id) then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('document version %s exists with other bytes', p_document_version_id),
            'Use a new id, or none.');
    elsif not found and p_document_id is not null then
        select v.document_id, v.document_version_id, v.version into v_existing
        from jobforge.document_versions v
        where v.tenant_id = v_tenant_id and v.document_id = p_document_id and v.content_sha256 = v_sha256;
    end if;
    if v_existing.document_version_id is not null then
        document_id := v_existing.document_id;
        document_version_id := v_existing.document_version_id;
        version := v_existing.version;
        deduplicated := true;
        select k.job_id into job_id from jobforge.idempotency_keys k
        where k.tenant_id = v_tenant_id and k.type = 'PARSE_FACTS'
            and k.idempotency_key = 'parse-' || v_existing.document_version_id;
        return;
    end if;

    deduplicated := false;
    document_version_id := coalesce(p_document_version_id, jobforge.uuid_v7(clock_timestamp()));
    if p_document_id is null then
        document_id := jobforge.uuid_v7(clock_timestamp());
        version := 1;
        insert into jobforge.documents (tenant_id, document_id, kind, name, created_by)
        values (v_tenant_id, document_id, p_kind, p_name, left(p_actor_id, 500));
    else
        document_id := p_document_id;
        select max(v.version) + 1 into version from jobforge.document_versions v
        where v.tenant_id = v_tenant_id and v.document_id = p_document_id;
    end if;
    insert into jobforge.document_versions (tenant_id, document_version_id, document_id, version,
        media_type, content, content_sha256, size_bytes, uploaded_by)
    values (v_tenant_id, document_version_id, document_id, version, p_media_type, p_content, v_sha256,
        octet_length(p_content), left(p_actor_id, 500));
    perform jobforge.append_event('DocumentVersion', document_version_id, 'DOCUMENT_UPLOADED',
        jsonb_build_object('content_sha256', encode(v_sha256, 'hex'), 'document_id', document_id,
            'kind', p_kind, 'version', version), p_actor_id);
    job_id := jobforge.enqueue_step(v_tenant_id, 'PARSE_FACTS',
        jsonb_build_object('document_version_id', document_version_id), 2,
        'parse-' || document_version_id, null, p_trace_id, p_actor_id);
end
$$;

create or replace function jobforge.check_upload(p_kind text, p_name text, p_content bytea,
    p_media_type text) returns void
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    perform jobforge.check_one_of('kind of document', p_kind,
        array['BOM', 'PCF', 'DUE_DILIGENCE', 'BATTERY_DATA', 'OTHER']);
    perform jobforge.check_one_of('media type of a document', p_media_type,
        array['application/json', 'text/csv']);
    perform jobforge.check_length('the name of a document', p_name, 1, 500);
    if p_content is null then
        perform jobforge.raise_error('VALIDATION_ERROR', 'a document needs content', '');
    elsif octet_length(p_content) > 67108864 then
        perform jobforge.raise_error('PAYLOAD_LIMIT',
            format('the document has %s bytes, more than 64 MiB', octet_length(p_content)),
            'Split it into several documents.');
    end if;
end
$$;

-- Writers of one document's versions wait for each other.
create or replace function jobforge.lock_document(p_tenant_id uuid, p_document_id uuid, p_kind text)
    returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
    v_kind text;
begin
    select d.kind into v_kind from jobforge.documents d
    where d.tenant_id = p_tenant_id and d.document_id = p_document_id
    for no key update;
    if not found then
        perform jobforge.raise_not_found('document', p_document_id::text);
    elsif v_kind <> p_kind then
        perform jobforge.raise_error('VALIDATION_ERROR',
            format('document %s is of kind %s, not %s', p_document_id, v_kind, p_kind),
            'Upload it as a document of its own.');
    end if;
end
$$;
alter function jobforge.upload_document owner to jobforge_definer;
alter function jobforge.check_upload owner to jobforge_definer;
alter function jobforge.lock_document owner to jobforge_definer;
revoke execute on function jobforge.upload_document, jobforge.check_upload, jobforge.lock_document from public;
grant execute on function jobforge.upload_document to jobforge_tenant, jobforge_gateway, jobforge_worker;
