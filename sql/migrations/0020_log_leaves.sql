-- Log entries say which leaf they are in the Merkle tree (docs/formats.md, "Log heads").
--   1  the event's hash, as every release before this one wrote it
--   2  the event's hash and id, and the size of the head before: a renamed event and a removed head show
-- A new form, not a changed one: heads that were signed over leaves of form 1 stay true, and workers of
-- the release before go on writing those (extend_event_log) until they are replaced.
--
-- Safe while they run: both columns have a default, so no row is rewritten; NOT VALID takes no scan, and
-- every old row passes.
alter table jobforge.event_log
    add column leaf_version smallint not null default 1,
    add column head_size bigint,
    add constraint event_log_leaf_known check (
        (leaf_version = 1 and head_size is null)
        or (leaf_version = 2 and head_size is not null and head_size between 0 and log_index)) not valid;
alter table jobforge.event_log validate constraint event_log_leaf_known;
