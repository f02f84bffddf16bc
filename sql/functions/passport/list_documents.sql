-- The versions of documents, newest first; the next page starts before the last id of this one.
create or replace function jobforge.list_document_versions(p_kind text default null,
    p_status text default null, p_limit integer default 50, p_before uuid default null)
    returns table (document_version_id uuid, document_id uuid, kind text, name text, version integer,
        media_type text, content_sha256 bytea, size_bytes bigint, status text, rejection jsonb,
        uploaded_at timestamptz, uploaded_by text, settled_at timestamptz, fact_count bigint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    perform jobforge.check_filter('kind of document', p_kind,
        array['BOM', 'PCF', 'DUE_DILIGENCE', 'BATTERY_DATA', 'OTHER']);
    perform jobforge.check_filter('status of a document', p_status, array['UPLOADED', 'VALIDATED', 'REJECTED']);
    return query
    select v.document_version_id, v.document_id, d.kind, d.name, v.version, v.media_type, v.content_sha256,
        v.size_bytes, v.status, v.rejection, v.uploaded_at, v.uploaded_by, v.settled_at,
        (select count(*) from jobforge.fact_sources f
            where f.tenant_id = v.tenant_id and f.document_version_id = v.document_version_id)
    from jobforge.document_versions v
    join jobforge.documents d on d.tenant_id = v.tenant_id and d.document_id = v.document_id
    where v.tenant_id = v_tenant_id and (p_kind is null or d.kind = p_kind)
        and (p_status is null or v.status = p_status)
        and (p_before is null or v.document_version_id < p_before)
    order by v.document_version_id desc limit p_limit;
end
$$;

create or replace function jobforge.get_document_version(p_document_version_id uuid)
    returns table (document_version_id uuid, document_id uuid, kind text, name text, version integer,
        media_type text, content_sha256 bytea, size_bytes bigint, status text, rejection jsonb,
        uploaded_at timestamptz, uploaded_by text, settled_at timestamptz, fact_count bigint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    return query
    select v.document_version_id, v.document_id, d.kind, d.name, v.version, v.media_type, v.content_sha256,
        v.size_bytes, v.status, v.rejection, v.uploaded_at, v.uploaded_by, v.settled_at,
        (select count(*) from jobforge.fact_sources f
            where f.tenant_id = v.tenant_id and f.document_version_id = v.document_version_id)
    from jobforge.document_versions v
    join jobforge.documents d on d.tenant_id = v.tenant_id and d.document_id = v.document_id
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    if not found then
        perform jobforge.raise_not_found('document version', p_document_version_id::text);
    end if;
end
$$;

create or replace function jobforge.get_document_content(p_document_version_id uuid) returns bytea
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
    v_content bytea;
begin
    select v.content into v_content from jobforge.document_versions v
    where v.tenant_id = v_tenant_id and v.document_version_id = p_document_version_id;
    if not found then
        perform jobforge.raise_not_found('document version', p_document_version_id::text);
    end if;
    return v_content;
end
$$;

-- Facts, newest first. p_document_version_id: what that document says; p_key_prefix: 'battery:'.
create or replace function jobforge.list_facts(p_document_version_id uuid default null,
    p_fact_type text default null, p_key_prefix text default null, p_limit integer default 50,
    p_before uuid default null)
    returns table (fact_id uuid, fact_type text, fact_key text, schema_version integer, payload jsonb,
        payload_hash bytea, document_version_id uuid, created_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    v_tenant_id uuid := jobforge.require_tenant(null);
begin
    perform jobforge.check_page(p_limit);
    return query
    select f.fact_id, f.fact_type, f.fact_key, f.schema_version, f.payload, f.payload_hash,
        f.document_version_id, f.created_at
    from jobforge.facts f
    where f.tenant_id = v_tenant_id and (p_fact_type is null or f.fact_type = p_fact_type)
        and (p_key_prefix is null or starts_with(f.fact_key, p_key_prefix))
        and (p_before is null or f.fact_id < p_before)
        and (p_document_version_id is null or f.fact_id in (
            select s.fact_id from jobforge.fact_sources s
            where s.tenant_id = v_tenant_id and s.document_version_id = p_document_version_id))
    order by f.fact_id desc limit p_limit;
end
$$;
alter function jobforge.list_document_versions owner to jobforge_definer;
alter function jobforge.get_document_version owner to jobforge_definer;
alter function jobforge.get_document_content owner to jobforge_definer;
alter function jobforge.list_facts owner to jobforge_definer;
revoke execute on function jobforge.list_document_versions, jobforge.get_document_version,
    jobforge.get_document_content, jobforge.list_facts from public;
grant execute on function jobforge.list_document_versions, jobforge.get_document_version,
    jobforge.get_document_content, jobforge.list_facts to jobforge_tenant, jobforge_gateway, jobforge_worker;
