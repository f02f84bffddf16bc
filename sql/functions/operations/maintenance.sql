-- Housekeeping that any worker runs; SKIP LOCKED or a tried lock keeps two from doing the same.

-- Adds the appended counter rows to the totals.
create or replace function jobforge.fold_counters() returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_rows integer;
begin
    if not jobforge.try_turn('00000000-0000-0000-0000-000000000000', 'fold_counters') then
        return 0;
    end if;
    with taken as (
        delete from jobforge.counter_deltas d returning d.tenant_id, d.type, d.counter, d.delta, d.bytes
    ), added as (
        insert into jobforge.counter_totals as t (tenant_id, type, counter, value, bytes)
        select d.tenant_id, d.type, d.counter, sum(d.delta), sum(d.bytes) from taken d
        group by d.tenant_id, d.type, d.counter
        on conflict (tenant_id, type, counter) do update
            set value = t.value + excluded.value, bytes = t.bytes + excluded.bytes
    )
    select count(*) into v_rows from taken;
    delete from jobforge.tenant_measures m where m.measured_at < clock_timestamp() - interval '10 seconds';
    return v_rows;
end
$$;

-- Deletes finished jobs past their type's retention, with their attempts, keys and artifacts. The
-- artifacts are locked first: a transaction that uses one of them again shares its row (store_artifact),
-- and what it has committed by then is seen by the delete, a later statement. A job with an artifact
-- that is shared right now stays for a later run.
create or replace function jobforge.prune_finished(p_limit integer default 1000) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_job record;
    v_files bytea[];
    v_locked bytea[];
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 100000);
    if not jobforge.try_turn('00000000-0000-0000-0000-000000000000', 'prune_finished') then
        return 0;
    end if;
    for v_job in
        select f.tenant_id, f.job_id, f.type, f.status, f.idempotency_key, f.payload_ref, f.result_ref
        from jobforge.job_types t join jobforge.finished_jobs f on f.type = t.type
        where f.completed_at < clock_timestamp() - interval '1 day'
                * case when f.status = 'SUCCEEDED' then t.retention_days else t.failure_retention_days end
            and f.completed_at < clock_timestamp() - interval '1 day'
                * (select min(least(m.retention_days, m.failure_retention_days)) from jobforge.job_types m)
        limit p_limit
        for update of f skip locked
    loop
        v_files := array(select n.sha256 from jobforge.job_artifacts n
                where n.tenant_id = v_job.tenant_id and n.job_id = v_job.job_id)
            || array_remove(array[v_job.payload_ref, v_job.result_ref], null);
        v_locked := '{}';
        if cardinality(v_files) > 0 then
            v_locked := array(select a.sha256 from jobforge.artifacts a
                where a.tenant_id = v_job.tenant_id and a.sha256 = any(v_files) for update skip locked);
            continue when exists (select from jobforge.artifacts a
                where a.tenant_id = v_job.tenant_id and a.sha256 = any(v_files) and a.sha256 <> all(v_locked));
        end if;
        delete from jobforge.finished_jobs f where f.tenant_id = v_job.tenant_id and f.job_id = v_job.job_id;
        delete from jobforge.attempt_records a
        where a.tenant_id = v_job.tenant_id and a.job_id = v_job.job_id;
        delete from jobforge.idempotency_keys k
        where k.tenant_id = v_job.tenant_id and k.type = v_job.type
            and k.idempotency_key = v_job.idempotency_key and k.job_id = v_job.job_id;
        if v_job.status = 'DEAD_LETTER' then
            insert into jobforge.counter_deltas (tenant_id, type, counter, delta)
            values (v_job.tenant_id, v_job.type, 'dead_letters_left', -1);
        end if;
        v_count := v_count + 1;
        continue when cardinality(v_locked) = 0;
        delete from jobforge.job_artifacts n
        where n.tenant_id = v_job.tenant_id and n.job_id = v_job.job_id;
        delete from jobforge.artifacts a
        where a.tenant_id = v_job.tenant_id and a.sha256 = any(v_locked)
            and not exists (select from jobforge.job_artifacts n
                where n.tenant_id = a.tenant_id and n.sha256 = a.sha256)
            and not exists (select from jobforge.jobs j
                where j.tenant_id = a.tenant_id and j.payload_ref = a.sha256)
            and not exists (select from jobforge.finished_jobs f
                where f.tenant_id = a.tenant_id and f.payload_ref = a.sha256)
            and not exists (select from jobforge.finished_jobs f
                where f.tenant_id = a.tenant_id and f.result_ref = a.sha256);
    end loop;
    return v_count;
end
$$;

