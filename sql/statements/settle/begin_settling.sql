-- First in the transaction of a flush. Batch calls refuse a repetition in a transaction that has
-- written; this tells them that only batch calls write in this one.
select set_config('lock_timeout', $1, true), set_config('jobforge.only_settles',
    (pg_current_xact_id_if_assigned() is null)::text, true)
