-- No worker of this program handles these two types: what was enqueued waited for ever. They stay
-- registered, and the release that brings a handler switches them on. Where somebody's own worker has
-- a handler, nothing changes.
update jobforge.job_types t set enabled = false, updated_at = pg_catalog.clock_timestamp()
where t.type in ('INGEST_DOCUMENT', 'EXPORT_PASSPORT') and t.enabled
    and not exists (select from jobforge.workers w where t.type = any(w.types));
