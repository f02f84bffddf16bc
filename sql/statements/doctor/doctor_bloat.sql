select s.relname::text, s.n_live_tup, s.n_dead_tup,
    coalesce(pg_catalog.to_char(s.last_autovacuum at time zone 'UTC', 'YYYY-MM-DD HH24:MI'),
    'never') as vacuumed
from pg_catalog.pg_stat_user_tables s
where s.schemaname = 'jobforge' and s.relname in ('jobs', 'finished_jobs', 'attempt_records',
    'counter_deltas', 'workers')
order by s.relname