-- Enqueues what is due in schedules, and moves each to its next time in the same transaction: a second run
-- adds nothing. After an outage one run makes up for all that were missed. What the tenant could not enqueue
-- itself is passed over: nothing of a suspended tenant, no internal type, no priority better than its min_priority.
create or replace function jobforge.run_schedules(p_limit integer default 100) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_due record;
    v_now timestamptz;
    v_job_id uuid;
    v_policy record;
    v_count integer := 0;
begin
    perform jobforge.check_page(p_limit, 100000);
    for v_due in
        select s.* from jobforge.schedules s
        where s.enabled and s.next_run_at <= clock_timestamp()
        order by s.next_run_at limit p_limit for update skip locked
    loop
        v_now := clock_timestamp();
        v_job_id := null;
        select t.default_priority, t.max_attempts, n.min_priority into v_policy
        from jobforge.job_types t join jobforge.tenants n on n.tenant_id = v_due.tenant_id and n.status = 'ACTIVE'
        where t.type = v_due.type and t.enabled and not t.internal;
        if found then
            v_job_id := jobforge.uuid_v7(v_now);
            insert into jobforge.jobs (tenant_id, job_id, type, priority, max_attempts, scheduled_at,
                created_at, created_by, payload, payload_bytes)
            values (v_due.tenant_id, v_job_id, v_due.type,
                greatest(coalesce(v_due.priority, v_policy.default_priority), v_policy.min_priority),
                v_policy.max_attempts, v_due.next_run_at, v_now, 'schedule:' || v_due.name, v_due.payload,
                octet_length(v_due.payload::text));
            insert into jobforge.counter_deltas (tenant_id, type, counter, delta, bytes)
            values (v_due.tenant_id, v_due.type, 'enqueued', 1, octet_length(v_due.payload::text));
            perform jobforge.wake(v_due.type);
            v_count := v_count + 1;
        end if;
        update jobforge.schedules s
        set last_run_at = v_now, last_job_id = coalesce(v_job_id, s.last_job_id),
            next_run_at = s.next_run_at + interval '1 second' * s.every_seconds * (1 + floor(
                date_part('epoch', v_now - s.next_run_at) / s.every_seconds))
        where s.tenant_id = v_due.tenant_id and s.schedule_id = v_due.schedule_id;
    end loop;
    return v_count;
end
$$;

-- Forgets workers that have been silent for a day, or said good-bye an hour ago; those over HTTP have
-- no good-bye.
create or replace function jobforge.prune_workers() returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_count integer;
begin
    with gone as (
        delete from jobforge.workers w where w.worker_id in (
            select d.worker_id from jobforge.workers d
            where d.heartbeat_at < clock_timestamp()
                - case when d.state = 'STOPPED' or jobforge.worker_tenant(d.worker_id) is not null
                    then interval '1 hour' else interval '1 day' end
            for update skip locked)
        returning 1)
    select count(*) into v_count from gone;
    return v_count;
end
$$;
-- Forgets the governors of hosts that were not called for a month (sources and endpoints keep
-- theirs, and so does a host with settings of its own), and secrets that no longer sign.
create or replace function jobforge.prune_governors() returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_count integer;
begin
    with gone as (
        delete from jobforge.governors g where (g.tenant_id, g.kind, g.key) in (
            select d.tenant_id, d.kind, d.key from jobforge.governors d
            where d.kind = 'host' and d.state = 'CLOSED' and d.rate_per_minute is null and d.burst is null
                and (d.failure_threshold, d.open_seconds, d.probe_seconds) = (5, 300, 60)
                and coalesce(d.paused_until < clock_timestamp(), true)
                and greatest(d.last_success_at, d.last_failure_at) < clock_timestamp() - interval '30 days'
            limit 1000 for update skip locked)
        returning 1)
    select count(*) into v_count from gone;
    -- SKIP LOCKED: a tenant's open rotation holds its own rows, and this runs for all tenants.
    delete from jobforge.webhook_replaced_secrets r where r.ctid = any(array(
        select d.ctid from jobforge.webhook_replaced_secrets d where d.expires_at <= clock_timestamp()
        limit 1000 for update skip locked));
    return v_count;
end
$$;
alter function jobforge.fold_counters owner to jobforge_engine;
alter function jobforge.prune_finished owner to jobforge_engine;
alter function jobforge.run_schedules owner to jobforge_engine;
alter function jobforge.prune_workers owner to jobforge_engine;
alter function jobforge.prune_governors owner to jobforge_engine;
revoke execute on function jobforge.fold_counters, jobforge.prune_finished, jobforge.run_schedules,
    jobforge.prune_workers, jobforge.prune_governors from public;
grant execute on function jobforge.fold_counters, jobforge.prune_finished, jobforge.run_schedules,
    jobforge.prune_workers, jobforge.prune_governors to jobforge_worker;
