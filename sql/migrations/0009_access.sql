-- Who may use the HTTP API: keys, policies, answers kept for repeated requests, refusals.
--
-- Safe while workers of the version before run: new tables only.

-- secret_mac: HMAC-SHA-256 of the whole key under a pepper that is not in the database.
-- version grows with every change that a request must know of (not with last_used_at).
-- first_key_id: where a line of rotations began. Policies and idempotency keys belong to the line.
create table jobforge.api_keys (
    tenant_id     uuid        not null,
    key_id        text        collate "C" not null,
    first_key_id  text        collate "C" not null,
    name          text        not null,
    secret_mac    bytea       not null,
    roles         text[]      not null,
    status        text        not null default 'ACTIVE',
    version       bigint      not null default 1,
    expires_at    timestamptz,
    rotated_to    text        collate "C",
    created_at    timestamptz not null default pg_catalog.clock_timestamp(),
    created_by    text,
    last_used_at  timestamptz,
    revoked_at    timestamptz,
    revoked_by    text,
    constraint api_keys_pkey primary key (tenant_id, key_id),
    -- A request names a key before anybody knows the tenant. The ids are 80 random bits and come
    -- from the program, so that one is taken tells nobody anything.
    constraint api_keys_id_has_one_tenant unique (key_id),
    constraint api_keys_tenant_exists foreign key (tenant_id) references jobforge.tenants,
    constraint api_keys_first_exists foreign key (tenant_id, first_key_id) references jobforge.api_keys,
    constraint api_keys_rotated_to_exists foreign key (tenant_id, rotated_to) references jobforge.api_keys,
    constraint api_keys_id_form check (key_id ~ '^[a-z2-7]{16}$'),
    constraint api_keys_name_length check (pg_catalog.length(name) between 1 and 200),
    constraint api_keys_mac_is_sha256 check (pg_catalog.octet_length(secret_mac) = 32),
    constraint api_keys_roles_known check (pg_catalog.cardinality(roles) between 1 and 4
        and roles <@ array['Admin', 'ComplianceOfficer', 'Auditor', 'Operator']),
    constraint api_keys_status_known check (status in ('ACTIVE', 'REVOKED')),
    constraint api_keys_version_positive check (version >= 1),
    constraint api_keys_not_rotated_to_itself check (rotated_to <> key_id),
    constraint api_keys_expires_later check (expires_at > created_at),
    constraint api_keys_revoked_has_time check ((status = 'REVOKED') = (revoked_at is not null))
) with (fillfactor = 80);
create index api_keys_by_age on jobforge.api_keys (tenant_id, created_at, key_id);

create table jobforge.access_policies (
    tenant_id     uuid        not null,
    policy_id     uuid        not null,
    effect        text        not null,
    priority      integer     not null default 0,
    method        text        not null default '*',
    path_pattern  text        not null,
    role          text,
    key_id        text        collate "C",
    note          text        not null default '',
    created_at    timestamptz not null default pg_catalog.clock_timestamp(),
    created_by    text,
    constraint access_policies_pkey primary key (tenant_id, policy_id),
    constraint access_policies_key_exists foreign key (tenant_id, key_id) references jobforge.api_keys,
    constraint access_policies_effect_known check (effect in ('allow', 'deny')),
    constraint access_policies_priority_range check (priority between -1000000 and 1000000),
    constraint access_policies_method_known
        check (method in ('*', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
    -- '*' is one segment, '**' the rest.
    constraint access_policies_pattern_form check (pg_catalog.length(path_pattern) <= 500
        and path_pattern ~ '^(/([A-Za-z0-9._~:@-]+|[*]))*(/[*][*])?$' and path_pattern <> ''),
    constraint access_policies_role_known
        check (role in ('Admin', 'ComplianceOfficer', 'Auditor', 'Operator')),
    constraint access_policies_role_or_key check (pg_catalog.num_nonnulls(role, key_id) <= 1),
    constraint access_policies_note_length check (pg_catalog.length(note) <= 500)
);

-- Grows with every change of a tenant's policies; no row: none was ever made.
create table jobforge.access_versions (
    tenant_id  uuid   not null,
    version    bigint not null,
    constraint access_versions_pkey primary key (tenant_id),
    constraint access_versions_tenant_exists foreign key (tenant_id) references jobforge.tenants,
    constraint access_versions_positive check (version >= 1)
) with (fillfactor = 50);

-- Answers of requests that came with an Idempotency-Key: written whole, in the transaction of what
-- they answer, and never changed. key_id is the first of its line; no foreign key, which would mark
-- the key's row at every request that enter_request has just checked.
create table jobforge.api_requests (
    tenant_id        uuid        not null,
    key_id           text        collate "C" not null,
    idempotency_key  text        collate "C" not null,
    request_hash     bytea       not null,
    status           integer     not null,
    headers          jsonb       not null default '{}',
    body             bytea       compression lz4 not null,
    created_at       timestamptz not null default pg_catalog.clock_timestamp(),
    constraint api_requests_pkey primary key (tenant_id, key_id, idempotency_key),
    constraint api_requests_key_form check (idempotency_key ~ '^[!-~]{1,255}$'),
    constraint api_requests_hash_is_sha256 check (pg_catalog.octet_length(request_hash) = 32),
    constraint api_requests_succeeded check (status between 200 and 299),
    constraint api_requests_headers_is_object check (pg_catalog.jsonb_typeof(headers) = 'object'),
    constraint api_requests_body_length check (pg_catalog.octet_length(body) <= 16777216)
);
create index api_requests_by_age on jobforge.api_requests (created_at);

-- Refusals that no event tells of yet. noted_at: the last event about this key and route.
create table jobforge.access_denials (
    tenant_id   uuid        not null,
    key_id      text        collate "C" not null,
    route       text        collate "C" not null,
    reason      text        not null,
    pending     bigint      not null,
    noted_at    timestamptz not null default '-infinity',
    last_at     timestamptz not null,
    constraint access_denials_pkey primary key (tenant_id, key_id, route),
    constraint access_denials_key_exists foreign key (tenant_id, key_id) references jobforge.api_keys,
    constraint access_denials_route_length check (pg_catalog.length(route) between 1 and 300),
    constraint access_denials_reason_length check (pg_catalog.length(reason) between 1 and 100),
    constraint access_denials_pending_not_negative check (pending >= 0)
) with (fillfactor = 50);

do $$
declare
    v_table text;
begin
    foreach v_table in array array['api_keys', 'access_policies', 'access_versions', 'api_requests',
        'access_denials']
    loop
        execute pg_catalog.format('alter table jobforge.%I owner to jobforge_owner', v_table);
        execute pg_catalog.format('alter table jobforge.%I enable row level security', v_table);
        execute pg_catalog.format('alter table jobforge.%I force row level security', v_table);
    end loop;
end
$$;
