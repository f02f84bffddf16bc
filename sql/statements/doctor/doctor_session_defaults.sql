-- What a new session of this login would have: ours set some of them themselves.
select s.name, s.reset_val
from pg_catalog.pg_settings s
where s.name in ('default_transaction_isolation', 'default_transaction_read_only',
    'row_security', 'statement_timeout', 'lock_timeout', 'idle_session_timeout',
    'idle_in_transaction_session_timeout', 'transaction_timeout')
order by s.name
